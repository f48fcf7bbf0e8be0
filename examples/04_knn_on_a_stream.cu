// The nearest neighbors of every point of a cloud on the GPU, and a kernel of your own that uses them, one after the
// other on a stream. Nothing waits in between, and no neighbor is copied to the host.
//
// The call is in the compiled library, which nvcc need not compile. With <farpoint/knn.cuh> instead of
// <farpoint/runtime.hpp> these lines need no library.
#include <farpoint/device_scratch.cuh>
#include <farpoint/runtime.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "managed_array.hpp"

struct point {
  float x, y, z;
};

constexpr int k = 8;

/// A thread per point: its height becomes the mean of its neighbors'.
__global__ void smooth_heights(point const* points, std::int32_t const* neighbors, int n, float* heights) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  float sum = 0;
  for (int j = 0; j < k; ++j) sum += points[neighbors[i * k + j]].z;
  heights[i] = sum / k;
}

/// The k nearest by looking at all points; of equally near ones, those with the lowest index.
std::vector<std::int32_t> nearest_of_all(managed_array<point> const& points, point const& query) {
  auto const distance2 = [&](std::int32_t i) {
    point const& p = points[static_cast<std::size_t>(i)];
    float const dx = p.x - query.x;
    float const dy = p.y - query.y;
    float const dz = p.z - query.z;
    return dx * dx + dy * dy + dz * dz;
  };
  std::vector<std::int32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](std::int32_t a, std::int32_t b) {
    return distance2(a) < distance2(b) || (distance2(a) == distance2(b) && a < b);
  });
  order.resize(k);
  return order;
}

int main() {
  if (!has_gpu()) return 77;

  // Whole meters: their squares are exact, and many points are equally near.
  constexpr int n = 20000;
  managed_array<point> points{n};
  std::mt19937 random{1};
  std::uniform_int_distribution<int> meter{0, 40};
  for (int i = 0; i < n; ++i) {
    points[static_cast<std::size_t>(i)] = {static_cast<float>(meter(random)), static_cast<float>(meter(random)),
                                           static_cast<float>(meter(random))};
  }
  managed_array<std::int32_t> neighbors{n * k};
  managed_array<float> heights{n};
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);

  //! [search]
  farpoint::cuda_exec const exec{stream};
  farpoint::batch const cloud{farpoint::view_points(points.data(), n)};
  std::size_t const needed = knn_workspace_bytes(exec, cloud, {k});
  farpoint::device_scratch workspace;
  farpoint::result outcome = workspace.reserve(exec, needed);  // once, for many calls

  farpoint::knn_output<float> output;
  output.indices = neighbors.span();  // [n, k]
  if (outcome) outcome = knn(exec, cloud, {k}, output, workspace);
  //! [search]
  if (!succeeded(outcome)) return 1;

  smooth_heights<<<(n + 255) / 256, 256, 0, stream>>>(points.data(), neighbors.data(), n, heights.data());
  cudaStreamSynchronize(stream);  // the first time that the host waits
  outcome = workspace.release();  // to the stream, before it is gone
  cudaStreamDestroy(stream);
  if (!succeeded(outcome)) return 1;
  if (cudaError_t const error = cudaGetLastError(); error != cudaSuccess) {
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
    return 1;
  }

  int checked = 0;
  for (std::size_t i = 0; i < n; i += 97, ++checked) {
    auto const expected = nearest_of_all(points, points[i]);
    float sum = 0;
    for (std::int32_t const j : expected) sum += points[static_cast<std::size_t>(j)].z;
    bool const same = std::equal(expected.begin(), expected.end(), neighbors.data() + i * k);
    if (!same || heights[i] != sum / k) {
      std::fprintf(stderr, "point %zu: the neighbors are wrong\n", i);
      return 1;
    }
  }
  std::printf("%d points have the neighbors that a search of all points finds\n", checked);
  return 0;
}

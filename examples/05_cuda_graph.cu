// A pipeline as one CUDA graph: a sweep is voxelized, voxels are sampled, each sample gets its nearest voxels, and each
// voxel a normal. The graph is captured once and replayed for each new sweep, of another size: how many points and
// voxels there are is read on the device, and the host neither waits nor knows.
#include <farpoint/runtime.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>
#include <tuple>

#include "managed_array.hpp"

using farpoint::index_t;

struct point {
  float x, y, z;
};

constexpr index_t point_limit = 30000;  // per sweep
constexpr index_t max_voxels = 20000;
constexpr index_t samples = 256;
constexpr index_t k = 16;
constexpr float voxel = 0.5f;  // meters

/// Copies the positions of the sampled voxels. Without enough voxels the rest is NaN, which knn() skips.
__global__ void copy_sampled(point const* voxels, std::int32_t const* sampled, point* places) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= samples) return;
  places[i] = sampled[i] < 0 ? point{NAN, NAN, NAN} : voxels[sampled[i]];
}

/// The memory that the graph works on. Its addresses are part of the graph; what is in it is not.
struct pipeline {
  managed_array<point> points{point_limit};
  managed_array<index_t> point_offsets{2};  // {0, number of points}: a batch of one cloud

  managed_array<float> centroids{3 * max_voxels};
  managed_array<index_t> voxel_offsets{2};  // {0, number of voxels}, which voxelize() writes

  managed_array<std::int32_t> sampled{samples};
  managed_array<point> sampled_places{samples};
  managed_array<std::int32_t> neighbors{samples * k};
  managed_array<float> normals{3 * max_voxels};

  /// Enqueues all steps. Each call's workspace is free for the next one, which begins when it has ended.
  bool enqueue(cudaStream_t stream, farpoint::bytes workspace, std::size_t* needed = nullptr) const;
};

bool pipeline::enqueue(cudaStream_t stream, farpoint::bytes workspace, std::size_t* needed) const {
  //! [steps]
  using clouds = farpoint::batch<farpoint::point_view<float>>;
  farpoint::cuda_exec const exec{stream};
  clouds const sweep = clouds::ragged(farpoint::view_points(points.data(), point_limit), point_offsets.span());

  farpoint::voxelize_params<float> grid;
  grid.grid = farpoint::voxel_grid<float>::from_range({{-40, -40, -20}}, {{40, 40, 20}}, {{voxel, voxel, voxel}});
  farpoint::voxelize_output<float> voxels;
  voxels.capacity = max_voxels;
  voxels.centroid = centroids.span();
  voxels.voxel_offsets = voxel_offsets.span();

  // The voxels are the cloud of the other steps: its size is what voxelize() has written.
  clouds const cloud = clouds::ragged({centroids.data(), max_voxels}, voxel_offsets.span());
  clouds const queries{farpoint::view_points(sampled_places.data(), samples)};
  farpoint::fps_params sampling;
  sampling.samples = samples;
  farpoint::normals_params surface;
  surface.viewpoint = {{0, 0, 10}};
  //! [steps]

  if (needed != nullptr) {
    *needed = std::max({voxelize_workspace_bytes(exec, sweep, grid, voxels), fps_workspace_bytes(exec, cloud, sampling),
                        knn_workspace_bytes(exec, cloud, queries, {k}),
                        estimate_normals_workspace_bytes(exec, cloud, surface)});
    return true;
  }
  //! [enqueue]
  if (!succeeded(voxelize(exec, sweep, grid, voxels, workspace))) return false;
  if (!succeeded(fps(exec, cloud, sampling, {sampled.span()}, workspace))) return false;
  copy_sampled<<<1, samples, 0, stream>>>(reinterpret_cast<point const*>(centroids.data()), sampled.data(),
                                          sampled_places.data());
  if (!succeeded(knn(exec, cloud, queries, {k}, {neighbors.span()}, workspace))) return false;
  return succeeded(estimate_normals(exec, cloud, surface, {normals.span()}, workspace));
  //! [enqueue]
}

/// A sweep over the plane z = slope * x - 2, whose normal and voxels are known.
void fill(pipeline const& steps, index_t n, float slope) {
  for (index_t i = 0; i < n; ++i) {
    float const angle = 2.4f * static_cast<float>(i);  // the golden angle spreads points evenly
    float const range = 35 * std::sqrt(static_cast<float>(i) / static_cast<float>(n));
    float const x = range * std::cos(angle);
    steps.points[static_cast<std::size_t>(i)] = {x, range * std::sin(angle), slope * x - 2};
  }
  steps.point_offsets[0] = 0;
  steps.point_offsets[1] = n;
}

/// Number of cells that have a point, counted by a set.
std::size_t count_voxels(pipeline const& steps) {
  std::set<std::tuple<int, int, int>> cells;
  auto const cell = [](float at, float origin) { return static_cast<int>(std::floor((at - origin) / voxel)); };
  for (index_t i = 0; i < steps.point_offsets[1]; ++i) {
    point const& p = steps.points[static_cast<std::size_t>(i)];
    cells.insert({cell(p.x, -40), cell(p.y, -40), cell(p.z, -20)});
  }
  return cells.size();
}

bool is_right(pipeline const& steps, float slope) {
  auto const voxels = static_cast<std::size_t>(steps.voxel_offsets[1]);
  if (voxels != count_voxels(steps)) return false;

  std::set<std::int32_t> different;
  for (std::size_t s = 0; s < samples; ++s) {
    std::int32_t const sample = steps.sampled[s];
    different.insert(sample);
    if (sample < 0 || static_cast<std::size_t>(sample) >= voxels) return false;
    if (steps.neighbors[s * k] != sample) return false;  // a voxel is its own nearest one
    float const* const normal = steps.normals.data() + 3 * sample;
    float const length = std::sqrt(1 + slope * slope);
    if (std::abs(normal[0] + slope / length) > 1e-3f || std::abs(normal[2] - 1 / length) > 1e-3f) return false;
  }
  return different.size() == samples;
}

int main() {
  if (!has_gpu()) return 77;
  pipeline const steps;
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  std::size_t needed = 0;
  steps.enqueue(stream, {}, &needed);
  managed_array<unsigned char> const workspace{needed};

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  bool const captured = steps.enqueue(stream, workspace.span());
  cudaStreamEndCapture(stream, &graph);
  if (!captured || cudaGraphInstantiate(&replay, graph, 0) != cudaSuccess) return 1;

  bool right = true;
  for (auto const& [n, slope] : {std::pair{index_t{30000}, 0.0f}, {index_t{9000}, 0.2f}, {index_t{21000}, -0.4f}}) {
    fill(steps, n, slope);  // the only thing that changes from one sweep to the next
    cudaGraphLaunch(replay, stream);
    cudaStreamSynchronize(stream);
    bool const this_one = is_right(steps, slope);
    std::printf("%lld points: %lld voxels, %s\n", static_cast<long long>(n),
                static_cast<long long>(steps.voxel_offsets[1]), this_one ? "right" : "WRONG");
    right = right && this_one;
  }
  cudaGraphExecDestroy(replay);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  return right && cudaGetLastError() == cudaSuccess ? 0 : 1;
}

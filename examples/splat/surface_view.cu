// A view's search and fit on a GPU: upload, one core call and one kernel on a stream, download.
#include <farpoint/knn_screen.cuh>

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <stdexcept>

#include "plane_fit.hpp"
#include "surface_view.hpp"

namespace farpoint_demo {

namespace {

constexpr int block_size = 128;

/// A thread for each row that there may be; `rows` says how many there are.
__global__ void fit_rows(plane_fit fit, std::int32_t const* rows) {
  auto const i = static_cast<std::int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < *rows) fit(static_cast<std::size_t>(i));
}

template <class T>
farpoint::span<T> span_of(thrust::device_vector<T>& vector) {
  return {thrust::raw_pointer_cast(vector.data()), vector.size()};
}

template <class T, class Host>
void download(thrust::device_vector<T> const& from, std::size_t count, Host* to) {
  static_assert(sizeof(Host) % sizeof(T) == 0);
  thrust::copy_n(from.begin(), count * (sizeof(Host) / sizeof(T)), reinterpret_cast<T*>(to));
}

void expect_ok(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error{cudaGetErrorString(error)};
}

// All device memory of a view. Thrust fills it on the legacy default stream, which everything else uses too.
class device_view {
 public:
  device_view(std::vector<point3> const& cloud, camera const& looking, int k, int rounds)
      : k_{k},
        rows_{
            std::min(cloud.size(), static_cast<std::size_t>(looking.width) * static_cast<std::size_t>(looking.height))},
        method_{looking},
        cloud_(3 * cloud.size()),
        visible_(rows_),
        indices_(rows_ * static_cast<std::size_t>(k)),
        distances_(indices_.size()),
        normals_(3 * rows_),
        radii_(rows_),
        count_(1) {
    auto const* const coordinates = reinterpret_cast<float const*>(cloud.data());
    thrust::copy_n(coordinates, cloud_.size(), cloud_.begin());
    method_.rounds = rounds;
    workspace_.resize(farpoint::knn_workspace_bytes(exec_, farpoint::batch{points()}, method_, k_));
  }

  void search_and_fit() {
    farpoint::knn_screen_output<float> output;
    output.indices = span_of(indices_);
    output.distances = span_of(distances_);
    output.visible = span_of(visible_);
    output.visible_count = span_of(count_);
    auto const outcome = farpoint::knn(exec_, farpoint::batch{points()}, method_, k_, output, span_of(workspace_));
    if (!outcome) throw std::runtime_error{outcome.reason};

    vec3 const eye = eye_of(method_.camera);
    plane_fit const fit{points(), span_of(visible_).data(),   span_of(indices_).data(), span_of(distances_).data(),
                        k_,       {{eye[0], eye[1], eye[2]}}, span_of(normals_).data(), span_of(radii_).data()};
    auto const blocks = static_cast<unsigned>((rows_ + block_size - 1) / block_size);
    fit_rows<<<blocks, block_size, 0, exec_.stream>>>(fit, span_of(count_).data());
    expect_ok(cudaGetLastError());
    expect_ok(cudaStreamSynchronize(exec_.stream));
  }

  surface_view download_view() const {
    auto const seen = static_cast<std::size_t>(count_[0]);
    auto const k = static_cast<std::size_t>(k_);
    surface_view view;
    view.looking = method_.camera;
    view.seen = {std::vector<std::int32_t>(seen),
                 {k, std::vector<std::int32_t>(seen * k), std::vector<float>(seen * k)}};
    view.fitted = {std::vector<point3>(seen), std::vector<float>(seen)};
    download(visible_, seen, view.seen.visible.data());
    download(indices_, seen * k, view.seen.neighbours.indices.data());
    download(distances_, seen * k, view.seen.neighbours.distances.data());
    download(normals_, seen, view.fitted.normals.data());
    download(radii_, seen, view.fitted.radii.data());
    return view;
  }

 private:
  farpoint::point_view<float> points() const {
    return {thrust::raw_pointer_cast(cloud_.data()), static_cast<farpoint::index_t>(cloud_.size() / 3)};
  }

  farpoint::cuda_exec exec_{cudaStreamLegacy};
  int k_;
  std::size_t rows_;
  farpoint::screen_space<camera> method_;
  thrust::device_vector<float> cloud_;
  thrust::device_vector<std::int32_t> visible_;
  thrust::device_vector<std::int32_t> indices_;
  thrust::device_vector<float> distances_;
  thrust::device_vector<float> normals_;
  thrust::device_vector<float> radii_;
  thrust::device_vector<std::int32_t> count_;
  thrust::device_vector<unsigned char> workspace_;
};

}  // namespace

surface_view view_on_cuda(std::vector<point3> const& cloud, camera const& looking, int k, int rounds) {
  device_view work{cloud, looking, k, rounds};
  work.search_and_fit();  // warm-up: the first launch of a kernel loads it
  auto const start = std::chrono::steady_clock::now();
  work.search_and_fit();
  std::chrono::duration<double> const time = std::chrono::steady_clock::now() - start;

  auto view = work.download_view();
  view.info.used = farpoint::runtime::backend::cuda;
  view.info.seconds = time.count();
  int device = 0;
  cudaDeviceProp properties{};
  expect_ok(cudaGetDevice(&device));
  expect_ok(cudaGetDeviceProperties(&properties, device));
  std::snprintf(view.info.device, sizeof view.info.device, "%s", properties.name);
  return view;
}

}  // namespace farpoint_demo

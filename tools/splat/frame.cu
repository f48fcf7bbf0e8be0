// A frame on a GPU: upload, the calls on a stream and as one graph, download.
#include <farpoint/knn_screen.cuh>
#include <farpoint/splat/draw_splats.cuh>
#include <farpoint/splat/normals_from_neighbors.cuh>
#include <farpoint/splat/project.cuh>

#include <thrust/copy.h>
#include <thrust/device_vector.h>

#include <cstdio>

#include "frame_maker.hpp"

namespace farpoint_tools {

namespace {

void expect_success(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error{cudaGetErrorString(error)};
}

class cuda_side {
 public:
  static constexpr int repeats = 20;
  template <class T>
  using array = thrust::device_vector<T>;

  cuda_side() { expect_success(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  cuda_side(cuda_side const&) = delete;
  cuda_side& operator=(cuda_side const&) = delete;
  ~cuda_side() { cudaStreamDestroy(stream_); }

  farpoint::cuda_exec exec() const { return farpoint::cuda_exec{stream_}; }
  /// For the legacy stream, too, on which Thrust fills arrays.
  void wait() const { expect_success(cudaDeviceSynchronize()); }
  template <class T>
  static T* pointer(thrust::device_vector<T>& values) {
    return thrust::raw_pointer_cast(values.data());
  }
  template <class From, class To>
  static void copy_n(From from, std::size_t count, To to) {
    thrust::copy_n(from, count, to);
  }
  /// Time of building the index of an exact search (s): the view with the index minus the view without.
  template <class Cloud, class Method, class Output>
  double index_seconds(Cloud const& points, Method const& method, Output const& output,
                       farpoint::bytes workspace) const {
    if (method.rounds != farpoint::until_exact) return 0;
    using plan = farpoint::detail::knn_screen_plan<farpoint::knn_screen_selector, farpoint::point_view<float>, camera>;
    auto const view_seconds = [&](bool with_index) {
      return frame_seconds([&] {
        auto const outcome = plan{points, method}.launch_view(workspace.data(), output, with_index, stream_);
        if (!outcome) throw std::runtime_error{outcome.reason};
      });
    };
    return std::max(0.0, view_seconds(true) - view_seconds(false));
  }
  /// Mean time of a replay as a graph (s).
  template <class Work>
  double frame_seconds(Work const& work) const {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    expect_success(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    work();
    expect_success(cudaStreamEndCapture(stream_, &graph));
    expect_success(cudaGraphInstantiate(&executable, graph, 0));
    expect_success(cudaGraphLaunch(executable, stream_));
    wait();
    auto const start = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i) expect_success(cudaGraphLaunch(executable, stream_));
    wait();
    auto const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / repeats;
    expect_success(cudaGraphExecDestroy(executable));
    expect_success(cudaGraphDestroy(graph));
    return seconds;
  }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace

splat_frame frame_on_cuda(std::vector<point3> const& cloud, frame_request const& request,
                          std::vector<float> const& colors) {
  cuda_side side;
  auto made = frame_maker<cuda_side>{side, cloud, request, colors}.make();
  made.info.used = farpoint::runtime::backend::cuda;
  int device = 0;
  cudaDeviceProp properties{};
  expect_success(cudaGetDevice(&device));
  expect_success(cudaGetDeviceProperties(&properties, device));
  std::snprintf(made.info.device, sizeof made.info.device, "%s", properties.name);
  return made;
}

}  // namespace farpoint_tools

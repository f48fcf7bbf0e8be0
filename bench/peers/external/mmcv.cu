/// @file
/// Farthest point samples, ball queries, gathers, interpolations and nearest neighbors by mmcv's kernels, its sources
/// as they are.

#include "peers/external/device_peers.hpp"
#include "peers/external/pointnet2_calls.cuh"
#include "peers/external/torch_stub.hpp"

namespace farpoint_bench {
namespace {

// The sources' headers have been included: their names stay in this namespace.
namespace mmcv {
#include "pytorch/cuda/ball_query_cuda.cu"
#include "pytorch/cuda/furthest_point_sample_cuda.cu"
#include "pytorch/cuda/gather_points_cuda.cu"
#include "pytorch/cuda/group_points_cuda.cu"
#include "pytorch/cuda/knn_cuda.cu"
#include "pytorch/cuda/three_interpolate_cuda.cu"
#include "pytorch/cuda/three_nn_cuda.cu"

struct kernels {
  static constexpr double max_pairs = 2e12;

  static void fps(cudaStream_t stream, device_fps::input const& in, float* nearest, std::int32_t* indices) {
    at::cuda::current_stream() = stream;
    FurthestPointSamplingForwardCUDAKernelLauncher(in.clouds, in.points, in.samples, in.xyz, nearest, indices);
  }
  static void ball_query(cudaStream_t stream, device_ball_query::input const& in, std::int32_t* indices) {
    at::cuda::current_stream() = stream;
    BallQueryForwardCUDAKernelLauncher(in.clouds, in.points, in.queries, 0, in.radius, in.most,
                                       at::Tensor{in.queries_xyz}, at::Tensor{in.xyz}, at::Tensor{indices});
  }
  static void gather(cudaStream_t stream, device_gather::input const& in, float* features) {
    at::cuda::current_stream() = stream;
    if (in.row_size > 1) {
      GroupPointsForwardCUDAKernelLauncher(in.clouds, in.channels, in.points, in.rows, in.row_size,
                                           at::Tensor{in.features}, at::Tensor{in.indices}, at::Tensor{features});
    } else {
      GatherPointsForwardCUDAKernelLauncher(in.clouds, in.channels, in.points, in.rows, at::Tensor{in.features},
                                            at::Tensor{in.indices}, at::Tensor{features});
    }
  }
  static void three_nn(cudaStream_t stream, device_interpolate::input const& in, float* distances,
                       std::int32_t* indices) {
    at::cuda::current_stream() = stream;
    ThreeNNForwardCUDAKernelLauncher(in.clouds, in.queries, in.points, at::Tensor{in.queries_xyz}, at::Tensor{in.xyz},
                                     at::Tensor{distances}, at::Tensor{indices});
  }
  static void interpolate(cudaStream_t stream, device_interpolate::input const& in, std::int32_t const* indices,
                          float const* weights, float* features) {
    at::cuda::current_stream() = stream;
    ThreeInterpolateForwardCUDAKernelLauncher(in.clouds, in.channels, in.points, in.queries, at::Tensor{in.features},
                                              at::Tensor{indices}, at::Tensor{weights}, at::Tensor{features});
  }
};

/// All pairs, with a list of at most 100 neighbors in local memory.
class knn final : public device_knn {
 public:
  explicit knn(input const& in)
      : in_{in},
        indices_{static_cast<std::size_t>(in.queries) * static_cast<std::size_t>(in.k)},
        distances_{indices_.size()} {}

  static bool suits(input const& in) {
    return in.k <= 100 && std::isinf(in.radius) &&
           static_cast<double>(in.points) * static_cast<double>(in.queries) <= 1e11;
  }
  void enqueue(cudaStream_t stream) override {
    at::cuda::current_stream() = stream;
    KNNForwardCUDAKernelLauncher(1, in_.points, in_.queries, in_.k, at::Tensor{in_.xyz}, at::Tensor{in_.queries_xyz},
                                 at::Tensor{indices_.data()}, at::Tensor{distances_.data()});
  }
  std::vector<std::int32_t> indices() const override { return indices_.download(); }

 private:
  input in_;
  device_buffer<std::int32_t> indices_;
  device_buffer<float> distances_;
};
}  // namespace mmcv

register_pointnet2<mmcv::kernels> const registered{"mmcv"};
register_device_peer<device_knn, mmcv::knn> const neighbors{"mmcv"};

}  // namespace
}  // namespace farpoint_bench

/// @file
/// Farthest point samples, ball queries and nearest neighbours by mmcv's kernels, its sources as they are.

#include "peers/external/device_peers.hpp"
#include "peers/external/pointnet2_calls.cuh"
#include "peers/external/torch_stub.hpp"

namespace farpoint_bench {
namespace {

// The sources' headers have been included: their names stay in this namespace.
namespace mmcv {
#include "pytorch/cuda/ball_query_cuda.cu"
#include "pytorch/cuda/furthest_point_sample_cuda.cu"
#include "pytorch/cuda/knn_cuda.cu"

struct kernels {
  static constexpr double most_pairs = 2e12;

  static void fps(cudaStream_t stream, device_fps::input const& in, float* nearest, std::int32_t* indices) {
    at::cuda::current_stream() = stream;
    FurthestPointSamplingForwardCUDAKernelLauncher(in.clouds, in.points, in.samples, in.xyz, nearest, indices);
  }
  static void ball_query(cudaStream_t stream, device_ball_query::input const& in, std::int32_t* indices) {
    at::cuda::current_stream() = stream;
    BallQueryForwardCUDAKernelLauncher(in.clouds, in.points, in.queries, 0, in.radius, in.most,
                                       at::Tensor{in.queries_xyz}, at::Tensor{in.xyz}, at::Tensor{indices});
  }
};

/// All pairs, with a list of at most 100 neighbours in local memory.
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

register_device_peer<device_fps, pointnet2_fps<mmcv::kernels>> const fps{"mmcv"};
register_device_peer<device_ball_query, pointnet2_ball_query<mmcv::kernels>> const balls{"mmcv"};
register_device_peer<device_knn, mmcv::knn> const neighbours{"mmcv"};

}  // namespace
}  // namespace farpoint_bench

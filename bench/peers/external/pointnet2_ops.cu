/// @file
/// Farthest point samples and ball queries by pointnet2_ops (erikwijmans/Pointnet2_PyTorch), its sources as they are.

#include "peers/external/device_peers.hpp"
#include "peers/external/pointnet2_calls.cuh"
#include "peers/external/torch_stub.hpp"

namespace farpoint_bench {
namespace {

// The sources' headers have been included: their names stay in this namespace.
namespace pointnet2_ops {
#include "src/ball_query_gpu.cu"
#include "src/sampling_gpu.cu"

struct kernels {
  // One block a cloud.
  static constexpr double most_pairs = 2e9;

  static void fps(cudaStream_t stream, device_fps::input const& in, float* nearest, std::int32_t* indices) {
    at::cuda::current_stream() = stream;
    furthest_point_sampling_kernel_wrapper(in.clouds, in.points, in.samples, in.xyz, nearest, indices);
  }
  static void ball_query(cudaStream_t stream, device_ball_query::input const& in, std::int32_t* indices) {
    at::cuda::current_stream() = stream;
    query_ball_point_kernel_wrapper(in.clouds, in.points, in.queries, in.radius, in.most, in.queries_xyz, in.xyz,
                                    indices);
  }
};
}  // namespace pointnet2_ops

register_device_peer<device_fps, pointnet2_fps<pointnet2_ops::kernels>> const fps{"pointnet2_ops"};
register_device_peer<device_ball_query, pointnet2_ball_query<pointnet2_ops::kernels>> const balls{"pointnet2_ops"};

}  // namespace
}  // namespace farpoint_bench

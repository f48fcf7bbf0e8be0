/// @file
/// Farthest point samples, ball queries, gathers and interpolations by pointnet2_ops (erikwijmans/Pointnet2_PyTorch),
/// its sources as they are.

#include "peers/external/device_peers.hpp"
#include "peers/external/pointnet2_calls.cuh"
#include "peers/external/torch_stub.hpp"

namespace farpoint_bench {
namespace {

// The sources' headers have been included: their names stay in this namespace.
namespace pointnet2_ops {
#include "src/ball_query_gpu.cu"
#include "src/group_points_gpu.cu"
#include "src/interpolate_gpu.cu"
#include "src/sampling_gpu.cu"

struct kernels {
  // One block a cloud.
  static constexpr double max_pairs = 2e9;

  static void fps(cudaStream_t stream, device_fps::input const& in, float* nearest, std::int32_t* indices) {
    at::cuda::current_stream() = stream;
    furthest_point_sampling_kernel_wrapper(in.clouds, in.points, in.samples, in.xyz, nearest, indices);
  }
  static void ball_query(cudaStream_t stream, device_ball_query::input const& in, std::int32_t* indices) {
    at::cuda::current_stream() = stream;
    query_ball_point_kernel_wrapper(in.clouds, in.points, in.queries, in.radius, in.most, in.queries_xyz, in.xyz,
                                    indices);
  }
  static void gather(cudaStream_t stream, device_gather::input const& in, float* features) {
    at::cuda::current_stream() = stream;
    if (in.row_size > 1) {
      group_points_kernel_wrapper(in.clouds, in.channels, in.points, in.rows, in.row_size, in.features, in.indices,
                                  features);
    } else {
      gather_points_kernel_wrapper(in.clouds, in.channels, in.points, in.rows, in.features, in.indices, features);
    }
  }
  static void three_nn(cudaStream_t stream, device_interpolate::input const& in, float* distances,
                       std::int32_t* indices) {
    at::cuda::current_stream() = stream;
    three_nn_kernel_wrapper(in.clouds, in.queries, in.points, in.queries_xyz, in.xyz, distances, indices);
  }
  static void interpolate(cudaStream_t stream, device_interpolate::input const& in, std::int32_t const* indices,
                          float const* weights, float* features) {
    at::cuda::current_stream() = stream;
    three_interpolate_kernel_wrapper(in.clouds, in.channels, in.points, in.queries, in.features, indices, weights,
                                     features);
  }
};
}  // namespace pointnet2_ops

register_pointnet2<pointnet2_ops::kernels> const registered{"pointnet2_ops"};

}  // namespace
}  // namespace farpoint_bench

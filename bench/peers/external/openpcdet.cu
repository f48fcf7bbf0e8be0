/// @file
/// Farthest point samples, ball queries, gathers and interpolations by OpenPCDet's kernels for batches, its sources as
/// they are.

#include "peers/external/device_peers.hpp"
#include "peers/external/pointnet2_calls.cuh"
#include "peers/external/torch_stub.hpp"

namespace farpoint_bench {
namespace {

// The sources' headers have been included: their names stay in this namespace.
namespace openpcdet {
#include "src/ball_query_gpu.cu"
#include "src/group_points_gpu.cu"
#include "src/interpolate_gpu.cu"
#include "src/sampling_gpu.cu"

/// They enqueue on the default stream.
struct kernels {
  static constexpr double max_pairs = 2e12;

  static void fps(cudaStream_t, device_fps::input const& in, float* nearest, std::int32_t* indices) {
    farthest_point_sampling_kernel_launcher(in.clouds, in.points, in.samples, in.xyz, nearest, indices);
  }
  static void ball_query(cudaStream_t, device_ball_query::input const& in, std::int32_t* indices) {
    ball_query_kernel_launcher_fast(in.clouds, in.points, in.queries, in.radius, in.most, in.queries_xyz, in.xyz,
                                    indices);
  }
  static void gather(cudaStream_t, device_gather::input const& in, float* features) {
    if (in.row_size > 1) {
      group_points_kernel_launcher_fast(in.clouds, in.channels, in.points, in.rows, in.row_size, in.features,
                                        in.indices, features);
    } else {
      gather_points_kernel_launcher_fast(in.clouds, in.channels, in.points, in.rows, in.features, in.indices, features);
    }
  }
  static void three_nn(cudaStream_t, device_interpolate::input const& in, float* distances, std::int32_t* indices) {
    three_nn_kernel_launcher_fast(in.clouds, in.queries, in.points, in.queries_xyz, in.xyz, distances, indices);
  }
  static void interpolate(cudaStream_t, device_interpolate::input const& in, std::int32_t const* indices,
                          float const* weights, float* features) {
    three_interpolate_kernel_launcher_fast(in.clouds, in.channels, in.points, in.queries, in.features, indices, weights,
                                           features);
  }
};
}  // namespace openpcdet

register_pointnet2<openpcdet::kernels> const registered{"openpcdet", peer_stream::standard};

}  // namespace
}  // namespace farpoint_bench

/// @file
/// Farthest point samples and ball queries by OpenPCDet's kernels for batches, its sources as they are.

#include "peers/external/device_peers.hpp"
#include "peers/external/pointnet2_calls.cuh"
#include "peers/external/torch_stub.hpp"

namespace farpoint_bench {
namespace {

// The sources' headers have been included: their names stay in this namespace.
namespace openpcdet {
#include "src/ball_query_gpu.cu"
#include "src/sampling_gpu.cu"

/// They enqueue on the default stream.
struct kernels {
  static constexpr double most_pairs = 2e12;

  static void fps(cudaStream_t, device_fps::input const& in, float* nearest, std::int32_t* indices) {
    farthest_point_sampling_kernel_launcher(in.clouds, in.points, in.samples, in.xyz, nearest, indices);
  }
  static void ball_query(cudaStream_t, device_ball_query::input const& in, std::int32_t* indices) {
    ball_query_kernel_launcher_fast(in.clouds, in.points, in.queries, in.radius, in.most, in.queries_xyz, in.xyz,
                                    indices);
  }
};
}  // namespace openpcdet

register_device_peer<device_fps, pointnet2_fps<openpcdet::kernels>> const fps{"openpcdet", peer_stream::standard};
register_device_peer<device_ball_query, pointnet2_ball_query<openpcdet::kernels>> const balls{"openpcdet",
                                                                                              peer_stream::standard};

}  // namespace
}  // namespace farpoint_bench

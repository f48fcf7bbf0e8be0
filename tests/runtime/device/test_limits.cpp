// Limits of the calls on a stream. A call above its limit enqueues nothing.
#include <farpoint/gather.hpp>
#include <farpoint/knn_screen.hpp>
#include <farpoint/offsets_of_sizes.hpp>
#include <farpoint/runtime.hpp>
#include <farpoint/runtime/stream_hash_map.hpp>

#include "../../core/backend_limits.hpp"
#include "../../support/catch.hpp"

using namespace farpoint_tests;

namespace {

using limit_index = farpoint::device_point_bvh<float>;
constexpr farpoint::cuda_exec limit_exec{nullptr};
constexpr backend_limits limits_here{2147483647,
                                     "fps: cuda_exec takes clouds of at most 2^31 - 1 points",
                                     index_t{1} << 30,
                                     "voxelize: cuda_exec takes at most 2^30 points and clouds",
                                     index_t{1} << 30,
                                     (index_t{1} << 29) - 1,
                                     "points: cuda_exec takes at most 2^30 points and 2^29 - 1 clouds",
                                     index_t{1} << 36,
                                     "queries: cuda_exec takes at most 2^36; split the call"};

}  // namespace

#define BACKEND_NAME "device"
#define BACKEND_TAG "[device]"
#include "../../core/limit_tests.inc"

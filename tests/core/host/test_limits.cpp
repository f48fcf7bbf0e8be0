// Limits of the calls on host_exec.
#include <farpoint/estimate_normals.hpp>
#include <farpoint/fps.hpp>
#include <farpoint/gather.hpp>
#include <farpoint/hash_map.hpp>
#include <farpoint/interpolate.hpp>
#include <farpoint/knn_screen.hpp>
#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/offsets_of_sizes.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/search/for_each_neighborhood.hpp>
#include <farpoint/voxelize.hpp>

#include "../../support/catch.hpp"
#include "../backend_limits.hpp"

using namespace farpoint_tests;

namespace {

using limit_index = farpoint::point_bvh<float>;
constexpr farpoint::host_exec limit_exec{1};
constexpr char const* too_many_points = "points: more than 2^31 - 1 clouds, or 2^48 points";
constexpr backend_limits limits_here{4000000000,
                                     "fps: a cloud has more than 4e9 points",
                                     2147483646,
                                     "voxelize: host_exec takes fewer than 2^31 - 1 points",
                                     index_t{1} << 31,
                                     2147483647,
                                     too_many_points,
                                     index_t{1} << 48,
                                     "queries: more than 2^31 - 1 clouds, or 2^48 points"};

}  // namespace

#define BACKEND_NAME "host"
#define BACKEND_TAG "[host]"
#define BACKEND_TAKES_CONSUMERS
#include "../limit_tests.inc"

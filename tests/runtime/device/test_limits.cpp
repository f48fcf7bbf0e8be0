// Limits of the calls on a stream. A call above its limit enqueues nothing.
#include <farpoint/gather.hpp>
#include <farpoint/hash_map.hpp>
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

TEST_CASE("limits, device: keys of a hash map, and sides of a quadtree", "[limits][device]") {
  using map_type = farpoint::hash_map_ref<std::uint32_t>;
  alignas(32) static farpoint::hash_map_bucket bucket;
  map_type const map{{&bucket, 1}};
  std::uint32_t key = 1;
  std::size_t const above = (std::size_t{1} << 38) + 1;
  farpoint::span<std::uint32_t> const values{&key, above};
  char const* const sentence = "hash_map: cuda_exec takes at most 2^38 keys; split the call";
  CHECK(std::string{hash_map_insert(limit_exec, map, values, values).reason} == sentence);
  CHECK(std::string{hash_map_insert_keys(limit_exec, map, values).reason} == sentence);
  CHECK(std::string{hash_map_find(limit_exec, map, values, 0u, values).reason} == sentence);
  std::uint64_t word = 0;
  farpoint::quadtree_ref tree;
  check_limit(8192, "zbuffer: its width or height is not 1 to 8192", [&](index_t side) {
    farpoint::zbuffer_ref const zbuffer{{&word, 1}, static_cast<std::int32_t>(side), 1};
    return build_quadtree(limit_exec, zbuffer, {}, {}, tree);
  });
}

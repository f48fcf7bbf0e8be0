// describe(), and what calls say of a workspace that is too small: the function, the bytes that it needs, those given.
#include <farpoint/core/describe.hpp>
#include <farpoint/estimate_normals.hpp>
#include <farpoint/fps.hpp>
#include <farpoint/hash_map.hpp>
#include <farpoint/interpolate.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/voxelize.hpp>

#include <string>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/random.hpp"

using namespace farpoint_tests;
using farpoint::bytes;
using farpoint::host_exec;
using farpoint::host_scratch;
using farpoint::index_t;
using farpoint::result;
using farpoint::span;
using farpoint::status;

namespace {

constexpr index_t n = 100;

std::vector<float> coordinates() {
  random_source random{7};
  std::vector<float> all(3 * n);
  for (float& each : all) each = random.uniform();
  return all;
}

/// Checks the sentence of a call that is given a byte less than it needs.
/// @param call  `call(workspace)`
template <class Call>
void check_sentence(std::string const& function, std::string const& memory, std::string const& size, std::size_t needed,
                    Call const& call) {
  CAPTURE(function, needed);
  REQUIRE(needed > 1);
  host_scratch const scratch{needed};
  result const refused = call(scratch.get().first(needed - 1));
  CHECK(refused.code == status::workspace_too_small);
  std::string const reason = function + ": the " + memory + " is smaller than the " + size + "() of this call";
  CHECK(std::string{refused.reason} == reason);
  CHECK(describe(refused) ==
        reason + ": " + std::to_string(needed) + " bytes are needed, " + std::to_string(needed - 1) + " given");
  result const done = call(scratch.get());
  CHECK(describe(done) == "");
  CHECK(done);
}

template <class Call>
void check_workspace_of(std::string const& function, std::size_t needed, Call const& call) {
  check_sentence(function, "workspace", function + "_workspace_bytes", needed, call);
}

}  // namespace

TEST_CASE("describe: the reason, and the numbers that there are", "[describe][host]") {
  CHECK(farpoint::describe({}) == "");
  CHECK(farpoint::describe({status::bad_argument, 0, "knn: k is wrong"}) == "knn: k is wrong");
  CHECK(farpoint::describe({status::cuda_failure, 700, "fps: no"}) == "fps: no (CUDA error 700)");
  CHECK(farpoint::describe({status::communication_failure, 5, "ranks: no"}) == "ranks: no (NCCL error 5)");
  CHECK(farpoint::describe({status::read_failure, 2, "tile: no"}) == "tile: no (error 2)");
  CHECK(farpoint::describe(farpoint::detail::too_small("fps: small", 400, 0)) ==
        "fps: small: 400 bytes are needed, 0 given");
  STATIC_REQUIRE(std::is_trivially_copyable_v<result>);
}

TEST_CASE("describe: a workspace that is too small is named with its function and both sizes", "[describe][host]") {
  host_exec const exec{2};
  auto const floats = coordinates();
  farpoint::batch<farpoint::point_view<float>> const cloud{farpoint::point_view<float>{floats.data(), n}};
  std::vector<std::int32_t> indices(3 * n + 1);
  std::vector<float> values(3 * n);
  span<float> const rows{values.data(), static_cast<std::size_t>(n)};
  farpoint::knn_params const params{3};

  farpoint::fps_params sampling;
  sampling.samples = 10;
  check_workspace_of("fps", fps_workspace_bytes(exec, cloud, sampling),
                     [&](bytes workspace) { return fps(exec, cloud, sampling, {indices}, workspace); });
  check_workspace_of("knn", knn_workspace_bytes(exec, cloud, cloud, params),
                     [&](bytes workspace) { return knn(exec, cloud, cloud, params, {indices}, workspace); });
  check_workspace_of("radius", radius_workspace_bytes(exec, cloud, cloud), [&](bytes workspace) {
    return radius(exec, cloud, cloud, {0.1, 3}, {indices}, workspace);
  });
  check_sentence("radius_rows", "workspace", "radius_workspace_bytes", radius_workspace_bytes(exec, cloud, cloud),
                 [&](bytes workspace) { return radius_rows(exec, cloud, cloud, {0.1}, {indices}, workspace); });
  check_workspace_of("mean_knn_distance", mean_knn_distance_workspace_bytes(exec, cloud, {3}),
                     [&](bytes workspace) { return mean_knn_distance(exec, cloud, {3}, {rows}, workspace); });
  check_workspace_of("estimate_normals", estimate_normals_workspace_bytes(exec, cloud, {}),
                     [&](bytes workspace) { return estimate_normals(exec, cloud, {}, {values}, workspace); });
  farpoint::voxelize_params<float> gridding;
  gridding.grid = farpoint::voxel_grid<float>::from_range({0, 0, 0}, {1, 1, 1}, {0.5f, 0.5f, 0.5f});
  farpoint::voxelize_output<float> voxels;
  voxels.capacity = 8;
  voxels.coords = span<std::int32_t>{indices.data(), 24};
  check_workspace_of("voxelize", voxelize_workspace_bytes(exec, cloud, gridding, voxels),
                     [&](bytes workspace) { return voxelize(exec, cloud, gridding, voxels, workspace); });
  check_workspace_of("interpolate", interpolate_workspace_bytes(exec, cloud, cloud), [&](bytes workspace) {
    return interpolate(exec, cloud, span<float const>{rows}, cloud, 1, {rows}, workspace);
  });
}

TEST_CASE("describe: memory that is too small is named with its function and both sizes", "[describe][host]") {
  host_exec const exec{2};
  auto const floats = coordinates();
  farpoint::batch<farpoint::point_view<float>> const cloud{farpoint::point_view<float>{floats.data(), n}};
  farpoint::point_bvh<float> index;
  check_sentence("build_point_bvh", "memory", "point_bvh_bytes", point_bvh_bytes(exec, cloud),
                 [&](bytes memory) { return build_point_bvh(exec, cloud, memory, index); });
  host_scratch const memory{point_bvh_bytes(exec, cloud)};
  REQUIRE(build_point_bvh(exec, cloud, memory, index));
  std::vector<std::int32_t> indices(3 * n);
  check_workspace_of("knn", knn_workspace_bytes(exec, index, cloud), [&](bytes workspace) {
    return knn(exec, index, cloud, farpoint::knn_params{3}, {indices}, workspace);
  });
  check_workspace_of("radius", radius_workspace_bytes(exec, index, cloud), [&](bytes workspace) {
    return radius(exec, index, cloud, {0.1, 3}, {indices}, workspace);
  });

  using map_type = farpoint::hash_map_ref<std::uint32_t>;
  std::vector<farpoint::hash_map_bucket> buckets(4);
  map_type const map{{buckets.data(), buckets.size()}};
  map.clear();
  check_workspace_of("hash_map_extract", farpoint::hash_map_extract_workspace_bytes(exec, map),
                     [&](bytes workspace) { return farpoint::hash_map_extract(exec, map, {}, workspace); });
}

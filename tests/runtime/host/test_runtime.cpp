// The compiled library, as a plain C++17 caller sees it.
#include <farpoint/hash_map.hpp>
#include <farpoint/runtime.hpp>
#include <farpoint/runtime/stream_bounds.hpp>
#include <farpoint/runtime/stream_hash_map.hpp>

#include "../../fps/fps_problem.hpp"
#include "../../support/catch.hpp"
#include "../../support/check_answer.hpp"
#include "../../voxelize/voxelize_random.hpp"

using namespace farpoint_tests;
namespace runtime = farpoint::runtime;

namespace {

template <class Coord>
void check_backend(runtime::backend where) {
  fps_problem<Coord> problem{make_cloud(shape::cube, 3000, 81), 200, {27, {1, 9, 18}, 0, false}};
  problem.offsets = {0, 1000, 1000, 2500};
  problem.firsts = {5, 0, 1499};
  runtime::run_info info;
  auto const answer = collect(problem, [&](farpoint::fps_params const& params, auto const& output) {
    auto const clouds = problem.clouds_at(problem.memory.data(), problem.offsets.data());
    return runtime::fps(clouds, params, output, {where, 2}, &info);
  });
  INFO(answer.outcome.reason);
  CHECK(same_answer(answer, reference_answer(problem)));
  CHECK(info.used != runtime::backend::automatic);
  CHECK(std::string{info.device} != "");
  CHECK(info.seconds > 0);
}

template <class Coord>
void check_voxelize(runtime::backend where) {
  for (std::uint64_t seed = 7000; seed < 7040; ++seed) {
    auto problem = random_voxelize_problem<Coord>(seed, 2000);
    problem.double_out = std::is_same_v<Coord, double> && seed % 2 == 0;
    runtime::run_info info;
    auto const answer = collect_voxels(problem, [&](auto const& clouds, auto const& params, auto const& output) {
      return runtime::voxelize(clouds, params, output, {where, 2}, &info);
    });
    auto const expected = reference_voxels(problem);
    CAPTURE(seed);
    check_answer(answer, expected, answer.outcome.reason);
    CHECK(info.used != runtime::backend::automatic);
    CHECK(std::string{info.device} != "");
    CHECK(info.seconds > 0);
  }
}

/// Checks a function's result on a machine without a GPU: `unavailable`, with a reason that begins with the function's
/// name.
void check_unavailable(std::string const& function, farpoint::result const& outcome) {
  INFO(outcome.reason);
  CHECK(outcome.code == farpoint::status::unavailable);
  CHECK(std::string{outcome.reason}.rfind(function, 0) == 0);
}

template <class Check>
void for_every_scalar(Check const& check) {
  check(0.0f);
  check(0.0);
  check(farpoint::float16{});
}

}  // namespace

TEST_CASE("the library counts wrong offsets, as the functions do that it calls", "[runtime]") {
  fps_problem<float> problem{make_cloud(shape::cube, 100, 81), 5};
  problem.offsets = {0, 60, 40, 101};
  auto const answer = collect(problem, [&](farpoint::fps_params const& params, auto const& output) {
    auto const clouds = problem.clouds_at(problem.memory.data(), problem.offsets.data());
    return runtime::fps(clouds, params, output);
  });
  CHECK(same_answer(answer, reference_answer(problem)));
  CHECK(answer.report.bad_offsets == 2);
}

TEST_CASE("the library samples on the host", "[runtime]") {
  for_every_scalar([](auto one) { check_backend<decltype(one)>(runtime::backend::host); });
}

TEST_CASE("the library samples on the host after the thread's memory was given back", "[runtime]") {
  runtime::release_thread_memory();
  check_backend<farpoint::float16>(runtime::backend::host);
  runtime::release_thread_memory();
  runtime::release_thread_memory();
  check_voxelize<farpoint::float16>(runtime::backend::host);
}

TEST_CASE("the library chooses a backend by itself", "[runtime]") {
  check_backend<float>(runtime::backend::automatic);
}

TEST_CASE("the library uses the GPU, or says that there is none", "[runtime][voxelize]") {
  if (runtime::cuda_available()) {
    for_every_scalar([](auto one) {
      check_backend<decltype(one)>(runtime::backend::cuda);
      check_voxelize<decltype(one)>(runtime::backend::cuda);
    });
    return;
  }
  std::vector<float> const xyz(30);
  farpoint::batch const cloud{farpoint::point_view<float>{xyz.data(), 10}};
  std::vector<int> indices(3);
  farpoint::fps_params params;
  params.samples = 3;
  farpoint::voxelize_params<float> voxels;
  voxels.grid = {{{0, 0, 0}}, {{1, 1, 1}}, {{1, 1, 1}}};
  runtime::options const on_gpu{runtime::backend::cuda, 0};
  runtime::run_info info;
  check_unavailable("fps: ", runtime::fps(cloud, params, {indices}, on_gpu, &info));
  check_unavailable("voxelize: ", runtime::voxelize(cloud, voxels, {}, on_gpu, &info));
}

TEST_CASE("the library says on a stream that there is no GPU", "[runtime]") {
  if (runtime::cuda_available()) return;
  farpoint::cuda_exec const exec{nullptr};
  farpoint::batch const cloud{farpoint::point_view<float>{nullptr, 10}};
  farpoint::fps_params const params;
  std::vector<int> indices(30);
  CHECK(fps_workspace_bytes(exec, cloud, params) == 0);
  check_unavailable("fps: ", fps(exec, cloud, params, {indices}, {}));
  check_unavailable("knn: ", knn(exec, cloud, farpoint::knn_params{3}, {indices}, {}));
  farpoint::span<float const> const features;
  check_unavailable("gather: ", gather(exec, features, 1, {}, farpoint::span<float>{}));
  farpoint::hash_map_ref<std::uint32_t> const map;
  check_unavailable("hash_map: ", hash_map_clear(exec, map));
  farpoint::voxel_map<double> const voxels;
  CHECK(voxel_map_keep_workspace_bytes(exec, voxels.params) == 0);
  check_unavailable("voxel_map_clear: ", voxel_map_clear(exec, voxels));
  check_unavailable("voxel_map_insert: ", voxel_map_insert(exec, voxels, {}, {}));
  farpoint::pinhole_camera<float> const camera;
  check_unavailable("project: ", project(exec, cloud, camera, {}));
  check_unavailable("draw_splats: ", draw_splats(exec, cloud, {}, camera, {}, {}, {}));
  std::size_t bound = 7;
  auto const unknown = farpoint::fps_workspace_bound<farpoint::point_view<float>>(exec, {100, 1}, bound);
  CHECK(unknown.code == farpoint::status::unavailable);
  check_unavailable("knn: ", farpoint::knn_screen_workspace_bound<farpoint::point_view<farpoint::float16>>(
                                 exec, {100, 640, 480}, bound));
  CHECK(bound == 7);
}

TEST_CASE("the library refuses what the core call refuses", "[runtime]") {
  std::vector<float> const xyz(30);
  std::vector<int> indices(3);
  farpoint::fps_params params;
  params.samples = 3;
  params.first = 10;
  farpoint::batch const cloud{farpoint::point_view<float>{xyz.data(), 10}};
  CHECK(runtime::fps(cloud, params, {indices}).code == farpoint::status::bad_argument);
  params.first = 0;
  CHECK(runtime::fps(cloud, params, {indices}, {runtime::backend::host, -1}).code == farpoint::status::bad_argument);
  CHECK(std::string{to_string(runtime::backend::cuda)} == "cuda");
}

TEST_CASE("the library voxelizes on the host", "[runtime][voxelize]") {
  for_every_scalar([](auto one) { check_voxelize<decltype(one)>(runtime::backend::host); });
  check_voxelize<float>(runtime::backend::automatic);
}

TEST_CASE("the library refuses to voxelize what the core call refuses", "[runtime][voxelize]") {
  std::vector<float> const xyz(30);
  farpoint::batch const cloud{farpoint::point_view<float>{xyz.data(), 10}};
  farpoint::voxelize_params<float> params;
  CHECK(runtime::voxelize(cloud, params, {}).code == farpoint::status::bad_argument);
  params.grid = {{{0, 0, 0}}, {{1, 1, 1}}, {{1, 1, 1}}};
  CHECK(runtime::voxelize(cloud, params, {}, {runtime::backend::host, -1}).code == farpoint::status::bad_argument);
  CHECK(runtime::voxelize(cloud, params, {}, {runtime::backend::host, 1}).code == farpoint::status::ok);
}

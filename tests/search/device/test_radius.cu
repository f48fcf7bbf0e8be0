// radius() and radius_rows() on cuda_exec: the shared cases.
#include "../../support/catch.hpp"
#include "../../support/device/multiprocessors.cuh"
#include "../../support/device/stream_citizen.cuh"
#include "../search_on_host.hpp"
#include "radius_on_device.cuh"

using namespace farpoint_tests;

namespace {

template <class Problem>
auto solve_radius(Problem const& problem) {
  return with_index_type(problem, [&](auto index) {
    auto const answer = radius_on_device<decltype(index)>(problem);
    check_answer(radius_on_device<decltype(index), always_index>(problem), answer, "with an index");
    check_answer(radius_on_device<decltype(index), always_scan>(problem), answer, "without an index");
    return answer;
  });
}

template <class Problem>
auto solve_rows(Problem const& problem) {
  return with_index_type(problem, [&](auto index) { return rows_on_device<decltype(index)>(problem); });
}

}  // namespace

#define BACKEND_NAME "device"
#define BACKEND_TAG "[device]"
#define BACKEND_TEST_CASE TEST_CASE
#include "../radius_tests.inc"

namespace {

using problem_type = radius_problem<float>;

}  // namespace

TEST_CASE("radius, device: a captured call replays on new data", "[radius][device][graph][sanitize]") {
  for (auto const order : {radius_order::index, radius_order::nearest}) {
    for (index_t const max : {0, 5, 40}) {
      std::vector<problem_type> problems;
      for (shape const which : {shape::cube, shape::rings, shape::all_equal, shape::non_finite, shape::cube}) {
        problems.emplace_back(make_cloud(which, 1500, 3), 0.15, max, order);
        problems.back().points.offsets = {0, 0, 700, 701, 1500};
        problems.back().capacity = 20000;
      }
      CAPTURE(static_cast<int>(order), max);
      auto const check = [&](auto selector) {
        radius_call<problem_type, std::int32_t, decltype(selector)> lists{problems[0], 1500 * max, 1500};
        check_list_replays(
            lists, problems, [&](cudaStream_t stream) { return lists.lists(stream); },
            [](auto const& problem) { return reference_radius(problem); });
      };
      check(always_index{});
      check(always_scan{});
      if (max != 0) continue;
      radius_call<problem_type, std::int32_t> rows{problems[0], 20000, 1501};
      check_list_replays(
          rows, std::vector{problems[0], problems[0]}, [&](cudaStream_t stream) { return rows.rows(stream); },
          [](auto const& problem) { return reference_rows(problem); });
    }
  }
}

TEST_CASE("radius, device: long rows are in order too", "[radius][device]") {
  for (shape const which : {shape::cube, shape::all_equal, shape::lattice}) {
    for (auto const order : {radius_order::index, radius_order::nearest}) {
      for (std::size_t const n : {31u, 32u, 33u, 256u, 511u, 512u, 513u, 1200u}) {
        CAPTURE(static_cast<int>(which), static_cast<int>(order), n);
        problem_type problem{make_cloud(which, n, n), 30, 0, order};
        problem.params.exclude_self = n % 2 == 1;
        radius_oracle<problem_type> oracle;
        check_rows(problem, oracle);
      }
    }
  }
}

// At these sizes the workspace holds an order of the warps, and the last block has warps behind the last point.
TEST_CASE("radius, device: warps behind the last point ask for nobody's neighbors", "[radius][device][sanitize]") {
  test_stream const stream;
  for (index_t const n : {70'000, 70'032, 70'064, 70'096}) {
    // Lists of a thread, and of a warp.
    for (index_t const max : {8, 40}) {
      problem_type const problem{make_cloud(shape::cube, static_cast<std::size_t>(n), 3), 0.05, max,
                                 radius_order::index};
      auto const right = radius_on_host(problem, farpoint::host_exec{2});
      radius_call<problem_type, std::int32_t> call{problem, n * max, n};
      REQUIRE(call.lists(stream.get()));  // allocates the workspace
      REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
      for (auto const kind : all_leftovers) {
        CAPTURE(n, max, static_cast<int>(kind));
        call.fill_workspace(kind);
        farpoint::result const outcome = call.lists(stream.get());
        REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
        check_answer(call.answer(outcome), right);
      }
    }
  }
}

TEST_CASE("radius, device: an error of somebody else's is neither reported nor cleared", "[radius][device]") {
  problem_type problem{make_cloud(shape::rings, 2000, 3), 0.5, 8};
  radius_call<problem_type, std::int32_t> call{problem, 16000, 2000};
  test_stream const stream;
  REQUIRE(call.lists(stream.get()));  // allocates the workspace
  farpoint::result outcome;
  check_foreign_error(stream.get(), [&] { outcome = call.lists(stream.get()); });
  CHECK(outcome.code == farpoint::status::ok);
  problem_type const empty{xyz_cloud{}, 0.5, 8};
  CHECK(same_answer(call.answer(outcome), reference_radius(problem)));
  CHECK(same_answer(radius_on_device<std::int32_t>(empty), reference_radius(empty)));
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("radius, device: beside a kernel that has all multiprocessors but one", "[radius][device]") {
  problem_type problem{make_cloud(shape::rings, 30000, 3), 0.4, 16};
  problem.ask(make_cloud(shape::rings, 20000, 4));
  problem.capacity = 400000;
  radius_call<problem_type, std::int32_t> lists{problem, problem.list_size(), problem.query_count()};
  auto const expected = radius_on_device<std::int32_t>(problem);
  int const held = multiprocessor_count() - 1;
  check_runs_beside(
      held, [&](cudaStream_t stream) { return lists.lists(stream); },
      [&](farpoint::result const& outcome) { return same_answer(lists.answer(outcome), expected); });
  radius_call<problem_type, std::int32_t> rows{problem, problem.capacity, problem.query_count() + 1};
  auto const expected_rows = rows_on_device<std::int32_t>(problem);
  check_runs_beside(
      held, [&](cudaStream_t stream) { return rows.rows(stream); },
      [&](farpoint::result const& outcome) { return same_answer(rows.answer(outcome), expected_rows); });
}

TEST_CASE("radius, device: nothing in, nothing out", "[radius][device][sanitize]") {
  for (int const which : {0, 1, 2, 3}) {
    problem_type problem{which % 2 == 0 ? xyz_cloud{} : make_cloud(shape::cube, 40, 1), 0.5, 8};
    if (which > 0) problem.ask(which == 2 ? make_cloud(shape::cube, 40, 2) : xyz_cloud{});
    CAPTURE(which);
    check_lists_and_rows(problem);
  }
  problem_type no_clouds{xyz_cloud{}, 0.5, 8};
  no_clouds.points.clouds = 0;
  CHECK(solve_radius(no_clouds).outcome.code == farpoint::status::ok);
  CHECK(solve_rows(no_clouds).outcome.code == farpoint::status::ok);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("radius, device: the workspace is checked at the door, and bounded", "[radius][device]") {
  farpoint::index_t const n = 1000000;
  farpoint::batch const cloud{farpoint::point_view<float>{reinterpret_cast<void const*>(256), n}};
  farpoint::cuda_exec const exec{cudaStream_t{}};
  std::size_t const needed = farpoint::radius_workspace_bytes(exec, cloud);
  CHECK(needed > 0);
  CHECK(farpoint::radius_workspace_bytes(exec, cloud, cloud) > needed);
  CHECK(needed <= 48 * static_cast<std::size_t>(n));
  auto const code = [&](std::uintptr_t address, std::size_t size) {
    radius_params params;
    params.radius = 1;
    return farpoint::radius(exec, cloud, params, farpoint::radius_output<float>{},
                            {reinterpret_cast<unsigned char*>(address), size})
        .code;
  };
  CHECK(code(4096, needed - 1) == farpoint::status::workspace_too_small);
  CHECK(code(4100, needed) == farpoint::status::bad_argument);
}

TEST_CASE("radius, device: offsets that decrease or leave the points", "[radius][device][sanitize]") {
  problem_type problem{make_cloud(shape::cube, 600, 4), 0.5, 8};
  for (auto const& offsets : wrong_offsets) {
    problem.points.offsets = offsets;
    CAPTURE(offsets[0], offsets[1]);
    auto const answer = solve_radius(problem);
    CHECK(answer.outcome.code == farpoint::status::ok);
    CHECK(answer.total == 0);
    CHECK(answer.bad_offsets == 1);
    problem.capacity = 1000;
    auto const rows = solve_rows(problem);
    CHECK(rows.outcome.code == farpoint::status::ok);
    CHECK(rows.counts == std::vector<index_t>(601, 0));
  }
}

TEST_CASE("radius, device: many queries, which are put in order", "[radius][device]") {
  for (shape const which : {shape::cube, shape::rings, shape::non_finite}) {
    for (bool const wide : {false, true}) {
      problem_type problem{make_cloud(which, 2000, 5), 0.06, 12};
      problem.ask(make_cloud(which, 20000, 6));
      problem.wide = wide;
      CAPTURE(static_cast<int>(which), wide);
      check_lists_and_rows(problem);
      problem.points.clouds = 4;
      problem.queries.offsets = {7, 7, 9000, 19000, 19998};
      check_lists_and_rows(problem);
    }
  }
}

// knn() on cuda_exec: the shared cases, with several tunings, and what only a device can show.
#include <farpoint/knn.hpp>
#include "../../support/catch.hpp"
#include "../../support/check_answer.hpp"

#include "../../support/device/multiprocessors.cuh"
#include "../../support/device/stream_citizen.cuh"
#include "knn_on_device.cuh"

using namespace farpoint_tests;

namespace {

/// Small blocks and launches of few rows, too, for one type of coordinates. In an unnamed namespace, as a user's would
/// be.
struct small_pieces : small_tiles {
  static constexpr int block_size = 32;
  static constexpr index_t launch_rows = 96;
};

constexpr std::size_t point_limit = 200000;

template <class Problem>
auto solve_knn(Problem const& problem) {
  using in_pieces = std::conditional_t<std::is_same_v<Problem, knn_problem<float>>, small_pieces, small_tiles>;
  return with_index_type(problem, [&](auto index) {
    auto const answer = knn_on_device<farpoint::knn_selector, decltype(index)>(problem);
    auto const pieces = knn_on_device<in_pieces, decltype(index)>(problem);
    check_answer(pieces, answer, "small pieces");
    check_answer(knn_on_device<always_scan, decltype(index)>(problem), answer, "without an index");
    return answer;
  });
}

}  // namespace

#define BACKEND_NAME "device"
#define BACKEND_TAG "[device]"
#include "../knn_tests.inc"

namespace {

using problem_type = knn_problem<float>;
using call_type = knn_call<problem_type, std::int32_t>;

/// Answer of host_exec on all cores: the oracle where brute force would take minutes.
template <class Problem>
auto host_knn(Problem const& problem) {
  return collect_knn(problem, [&](auto const& output) {
    farpoint::host_exec const exec;
    auto const points = clouds_in_place(problem.points);
    farpoint::detail::host_workspace const workspace{farpoint::knn_workspace_bytes(exec, points, problem.nearest())};
    return farpoint::knn(exec, points, problem.nearest(), output, workspace.get());
  });
}

void check_against_host(xyz_cloud const& cloud, index_t k) {
  problem_type const problem{cloud, k};
  auto const answer = knn_on_device<farpoint::knn_selector, std::int32_t>(problem);
  auto const expected = host_knn(problem);
  check_answer(answer, expected);
}

/// Half of the points in the first cell of the whole cloud, half of these in the first cell of that, and so on.
xyz_cloud nested_clumps(std::size_t n, int depth, std::uint64_t seed) {
  auto cloud = make_cloud(shape::cube, n, seed);
  double scale = 1;
  for (int level = 0; level < depth; ++level) {
    n /= 2;
    scale /= 5000;
    for (std::size_t i = 0; i < n; ++i) {
      for (auto& c : cloud[i]) c = c - std::floor(c);
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (auto& c : cloud[i]) c *= scale;
    }
  }
  return cloud;
}

}  // namespace

TEST_CASE("knn, device: equals host_exec for every point", "[knn][device]") {
  for (shape const which : all_shapes) {
    for (index_t const k : {1, 8, 32, 50}) {
      CAPTURE(static_cast<int>(which), k);
      check_against_host(make_cloud(which, 20000, 3), k);
    }
  }
}

TEST_CASE("knn, device: equals host_exec for every point of 200,000", "[knn][device][large]") {
  for (shape const which : all_shapes) {
    // 100,001 points leave the last packet with one lane.
    for (std::size_t const n : {200000u, 100001u}) {
      CAPTURE(static_cast<int>(which), n);
      check_against_host(make_cloud(which, n, 4), 8);
    }
  }
}

TEST_CASE("knn, device: packets in an order of their own", "[knn][device][sanitize]") {
  for (shape const which : {shape::rings, shape::lattice, shape::all_equal, shape::non_finite}) {
    for (std::size_t const n : {4097u, 5000u, 6001u}) {
      problem_type problem{make_cloud(which, n, n), 3};
      auto const points = static_cast<std::int64_t>(n);
      // The only cloud is the view, or a part of it, which may be smaller than any that has an order.
      for (auto const& offsets : {std::vector<std::int64_t>{}, {103, points - 1}, {7, 40}, {5, 5}, {9, 3}}) {
        problem.points.offsets = offsets;
        CAPTURE(static_cast<int>(which), n, offsets.size(), offsets.empty() ? 0 : offsets[0]);
        check_answer(knn_on_device<small_tiles, std::int32_t>(problem), host_knn(problem));
      }
    }
  }
}

TEST_CASE("knn, device: equals host_exec for every point of every scan", "[knn][device][data]") {
  for (auto const& scan : real_scans()) {
    for (index_t const k : {1, 8, 32}) {
      CAPTURE(scan.name, k);
      check_against_host(scan.points, k);
    }
  }
}

TEST_CASE("knn, device: clumps in clumps in clumps", "[knn][device]") {
  for (int const depth : {1, 2, 3, 6}) {
    for (std::size_t const n : {200u, 5000u, 60000u}) {
      CAPTURE(depth, n);
      check_against_host(nested_clumps(n, depth, n), 8);
    }
  }
}

TEST_CASE("knn, device: a captured call replays on new data", "[knn][device][graph][sanitize]") {
  for (bool const self : {true, false}) {
    std::vector<problem_type> problems;
    for (shape const which : {shape::cube, shape::rings, shape::all_equal, shape::non_finite, shape::cube}) {
      problems.emplace_back(make_cloud(which, 3000, 3), 5);
      problems.back().points.offsets = {0, 0, 700, 701, 3000};
      if (self) continue;
      problems.back().ask(make_cloud(which, 400, 4));
      problems.back().queries.offsets = {0, 10, 10, 200, 400};
    }
    auto const check = [&](auto selector) {
      knn_call<problem_type, std::int32_t, decltype(selector)> call{problems[0]};
      check_list_replays(
          call, problems, [&](cudaStream_t stream) { return call.enqueue(stream); },
          [](auto const& problem) { return reference_knn(problem); });
    };
    check(always_index{});
    check(always_scan{});
  }
}

TEST_CASE("knn, device: an index that is built once gives the same answer", "[knn][device][sanitize]") {
  for (shape const which : {shape::cube, shape::lattice, shape::non_finite}) {
    for (bool const has_workspace : {true, false}) {
      problem_type problem{make_cloud(which, 3000, 7), 6};
      problem.ask(make_cloud(shape::cube, has_workspace ? 20000 : 500, 8));
      call_type call{problem};
      test_stream const stream;
      farpoint::result outcome = call.enqueue_with_index(stream.get(), has_workspace);
      outcome = outcome ? call.enqueue_with_index(stream.get(), has_workspace) : outcome;  // into the same memory
      REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
      auto answer = call.answer(outcome);
      auto const expected = reference_knn(problem);
      CAPTURE(static_cast<int>(which), has_workspace);
      check_answer(answer, expected);
    }
  }
}

TEST_CASE("knn, device: many queries, which are put in order", "[knn][device]") {
  for (shape const which : {shape::cube, shape::rings, shape::non_finite}) {
    for (index_t const k : {4, 40}) {
      problem_type problem{make_cloud(which, 2000, 5), k};
      problem.ask(make_cloud(which, 20000, 6));
      CAPTURE(static_cast<int>(which), k);
      check_knn(problem);
      problem.points.clouds = 4;
      problem.queries.offsets = {7, 7, 9000, 19000, 19998};
      check_knn(problem);
    }
  }
}

TEST_CASE("knn, device: eight threads with four streams each", "[knn][device]") {
  check_concurrent_calls<call_type>(
      4,
      [](std::uint64_t seed) {
        // One index in each thread is large enough for all multiprocessors.
        bool const large = seed % 4 == 3;
        auto const which = large ? shape::cube : all_shapes[seed % std::size(all_shapes)];
        return problem_type{make_cloud(which, large ? 150000 : 3000 + 100 * seed, seed),
                            1 + static_cast<index_t>(seed / 4)};
      },
      [](call_type& call, cudaStream_t stream) { return call.enqueue(stream); },
      [](problem_type const& problem) { return host_knn(problem); });
}

TEST_CASE("knn, device: beside a kernel that has all multiprocessors but one", "[knn][device]") {
  for (shape const which : {shape::cube, shape::rings, shape::far_clusters}) {
    for (std::size_t const n : {500u, 3000u, 100000u}) {
      CAPTURE(static_cast<int>(which), n);
      problem_type const problem{make_cloud(which, n, 9), 8};
      call_type call{problem};
      auto const expected = host_knn(problem);
      check_runs_beside(
          multiprocessor_count() - 1, [&](cudaStream_t stream) { return call.enqueue(stream); },
          [&](farpoint::result const& outcome) { return same_answer(call.answer(outcome), expected); });
    }
  }
}

TEST_CASE("knn, device: a good citizen of its stream", "[knn][device]") {
  problem_type const problem{make_cloud(shape::rings, 2000, 3), 8};
  auto const expected = reference_knn(problem);
  call_type call{problem};
  check_stream_citizen([&](cudaStream_t stream) { return call.enqueue(stream); },
                       [&](farpoint::result const& outcome) { return same_answer(call.answer(outcome), expected); });
}

TEST_CASE("knn, device: the workspace is checked at the door, and bounded", "[knn][device]") {
  farpoint::cuda_exec const exec{cudaStream_t{}};
  auto const check_bound = [&](auto coord) {
    using coord_type = decltype(coord);
    for (index_t const n : {100000, 1000000, 100000000}) {
      farpoint::batch const cloud{farpoint::point_view<coord_type>{reinterpret_cast<void const*>(256), n}};
      CAPTURE(n, sizeof(coord_type));
      CHECK(farpoint::knn_workspace_bytes(exec, cloud, knn_params{8}) <= 48 * static_cast<std::size_t>(n));
    }
  };
  check_bound(farpoint::float16{});
  check_bound(0.0f);
  check_bound(0.0);
  // Memory for one size serves all smaller ones, also where they are built in another way.
  std::size_t before = 0;
  for (index_t n = 1; n < 3000000; n += 1 + n / 1000) {
    farpoint::batch const cloud{farpoint::point_view<float>{reinterpret_cast<void const*>(256), n}};
    std::size_t const bytes = farpoint::knn_workspace_bytes(exec, cloud, knn_params{8});
    CAPTURE(n);
    CHECK(bytes >= before);
    before = bytes;
  }
  farpoint::batch const cloud{farpoint::point_view<float>{reinterpret_cast<void const*>(256), 1000}};
  std::size_t const needed = farpoint::knn_workspace_bytes(exec, cloud, knn_params{8});
  auto const code = [&](std::uintptr_t address, std::size_t size) {
    auto* const indices = reinterpret_cast<std::int32_t*>(256);
    farpoint::knn_output<float> const output{farpoint::span<std::int32_t>{indices, 8000}};
    return farpoint::knn(exec, cloud, knn_params{8}, output, {reinterpret_cast<unsigned char*>(address), size}).code;
  };
  CHECK(code(4096, needed - 1) == farpoint::status::workspace_too_small);
  CHECK(code(4100, needed) == farpoint::status::bad_argument);
}

TEST_CASE("knn, device: offsets that decrease or leave the points", "[knn][device][sanitize]") {
  problem_type problem{make_cloud(shape::cube, 600, 4), 3};
  for (auto const& offsets : wrong_offsets) {
    problem.points.offsets = offsets;
    CAPTURE(offsets[0], offsets[1]);
    auto const answer = solve_knn(problem);
    CHECK(answer.outcome.code == farpoint::status::ok);
    CHECK(answer.counts == std::vector<index_t>(600, 0));
    CHECK(answer.indices == std::vector<index_t>(1800, -1));
    CHECK(answer.bad_offsets == 1);
  }
}

TEST_CASE("knn, device: small problems of every kind under the sanitizers", "[knn][device][sanitize]") {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    random_source random{seed};
    auto const which = all_shapes[seed % std::size(all_shapes)];
    problem_type problem{make_cloud(which, static_cast<std::size_t>(random.below(1500)), seed), 1 + random.below(50)};
    if (seed % 3 == 0) problem.ask(make_cloud(which, 100, seed + 1));
    CAPTURE(seed);
    check_knn(problem);
  }
}

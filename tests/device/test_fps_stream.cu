// fps() as a citizen of a stream: graphs, many streams and threads, errors of others, data that only the device can
// see.
#include <memory>
#include <thread>

#include "../catch.hpp"
#include "every_kernel.cuh"
#include "stream_citizen.cuh"

using namespace farpoint_tests;
using farpoint::fps_selector;
using problem_type = fps_problem<float>;

TEST_CASE("fps, device: a captured call replays on new data", "[fps][device][graph][sanitize][cluster]") {
  // Registers, rounds, clusters of 8 and 16, and a grid.
  for (std::size_t const n : {3000u, 9000u, 17000u, 40000u, 300000u}) {
    problem_type const before{make_cloud(shape::cube, n, 1), 100};
    problem_type const after{make_cloud(shape::lattice, n, 2), 100};
    device_call<problem_type, std::int32_t> call{before};
    test_stream const stream;
    REQUIRE(call.enqueue<fps_selector>(stream.get()));  // also allocates the workspace, before the capture
    REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));

    farpoint::result outcome;
    captured_graph const graph{stream.get(), [&] { outcome = call.enqueue<fps_selector>(stream.get()); }};
    REQUIRE(outcome);
    for (auto const* problem : {&after, &before, &after}) {
      call.memory().upload(problem->memory);
      graph.replay();
      CHECK(same_answer(call.answer(outcome), reference_answer(*problem)));
    }
  }
}

TEST_CASE("fps, device: eight threads with eight streams each", "[fps][device]") {
  constexpr int threads = 8;
  constexpr int streams = 8;
  std::vector<int> equal(threads * streams, 0);
  std::vector<std::thread> callers;
  for (int thread = 0; thread < threads; ++thread) {
    callers.emplace_back([thread, &equal] {
      std::vector<std::unique_ptr<problem_type>> problems;
      std::vector<std::unique_ptr<device_call<problem_type, std::int32_t>>> calls;
      std::vector<std::unique_ptr<test_stream>> own;
      std::vector<farpoint::result> outcomes;
      for (int i = 0; i < streams; ++i) {
        auto const seed = static_cast<std::uint64_t>(thread * streams + i);
        problems.push_back(std::make_unique<problem_type>(make_cloud(shape::cube, 200 + 300 * seed, seed), 50 + i));
        problems.back()->stop_below = 0.02 * i;
        calls.push_back(std::make_unique<device_call<problem_type, std::int32_t>>(*problems.back()));
        own.push_back(std::make_unique<test_stream>());
      }
      for (int i = 0; i < streams; ++i)
        outcomes.push_back(
            calls[static_cast<std::size_t>(i)]->enqueue<fps_selector>(own[static_cast<std::size_t>(i)]->get()));
      for (std::size_t i = 0; i < streams; ++i) {
        REQUIRE_CUDA(cudaStreamSynchronize(own[i]->get()));
        bool const same = same_answer(calls[i]->answer(outcomes[i]), reference_answer(*problems[i]));
        equal[static_cast<std::size_t>(thread) * streams + i] = same ? 1 : 0;
      }
    });
  }
  for (auto& caller : callers) caller.join();
  CHECK(equal == std::vector<int>(threads * streams, 1));
}

TEST_CASE("fps, device: an error of somebody else's is neither reported nor cleared", "[fps][device]") {
  problem_type const problem{make_cloud(shape::cube, 500, 3), 10};
  device_call<problem_type, std::int32_t> call{problem};
  test_stream const stream;
  check_foreign_error(stream.get(), [&] {
    CHECK(call.enqueue<fps_selector>(stream.get()));
    problem_type const empty{xyz_cloud{}, 10};
    device_call<problem_type, std::int32_t> empty_call{empty};
    CHECK(empty_call.enqueue<fps_selector>(stream.get()));
  });
}

TEST_CASE("fps, device: a refused call is reported with the runtime's own code", "[fps][device]") {
  problem_type const problem{make_cloud(shape::cube, 500, 3), 10};
  device_call<problem_type, std::int32_t> call{problem};
  test_stream const stream;
  REQUIRE(call.enqueue<fps_selector>(stream.get()));  // also allocates the workspace, before the capture
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  check_refused_call([&](cudaStream_t capturing) { return call.enqueue<fps_selector>(capturing); });
}

TEST_CASE("fps, device: what only the data show is counted, not followed", "[fps][device][sanitize][cluster]") {
  problem_type problem{make_cloud(shape::cube, 100, 4), 8};
  problem.offsets = {0, 40, 60, 100};
  SECTION("a first sample out of range: an empty answer") {
    problem.firsts = {0, 20, -3};
    auto const answer = solve_on_device<fps_selector>(problem);
    CHECK(answer.counts == std::vector<index_t>{8, 0, 0});
    CHECK(answer.report.first_out_of_range == 2);
    CHECK(std::all_of(answer.indices.begin() + 8, answer.indices.end(), [](index_t i) { return i == -1; }));
  }
  SECTION("a chosen point out of range: passed over") {
    problem.chosen = {40, 3, 5, -2, 1000000, -1};
    auto const answer = solve_on_device<fps_selector>(problem);
    CHECK(answer.report.chosen_out_of_range == 3);
    problem.chosen = {-1, 3, 5, -1, -1, -1};
    auto const valid = reference_answer(problem);
    CHECK(answer.indices == valid.indices);
    CHECK(answer.counts == valid.counts);
  }
  SECTION("offsets that decrease, in a grid: no cloud is sampled") {
    problem.offsets = {0, 60, 40, 100};
    auto const answer = solve_on_device<odd_grid>(problem);
    CHECK(answer.counts == std::vector<index_t>{0, 0, 0});
    CHECK(answer.indices == std::vector<index_t>(24, -1));
  }
  SECTION("offsets that leave the points or decrease: clamped") {
    problem.offsets = {-10, 1000, 50, 100};
    auto const answer = solve_on_device<fps_selector>(problem);
    CHECK(answer.outcome.code == farpoint::status::ok);
    CHECK(answer.counts == std::vector<index_t>{8, 0, 8});
  }
}

TEST_CASE("fps, device: the workspace is checked at the door", "[fps][device]") {
  std::size_t const n = 20000;
  farpoint::batch const clouds{
      farpoint::point_view<float>{reinterpret_cast<void const*>(256), static_cast<index_t>(n)}};
  farpoint::fps_params params;
  params.samples = 1;
  farpoint::fps_output<float> const output{farpoint::span<int>{reinterpret_cast<int*>(256), 1}};
  farpoint::cuda_exec const exec{cudaStream_t{}};
  std::size_t const needed = farpoint::fps_workspace_bytes(exec, clouds, params);
  CHECK(needed > 0);
  CHECK(needed <= n * 40);
  auto const code = [&](std::uintptr_t address, std::size_t size) {
    return farpoint::fps(exec, clouds, params, output, {reinterpret_cast<unsigned char*>(address), size}).code;
  };
  CHECK(code(4096, needed - 1) == farpoint::status::workspace_too_small);
  CHECK(code(4100, needed) == farpoint::status::bad_argument);
}

namespace {

/// Calls check(problem, expected) for problems of the sizes at which kernels change.
template <class Check>
void check_small_problems(Check const& check) {
  for (std::size_t const n : {0u, 1u, 200u, 1000u, 2000u, 4000u, 8000u, 10000u, 11000u, 16000u, 17000u}) {
    problem_type problem{make_cloud(shape::non_finite, n, n), 12, {22, {1, 9, 17}, 3, false}};
    problem.wide = n % 3 == 0;
    CAPTURE(n);
    check(problem, reference_answer(problem));
  }
  problem_type ragged{make_cloud(shape::duplicates, 18000, 5), 9};
  ragged.offsets = {0, 0, 100, 17900, 18000};
  ragged.chosen = {-1, 5, 7, 2};
  check(ragged, reference_answer(ragged));
}

}  // namespace

TEST_CASE("fps, device: every kernel of a block or a grid under the sanitizers", "[fps][device][sanitize]") {
  check_small_problems([](problem_type const& problem, auto const& expected) {
    check_single_blocks(problem, expected);
    check_kernel<odd_grid>("grid", problem, expected);
  });
}

// Racecheck does not understand clusters: cases that use them say so.
TEST_CASE("fps, device: the default and clusters under the sanitizers", "[fps][device][sanitize][cluster]") {
  check_small_problems([](problem_type const& problem, auto const& expected) {
    check_kernel<fps_selector>("default", problem, expected);
    check_kernel<odd_cluster>("cluster of 4", problem, expected);
  });
  fps_problem<double> const doubles{make_cloud(shape::cube, 3000, 6), 9};
  CHECK(same_answer(solve_on_device<fps_selector>(doubles), reference_answer(doubles)));
}

TEST_CASE("fps, device: a cloud of 2^31 - 1 points", "[fps][device][large]") {
  constexpr index_t n = 2147483647;
  std::size_t available = 0, total = 0;
  REQUIRE_CUDA(cudaMemGetInfo(&available, &total));
  if (available < (std::size_t{60} << 30)) {
    WARN("less than 60 GiB of device memory: not tested");
    return;
  }
  // All points at the origin but three, of which the last is the last of the cloud.
  device_array<unsigned short> points(static_cast<std::size_t>(n) * 3);
  REQUIRE_CUDA(cudaMemset(points.data(), 0, static_cast<std::size_t>(n) * 6));
  auto const put = [&](index_t i, float x) {
    farpoint::float16 const value = to_float16(x);
    REQUIRE_CUDA(cudaMemcpy(points.data() + 3 * i, &value, 2, cudaMemcpyHostToDevice));
  };
  put(n - 1, 100);
  put(1 << 30, -50);
  put(n - 2, 30);
  farpoint::batch const clouds{farpoint::point_view<farpoint::float16>{points.data(), n}};
  farpoint::fps_params params;
  params.samples = 5;
  test_stream const stream;
  farpoint::cuda_exec const exec{stream.get()};
  device_array<unsigned char> workspace(farpoint::fps_workspace_bytes(exec, clouds, params));
  device_array<std::int32_t> indices(5);
  farpoint::fps_output<float> const output{farpoint::span<std::int32_t>{indices.data(), 5}};
  REQUIRE(farpoint::fps(exec, clouds, params, output, {workspace.data(), workspace.size()}));
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  CHECK(indices.download() == std::vector<std::int32_t>{0, n - 1, 1 << 30, n - 2, 1});
}

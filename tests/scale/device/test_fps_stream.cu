// fps() as a citizen of a stream: graphs, many streams and threads, errors of others, data that only the device can
// see.
#include <memory>

#include "../../fps/device/every_kernel.cuh"
#include "../../support/catch.hpp"
#include "../../support/device/stream_citizen.cuh"

using namespace farpoint_tests;
using farpoint::fps_selector;
using problem_type = fps_problem<float>;
using call_type = device_call<problem_type, std::int32_t>;

TEST_CASE("fps, device: a captured call replays on new data", "[fps][device][graph][sanitize][no_racecheck]") {
  // Regions, and teams of more and more blocks.
  for (std::size_t const n : {3000u, 9000u, 17000u, 40000u, 300000u}) {
    problem_type const before{make_cloud(shape::cube, n, 1), 100};
    problem_type const after{make_cloud(shape::lattice, n, 2), 100};
    call_type call{before};
    captured_call<fps_selector, call_type> const captured{call};
    for (auto const* problem : {&after, &before, &after}) {
      call.memory().upload(problem->memory);
      captured.replay();
      CHECK(same_answer(call.answer(captured.outcome()), reference_answer(*problem)));
    }
  }
}

TEST_CASE("fps, device: eight threads with eight streams each", "[fps][device]") {
  auto const make_problem = [](std::uint64_t seed) {
    auto const i = static_cast<index_t>(seed % 8);
    // In each thread teams of up to 132 blocks, which wait until all of these have room.
    std::size_t const sizes[] = {200 + 300 * seed, 33000 + 2000 * (seed / 8), 60000 + 20000 * (seed / 8)};
    problem_type problem{make_cloud(shape::cube, sizes[i < 6 ? 0 : i - 5], seed), 50 + i};
    problem.stop_below = 0.02 * static_cast<double>(i);
    return problem;
  };
  check_concurrent_calls<call_type>(
      8, make_problem, [](call_type& call, cudaStream_t stream) { return call.enqueue<fps_selector>(stream); },
      [](problem_type const& problem) { return reference_answer(problem); });
}

namespace {

template <class Selector>
void check_citizen(char const* name, problem_type const& problem) {
  CAPTURE(name, problem.points);
  auto const expected = reference_answer(problem);
  call_type call{problem};
  check_stream_citizen([&](cudaStream_t stream) { return call.enqueue<Selector>(stream); },
                       [&](farpoint::result const& outcome) { return same_answer(call.answer(outcome), expected); });
}

}  // namespace

TEST_CASE("fps, device: every kernel is a good citizen of its stream", "[fps][device]") {
  problem_type const problem{make_cloud(shape::cube, 3000, 3), 40};
  check_citizen<odd_regions>("regions", problem);
  check_citizen<odd_global_memory>("global memory", problem);
  check_citizen<odd_teams>("teams of 5 blocks", problem);
  check_citizen<odd_team_boxes>("teams of 4 blocks, boxes", problem);
  check_citizen<odd_shared_chunks>("teams of 4 blocks, chunks in shared memory", problem);
  check_citizen<odd_shared_registers>("7 blocks shared out", problem);
  check_citizen<odd_shared_boxes>("all blocks shared out, boxes", problem);
  // More shared memory than a launch gets without raising the kernel's limit.
  for (std::size_t const n : {500u, 3000u, 9000u, 17000u, 40000u, 300000u}) {
    check_citizen<fps_selector>("default", problem_type{make_cloud(shape::cube, n, 3), 60});
  }
  check_citizen<large_teams>("teams of all blocks", problem_type{make_cloud(shape::cube, 40000, 3), 60});
}

TEST_CASE("fps, device: an empty cloud leaves an error of somebody else's alone", "[fps][device]") {
  problem_type const empty{xyz_cloud{}, 10};
  call_type call{empty};
  test_stream const stream;
  check_foreign_error(stream.get(), [&] { CHECK(call.enqueue<fps_selector>(stream.get())); });
}

TEST_CASE("fps, device: what only the data show is counted, not followed", "[fps][device][sanitize][no_racecheck]") {
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
}

// check_kernel() checks the guards of all memory, too.
TEST_CASE("fps, device: garbage in the offsets, by every kernel", "[fps][device][sanitize][no_racecheck]") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    random_source random{seed};
    index_t const n = seed % 3 == 0 ? 3000 : 1 + random.below(700);
    auto const points = make_cloud(shape::cube, static_cast<std::size_t>(n), seed);
    problem_type problem{points, 1 + random.below(20)};
    problem.wide = seed % 2 == 0;
    for (auto left = 2 + random.below(6); left > 0; --left) {
      bool const is_wild = random.below(4) == 0;
      problem.offsets.push_back(is_wild ? static_cast<index_t>(random.next()) : random.below(n + 100) - 50);
    }
    if (seed % 4 == 0) std::sort(problem.offsets.begin(), problem.offsets.end());
    CAPTURE(seed, n, problem.samples, problem.offsets);

    auto const expected = reference_answer(problem);
    check_single_blocks(problem, expected);
    check_team_kernels(problem, expected);
    check_kernel<large_teams>("teams of all blocks", problem, expected);
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
  // Per point, and the messages of all blocks.
  CHECK(needed <= n * 40 + 400000);
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

TEST_CASE("fps, device: kernels of one block per cloud under the sanitizers", "[fps][device][sanitize]") {
  check_small_problems(
      [](problem_type const& problem, auto const& expected) { check_single_blocks(problem, expected); });
}

// Racecheck does not understand barriers of a part of the block: see scripts/gpu_test.sh.
TEST_CASE("fps, device: the default under the sanitizers", "[fps][device][sanitize][no_racecheck]") {
  check_small_problems([](problem_type const& problem, auto const& expected) {
    check_kernel<fps_selector>("default", problem, expected);
    check_team_kernels(problem, expected);
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

// Fewer multiprocessors than the device has: by the caller's limit, because others keep them, in a green context.
#include <algorithm>
#include <string>

#include "../../support/catch.hpp"
#include "../../support/check_answer.hpp"
#include "../../support/device/multiprocessors.cuh"
#include "../../support/device/stream_citizen.cuh"
#include "../fps_random_batch.hpp"
#include "../fps_scans.hpp"
#include "every_kernel.cuh"

using namespace farpoint_tests;
using farpoint::cuda_exec;
using farpoint::fps_selector;

namespace {

using problem_type = fps_problem<float>;
using call_type = device_call<problem_type, std::int32_t>;

constexpr int limits[] = {1, 2, 8, 17, 64, 1000};

template <class Selector, class Problem, class Answer>
void check_limits(char const* name, Problem const& problem, Answer const& expected) {
  CAPTURE(name, problem.points, problem.offsets);
  for (int const limit : limits) {
    auto const answer = with_index_type(problem, [&](auto index) {
      device_call<Problem, decltype(index)> call{problem};
      return run_call(call, [&](cudaStream_t stream) { return call.template enqueue<Selector>({stream, limit}); });
    });
    CAPTURE(limit);
    check_answer(answer, expected);
  }
}

/// The default with a limit of its own.
struct at_most_17 : fps_selector {
  static constexpr int max_multiprocessors = 17;
};

template <class Problem>
void check_limits_of_every_kernel(Problem const& problem) {
  auto const expected = host_exec_answer(problem);
  check_limits<fps_selector>("default", problem, expected);
  check_limits<odd_teams>("teams of small blocks", problem, expected);
  check_limits<odd_shared_boxes>("small blocks shared out", problem, expected);
  check_limits<large_teams>("teams of all blocks", problem, expected);
  check_limits<odd_global_memory>("global memory", problem, expected);
}

/// Clouds of the sizes at which the default changes the kernel, and batches.
std::vector<problem_type> default_problems() {
  std::vector<problem_type> all;
  for (std::size_t const n : {3000u, 9000u, 17000u, 49497u, 300000u}) {
    all.emplace_back(make_cloud(shape::cube, n, n), 100);
  }
  problem_type batch{make_cloud(shape::lattice, 4 * 16384, 5), 200};
  batch.clouds = 4;
  all.push_back(batch);
  problem_type ragged{make_cloud(shape::duplicates, 120000, 6), 70};
  ragged.offsets = {3, 3, 40, 20000, 20001, 90000, 119990};
  all.push_back(ragged);
  return all;
}

}  // namespace

TEST_CASE("fps, device: a limit of multiprocessors changes no bit", "[fps][device]") {
  for (std::uint64_t seed = 700; seed < 706; ++seed) {
    CAPTURE(seed);
    check_limits_of_every_kernel(random_batch<float>{seed, 700}.problem);
  }
  check_limits_of_every_kernel(random_batch<double>{706, 700}.problem);
  for (problem_type const& problem : default_problems()) {
    auto const expected = host_exec_answer(problem);
    check_limits<fps_selector>("default", problem, expected);
    check_limits<large_teams>("teams of all blocks", problem, expected);
  }
}

TEST_CASE("fps, device: a selector's limit is that of the call", "[fps][device]") {
  farpoint::point_view<float> const points{nullptr, 300000};
  auto const cloud = farpoint::batch<farpoint::point_view<float>>::regular(points, 1);
  farpoint::fps_params params;
  params.samples = 1000;
  auto const choice = [&](auto selector, int limit) {
    using plan = farpoint::detail::fps_cuda_plan<decltype(selector), farpoint::point_view<float>>;
    auto const device = farpoint::detail::device_properties{132, 227 << 10, 1}.narrowed_to(limit);
    return plan{cloud, params, device}.choice();
  };
  CHECK(choice(fps_selector{}, 0) != choice(at_most_17{}, 0));
  CHECK(choice(fps_selector{}, 17) == choice(at_most_17{}, 0));
  CHECK(choice(fps_selector{}, 17) == choice(at_most_17{}, 64));
  CHECK(choice(fps_selector{}, 5) == choice(at_most_17{}, 5));
}

TEST_CASE("fps, device: a captured call with a limit replays on new data", "[fps][device][graph]") {
  test_stream const stream;
  for (std::size_t const n : {9000u, 17000u, 49497u, 300000u}) {
    for (int const limit : {1, 8, 64}) {
      CAPTURE(n, limit);
      problem_type const before{make_cloud(shape::cube, n, 1), 60};
      problem_type const after{make_cloud(shape::lattice, n, 2), 60};
      call_type call{before};
      farpoint::result outcome = call.enqueue<fps_selector>({stream.get(), limit});  // allocates the workspace
      REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
      captured_graph const graph{stream.get(), [&] { outcome = call.enqueue<fps_selector>({stream.get(), limit}); }};
      for (auto const* problem : {&after, &before}) {
        call.memory().upload(problem->memory);
        graph.replay();
        CHECK(same_answer(call.answer(outcome), host_exec_answer(*problem)));
      }
    }
  }
}

namespace {

template <class Selector>
void check_beside_others(char const* name, problem_type const& problem, int held, int limit) {
  CAPTURE(name, problem.points, held, limit);
  auto const expected = host_exec_answer(problem);
  call_type call{problem};
  check_runs_beside(
      held,
      [&](cudaStream_t stream) {
        return call.enqueue<Selector>({stream, limit});
      },
      [&](farpoint::result const& outcome) { return same_answer(call.answer(outcome), expected); });
}

}  // namespace

TEST_CASE("fps, device: with a limit it runs beside a kernel that keeps the other multiprocessors", "[fps][device]") {
  int const all = multiprocessor_count();
  for (int const limit : {all / 2 - 2, all / 4, 8, 1}) {
    if (limit < 1 || limit >= all) continue;
    for (problem_type const& problem : default_problems()) {
      check_beside_others<fps_selector>("default", problem, all - limit, limit);
      check_beside_others<large_teams>("teams of all blocks", problem, all - limit, limit);
    }
  }
}

#if CUDART_VERSION >= 12050

namespace {

template <class Selector>
void check_partition(char const* name, problem_type const& problem, green_stream const& stream) {
  auto const expected = host_exec_answer(problem);
  for (int const limit : {0, 4, 1000}) {
    CAPTURE(name, problem.points, problem.offsets, stream.multiprocessors(), limit);
    call_type call{problem};
    auto const check = [&](farpoint::result const& outcome) {
      REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
      auto const answer = call.answer(outcome);
      INFO(answer.outcome.reason << ' ' << answer.outcome.native << ' ' << difference(answer, expected));
      CHECK(same_answer(answer, expected));
    };
    check(call.enqueue<Selector>({stream.get(), limit}));
    CHECK(cudaGetLastError() == cudaSuccess);
    farpoint::result outcome;
    captured_graph const graph{stream.get(), [&] { outcome = call.enqueue<Selector>({stream.get(), limit}); }};
    graph.replay();
    check(outcome);
  }
}

}  // namespace

TEST_CASE("fps, device: in green contexts of all sizes", "[fps][device][graph]") {
  for (unsigned const multiprocessors : {2u, 8u, 16u, 64u, 120u}) {
    for (bool const are_neighbors : {true, false}) {
      green_stream const stream{multiprocessors, are_neighbors};
      if (!stream) {
        WARN("no green context of " << multiprocessors << " multiprocessors: not tested");
        continue;
      }
      for (problem_type const& problem : default_problems()) {
        check_partition<fps_selector>("default", problem, stream);
        check_partition<large_teams>("teams of all blocks", problem, stream);
      }
    }
  }
}

namespace {

/// Calls `check(stream, problem, call)` for each of the default problems, in a green context of `multiprocessors`
/// multiprocessors.
template <class Check>
void for_each_call_in_a_part(int multiprocessors, Check const& check) {
  green_stream const stream{static_cast<unsigned>(multiprocessors)};
  if (!stream) return;
  for (problem_type const& problem : default_problems()) {
    CAPTURE(problem.points);
    call_type call{problem};
    check(stream, problem, call);
  }
}

}  // namespace

TEST_CASE("fps, device: in a green context, with the workspace of the whole device", "[fps][device]") {
  for_each_call_in_a_part(8, [](green_stream const& stream, problem_type const& problem, call_type& call) {
    test_stream const whole;
    REQUIRE(call.enqueue<fps_selector>(whole.get()));  // allocates the workspace
    REQUIRE_CUDA(cudaStreamSynchronize(whole.get()));
    auto const outcome = call.enqueue<fps_selector>(stream.get());
    REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
    CHECK(same_answer(call.answer(outcome), host_exec_answer(problem)));
  });
}

TEST_CASE("fps, device: a green context is current", "[fps][device]") {
  for_each_call_in_a_part(16, [](green_stream const& stream, problem_type const& problem, call_type& call) {
    farpoint::result on_stream, on_default;
    // In a thread of its own: the context stays current.
    std::thread{[&] {
      stream.make_current();
      on_stream = call.enqueue<fps_selector>(stream.get());
      cudaStreamSynchronize(stream.get());
      on_default = call.enqueue<fps_selector>(cudaStream_t{});
      cudaStreamSynchronize(cudaStream_t{});
    }}.join();
    CHECK(on_stream);
    CHECK(same_answer(call.answer(on_default), host_exec_answer(problem)));
  });
}

#endif

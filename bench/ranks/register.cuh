/// @file
/// Rows of a case: one call on the first GPU, and the same by ranks that are GPUs. Needs nvcc and nccl.h.
#pragma once

#include "ranks/gpus.cuh"
#include "support/host_timing.hpp"
#include "support/register_row.hpp"
#include "support/spin.cuh"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace farpoint_bench {

/// Times of the calls of all ranks, and the lowest clocks of their GPUs.
class rank_times {
 public:
  rank_times(int ranks, std::size_t calls)
      : seconds_(static_cast<std::size_t>(ranks), std::vector<double>(calls)),
        before_(seconds_.size()),
        after_(seconds_.size()) {}

  /// Times a rank's calls from when all ranks begin; `call()` returns when the rank is done.
  /// @param parts  equal parts of a call; the time is that of one part
  template <class Call>
  void time(farpoint::nccl_exec const& exec, meeting& all, Call const& call, int parts = 1) {
    using clock = std::chrono::steady_clock;
    auto const rank = static_cast<std::size_t>(exec.rank());
    before_[rank] = measure_sm_mhz(exec.stream);
    for (double& seconds : seconds_[rank]) {
      all.wait();
      auto const begin = clock::now();
      call();
      seconds = std::chrono::duration<double>(clock::now() - begin).count() / parts;
    }
    after_[rank] = measure_sm_mhz(exec.stream);
  }

  /// Time of each call until the slowest rank was done (s).
  std::vector<double> slowest() const {
    auto seconds = seconds_.front();
    for (auto const& rank : seconds_) {
      for (std::size_t call = 0; call < seconds.size(); ++call) seconds[call] = std::max(seconds[call], rank[call]);
    }
    return seconds;
  }

  void count(benchmark::State& state, workload const& work) const {
    auto const seconds = slowest();
    std::size_t call = 0;
    for (auto _ : state) {
      static_cast<void>(_);
      state.SetIterationTime(seconds[call++]);
    }
    count_times(state, work, seconds);
    state.counters["gpus"] = static_cast<double>(seconds_.size());
    state.counters["sm_mhz_before"] = *std::min_element(before_.begin(), before_.end());
    state.counters["sm_mhz_after"] = *std::min_element(after_.begin(), after_.end());
  }

 private:
  std::vector<std::vector<double>> seconds_;  ///< `[ranks, calls]`
  std::vector<double> before_;                ///< `[ranks]` (MHz)
  std::vector<double> after_;
};

/// All points on the first GPU: times calls, and returns their answer.
template <class Case>
typename Case::answer time_one_gpu(Case const& what, benchmark::State& state) {
  check(cudaSetDevice(0), "cudaSetDevice");
  owned_stream const stream;
  typename Case::whole const whole{what, stream.get()};
  double const before = measure_sm_mhz(stream.get());
  time_blocking_calls(state, what.work(), [&] {
    whole.call();
    check(cudaStreamSynchronize(stream.get()), "the timed call");
  });
  state.counters["gpus"] = 1;
  state.counters["sm_mhz_before"] = before;
  state.counters["sm_mhz_after"] = measure_sm_mhz(stream.get());
  return whole.answer();
}

/// Answer of one GPU, without timing.
template <class Case>
typename Case::answer answer_of_one_gpu(Case const& what) {
  check(cudaSetDevice(0), "cudaSetDevice");
  owned_stream const stream;
  typename Case::whole const whole{what, stream.get()};
  whole.call();
  return whole.answer();
}

/// Times ranks, whose first call is compared with what one GPU gives.
template <class Case>
void time_ranks(Case const& what, int gpus, typename Case::answer const& expected, benchmark::State& state) {
  gpu_ranks ranks{gpus};
  std::vector<typename Case::share> shares(static_cast<std::size_t>(gpus));
  rank_times times{gpus, static_cast<std::size_t>(state.max_iterations)};
  ranks.run([&](farpoint::nccl_exec const& exec, meeting& all) {
    typename Case::part mine{what, exec};
    auto const call = [&] {
      ranks.check_call(exec, mine.call(), Case::function);
      check(cudaStreamSynchronize(exec.stream), "the timed call");
    };
    all.wait();
    call();
    shares[static_cast<std::size_t>(exec.rank())] = mine.share();
    all.wait();
    if (exec.rank() == 0) what.compare(expected, shares);
    all.wait();
    times.time(exec, all, call);
  });
  times.count(state, what.work());
  what.count(state, shares);
}

/// How a case is measured.
struct case_choice {
  int calls = 9;                              ///< timed
  char const* whole = "one call on one GPU";  ///< description of `whole`
};

/// Registers the rows of a case. A Case has
/// - `function`, a literal: the call; `name()`; `points`; `work()`: workload of a call;
/// - `whole`: all points on one GPU, made of the case and a stream: `call()` enqueues, and `answer()` is an `answer`;
/// - `part`: the points of a rank, made of the case and the rank's nccl_exec: `call()` is the call, and `share()` a
///   `share` of the answer;
/// - `compare(answer, shares)`: throws if the ranks' answer differs; `count(state, shares)`: sets counters.
/// @param gpus  numbers of ranks, a row each
template <class Case>
void register_case(Case const& what, std::vector<int> const& gpus, case_choice how = {}) {
  auto const expected = std::make_shared<std::optional<typename Case::answer>>();
  std::string const name = std::string{Case::function} + "/" + what.name() + "/";
  auto const count = [what](benchmark::State& state) { state.counters["n"] = static_cast<double>(what.points); };
  register_row(name + "one_gpu", how.calls, [=](benchmark::State& state) {
    *expected = time_one_gpu(what, state);
    count(state);
  });
  for (int const ranks : gpus) {
    register_row(name + "gpus_" + std::to_string(ranks), how.calls, [=](benchmark::State& state) {
      if (!*expected) *expected = answer_of_one_gpu(what);
      time_ranks(what, ranks, **expected, state);
      state.SetLabel(std::string{"equal to "} + how.whole);
      count(state);
    });
  }
}

void register_exchanges(std::vector<int> const& gpus);
void register_fps(std::vector<int> const& gpus);
void register_knn(std::vector<int> const& gpus);
void register_radius(std::vector<int> const& gpus);
void register_voxelize(std::vector<int> const& gpus);

}  // namespace farpoint_bench

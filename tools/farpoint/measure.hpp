// Runs a call on the chosen backend, and for --cpu and --check on others too.
#pragma once

#include <fmt/format.h>
#include <farpoint/runtime.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "figures.hpp"
#include "options.hpp"
#include "progress.hpp"

namespace farpoint_tools {

template <class Answer>
struct measured {
  Answer answer;
  farpoint::runtime::run_info info;
  std::vector<double> seconds;  ///< times of the counted runs, ascending

  double milliseconds() const { return 1e3 * seconds[seconds.size() / 2]; }
};

/// `call(options, info)` returns the answer. Timed runs follow an uncounted one, which loads code and touches memory
/// for the first time.
template <class Call>
auto run_timed(Call const& call, farpoint::runtime::options const& where, common_options const& options) {
  measured<decltype(call(where, std::declval<farpoint::runtime::run_info&>()))> run{};
  if (options.cpu || options.repeat > 1) call(where, run.info);
  for (int i = 0; i < options.repeat; ++i) {
    run.answer = call(where, run.info);
    run.seconds.push_back(run.info.seconds);
  }
  std::sort(run.seconds.begin(), run.seconds.end());
  return run;
}

/// Answer of the chosen backend; its times are added to `summary`, under keys and names that begin with `prefix`.
/// @param call  `call(options, info)`, with host memory on both sides
template <class Call>
auto measure(std::string const& prefix, Call const& call, common_options const& options, figures& summary) {
  using farpoint::runtime::backend;
  auto const before = prefix.empty() ? "" : prefix + " ";
  auto const add = [&](std::string const& key, std::string const& name, double value) {
    summary.push_back({prefix.empty() ? key : prefix + "_" + key, before + name, value});
  };
  auto run = with_progress(before + "computing", [&] {
    return run_timed(call, {options.backend, options.threads}, options);
  });
  bool const on_gpu = run.info.used == backend::cuda;
  if (options.cpu) {
    auto const of_threads = [&](int threads) {
      auto const label = fmt::format("{}{} on the CPU", before, threads == 1 ? "one thread" : "all threads");
      return with_progress(label, [&] { return run_timed(call, {backend::host, threads}, options); }).milliseconds();
    };
    double const one = of_threads(1);
    double const all = on_gpu || options.threads != 0 ? of_threads(0) : run.milliseconds();
    if (on_gpu || options.threads != 0) add("time_ms", on_gpu ? "GPU (ms)" : "time (ms)", run.milliseconds());
    add("one_thread_ms", "1 thread (ms)", one);
    add("all_threads_ms", "all threads (ms)", all);
    double const fast = on_gpu ? run.milliseconds() : all;
    add("speedup_over_one_thread", "speed-up over 1 thread", one / fast);
    if (on_gpu) add("speedup_over_all_threads", "speed-up over all threads", all / fast);
  } else {
    add("time_ms", on_gpu ? "GPU (ms)" : "time (ms)", run.milliseconds());
  }
  return run;
}

/// Compares with `reference()` where a GPU or threads have computed. `other` says what that is.
template <class Answer, class Call, class Reference>
bool compare(measured<Answer> const& run, Call const& call, std::string const& other, Reference const& reference,
             figures& summary) {
  using farpoint::runtime::backend;
  bool const on_gpu = run.info.used == backend::cuda;
  bool const same = with_progress("checking", [&] {
    farpoint::runtime::run_info unused;
    return on_gpu ? run.answer == call({backend::host, 0}, unused) : reference(run.answer);
  });
  summary.push_back(
      {"check", "check",
       fmt::format("{} {}", same ? "the same bits as" : "DIFFERS from", on_gpu ? "the host's threads" : other)});
  return same;
}

/// True for equal bits: NaN equals itself.
template <class Value>
bool equal_bits(std::vector<Value> const& a, std::vector<Value> const& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Value)) == 0);
}

}  // namespace farpoint_tools

// Duration of a call, alone and during a load.
#pragma once

#include <algorithm>
#include <optional>
#include <type_traits>

#include "calls.hpp"
#include "loads.cuh"
#include "report.hpp"

namespace farpoint_stress {

/// Returns the current time in ms.
inline double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Returns an execution on a stream that uses at most `limit` multiprocessors (0: no limit), or nullopt if this version
/// of farpoint has no such limit.
template <class Exec = farpoint::cuda_exec>
std::optional<Exec> exec_of(cudaStream_t stream, int limit) {
  if (limit == 0) return Exec{stream};
  if constexpr (std::is_constructible_v<Exec, cudaStream_t, int>) return Exec{stream, limit};
  return std::nullopt;
}

inline std::string reason_of(farpoint::result const& outcome) {
  std::string reason = outcome.reason;
  if (outcome.native != 0)
    reason += std::string{" ("} + cudaGetErrorName(static_cast<cudaError_t>(outcome.native)) + ")";
  return reason;
}

/// Runs a call and waits for it without a timeout.
inline fate run_and_check(stress_call& call, farpoint::cuda_exec exec, std::string& reason) {
  farpoint::result const outcome = call.enqueue(exec);
  REQUIRE_CUDA(cudaStreamSynchronize(exec.stream));
  if (outcome) return call.is_right() ? fate::ok : fate::wrong;
  reason = reason_of(outcome);
  return fate::refused;
}

/// Returns medians of `runs` runs on an idle GPU, after a first one that allocates.
inline alone_row measure_alone(stress_call& call, farpoint::cuda_exec exec, int runs) {
  std::vector<double> times, host_times;
  for (int run = 0; run < runs; ++run) {
    double const start = now_ms();
    (void)call.enqueue(exec);
    host_times.push_back(now_ms() - start);
    REQUIRE_CUDA(cudaStreamSynchronize(exec.stream));
    times.push_back(now_ms() - start);
  }
  return {call.name(), median(times), 1000 * median(host_times)};
}

/// Waits for a stream for at most `patience` ms. Returns true if it is done.
inline bool done_within(cudaStream_t stream, double patience) {
  double const end = now_ms() + patience;
  for (;;) {
    cudaError_t const state = cudaStreamQuery(stream);
    if (state == cudaSuccess) return true;
    if (state != cudaErrorNotReady) REQUIRE_CUDA(state);
    (void)cudaGetLastError();
    if (now_ms() > end) return false;
  }
}

/// Measures a call during a load, `runs` times or until it starves, and fills in loaded_ms, outcome and reason. The
/// call must have been made once with this exec: when the driver loads a kernel, it may wait for all running kernels.
inline void measure_beside(load& other, stress_call& call, farpoint::cuda_exec exec, int runs, load_row& row) {
  call.wipe();
  double const patience = 300 + 20 * row.alone_ms;
  std::vector<double> times;
  farpoint::result outcome;
  bool done = true;
  other.start();
  for (int run = 0; run < runs && done && outcome; ++run) {
    double const start = now_ms();
    outcome = call.enqueue(exec);
    done = done_within(exec.stream, patience);
    times.push_back(now_ms() - start);
  }
  other.stop();
  REQUIRE_CUDA(cudaStreamSynchronize(exec.stream));
  row.loaded_ms = median(times);
  if (!outcome) row.reason = reason_of(outcome);
  row.outcome = !outcome ? fate::refused : !call.is_right() ? fate::wrong : done ? fate::ok : fate::starved;
}

}  // namespace farpoint_stress

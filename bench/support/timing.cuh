/// @file
/// Measures what a call enqueues on a stream. Needs nvcc.
#pragma once

#include "counters.hpp"
#include "cuda_handles.hpp"
#include "device_info.hpp"
#include "measure_copy_bandwidth.hpp"
#include "spin.cuh"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace farpoint_bench {

/// Times one call at a time between two events.
class stream_timer {
 public:
  /// @param flush_l2  overwrite the L2 cache twice over before each call
  stream_timer(cudaStream_t stream, bool flush_l2)
      : stream_{stream}, flush_{flush_l2 ? 2 * static_cast<std::size_t>(query_device().l2_bytes) : 0} {}

  /// Device seconds from the start of the first to the end of the last thing that `launch(stream)` enqueues.
  template <class Launch>
  double seconds(Launch&& launch) {
    if (flush_.size() > 0) check(cudaMemsetAsync(flush_.data(), 0, flush_.size(), stream_), "cudaMemsetAsync");
    // 150 us are some thirty launch latencies (4-6 us each).
    hold(stream_, 150'000);
    check(cudaEventRecord(begin_.get(), stream_), "cudaEventRecord");
    auto const called = clock::now();
    launch(stream_);
    host_seconds_ = std::chrono::duration<double>(clock::now() - called).count();
    check(cudaEventRecord(end_.get(), stream_), "cudaEventRecord");
    check(cudaEventSynchronize(end_.get()), "the timed call");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

  /// Seconds that the last `launch(stream)` took on the host.
  double host_seconds() const noexcept { return host_seconds_; }

 private:
  using clock = std::chrono::steady_clock;

  cudaStream_t stream_;
  device_buffer<unsigned char> flush_;
  owned_event begin_;
  owned_event end_;
  double host_seconds_ = 0;
};

/// The benchmark loop of one row (UseManualTime). Warms up for 20 ms or 20 calls, whichever comes first; not at all for
/// a single call, which takes seconds. `prepare(stream)` comes before each call and is not timed. Both throw on
/// failure.
template <class Prepare, class Launch>
void time_prepared_calls(benchmark::State& state, cudaStream_t stream, workload const& work, bool flush_l2,
                         Prepare&& prepare, Launch&& launch) {
  stream_timer timer{stream, flush_l2};
  auto const call_seconds = [&] {
    prepare(stream);
    return timer.seconds(launch);
  };
  double warm = 0;
  for (int call = 0; call < 20 && state.max_iterations > 1 && warm < 20e-3; ++call) warm += call_seconds();

  double const before = measure_sm_mhz(stream);
  std::vector<double> seconds;
  std::vector<double> host_seconds;
  for (auto _ : state) {
    static_cast<void>(_);
    seconds.push_back(call_seconds());
    host_seconds.push_back(timer.host_seconds());
    state.SetIterationTime(seconds.back());
  }
  double const median = count_times(state, work, seconds);
  std::sort(host_seconds.begin(), host_seconds.end());
  state.counters["host_us"] = percentile(host_seconds, 0.5) * 1e6;
  state.counters["copy_bandwidth_percent"] = 100 * work.bytes / median / measure_copy_bandwidth();
  state.counters["sm_mhz_before"] = before;
  state.counters["sm_mhz_after"] = measure_sm_mhz(stream);
}

/// time_prepared_calls() without preparation.
template <class Launch>
void time_calls(benchmark::State& state, cudaStream_t stream, workload const& work, bool flush_l2, Launch&& launch) {
  time_prepared_calls(
      state, stream, work, flush_l2, [](cudaStream_t) {}, launch);
}

/// time_calls() with the calls replayed from a CUDA graph; fails if the call cannot be captured.
template <class Launch>
void time_graph_replays(benchmark::State& state, cudaStream_t stream, workload const& work, bool flush_l2,
                        Launch&& launch) {
  owned_graph const graph{stream, launch};
  time_calls(state, stream, work, flush_l2, [&graph](cudaStream_t on) { graph.launch(on); });
}

/// Whether the calls of a row are enqueued one by one or replayed from a graph.
enum class how { launched, replayed };

/// One of the two above.
template <class Launch>
void time_row(benchmark::State& state, how mode, cudaStream_t stream, workload const& work, bool flush_l2,
              Launch&& launch) {
  if (mode == how::replayed) {
    time_graph_replays(state, stream, work, flush_l2, launch);
  } else {
    time_calls(state, stream, work, flush_l2, launch);
  }
}

}  // namespace farpoint_bench

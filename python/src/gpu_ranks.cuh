/// @file
/// The communicator of calls on ranks that are GPUs.
#pragma once

#include <farpoint/scale/nccl_exec.cuh>

#include "gpu_ranks.hpp"

#include <chrono>
#include <thread>

namespace farpoint_python {

struct gpu_ranks::state {
  farpoint::nccl_communicator communicator;
};

/// nccl_exec that checks for interrupts of the program while it waits: see farpoint::is_stream_communicator.
class gpu_communicator : public farpoint::nccl_exec {
 public:
  explicit gpu_communicator(gpu_call& call) noexcept
      : nccl_exec{call.ranks.own().communicator, call.exec.stream}, call_{call} {
    timeout = call.timeout;
  }

  farpoint::result wait() const noexcept {
    using clock = std::chrono::steady_clock;
    using std::chrono::milliseconds;
    static auto* const query = farpoint::detail::driver_function<decltype(cuStreamQuery)>("cuStreamQuery", 12000);
    if (farpoint::result const usable = communicator->check(); !usable) return usable;
    farpoint::detail::deadline const end{timeout};
    auto look = clock::now() + milliseconds{50};
    for (unsigned looks = 0; query != nullptr && query(stream) == CUDA_ERROR_NOT_READY; ++looks) {
      // Most waits are shorter than reading the clock or switching threads.
      if (looks % 64 != 63) continue;
      if (looks > 65536) std::this_thread::yield();
      if (clock::now() < look) continue;
      look = clock::now() + milliseconds{50};
      if (call_.is_over()) {
        return communicator->remember(farpoint::detail::communication_failure("ranks: another rank has failed"));
      }
      if (end.has_passed() || has_error()) break;
    }
    nccl_exec last{*this};
    last.timeout = milliseconds{1};
    return last.wait();
  }

  /// Waits for the end of a call that has been enqueued. Afterwards nothing on the stream waits for another rank.
  /// @param enqueued  outcome of enqueueing it; a failure is returned at once
  farpoint::result finish(farpoint::result const& enqueued) const noexcept {
    if (!enqueued) return enqueued;
    farpoint::result const done = wait();
    if (!done) abort();
    return done;
  }

 private:
  bool has_error() const noexcept {
    ncclResult_t outcome = ncclSuccess;
    return ncclCommGetAsyncError(communicator->get(), &outcome) != ncclSuccess ||
           (outcome != ncclSuccess && outcome != ncclInProgress);
  }

  gpu_call& call_;
};

}  // namespace farpoint_python

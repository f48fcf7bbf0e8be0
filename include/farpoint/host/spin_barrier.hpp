/// @file
#pragma once

#include <farpoint/core/config.hpp>

#include <atomic>
#include <thread>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Barrier for threads that meet every microsecond: spins for a while, then lets others have the core. With more
/// members than cores, spinning would only keep out those that are waited for. Reusable at once; what was written
/// before it is visible after it.
class spin_barrier {
 public:
  explicit spin_barrier(int members) noexcept
      : members_{members}, patience_{members <= static_cast<int>(std::thread::hardware_concurrency()) ? 4000 : 0} {}

  void arrive_and_wait() noexcept {
    if (members_ == 1) return;
    unsigned const phase = phase_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
      arrived_.store(0, std::memory_order_relaxed);
      phase_.store(phase + 1, std::memory_order_release);
      return;
    }
    for (int spins = 0; phase_.load(std::memory_order_acquire) == phase; ++spins) {
      if (spins >= patience_) std::this_thread::yield();
    }
  }

 private:
  int members_;
  int patience_;
  // The counter and the phase are written at different moments; apart, the waiting readers do not slow the arrivals.
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<unsigned> phase_{0};
};

}  // namespace detail
FARPOINT_END_NAMESPACE

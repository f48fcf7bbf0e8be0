/// @file
/// A barrier for host threads that meet every few microseconds.
#pragma once

#include <farpoint/host/hardware_threads.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>

FARPOINT_BEGIN_NAMESPACE

/// Barrier of a fixed number of threads. Reusable at once; what a member wrote before it is visible to all after it.
///
/// Waits by spinning, then asleep: three atomic operations an arrival and no system call while all members run. With
/// more members than cores it sleeps at once, since spinning would keep out those that it waits for. Where a member may
/// be late for long, parallel_phases waits less.
class spin_barrier {
 public:
  /// @param members  at least 1; each calls arrive_and_wait() as often as the others
  explicit spin_barrier(int members) noexcept
      : members_{members}, patience_{members <= static_cast<int>(detail::hardware_threads()) ? 4000 : 0} {}

  /// Returns when all members have called it.
  void arrive_and_wait() noexcept {
    if (members_ == 1) return;
    unsigned const phase = phase_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
      arrived_.store(0, std::memory_order_relaxed);
      phase_.store(phase + 1);
      wake();
      return;
    }
    for (int spins = 0; spins < patience_; ++spins) {
      if (phase_.load(std::memory_order_acquire) != phase) return;
    }
    sleep_through(phase);
  }

 private:
  void sleep_through(unsigned phase) noexcept {
    std::unique_lock lock{mutex_};
    sleepers_.fetch_add(1);
    while (phase_.load() == phase) next_phase_.wait(lock);
    sleepers_.fetch_sub(1);
  }
  void wake() noexcept {
    // Who is not yet counted here sees the new phase when it looks: both orders are the one order of all threads.
    if (sleepers_.load() == 0) return;
    // Who has looked at the phase, but does not sleep yet, has the lock.
    { std::lock_guard const lock{mutex_}; }
    next_phase_.notify_all();
  }

  int members_;
  int patience_;
  // The counter and the phase are written at different moments; apart, the waiting readers do not slow the arrivals.
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<unsigned> phase_{0};
  std::atomic<int> sleepers_{0};
  std::mutex mutex_;
  std::condition_variable next_phase_;
};

FARPOINT_END_NAMESPACE

/// @file
/// Barrier for host threads that meet every few microseconds.
#pragma once

#include <farpoint/host/hardware_threads.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>

FARPOINT_BEGIN_NAMESPACE

/// Barrier for a fixed number of threads. Can be reused immediately; writes by any member before it are visible to all
/// members after it.
///
/// Waits by spinning, then sleeps: three atomic operations per arrival, and no system call while all members run. With
/// more members than cores it sleeps at once, since spinning would keep the awaited threads from running. If a member
/// may be late for long, use parallel_phases, which waits less.
class spin_barrier {
 public:
  /// @param members  number of threads, at least 1; each calls arrive_and_wait() equally often
  explicit spin_barrier(int members) noexcept
      : members_{members}, patience_{members <= static_cast<int>(detail::hardware_threads()) ? 4000 : 0} {}

  /// Returns once all members have called it.
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
    // A thread that is not yet counted as a sleeper sees the new phase when it reads it: both are sequentially
    // consistent.
    if (sleepers_.load() == 0) return;
    // A thread that has read the old phase but does not sleep yet holds the lock, so locking once waits for it.
    { std::lock_guard const lock{mutex_}; }
    next_phase_.notify_all();
  }

  int members_;
  int patience_;
  // Separate cache lines for counter and phase: threads that poll the phase do not slow down arrivals.
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<unsigned> phase_{0};
  std::atomic<int> sleepers_{0};
  std::mutex mutex_;
  std::condition_variable next_phase_;
};

FARPOINT_END_NAMESPACE

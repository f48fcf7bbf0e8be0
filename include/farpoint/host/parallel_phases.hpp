/// @file
/// Phases of work for a team of host threads, without a barrier.
#pragma once

#include <farpoint/host/hardware_threads.hpp>

#include <atomic>
#include <cstdint>
#include <thread>

FARPOINT_BEGIN_NAMESPACE

/// Phases of work for a team of threads. A phase consists of units, which the threads claim one by one; the thread that
/// finishes the last unit of a phase prepares the next phase. So no thread waits for one that holds no unit. A barrier
/// per phase would wait for each thread that the system has suspended; here the other threads do its share.
///
/// Writes by `next` or `work` in a phase are visible in later phases. Any number of threads may join, at any time; a
/// single thread does all the work. Cost: two atomic additions per unit, and loads by waiting threads: a unit should
/// take a microsecond or more. For one run of phases; construct another object for the next run.
class parallel_phases {
 public:
  /// Maximum number of units of a phase.
  static constexpr std::uint32_t max_units = 1u << 16;

  /// @param members  number of threads that will join; decides only how long a waiting thread spins before it yields
  /// @param units    number of units of the first phase; 0 for no work
  parallel_phases(int members, std::uint32_t units) noexcept
      : patience_{members <= static_cast<int>(detail::hardware_threads()) ? 2000 : 0}, ticket_{ticket_of(0, units)} {}

  /// Works until a phase has no units. Every thread of the team calls it, with equivalent functions.
  /// @param work  `work(unit)` runs a unit, 0 <= unit < units of the phase; called once for each
  /// @param next  `next()` returns the number of units of the next phase, 0 to end; one thread calls it while all
  ///              others wait
  template <class Work, class Next>
  void join(Work const& work, Next const& next) noexcept {
    while (true) {
      std::uint64_t const ticket = ticket_.fetch_add(1, std::memory_order_acq_rel);
      auto const units = static_cast<std::uint32_t>(ticket >> 20) & field;
      auto const unit = static_cast<std::uint32_t>(ticket) & field;
      auto const phase = static_cast<std::uint32_t>(ticket >> 40);
      if (units == 0) return;
      if (unit >= units) {
        wait_for_another(phase);
        continue;
      }
      work(unit);
      if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == units) {
        done_.store(0, std::memory_order_relaxed);
        // A ticket drawn in between was void, so overwriting is safe.
        ticket_.store(ticket_of(phase + 1, next()), std::memory_order_release);
      }
    }
  }

 private:
  // Phase, number of units and next unit share one word, so that a late thread always gets a consistent ticket.
  static constexpr std::uint32_t field = (1u << 20) - 1;

  static constexpr std::uint64_t ticket_of(std::uint32_t phase, std::uint32_t units) noexcept {
    return std::uint64_t{phase} << 40 | std::uint64_t{units} << 20;
  }

  void wait_for_another(std::uint32_t phase) const noexcept {
    for (int spins = 0; ticket_.load(std::memory_order_relaxed) >> 40 == phase; ++spins) {
      if (spins >= patience_) std::this_thread::yield();
    }
  }

  int patience_;
  // Separate cache lines: threads that poll the ticket do not slow down threads that finish a unit.
  alignas(64) std::atomic<std::uint64_t> ticket_;
  alignas(64) std::atomic<std::uint32_t> done_{0};
};

FARPOINT_END_NAMESPACE

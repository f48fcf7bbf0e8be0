/// @file
/// Phases of work for a team of host threads, without a barrier.
#pragma once

#include <farpoint/host/hardware_threads.hpp>

#include <atomic>
#include <cstdint>
#include <thread>

FARPOINT_BEGIN_NAMESPACE

/// Phases of work for a team of threads. Each phase is cut into units, which the threads claim one by one; the thread
/// that finishes the last unit of a phase prepares the next phase. So nobody waits for a thread without a unit in hand:
/// a barrier in every phase would wait for each thread that the system has put aside, here the others do its share.
///
/// What `next` or `work` wrote in a phase is visible in the phases after it. Any number of threads may join, at any
/// time; one alone does everything. Cost: two atomic additions a unit, and loads by those that wait: a unit should
/// be work of a microsecond or more. For one run of phases; construct another for the next.
class parallel_phases {
 public:
  /// Units of a phase, at most.
  static constexpr std::uint32_t most_units = 1u << 16;

  /// @param members  threads that will join; decides only how long a waiting thread spins before it yields
  /// @param units    of the first phase; 0: there is nothing to do
  parallel_phases(int members, std::uint32_t units) noexcept
      : patience_{members <= static_cast<int>(detail::hardware_threads()) ? 2000 : 0}, ticket_{ticket_of(0, units)} {}

  /// Works until a phase has no units; every thread of the team calls it, with functions that do the same.
  /// @param work  `work(unit)` does a unit, 0 <= unit < units of the phase; once for each
  /// @param next  `next()` returns the units of the next phase, 0 to end; called by one thread while all others wait
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
        // A ticket drawn since then was void: it may be overwritten.
        ticket_.store(ticket_of(phase + 1, next()), std::memory_order_release);
      }
    }
  }

 private:
  // Phase, units and next unit in one word: a late thread gets a ticket that is right for whatever phase it is in.
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
  // Apart, so that threads that wait for the ticket to change do not slow down those that finish a unit.
  alignas(64) std::atomic<std::uint64_t> ticket_;
  alignas(64) std::atomic<std::uint32_t> done_{0};
};

FARPOINT_END_NAMESPACE

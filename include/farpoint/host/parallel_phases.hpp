/// @file
#pragma once

#include <farpoint/core/config.hpp>

#include <atomic>
#include <cstdint>
#include <thread>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Rounds of work for a team of threads, cut into units that they claim one by one. Whoever finishes the last unit of a
/// round prepares the next one. So nobody waits for a thread that has no unit in hand: where a barrier in every round
/// waits for each thread that the system has put aside, here the others do its share.
///
/// What `next` or `work` wrote in a round is visible in the rounds after it.
class parallel_phases {
 public:
  static constexpr std::uint32_t most_units = 1u << 16;

  /// @param members  threads that will join
  /// @param units    of the first round; 0: there is nothing to do
  parallel_phases(int members, std::uint32_t units) noexcept
      : patience_{members <= static_cast<int>(std::thread::hardware_concurrency()) ? 2000 : 0},
        ticket_{ticket_of(0, units)} {}

  /// Works until a round has no units. `work(unit)` does a unit; `next()`, called by one thread while the others
  /// do nothing, returns the number of units of the next round, at most most_units.
  template <class Work, class Next>
  void join(Work const& work, Next const& next) noexcept {
    while (true) {
      std::uint64_t const ticket = ticket_.fetch_add(1, std::memory_order_acq_rel);
      auto const units = static_cast<std::uint32_t>(ticket >> 20) & field;
      auto const unit = static_cast<std::uint32_t>(ticket) & field;
      auto const round = static_cast<std::uint32_t>(ticket >> 40);
      if (units == 0) return;
      if (unit >= units) {
        wait_for_another(round);
        continue;
      }
      work(unit);
      if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == units) {
        done_.store(0, std::memory_order_relaxed);
        // A ticket drawn since then was void: it may be overwritten.
        ticket_.store(ticket_of(round + 1, next()), std::memory_order_release);
      }
    }
  }

 private:
  // Round, units and next unit in one word: a late thread gets a ticket that is right for whatever round it is in.
  static constexpr std::uint32_t field = (1u << 20) - 1;

  static constexpr std::uint64_t ticket_of(std::uint32_t round, std::uint32_t units) noexcept {
    return std::uint64_t{round} << 40 | std::uint64_t{units} << 20;
  }

  void wait_for_another(std::uint32_t round) const noexcept {
    for (int spins = 0; ticket_.load(std::memory_order_relaxed) >> 40 == round; ++spins) {
      if (spins >= patience_) std::this_thread::yield();
    }
  }

  int patience_;
  // Apart, so that threads that wait for the ticket to change do not slow down those that finish a unit.
  alignas(64) std::atomic<std::uint64_t> ticket_;
  alignas(64) std::atomic<std::uint32_t> done_{0};
};

}  // namespace detail
FARPOINT_END_NAMESPACE

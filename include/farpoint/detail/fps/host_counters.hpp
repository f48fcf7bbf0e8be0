/// @file
/// Counters of a report, to which the threads of a call of fps() add.
#pragma once

#include <farpoint/types/fps.hpp>

#include <atomic>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Counters of a report that several threads add to.
class fps_host_counters {
 public:
  void add(fps_report const& found) noexcept {
    add(non_finite_, found.non_finite);
    add(first_out_of_range_, found.first_out_of_range);
    add(chosen_out_of_range_, found.chosen_out_of_range);
  }
  fps_report sum() const noexcept {
    return {non_finite_.load(), first_out_of_range_.load(), chosen_out_of_range_.load()};
  }

 private:
  using counter = std::atomic<unsigned long long>;

  static void add(counter& to, unsigned long long amount) noexcept {
    if (amount != 0) to.fetch_add(amount, std::memory_order_relaxed);
  }

  counter non_finite_{0};
  counter first_out_of_range_{0};
  counter chosen_out_of_range_{0};
};

}  // namespace detail
FARPOINT_END_NAMESPACE

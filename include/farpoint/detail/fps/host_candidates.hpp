/// @file
/// List of the candidates that one thread of the host has found in a round.
#pragma once

#include <farpoint/detail/fps/candidate_threshold.hpp>
#include <farpoint/detail/fps/host_bucket.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Keeps at least the best `keep` candidates of all that are pushed, in memory for twice that number. When the memory
/// is full, the worse half is dropped, and the threshold rises to the best dropped candidate: amortized O(1) per
/// candidate.
///
/// Example: keep = 2. After pushes of the distances 5, 9, 7 and 8, the memory is full: 9 and 8 stay, and the threshold
/// becomes 7. A push of 6 is then ignored.
template <class Scalar>
class alignas(64) fps_host_candidates {
 public:
  /// @param entries  memory for 2 * keep candidates
  void use(fps_entry<Scalar>* entries, std::uint32_t keep) noexcept {
    entries_ = entries;
    keep_ = keep;
    round_ = ~std::uint64_t{0};
  }

  /// Empties the list for a round. Candidates that `threshold` does not admit are ignored.
  void restart(std::uint64_t round, candidate_threshold<Scalar> const& threshold) noexcept {
    round_ = round;
    count_ = 0;
    found_ = 0;
    threshold_ = threshold;
    in_order_ = true;
  }

  void push(fps_entry<Scalar> const& entry) noexcept {
    if (!threshold_.admits(entry.distance, entry.index)) return;
    entries_[count_++] = entry;
    ++found_;
    if (count_ == 2 * keep_) shrink();
  }

  /// Adds another thread's candidates.
  void merge(fps_host_candidates const& other) noexcept {
    threshold_ = higher(threshold_, other.threshold_);
    std::uint32_t const found = found_ + other.found_;
    for (std::uint32_t i = 0; i < other.count_; ++i) push(other.entries_[i]);
    found_ = found;
  }

  /// Drops all but the best `keep` candidates, and sorts the list by slot unless nothing was dropped since restart().
  void settle() noexcept {
    if (count_ > keep_) shrink();
    if (in_order_) return;
    std::sort(entries_, entries_ + count_,
              [](fps_entry<Scalar> const& a, fps_entry<Scalar> const& b) { return a.slot < b.slot; });
  }

  /// Returns a threshold that no omitted candidate is above. Candidates in the list may be on either side.
  candidate_threshold<Scalar> const& threshold() const noexcept { return threshold_; }
  fps_entry<Scalar> const& operator[](std::uint32_t i) const noexcept { return entries_[i]; }
  std::uint32_t size() const noexcept { return count_; }
  std::uint32_t found() const noexcept { return found_; }
  std::uint64_t round() const noexcept { return round_; }

 private:
  void shrink() noexcept {
    std::nth_element(entries_, entries_ + keep_, entries_ + count_,
                     [](fps_entry<Scalar> const& a, fps_entry<Scalar> const& b) {
                       return candidate_threshold<Scalar>{b.distance, b.index}.admits(a.distance, a.index);
                     });
    threshold_ = higher(threshold_, {entries_[keep_].distance, entries_[keep_].index});
    count_ = keep_;
    in_order_ = false;
  }

  fps_entry<Scalar>* entries_;
  std::uint32_t keep_;
  std::uint64_t round_;  ///< number of the round that the list belongs to
  std::uint32_t count_;
  std::uint32_t found_;
  candidate_threshold<Scalar> threshold_;
  bool in_order_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

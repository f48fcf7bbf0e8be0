/// @file
/// Thresholds of candidates: the cut of local maxima on a GPU, and the rounds of the host.
///
/// A round of the host lists all points above a threshold, and then samples from the list alone as long as its best
/// point is above every point outside the list. Distances only fall, so that omitted points stay below the threshold,
/// and each such sample is the one that the serial loop takes. docs/design/fps.md has the proof.
///
/// Example: the distances are 9 8 5 5 4, and the threshold of 4.5 lists the first four points. The sample with 9 lowers
/// 8 to 6 and one 5 to 3; the sample with 6 lowers nothing; the other 5 is a sample, too. The best point of the list
/// then has 3, and the round ends: the omitted point may be better.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/core/types.hpp>

#include <limits>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Distance of a point that is no candidate: a sample, a point that is not finite, or padding. No distance is smaller,
/// so that lowering does not change it.
template <class Scalar>
inline constexpr Scalar no_candidate = Scalar(-1);

/// Distance of a candidate before the first sample: infinity, which a squared distance equals only if it overflows.
template <class Scalar>
inline constexpr Scalar not_yet_measured = std::numeric_limits<Scalar>::infinity();

/// Threshold in the order of candidates: larger distance first, then lower index. Above the threshold are the points
/// farther than `distance`, and the points at `distance` with an index below `index`.
template <class Scalar>
struct candidate_threshold {
  Scalar distance;
  std::uint32_t index;

  FARPOINT_HD constexpr bool admits(Scalar candidate, std::uint32_t candidate_index) const noexcept {
    // | and & instead of || and &&: another comparison is cheaper than a branch.
    return (candidate > distance) | ((candidate == distance) & (candidate_index < index));
  }
};

/// Returns the threshold that admits less.
template <class Scalar>
FARPOINT_HD constexpr candidate_threshold<Scalar> higher(candidate_threshold<Scalar> a,
                                                         candidate_threshold<Scalar> b) noexcept {
  return b.admits(a.distance, a.index) ? a : b;
}

/// Result of a round.
template <class Scalar>
struct fps_round {
  Scalar largest;       ///< distance of the best candidate before the round; negative if no candidate is left
  std::uint32_t found;  ///< number of points above the threshold, in the list or not
  /// Threshold that no candidate is above after the round: raised by points that the list had no room for.
  candidate_threshold<Scalar> reached;
};

/// Chooses the threshold of each round so that the list becomes two thirds full.
///
/// The threshold is a guess, because distances fall by an unknown amount. It lies below the largest distance by a
/// relative gap, which grows after short lists and shrinks after long ones. A bad guess costs time only: points without
/// room in the list raise the threshold that accepted samples must be above, and the round after an empty list uses a
/// larger gap. Points at equal distances, which no gap can divide, are taken by ranges of indices.
template <class Scalar>
class threshold_control {
 public:
  FARPOINT_HD explicit threshold_control(std::uint32_t list_size) noexcept
      : size_{list_size}, wanted_{list_size - list_size / 3} {}

  FARPOINT_HD candidate_threshold<Scalar> threshold() const noexcept { return threshold_; }

  /// Sets the threshold of the next round, after a round that accepted all samples that it could.
  FARPOINT_HD void adapt(fps_round<Scalar> const& round) noexcept {
    bool const among_ties = threshold_.index != 0;
    if (among_ties && round.largest == threshold_.distance) return adapt_among_ties(round);
    bool const crowded = round.found > size_ && round.reached.distance == round.largest;
    crowded_rounds_ = crowded ? crowded_rounds_ + 1 : 0;
    if (!among_ties) adapt_gap(round.found);
    // No remaining candidate is above what the round has reached.
    place(smaller(round.largest, round.reached.distance));
  }

 private:
  FARPOINT_HD void place(Scalar top) noexcept {
    Scalar const next = top * (1 - static_cast<Scalar>(gap_));
    // Take points by index if many have the largest distance, or if no number lies between this distance and the
    // threshold (zero, infinity).
    bool const by_index = (crowded_rounds_ >= 2) | !(next < top);
    from_ = 0;
    step_ = wanted_;
    threshold_ = by_index ? candidate_threshold<Scalar>{top, step_} : candidate_threshold<Scalar>{next, 0};
  }

  FARPOINT_HD void adapt_gap(std::uint32_t found) noexcept {
    // Approximately the square root of the factor that the list should have grown by, without a division.
    float const factor = found > 4 * size_             ? 0.4f
                         : found > 2 * size_           ? 0.6f
                         : found > size_               ? 0.85f
                         : found < wanted_ / 4         ? 2.0f
                         : found < wanted_ / 2         ? 1.4f
                         : found < wanted_ - size_ / 8 ? 1.15f
                                                       : 1.0f;
    gap_ = gap_ * factor;
    if (gap_ > 0.9f) gap_ = 0.9f;
    // A smaller gap rounds to 0, and would not grow again.
    if (gap_ < 1e-6f) gap_ = 1e-6f;
  }

  /// Continues with the points at the threshold's distance by ascending index, a range at a time.
  FARPOINT_HD void adapt_among_ties(fps_round<Scalar> const& round) noexcept {
    if (round.found > size_) {
      step_ = step_ > 2 ? step_ / 2 : 1;  // try the same range again, in smaller parts
    } else {
      from_ = threshold_.index;
      if (round.found < wanted_ && step_ < (1u << 28)) step_ *= round.found == 0 ? 8 : 2;
    }
    threshold_.index = step_ < 0xffffffffu - from_ ? from_ + step_ : 0xffffffffu;
  }

  std::uint32_t size_;
  std::uint32_t wanted_;
  std::uint32_t crowded_rounds_ = 0;
  /// Lower end of the current range of indices, among equal distances: no candidate at this distance has a lower index.
  std::uint32_t from_ = 0;
  std::uint32_t step_ = 1;
  /// Relative distance of the threshold below the largest distance.
  float gap_ = 0.3f;
  candidate_threshold<Scalar> threshold_{not_yet_measured<Scalar>, 0};
};

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Many samples per round: which points are candidates, which of them may be accepted, and how many to ask for.
///
/// A round puts all points above a threshold into a list, and then samples from the list alone for as long as its best
/// point is above everything that is not in it. Distances only fall, so what was left out stays below, and each such
/// sample is the one that the serial loop would take. See docs/design/fps.md for the proof. Used by every backend.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/core/types.hpp>

#include <limits>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Distance of a point that is no candidate: picked already, not finite, or padding. No distance is below it, so it
/// stays.
template <class Scalar>
inline constexpr Scalar no_candidate = Scalar(-1);

/// Distance of a candidate before the first sample: larger than all, or equal to one that overflows.
template <class Scalar>
inline constexpr Scalar not_yet_measured = std::numeric_limits<Scalar>::infinity();

/// A place in the order of candidates (larger distance first, then lower index): above it are the points that are
/// farther than `distance`, and of those at `distance` the ones with an index below `index`.
template <class Scalar>
struct candidate_threshold {
  Scalar distance;
  std::uint32_t index;

  FARPOINT_HD constexpr bool admits(Scalar candidate, std::uint32_t candidate_index) const noexcept {
    // Not || and &&: one comparison more is cheaper than a branch.
    return (candidate > distance) | ((candidate == distance) & (candidate_index < index));
  }
};

/// The threshold that admits less.
template <class Scalar>
FARPOINT_HD constexpr candidate_threshold<Scalar> higher(candidate_threshold<Scalar> a,
                                                         candidate_threshold<Scalar> b) noexcept {
  return b.admits(a.distance, a.index) ? a : b;
}

/// What a round found.
template <class Scalar>
struct fps_round {
  Scalar largest;       ///< distance of the best candidate before the round; negative: there is none
  std::uint32_t found;  ///< points above the threshold, whether they had a place in the list or not
  /// Nothing is above this after the round: the threshold, raised by points that had no place.
  candidate_threshold<Scalar> reached;
};

/// Chooses the threshold of each round so that the list comes out two thirds full: a guess, because distances fall by
/// an unknown amount. A bad guess costs time only: points that find no place raise the threshold that accepted samples
/// must be above, and an empty list is followed by a fuller one.
template <class Scalar>
class threshold_control {
 public:
  FARPOINT_HD explicit threshold_control(std::uint32_t list_size) noexcept
      : size_{list_size}, wanted_{list_size - list_size / 3} {}

  FARPOINT_HD candidate_threshold<Scalar> threshold() const noexcept { return threshold_; }

  /// True after more empty rounds than any cloud needs: something else changes its distances, as in a batch whose
  /// offsets make clouds overlap.
  FARPOINT_HD bool is_stuck() const noexcept { return empty_rounds_ > 100; }

  /// After a round that accepted all that it could.
  FARPOINT_HD void adapt(fps_round<Scalar> const& round) noexcept {
    empty_rounds_ = round.found == 0 ? empty_rounds_ + 1 : 0;
    bool const among_ties = threshold_.index != 0;
    if (among_ties && round.largest == threshold_.distance) return adapt_among_ties(round);
    bool const crowded = round.found > size_ && round.reached.distance == round.largest;
    crowded_rounds_ = crowded ? crowded_rounds_ + 1 : 0;
    if (!among_ties) adapt_gap(round.found);
    // No remaining candidate is above what the round has reached.
    place(smaller(round.largest, round.reached.distance));
  }

  /// Forgets the threshold for one below `largest`, and keeps what was learnt about the gap.
  FARPOINT_HD void restart(Scalar largest) noexcept {
    crowded_rounds_ = 0;
    empty_rounds_ = 0;
    place(largest);
  }

 private:
  FARPOINT_HD void place(Scalar top) noexcept {
    Scalar const next = top * (1 - static_cast<Scalar>(gap_));
    // Many points at the largest distance, or nothing between it and the threshold (zero, infinite): take them by
    // index.
    bool const by_index = (crowded_rounds_ >= 2) | !(next < top);
    from_ = 0;
    step_ = wanted_;
    threshold_ = by_index ? candidate_threshold<Scalar>{top, step_} : candidate_threshold<Scalar>{next, 0};
  }

  FARPOINT_HD void adapt_gap(std::uint32_t found) noexcept {
    // About the square root of what the list should have grown by, without a division.
    float const factor = found > 4 * size_             ? 0.4f
                         : found > 2 * size_           ? 0.6f
                         : found > size_               ? 0.85f
                         : found < wanted_ / 4         ? 2.0f
                         : found < wanted_ / 2         ? 1.4f
                         : found < wanted_ - size_ / 8 ? 1.15f
                                                       : 1.0f;
    gap_ = gap_ * factor;
    if (gap_ > 0.9f) gap_ = 0.9f;
    // Smaller ones round to nothing, and would not grow again.
    if (gap_ < 1e-6f) gap_ = 1e-6f;
  }

  /// Points at the threshold's distance are taken by ascending index, a part at a time.
  FARPOINT_HD void adapt_among_ties(fps_round<Scalar> const& round) noexcept {
    if (round.found > size_) {
      step_ = step_ > 2 ? step_ / 2 : 1;  // the same part again, in smaller pieces
    } else {
      from_ = threshold_.index;
      if (round.found < wanted_ && step_ < (1u << 28)) step_ *= round.found == 0 ? 8 : 2;
    }
    threshold_.index = step_ < 0xffffffffu - from_ ? from_ + step_ : 0xffffffffu;
  }

  std::uint32_t size_;
  std::uint32_t wanted_;
  std::uint32_t crowded_rounds_ = 0;
  std::uint32_t empty_rounds_ = 0;
  std::uint32_t from_ = 0;  ///< among ties: all points with a lower index are gone
  std::uint32_t step_ = 1;
  float gap_ = 0.3f;  ///< between the largest distance and the threshold, as a share
  candidate_threshold<Scalar> threshold_{not_yet_measured<Scalar>, 0};
};

}  // namespace detail
FARPOINT_END_NAMESPACE

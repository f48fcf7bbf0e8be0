/// @file
/// Choice of the cut: the distance above which a round of local maxima lists candidates.
#pragma once

#include <farpoint/detail/fps/local_maxima/rule.hpp>
#include <farpoint/tuning/local_maxima.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Result of a round, which all blocks of a team agree on.
template <class Scalar>
struct basic_local_maxima_round {
  Scalar largest;     ///< distance of the best candidate
  Scalar left;        ///< distance of the best candidate above the cut that is not listed; negative if all are
  unsigned found;     ///< number of candidates above the cut
  unsigned accepted;  ///< number of candidates that became samples
};

/// Chooses the cut of each round: candidates farther than the cut are listed.
///
/// The cut is a guess that aims at a list of the desired length. A wrong guess costs time and changes no sample: a cut
/// above all candidates wastes a round. The cut lies below the largest distance by a relative *gap*, which shrinks
/// while lists are too long and grows while they are too short.
///
/// Example: the gap is 0.3 and the target 60 candidates. A round with the cut at 70 finds 100 candidates, more than 1.5
/// x 60, so that the gap becomes 0.87 x 0.3 = 0.26. If all were listed, the next cut is 70 x (1 - 0.26) = 51.7. If the
/// best unlisted candidate was at 90, the next cut is 90 x (1 - 0.26) = 66.5.
template <class Scalar>
class basic_local_maxima_cut {
 public:
  /// @param wanted  target number of candidates above the cut
  FARPOINT_HD explicit basic_local_maxima_cut(float wanted) noexcept
      : far_too_many_{above(3 * wanted)},
        too_many_{above(1.5f * wanted)},
        far_too_few_{not_below(0.5f * wanted)},
        too_few_{not_below(0.8f * wanted)} {}

  /// Returns the cut. Initially infinity, because no distance has been measured: the first round lists no candidate.
  FARPOINT_HD Scalar distance() const noexcept { return distance_; }

  /// Sets the cut of the next round from the result of a round.
  FARPOINT_HD void adapt(basic_local_maxima_round<Scalar> const& round) noexcept {
    unsigned const found = round.found;
    // Rule 1 decides nothing below the best unlisted key: a list that overflows may accept no candidate at all.
    if (round.accepted == 0 && found > 0) gap_ *= 0.5f;
    gap_ *= found >= far_too_many_ ? 0.7f
            : found >= too_many_   ? 0.87f
            : found < far_too_few_ ? 1.3f
            : found < too_few_     ? 1.1f
                                   : 1.0f;
    gap_ = gap_ > max_gap ? max_gap : gap_ < min_gap ? min_gap : gap_;
    // Estimates the largest distance left: most listed candidates were accepted or lowered, so that the farthest
    // candidate left is at the cut or is the best unlisted one.
    Scalar top = round.largest;
    if (found > 0) {
      Scalar const reached = distance_ > round.left ? distance_ : round.left;
      top = reached < top ? reached : top;
    }
    Scalar const next = top * (1 - static_cast<Scalar>(gap_));
    distance_ = next < top ? next : before(top);
  }

 private:
  static constexpr float max_gap = maxima_max_gap;
  static constexpr float min_gap = maxima_min_gap;

  // Limits are integers like the number of candidates: all threads of a block adapt the cut in every round, and
  // integers compare without conversion.
  /// Returns the smallest integer above `limit`.
  FARPOINT_HD static unsigned above(float limit) noexcept { return static_cast<unsigned>(limit) + 1; }
  /// Returns the smallest integer that is not below `limit`.
  FARPOINT_HD static unsigned not_below(float limit) noexcept {
    auto const whole = static_cast<unsigned>(limit);
    return whole + (static_cast<float>(whole) < limit ? 1 : 0);
  }

  /// Returns the next smaller distance, or a negative number for a distance of 0.
  FARPOINT_HD static Scalar before(Scalar distance) noexcept {
    return distance > 0 ? ordered_integer_value<Scalar>(ordered_integer(distance) - 1) : no_candidate<Scalar> / 2;
  }

  unsigned far_too_many_;
  unsigned too_many_;
  unsigned far_too_few_;
  unsigned too_few_;
  float gap_ = max_gap;  ///< relative distance of the cut below the largest distance that may be left
  Scalar distance_ = not_yet_measured<Scalar>;
};

using local_maxima_cut = basic_local_maxima_cut<float>;

}  // namespace detail
FARPOINT_END_NAMESPACE

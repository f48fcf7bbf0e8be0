/// @file
/// Which candidates of fps() are listed in a round of local maxima.
#pragma once

#include <farpoint/detail/fps/local_maxima/rule.hpp>
#include <farpoint/tuning/local_maxima.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// What a round of local maxima found; the same for all blocks of a team.
template <class Scalar>
struct basic_local_maxima_round {
  Scalar largest;  ///< distance of the best candidate
  Scalar left;     ///< and of the best above the cut that found no place in a list; negative: none
  unsigned found;  ///< candidates above the cut
  unsigned accepted;
};

/// Chooses the cut: candidates farther than it are listed. A guess, so that lists come out about as long as asked for:
/// the wrong cut costs time only.
template <class Scalar>
class basic_local_maxima_cut {
 public:
  /// @param wanted  candidates above the cut
  FARPOINT_HD explicit basic_local_maxima_cut(float wanted) noexcept
      : far_too_many_{above(3 * wanted)},
        too_many_{above(1.5f * wanted)},
        far_too_few_{not_below(0.5f * wanted)},
        too_few_{not_below(0.8f * wanted)} {}

  /// Candidates at this distance or nearer are not listed. Infinity at first: nothing is known yet.
  FARPOINT_HD Scalar distance() const noexcept { return distance_; }

  FARPOINT_HD void adapt(basic_local_maxima_round<Scalar> const& round) noexcept {
    unsigned const found = round.found;
    // Lists that overflow let hardly anything pass.
    if (round.accepted == 0 && found > 0) gap_ *= 0.5f;
    gap_ *= found >= far_too_many_ ? 0.7f
            : found >= too_many_   ? 0.87f
            : found < far_too_few_ ? 1.3f
            : found < too_few_     ? 1.1f
                                   : 1.0f;
    gap_ = gap_ > most ? most : gap_ < least ? least : gap_;
    // Nothing above the cut stays what it was, unless it was left out.
    Scalar top = round.largest;
    if (found > 0) {
      Scalar const reached = distance_ > round.left ? distance_ : round.left;
      top = reached < top ? reached : top;
    }
    Scalar const next = top * (1 - static_cast<Scalar>(gap_));
    distance_ = next < top ? next : before(top);
  }

 private:
  static constexpr float most = maxima_most_gap;
  static constexpr float least = maxima_least_gap;

  // Limits are integers, as numbers of candidates are: all threads of a block adapt the cut, in every round.
  /// The least number that is above `limit`.
  FARPOINT_HD static unsigned above(float limit) noexcept { return static_cast<unsigned>(limit) + 1; }
  /// The least number that is not below it.
  FARPOINT_HD static unsigned not_below(float limit) noexcept {
    auto const whole = static_cast<unsigned>(limit);
    return whole + (static_cast<float>(whole) < limit ? 1 : 0);
  }

  /// The next smaller distance; of 0, a negative number.
  FARPOINT_HD static Scalar before(Scalar distance) noexcept {
    return distance > 0 ? ordered_integer_value<Scalar>(ordered_integer(distance) - 1) : no_candidate<Scalar> / 2;
  }

  unsigned far_too_many_;
  unsigned too_many_;
  unsigned far_too_few_;
  unsigned too_few_;
  float gap_ = most;  ///< between the largest distance that may be left and the cut, as a share
  Scalar distance_ = not_yet_measured<Scalar>;
};

using local_maxima_cut = basic_local_maxima_cut<float>;

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Bounding box of points, computed by a loop over independent indices.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/core/ordered_bits.hpp>
#include <farpoint/geometry/bounding_box.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Largest number of indices of a loop that computes a bounding box.
inline constexpr index_t extent_strides = 1 << 18;

/// Bounding box as words that only decrease, from all bits set, so that threads update it by atomic minima.
template <class Scalar>
struct stream_extent {
  lane_word<Scalar> low[3];
  lane_word<Scalar> high[3];  ///< complements

  /// The box, after the loop.
  FARPOINT_HD bounding_box<Scalar> box() const noexcept {
    auto found = bounding_box<Scalar>::empty();
    auto const untouched = static_cast<lane_word<Scalar>>(~lane_word<Scalar>{0});
    for (int axis = 0; axis < 3 && low[0] != untouched; ++axis) {
      found.low[axis] = ordered_value<Scalar>(low[axis]);
      found.high[axis] = ordered_value<Scalar>(static_cast<lane_word<Scalar>>(~high[axis]));
    }
    return found;
  }
};

/// Computes the bounding box of the finite points, and counts the others. Runs for extent_strides, or for the points if
/// they are fewer.
template <class Points>
struct extent_step {
  using scalar = typename Points::scalar;

  Points points;
  stream_extent<scalar>* extent;
  std::uint64_t* non_finite;

  FARPOINT_HD void operator()(std::uint64_t stride) const noexcept {
    auto box = bounding_box<scalar>::empty();
    std::uint64_t bad = 0;
    for (auto i = static_cast<index_t>(stride); i < points.size(); i += extent_strides) {
      auto const point = points[i];
      bool const finite = is_finite(point);
      bad += finite ? 0 : 1;
      if (finite) box.grow(point);
    }
    if (bad > 0) atomic_add(non_finite, bad);
    if (!(box.low[0] <= box.high[0])) return;
    for (int axis = 0; axis < 3; ++axis) {
      lower(&extent->low[axis], ordered_word(box.low[axis]));
      lower(&extent->high[axis], static_cast<lane_word<scalar>>(~ordered_word(box.high[axis])));
    }
  }

 private:
  /// Most strides do not lower the word. Testing it first avoids contention for the atomic minimum.
  template <class Word>
  FARPOINT_HD static void lower(Word* least, Word word) noexcept {
    if (word < atomic_load(least)) atomic_min(least, word);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

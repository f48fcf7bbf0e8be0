/// @file
/// Batch of clouds for one call.
#pragma once

#include <farpoint/core/offsets.hpp>
#include <farpoint/core/points.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Clouds stored one after another in one view: regular (equal sizes) or ragged (offsets).
///
/// Non-owning and trivially copyable; `points` and `offsets` live in the memory space of the execution that uses them.
/// Invalid offsets do not fail a call; they are counted: if an offset is out of range of the view, or below its
/// predecessor, every cloud of the batch is empty for the call, and its report counts the invalid offsets
/// (`bad_offsets`). This class itself clamps offsets to the view.
template <class Points>
class batch {
 public:
  /// Batch of one cloud.
  explicit constexpr batch(Points points) noexcept : batch{regular(points, 1)} {}

  /// Batch of `clouds` clouds of points.size() / clouds points each: shape `[clouds, points per cloud]`.
  static constexpr batch regular(Points points, index_t clouds) noexcept {
    return {points, {}, clouds, clouds > 0 ? points.size() / clouds : 0};
  }

  /// Cloud b owns the points `[offsets[b], offsets[b + 1])`; `offsets` has one entry more than there are clouds.
  /// @param points   points of all clouds; it may contain others before, after and between the clouds
  /// @param offsets  `[clouds + 1]`, ascending, in the memory space of the execution
  /// @param largest  upper bound on the size of a cloud, if known: it avoids kernels for larger clouds. A larger cloud
  ///                 is cut off at this size.
  static constexpr batch ragged(Points points, span<index_t const> offsets, index_t largest = -1) noexcept {
    auto const clouds = offsets.empty() ? index_t{0} : static_cast<index_t>(offsets.size()) - 1;
    return {points, offsets, clouds, largest < 0 || largest > points.size() ? points.size() : largest};
  }
  /// Same as above, from a container with data() and size(); not from a temporary that owns the offsets.
  template <class Offsets,
            std::enable_if_t<std::is_same_v<detail::element_of<Offsets const> const, index_t const>, int> = 0>
  static constexpr batch ragged(Points points, Offsets&& offsets, index_t largest = -1) noexcept {
    FARPOINT_REFUSE_TEMPORARY_OWNER(detail::is_temporary_owner<Offsets>);
    return ragged(points, span<index_t const>{offsets}, largest);
  }

  /// Number of clouds.
  FARPOINT_HD constexpr index_t size() const noexcept { return clouds_; }
  /// Points of all clouds.
  FARPOINT_HD constexpr Points const& points() const noexcept { return points_; }
  FARPOINT_HD constexpr bool is_ragged() const noexcept { return offsets_.data() != nullptr; }
  FARPOINT_HD constexpr span<index_t const> offsets() const noexcept { return offsets_; }
  /// Upper bound on the size of a cloud; exact if regular.
  FARPOINT_HD constexpr index_t largest() const noexcept { return largest_; }

  /// Index of cloud b's first point in points().
  FARPOINT_HD constexpr index_t begin_of(index_t b) const noexcept {
    return is_ragged() ? clamp(offsets_[static_cast<std::size_t>(b)]) : b * largest_;
  }

  /// Cloud b, b < size().
  FARPOINT_HD constexpr Points operator[](index_t b) const noexcept {
    index_t const begin = begin_of(b);
    index_t count = is_ragged() ? clamp(offsets_[static_cast<std::size_t>(b) + 1]) - begin : largest_;
    if (count < 0) count = 0;
    if (count > largest_) count = largest_;
    return points_.subview(begin, count);
  }

  /// Cloud that owns `point`, an index into points(); an adjacent cloud if no cloud owns it. Requires size() > 0.
  ///
  /// O(1) if regular, O(log clouds) if ragged. A 32-bit `point` is divided in 32 bits, which is much faster on a GPU.
  template <class Integer>
  FARPOINT_HD constexpr index_t cloud_of(Integer point) const noexcept {
    if (clouds_ == 1) return 0;
    if (!is_ragged()) return static_cast<index_t>(point / static_cast<Integer>(largest_));
    return detail::segment_of(clouds_, static_cast<index_t>(point), [this](index_t b) { return begin_of(b); });
  }

 private:
  constexpr batch(Points points, span<index_t const> offsets, index_t clouds, index_t largest) noexcept
      : points_{points}, offsets_{offsets}, clouds_{clouds}, largest_{largest} {}

  FARPOINT_HD constexpr index_t clamp(index_t offset) const noexcept {
    return offset < 0 ? 0 : offset > points_.size() ? points_.size() : offset;
  }

  Points points_;
  span<index_t const> offsets_;
  index_t clouds_;
  index_t largest_;
};

namespace FARPOINT_HIDDEN detail {

/// True if offset `i`, 0 <= i <= size(), of a ragged batch is invalid; see is_bad_offset().
template <class Points>
FARPOINT_HD constexpr bool is_bad_offset(batch<Points> const& clouds, index_t i) noexcept {
  return is_bad_offset(clouds.offsets(), i, clouds.points().size());
}

/// Number of invalid offsets of a batch in host-readable memory; 0 if there are no clouds. O(clouds).
template <class Points>
FARPOINT_HD constexpr index_t count_bad_offsets(batch<Points> const& clouds) noexcept {
  if (!clouds.is_ragged() || clouds.size() == 0) return 0;
  return count_bad_offsets(clouds.offsets(), clouds.points().size());
}

}  // namespace detail

FARPOINT_END_NAMESPACE

/// @file
/// Keys of points along a space-filling curve: from the box around them to a cell, and from a cell to its key.
#pragma once

#include <farpoint/geometry/bounding_box.hpp>
#include <farpoint/geometry/hilbert.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Cubic cells over a bounding box, 2^bits cells along its longest side. Trivially copyable; host and device.
///
/// Every point has a cell; one outside of the box, or not finite, has some cell at its border. Every box has cells,
/// even if the extent overflows. There are fewer if 2^bits / extent overflows, and one cell if the extent is 0 or
/// infinite.
/// @tparam Dim  of the points. Cells are made of the first three axes.
template <class Scalar, int Dim = 3>
class curve_grid {
 public:
  // NOLINTNEXTLINE(bugprone-branch-clone): both are 3 for Dim 3
  static constexpr int axes = Dim < 3 ? Dim : 3;
  using box = bounding_box<Scalar, axes>;
  using cell = vec<std::uint32_t, axes>;

  curve_grid() = default;

  /// @param around  the points
  /// @param bits    of a cell's coordinate, 1 to 31; for key_of(), at most 32 / axes; the same in every call
  FARPOINT_HD curve_grid(box const& around, int bits) noexcept {
    // Everything is halved, so that no extent overflows.
    Scalar extent = 0;
    FARPOINT_UNROLL
    for (int axis = 0; axis < axes; ++axis) {
      low_[axis] = around.low[axis] * Scalar(0.5);
      extent = max_number(extent, sub_rn(around.high[axis] * Scalar(0.5), low_[axis]));
    }
    Scalar const scale = static_cast<Scalar>(1u << bits) / extent;
    scale_ = extent > 0 ? min_number(scale, most) : Scalar(0);
  }

  /// False for one point, or several that are equal on these axes: they are in one cell.
  FARPOINT_HD bool has_extent() const noexcept { return scale_ > 0; }

  /// The cell of a point, below 2^bits on each axis.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE cell cell_of(vec<Scalar, Dim> const& point, int bits) const noexcept {
    std::uint32_t const cells = 1u << bits;
    cell found;
    FARPOINT_UNROLL
    for (int axis = 0; axis < axes; ++axis) {
      Scalar const at = sub_rn(point[axis] * Scalar(0.5), low_[axis]) * scale_;
      found[axis] = at < static_cast<Scalar>(cells) ? at > 0 ? static_cast<std::uint32_t>(at) : 0 : cells - 1;
    }
    return found;
  }

  /// The place of a point's cell on a curve, below 2^(bits axes): the cell itself in one dimension.
  /// @param point  anywhere: one outside of the box is in a cell at its border
  /// @param curve  morton_curve or hilbert_curve; in three dimensions a hilbert_table, too
  /// @param bits   of a coordinate of a cell, as in the constructor
  template <class Curve>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t key_of(vec<Scalar, Dim> const& point, Curve const& curve,
                                                          int bits) const noexcept {
    cell const at = cell_of(point, bits);
    if constexpr (axes == 1) {
      return at[0];
    } else if constexpr (axes == 2) {
      return curve.encode(at[0], at[1], bits);
    } else {
      return curve.encode(at[0], at[1], at[2], bits);
    }
  }

 private:
  static constexpr Scalar most = std::numeric_limits<Scalar>::max();

  vec<Scalar, axes> low_;  ///< halved
  Scalar scale_;           ///< cells per half meter; 0: the box has no extent
};

FARPOINT_END_NAMESPACE

/// @file
/// Morton codes of points: the cell of a point in its cloud's bounding box.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/geometry/morton.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Axes that a Morton order goes by: the first three.
template <int Dim>
inline constexpr int morton_axes = Dim < 3 ? Dim : 3;

/// Cells of a bounding box, the same size on each axis: a flat cloud must not be cut finer across than along.
template <class Scalar, int Dim>
struct morton_grid {
  vec<Scalar, morton_axes<Dim>> low;
  Scalar scale;  ///< cells per metre
  std::uint32_t last;

  /// @param bits  of each axis
  FARPOINT_HD static morton_grid over(vec<Scalar, morton_axes<Dim>> const& low,
                                      vec<Scalar, morton_axes<Dim>> const& high, int bits) noexcept {
    Scalar extent = 0;
    FARPOINT_UNROLL
    for (int axis = 0; axis < morton_axes<Dim>; ++axis) extent = max_number(extent, sub_rn(high[axis], low[axis]));
    std::uint32_t const cells = 1u << bits;
    Scalar const scale = static_cast<Scalar>(cells) / extent;
    // One cell for a cloud without extent, or with one that has no reciprocal.
    bool const usable = extent > 0 && scale * extent <= static_cast<Scalar>(2 * cells);
    return {low, usable ? scale : Scalar(0), cells - 1};
  }

  FARPOINT_HD std::uint32_t code(vec<Scalar, Dim> const& point) const noexcept {
    std::uint32_t cell[3] = {};
    FARPOINT_UNROLL
    for (int axis = 0; axis < morton_axes<Dim>; ++axis) {
      Scalar const at = sub_rn(point[axis], low[axis]) * scale;
      cell[axis] = at < static_cast<Scalar>(last) ? at > 0 ? static_cast<std::uint32_t>(at) : 0 : last;
    }
    if constexpr (morton_axes<Dim> == 1) {
      return cell[0];
    } else if constexpr (morton_axes<Dim> == 2) {
      return morton_encode(cell[0], cell[1]);
    } else {
      return morton_encode(cell[0], cell[1], cell[2]);
    }
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Places of points on Hilbert's curve, for any number of bits.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/geometry/hilbert_table.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Cubic cells over a bounding box. Everything is halved, so that no extent overflows.
template <class Scalar>
struct hilbert_grid {
  vec<Scalar, 3> low;
  Scalar scale;  ///< cells per half metre; 0: the box has no extent

  /// @param low, high  of the points, halved
  /// @param bits       of an axis, at most 10
  FARPOINT_HD static hilbert_grid over(vec<Scalar, 3> const& low, vec<Scalar, 3> const& high, int bits) noexcept {
    Scalar extent = 0;
    FARPOINT_UNROLL
    for (int axis = 0; axis < 3; ++axis) extent = max_number(extent, sub_rn(high[axis], low[axis]));
    Scalar const scale = static_cast<Scalar>(1u << bits) / extent;
    return {low, extent > 0 ? min_number(scale, most) : Scalar(0)};
  }

  static constexpr Scalar most = std::numeric_limits<Scalar>::max();

  FARPOINT_HD bool has_extent() const noexcept { return scale > 0; }

  /// Below the last one, which stands for "none". Of any point: one outside, or not finite, is in some cell.
  FARPOINT_HD std::uint32_t code(vec<Scalar, 3> const& point, hilbert_table const& curve, int bits) const noexcept {
    std::uint32_t const cells = 1u << bits;
    std::uint32_t cell[3];
    FARPOINT_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
      Scalar const at = sub_rn(point[axis] * Scalar(0.5), low[axis]) * scale;
      cell[axis] = at < static_cast<Scalar>(cells) ? at > 0 ? static_cast<std::uint32_t>(at) : 0 : cells - 1;
    }
    std::uint32_t const code = curve.encode(cell[0], cell[1], cell[2], bits);
    std::uint32_t const none = (1u << 3 * bits) - 1;
    return code < none ? code : none - 1;
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Which owners along Hilbert's curve may have points near a place.
#pragma once

#include <farpoint/scale/stream/curve/borders.hpp>

#include <cmath>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Cells from one corner to another, both included.
struct curve_cells {
  vec<std::uint32_t, 3> low;
  vec<std::uint32_t, 3> high;
};

/// A cube of cells that the curve goes through from its first to its last key.
struct curve_cube {
  std::uint64_t first = 0;
  vec<std::uint32_t, 3> corner{};
  std::uint32_t way = 0;  ///< of the curve: a row of hilbert_table
};

/// The keys that an owner may have.
struct curve_range {
  std::uint64_t first;
  std::uint64_t last;
};

/// Searches cubes for an owner's cells: from the largest down, those of which the owner has a part. In each level at
/// most two are left, where its keys begin and where they end.
class curve_descent {
 public:
  FARPOINT_HD curve_descent(curve_cells const& wanted, curve_range const& owned, std::uint64_t const* table) noexcept
      : wanted_{wanted}, owned_{owned}, entries_{reinterpret_cast<unsigned char const*>(table)} {}

  /// Whether some cell is both wanted and owned.
  FARPOINT_HD bool meets() const noexcept {
    curve_cube left[2];
    int count = 1;
    for (int bits = curve_axis_bits - 1; bits >= 0 && count > 0; --bits) {
      curve_cube parts[2];
      int found = 0;
      FARPOINT_UNROLL
      for (int c = 0; c < 2; ++c) {
        if (c >= count) continue;
        for (std::uint32_t octant = 0, wanted = octants_of(left[c], bits); wanted >> octant != 0; ++octant) {
          if ((wanted >> octant & 1) == 0) continue;
          curve_cube const part = part_of(left[c], octant, bits);
          std::uint64_t const last = part.first + ((std::uint64_t{1} << 3 * bits) - 1);
          if (last < owned_.first || part.first > owned_.last) continue;
          if (bits == 0 || (part.first >= owned_.first && last <= owned_.last)) return true;
          if (found == 0) {
            parts[0] = part;
          } else {
            parts[1] = part;
          }
          ++found;
        }
      }
      count = found;
      left[0] = parts[0];
      left[1] = parts[1];
    }
    return false;
  }

 private:
  /// The wanted ones of the eight parts of a cube, of 2^bits cells along a side: a bit each.
  FARPOINT_HD std::uint32_t octants_of(curve_cube const& cube, int bits) const noexcept {
    constexpr std::uint32_t lower[3] = {0x55, 0x33, 0x0f};
    std::uint32_t octants = 0xff;
    FARPOINT_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
      std::uint32_t const middle = cube.corner[axis] + (1u << bits);
      octants &=
          (wanted_.low[axis] < middle ? lower[axis] : 0) | (wanted_.high[axis] >= middle ? 0xff ^ lower[axis] : 0);
    }
    return octants;
  }
  FARPOINT_HD curve_cube part_of(curve_cube const& cube, std::uint32_t octant, int bits) const noexcept {
    std::uint32_t const entry = entries_[cube.way | octant];
    curve_cube part = cube;
    part.first += std::uint64_t{entry & 7} << 3 * bits;
    part.way = entry & ~7u;
    FARPOINT_UNROLL
    for (int axis = 0; axis < 3; ++axis) part.corner[axis] += (octant >> axis & 1) << bits;
    return part;
  }

  curve_cells const& wanted_;
  curve_range const& owned_;
  unsigned char const* entries_;
};

/// The owners' parts of the curve.
template <class Scalar>
struct curve_reach {
  /// Smaller ones are not exact, or zero.
  static constexpr Scalar least_square = std::numeric_limits<Scalar>::min();

  curve_frame<Scalar> const* frame;
  curve_border const* borders;
  int count;

  /// Whether an owner may have a point whose squared distance from the query is no larger than this. Never false where
  /// it has one: cells are in the order of coordinates, and a distance is not below that along an axis, but for
  /// rounding.
  FARPOINT_HD bool may_own(int owner, vec<Scalar> const& query, Scalar distance2) const noexcept {
    Scalar const reach = std::sqrt(distance2) * Scalar(1.00001) + std::sqrt(least_square);
    if (!(reach < infinity<Scalar>) || !frame->grid.has_extent()) return true;
    vec<Scalar> low = query;
    vec<Scalar> high = query;
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] -= reach;
      high[axis] += reach;
    }
    curve_cells const wanted{frame->grid.cell_of(low, curve_axis_bits), frame->grid.cell_of(high, curve_axis_bits)};
    // Points of a border's key may be on both of its sides.
    curve_range const owned{owner == 0 ? 0 : borders[owner - 1].key,
                            owner == count ? no_curve_key : borders[owner].key};
    return curve_descent{wanted, owned, frame->table}.meets();
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Tests which owners along the Hilbert curve may have points near a position.
#pragma once

#include <farpoint/scale/stream/curve/borders.hpp>

#include <cmath>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Box of cells from one corner to the other, both included.
struct curve_cells {
  vec<std::uint32_t, 3> low;
  vec<std::uint32_t, 3> high;
};

/// Cube of cells that the curve visits one after another, from key `first` on.
struct curve_cube {
  std::uint64_t first = 0;
  vec<std::uint32_t, 3> corner{};
  std::uint32_t way = 0;  ///< orientation of the curve: a row of hilbert_table
};

/// Range of keys of an owner.
struct curve_range {
  std::uint64_t first;
  std::uint64_t last;
};

/// Tests whether a box of cells has a cell of an owner, by descending from the largest cube. Cubes outside the box or
/// the owner's range of keys are skipped; a cube wholly inside the range ends the search. At most two cubes per level
/// remain: one with the first key of the range and one with the last.
class curve_descent {
 public:
  FARPOINT_HD curve_descent(curve_cells const& wanted, curve_range const& owned, std::uint64_t const* table) noexcept
      : wanted_{wanted}, owned_{owned}, entries_{reinterpret_cast<unsigned char const*>(table)} {}

  /// True if some cell is in the box and owned.
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
  /// The octants of a cube that meet the box, one bit each. An octant has 2^bits cells per side.
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

/// The owners' ranges of keys.
template <class Scalar>
struct curve_reach {
  /// Smallest normal number. Smaller squared distances are rounded or zero.
  static constexpr Scalar min_square = std::numeric_limits<Scalar>::min();

  curve_frame<Scalar> const* frame;
  curve_border const* borders;
  int count;

  /// True if an owner may have a point whose squared distance from the query is at most `distance2`. Never false if it
  /// has one: cells are monotonic in the coordinates, and no point is farther away along an axis than its distance, up
  /// to rounding, which the factor and the addend in `reach` cover.
  FARPOINT_HD bool may_own(int owner, vec<Scalar> const& query, Scalar distance2) const noexcept {
    Scalar const reach = std::sqrt(distance2) * Scalar(1.00001) + std::sqrt(min_square);
    if (!(reach < infinity<Scalar>) || !frame->grid.has_extent()) return true;
    vec<Scalar> low = query;
    vec<Scalar> high = query;
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] -= reach;
      high[axis] += reach;
    }
    curve_cells const wanted{frame->grid.cell_of(low, curve_axis_bits), frame->grid.cell_of(high, curve_axis_bits)};
    // Points with a border's key can lie on both sides of the border, so both ranges include the key.
    curve_range const owned{owner == 0 ? 0 : borders[owner - 1].key,
                            owner == count ? no_curve_key : borders[owner].key};
    return curve_descent{wanted, owned, frame->table}.meets();
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Search of small clouds without an index: points in shared memory, which each query is compared with.
///
/// `Warp` and `List` as in detail/search/packets/memory.hpp. `List` also has merge_lane().
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/core/math.hpp>

#include <cstddef>
#include <limits>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Coordinate that is within no distance of any query.
template <class Scalar>
inline constexpr Scalar scan_nowhere = std::numeric_limits<Scalar>::quiet_NaN();

/// Points of a cloud in the shared memory of a block, 12 KiB.
template <class Scalar>
struct scan_tile {
  static constexpr int group_size = 8;
  static constexpr int capacity = 4096 / int{sizeof(Scalar)};
  /// A block fills its tile up to a multiple of this by missing().
  static constexpr int fill = 256;

  /// 24 words of floats: four lanes that read consecutive groups, 16 bytes each, access different banks, and so do 32
  /// lanes that read consecutive points.
  struct alignas(16) group {
    Scalar axis[3][group_size];

    FARPOINT_DEVICE FARPOINT_ALWAYS_INLINE vec<Scalar, 3> at(int i) const noexcept {
      return {axis[0][i], axis[1][i], axis[2][i]};
    }
  };

  FARPOINT_DEVICE void set(int i, vec<Scalar, 3> const& p) noexcept {
    for (int k = 0; k < 3; ++k) groups[i / group_size].axis[k][i % group_size] = p[k];
  }
  FARPOINT_DEVICE static vec<Scalar, 3> missing() noexcept {
    return {scan_nowhere<Scalar>, scan_nowhere<Scalar>, scan_nowhere<Scalar>};
  }
  FARPOINT_DEVICE FARPOINT_ALWAYS_INLINE vec<Scalar, 3> at(int i) const noexcept {
    return groups[i / group_size].at(i % group_size);
  }

  group groups[std::size_t{capacity / group_size}];
};

/// Offers the points of a tile to the lists of a warp's lanes, and merges all offers. A lane tests every `parts`-th
/// group of points. All lanes call it.
/// @param size   number of points
/// @param first  index of the first point
/// @param part   0 to `parts` - 1
/// @param parts  a power of two up to 32
template <class Warp, class Scalar, class List>
FARPOINT_DEVICE void scan_nearest(scan_tile<Scalar> const& tile, int size, std::uint32_t first, int part, int parts,
                                  vec<Scalar, 3> const& q, List& found) noexcept {
  constexpr int group_size = scan_tile<Scalar>::group_size;
  static_assert(List::batch >= group_size && scan_tile<Scalar>::fill % (Warp::lanes * group_size) == 0);
  // Merges in one position: the networks occur once in the code.
  for (int from = 0;; from += parts * group_size) {
    bool const has_points = from < size;
    if (has_points) {
      auto const& group = tile.groups[from / group_size + part];
      std::uint32_t const begin = first + static_cast<std::uint32_t>(from + part * group_size);
      Scalar d[std::size_t{group_size}];
      FARPOINT_UNROLL
      for (int i = 0; i < group_size; ++i) d[i] = distance2(group.at(i), q);
      FARPOINT_UNROLL
      for (int i = 0; i < group_size; ++i) {
        if (d[i] <= found.bound()) found.offer(d[i], begin + static_cast<std::uint32_t>(i));
      }
    }
    bool const is_merged = found.merge_beyond(has_points ? List::batch : 0);
    if (!has_points && !is_merged) return;
  }
}

/// Query of a warp, and the limits of its list.
template <class Scalar>
struct scan_request {
  vec<Scalar, 3> q;
  Scalar limit2;           ///< squared radius; a point at exactly this squared distance is found
  std::uint32_t excluded;  ///< index to skip; no_index for none
  int max;                 ///< maximum number of points; 0: all points are counted, none is written
};

/// Calls `write(j, index, distance2)`, by some lane, for the j-th point within the radius in the order of indices,
/// j < request.max. All lanes call it, for the same query.
/// @param size   number of points of the tile
/// @param first  index of the first point
/// @param count  number of points found in the tiles before
/// @return number of points found, at most request.max if that is not 0
template <class Warp, class Scalar, class Write>
FARPOINT_DEVICE int scan_lowest(scan_tile<Scalar> const& tile, int size, std::uint32_t first,
                                scan_request<Scalar> const& request, int count, Write const& write) noexcept {
  constexpr int at_once = 4;
  static_assert(scan_tile<Scalar>::fill % (at_once * Warp::lanes) == 0);
  for (int from = 0; from < size; from += at_once * Warp::lanes) {
    Scalar d[at_once];
    FARPOINT_UNROLL
    for (int i = 0; i < at_once; ++i) d[i] = distance2(tile.at(from + i * Warp::lanes + Warp::lane()), request.q);
    FARPOINT_UNROLL
    for (int i = 0; i < at_once; ++i) {
      std::uint32_t const index = first + static_cast<std::uint32_t>(from + i * Warp::lanes + Warp::lane());
      bool const is_found = d[i] <= request.limit2 && index != request.excluded;
      unsigned const all = Warp::ballot(is_found);
      int const j = count + static_cast<int>(count_bits(all & ((1u << Warp::lane()) - 1)));
      if (is_found && j < request.max) write(j, index, d[i]);
      count += static_cast<int>(count_bits(all));
    }
    if (request.max > 0 && count >= request.max) return request.max;
  }
  return count;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

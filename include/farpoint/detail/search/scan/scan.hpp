/// @file
/// Search of small clouds without an index: which searches do so, and points in shared memory, which each query is
/// compared with.
///
/// `Warp` and `List` as in detail/search/packets/memory.hpp. `List` also has merge_lane().
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/detail/search/knn_request.hpp>
#include <farpoint/detail/search/queries.hpp>
#include <farpoint/tuning/knn.hpp>

#include <cstddef>
#include <limits>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Number of warps of a block, a power of two.
inline constexpr int scan_warps_bits = 2;
static_assert(32 << scan_warps_bits == search_block_size);

/// Queries of points without an index, in the order of the view.
template <class Points, class Queries>
struct scanned_queries : search_queries<Queries> {
  static constexpr bool is_scanned = true;

  batch<Points> points;
  unsigned long long* non_finite_points;  ///< counter of a report; may be null
  int warp_bits;                          ///< binary logarithm of the number of queries of a warp

  /// @param lanes  number of lanes that should have work: a query has up to 32 lanes, each for part of the points
  scanned_queries(batch<Points> const& of, batch<Queries> const& queries, unsigned long long* counter,
                  index_t lanes) noexcept
      : search_queries<Queries>{queries, of}, points{of}, non_finite_points{counter}, warp_bits{5} {
    index_t const rows = queries.points().size();
    while (warp_bits > 0 && rows << (6 - warp_bits) <= lanes && index_t{8} << (6 - warp_bits) <= of.largest()) {
      --warp_bits;
    }
  }

  /// Number of blocks of search_block_size threads.
  index_t blocks() const noexcept { return (this->threads() >> (warp_bits + scan_warps_bits)) + this->all().size(); }
};

/// Cloud of a block, and row of a thread. The rows of a cloud are divided among blocks; the blocks of cloud b begin at
/// floor(begin / rows per block) + b. A cloud without rows has a block, too, which counts its non-finite points.
struct scan_share {
  index_t cloud = -1;     ///< -1: the block reads no points
  index_t row;            ///< -1: none
  bool is_first = false;  ///< true for the first block of the cloud

  template <class Queries>
  FARPOINT_HD scan_share(search_queries<Queries> const& queries, int warp_bits, index_t block, int thread) noexcept {
    int const bits = warp_bits + scan_warps_bits;
    int const in_block = (thread / 32 << warp_bits) + (thread & ((1 << warp_bits) - 1));
    row = (block << bits) + in_block;
    // All rows are left empty, whatever their clouds.
    if (queries.has_bad_offsets()) return;
    auto const& all = queries.all();
    auto const first_block = [&](index_t b) { return (all.begin_of(b) >> bits) + b; };
    index_t const b = segment_of(all.size(), block, first_block);
    index_t const from = (block - first_block(b)) * (index_t{1} << bits);
    index_t const size = all[b].size();
    is_first = from == 0;
    if (is_first || (from > 0 && from < size)) cloud = b;
    row = from >= 0 && from + in_block < size ? all.begin_of(b) + from + in_block : -1;
  }
};

/// True if a search is faster without an index.
/// @param self  true if the queries are the points
/// @param k     length of the lists of nearest points; 0 for points in the order of their indices; -1 for a search
///              that needs the index
template <class Selector, class Points, class Queries>
bool is_scanned(batch<Points> const& points, batch<Queries> const& queries, bool self, index_t k) noexcept {
  using scalar = typename Points::scalar;
  index_t const rows = larger(queries.points().size(), index_t{1});
  index_t const most = (self ? Selector::scan_self : Selector::scan_others) / (sizeof(scalar) == 8 ? 4 : 1);
  if (most == 0 || points.size() == 0) return false;
  if (k < 0 || k > max_in_registers<scalar>) return false;
  // Rows and blocks are numbered with 32 bits.
  if (rows > index_t{1} << 30 || rows > Selector::launch_rows) return false;
  // The quotients avoid an overflow of the product.
  index_t const largest = larger(points.largest(), index_t{1});
  return largest <= most / rows / largest;
}

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

/// @file
/// Decides which searches compare their queries with all points of a cloud.
#pragma once

#include <farpoint/detail/search/knn_request.hpp>
#include <farpoint/detail/search/queries.hpp>
#include <farpoint/tuning/knn.hpp>

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
/// @param k     length of the lists of nearest points; 0 for points in the order of their indices; negative for a
/// search
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

}  // namespace detail
FARPOINT_END_NAMESPACE

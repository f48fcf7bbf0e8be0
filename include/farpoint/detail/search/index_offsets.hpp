/// @file
/// Wrong offsets in a search by an index.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/spatial/point_bvh_arrays.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Offsets given to a search by an index. Trivially copyable.
struct index_offsets {
  span<index_t const> offsets = {};             ///< none of a regular batch
  index_t each = 0;                             ///< points of a cloud of a regular batch
  index_t size = 0;                             ///< points of the view
  index_t count = 0;                            ///< offsets that may be wrong
  point_bvh_cloud const* own_clouds = nullptr;  ///< clouds of the index, if the offsets have to be its own
  bool are_known = false;  ///< of the points that the index was built of: wrong ones were counted when it was built

  /// Offsets of queries.
  template <class Index, class Queries>
  static index_offsets of_queries(Index const& index, batch<Queries> const& queries) noexcept {
    index_offsets all = of(queries);
    all.count = queries.size() == 0 ? 0 : static_cast<index_t>(queries.offsets().size());
    all.are_known = queries.offsets().data() == index.offsets() && all.size == index.points();
    return all;
  }
  /// Offsets of the points that the index was built of. Two regular batches have equal ones.
  template <class Index, class Points>
  static index_offsets of_points(Index const& index, batch<Points> const& points) noexcept {
    index_offsets all = of(points);
    bool const are_equal = points.size() == 0 || (!points.is_ragged() && index.offsets() == nullptr);
    all.count = are_equal ? 0 : points.size() + 1;
    all.own_clouds = index.arrays().clouds;
    all.are_known = true;
    return all;
  }

  /// True if offset `i`, 0 <= i < count, is wrong: see is_bad_offset(). With own_clouds, an
  /// offset is wrong if it differs from the index's.
  FARPOINT_HD bool is_bad(index_t i) const noexcept {
    if (own_clouds == nullptr) return is_bad_offset(offsets, i, size);
    index_t const offset = offsets.data() == nullptr ? i * each : offsets[static_cast<std::size_t>(i)];
    return offset != own_clouds[i].begin;
  }

  /// Wrong offsets, in memory that can be read here.
  /// @param of_index  wrong offsets when the index was built
  FARPOINT_HD unsigned long long count_bad(unsigned long long of_index) const noexcept {
    unsigned long long bad = 0;
    for (index_t i = 0; i < count && !(are_known && of_index > 0); ++i) bad += is_bad(i) ? 1u : 0u;
    return bad;
  }

 private:
  template <class Points>
  static index_offsets of(batch<Points> const& points) noexcept {
    index_offsets all;
    all.offsets = points.offsets();
    all.each = points.largest();
    all.size = points.points().size();
    return all;
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

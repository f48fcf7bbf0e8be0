/// @file
/// knn_tiles() and radius_tiles() after their arguments have been checked.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/host/float_environment.hpp>
#include <farpoint/host/for_each_index.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/scale/stream/knn_steps.hpp>
#include <farpoint/scale/stream/merge_neighbors.hpp>
#include <farpoint/scale/stream/radius_steps.hpp>
#include <farpoint/scale/tiles/tile_source.hpp>

#include <algorithm>
#include <numeric>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Squared distance between two boxes: at most the box_distance2() of one box and any point of the other, bit by bit,
/// because rounding is monotone.
template <class Scalar>
Scalar box_separation2(bounding_box<Scalar> const& a, bounding_box<Scalar> const& b) noexcept {
  Scalar sum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    Scalar const apart = larger(sub_rn(a.low[axis], b.high[axis]), sub_rn(b.low[axis], a.high[axis]));
    Scalar const outside = larger(apart, Scalar(0));
    sum = fma_rn(outside, outside, sum);
  }
  return sum;
}

/// Workspace of a search in tiles.
template <class Scalar>
struct tile_search_memory {
  vec<Scalar>* points;      ///< `[largest tile]`
  bytes index;              ///< BVH of a tile
  bytes sort;               ///< memory to sort queries
  vec<Scalar>* asked;       ///< `[queries]`: queries for the tile at hand
  std::uint32_t* rows;      ///< `[queries]`: their rows
  std::uint32_t* excluded;  ///< `[queries]`: points of the tile that they exclude
  std::uint32_t* home;      ///< `[queries]`: tile that each query is answered from first
  std::uint32_t* guests;    ///< `[tiles]`: number of queries whose home a tile is
  std::uint32_t* order;     ///< `[tiles]`: tiles in the order of the search
  Scalar* apart;            ///< `[tiles]`: squared distance of each tile's box to the box of all queries
  std::size_t size;

  /// @param workspace  null to compute `size` only
  tile_search_memory(unsigned char* workspace, host_exec exec, index_t tiles, index_t largest,
                     index_t queries) noexcept {
    workspace_cutter cutter{workspace};
    points = cutter.take<vec<Scalar>>(largest);
    std::size_t of_index = 0;
    static_cast<void>(point_bvh_bound<point_view<Scalar>>(exec, batch_limits{largest, 1}, of_index));
    index = cutter.take_workspace(of_index);
    workspace_cutter sorted;
    auto const units = for_each_cloud_plan::max_units(resolve_threads(exec.threads));
    static_cast<void>(host_query_memory<Scalar>::take(sorted, queries, units));
    sort = cutter.take_workspace(sorted.used());
    asked = cutter.take<vec<Scalar>>(queries);
    rows = cutter.take<std::uint32_t>(queries);
    excluded = cutter.take<std::uint32_t>(queries);
    home = cutter.take<std::uint32_t>(queries);
    guests = cutter.take<std::uint32_t>(tiles);
    order = cutter.take<std::uint32_t>(tiles);
    apart = cutter.take<Scalar>(tiles);
    size = cutter.used();
  }
};

/// Rows of a search, as the rules of searches on ranks read them: a tile is a rank.
template <class Scalar>
struct tile_rows {
  using scalar = Scalar;
  struct boxes_of_tiles {
    tile_extent<Scalar> const* boxes;
  };

  boxes_of_tiles choice;
  index_t k;
  Scalar radius2;
  index_t* indices;
  Scalar* distances;
  index_t* counts;  ///< of radius_tiles()
  knn_any_place reach = {};
};

/// Merges the neighbors in one tile into the rows of their queries. Several threads call it for different rows.
/// @tparam Order  nearest_first or lowest_first
template <class Scalar, class Order>
struct tile_row_merger {
  tile_rows<Scalar> const& rows;
  std::uint32_t const* row_of;
  index_t first_index;  ///< of the tile

  template <class Key>
  void operator()(index_t, index_t i, Key const* keys, int found) const noexcept {
    if (found == 0) return;
    index_t const k = rows.k;
    index_t const row = row_of[i];
    index_t others[max_neighbors];
    Scalar other_distances[max_neighbors];
    for (int j = 0; j < found; ++j) {
      others[j] = first_index + index_t{keys[j].index()};
      other_distances[j] = keys[j].distance2();
    }
    if (found < k) others[found] = -1;  // ends the list
    merge_neighbors(rows.indices + row * k, rows.distances + row * k, others, other_distances, k, Order{});
    if (rows.counts != nullptr) rows.counts[row] = smaller(k, rows.counts[row] + found);
  }
};

/// One call.
///
/// A query is searched in a tile only if the tile's box may have a point of its row, by the rule of searches on ranks.
/// A tile that no query is searched in is not read. For knn_tiles() a first pass answers each query from the tile that
/// it is closest to, its home; then rows are full, and few other tiles are near enough.
/// @tparam Params  knn_params or radius_params
template <class Tiles, class Queries, class Params>
class tile_search {
 public:
  using scalar = tile_scalar<Tiles>;
  using memory = tile_search_memory<scalar>;
  static constexpr bool is_knn = std::is_same_v<Params, knn_params>;

  tile_search(host_exec exec, Tiles& tiles, span<tile_extent<scalar> const> extents, shard<Queries> const& queries,
              Params const& params, tile_rows<scalar> const& rows, memory const& arrays) noexcept
      : exec_{exec},
        reader_{tiles, arrays.points},
        extents_{extents.data()},
        tiles_{static_cast<index_t>(extents.size())},
        queries_{queries},
        params_{params},
        rows_{rows},
        memory_{arrays} {}

  result run() {
    default_float_environment const environment;
    clear();
    arrange();
    result done;
    if constexpr (is_knn) {
      find_homes();
      for (index_t p = 0; p < tiles_ && done; ++p) {
        if (memory_.guests[memory_.order[p]] > 0) done = search<true>(memory_.order[p]);
      }
    }
    for (index_t p = 0; p < tiles_ && done; ++p) done = search<false>(memory_.order[p]);
    return done;
  }

  index_t reads() const noexcept { return reader_.reads(); }
  unsigned long long non_finite_queries() const noexcept { return non_finite_; }
  unsigned long long non_finite_points() const noexcept {
    unsigned long long sum = 0;
    for (index_t t = 0; t < tiles_; ++t) sum += extents_[t].non_finite;
    return sum;
  }

 private:
  using rule_type = std::conditional_t<is_knn, knn_rule, radius_rule>;

  index_t size() const noexcept { return queries_.points.size(); }
  vec<scalar> query(index_t i) const noexcept {
    auto const q = queries_.points[i];
    return {{q[0], q[1], q[2]}};
  }
  rule_type rule() const noexcept {
    if constexpr (is_knn) {
      return {};
    } else {
      return {params_.order, rows_.counts};
    }
  }

  void clear() noexcept {
    std::fill_n(rows_.indices, size() * rows_.k, index_t{-1});
    std::fill_n(rows_.distances, size() * rows_.k, no_distance<scalar>);
    if (rows_.counts != nullptr) std::fill_n(rows_.counts, size(), index_t{0});
  }

  /// Measures the queries, and puts the tiles in order: the nearest first, for radius_order::index by index.
  void arrange() noexcept {
    auto box = bounding_box<scalar>::empty();
    for (index_t i = 0; i < size(); ++i) {
      auto const q = query(i);
      if (is_finite(q)) {
        box.grow(q);
      } else {
        ++non_finite_;
      }
    }
    for (index_t t = 0; t < tiles_; ++t) memory_.apart[t] = box_separation2(extents_[t].box, box);
    std::iota(memory_.order, memory_.order + tiles_, 0u);
    if constexpr (!is_knn) {
      if (params_.order == radius_order::index) return;
    }
    std::sort(memory_.order, memory_.order + tiles_, [apart = memory_.apart](std::uint32_t a, std::uint32_t b) {
      return apart[a] != apart[b] ? apart[a] < apart[b] : a < b;
    });
  }

  void find_homes() noexcept {
    std::fill_n(memory_.guests, tiles_, 0u);
    static_cast<void>(for_each_index(
        exec_, size(),
        [this](std::uint64_t row) {
          auto const q = query(static_cast<index_t>(row));
          scalar nearest = no_distance<scalar>;
          memory_.home[row] = no_index;
          if (!is_finite(q)) return;
          for (index_t p = 0; p < tiles_ && memory_.apart[memory_.order[p]] < nearest; ++p) {
            std::uint32_t const t = memory_.order[p];
            scalar const distance = extents_[t].box.distance2(q);
            if (!(distance < nearest)) continue;
            nearest = distance;
            memory_.home[row] = t;
          }
          if (memory_.home[row] != no_index) atomic_increment(memory_.guests + memory_.home[row]);
        },
        16));
  }

  /// Largest squared distance that matters for any query.
  scalar reach2() const noexcept {
    if constexpr (!is_knn) return rows_.radius2;
    scalar reach = 0;
    for (index_t i = 0; i < size(); ++i) {
      if (is_finite(query(i))) reach = larger(reach, rule().limit2(rows_, i));
    }
    return reach;
  }

  /// Lists the queries that are searched in a tile.
  /// @tparam AtHome  true for queries whose home it is, false for all others
  template <bool AtHome>
  index_t choose(index_t tile) noexcept {
    std::uint64_t chosen = 0;
    tile_extent<scalar> const& extent = extents_[tile];
    auto const choose_one = [&](std::uint64_t row) {
      auto const i = static_cast<index_t>(row);
      if (is_knn && AtHome != (memory_.home[i] == static_cast<std::uint32_t>(tile))) return;
      sent_query<scalar> const asked{query(i), rule().limit2(rows_, i)};
      if (!is_finite(asked.at) || !rule().goes(rows_, i, static_cast<int>(tile), asked)) return;
      std::uint64_t const at = atomic_increment(&chosen);
      memory_.asked[at] = asked.at;
      memory_.rows[at] = static_cast<std::uint32_t>(row);
      index_t const own = queries_.first_index + i - extent.first_index;
      bool const excludes = params_.exclude_self && own >= 0 && own < extent.size;
      memory_.excluded[at] = excludes ? static_cast<std::uint32_t>(own) : no_index;
    };
    static_cast<void>(for_each_index(exec_, size(), choose_one, 8));
    return static_cast<index_t>(chosen);
  }

  template <bool AtHome>
  result search(index_t tile) {
    if (!AtHome && !reach_is_known_) {
      reach_ = reach2();
      reach_is_known_ = true;
    }
    if (!AtHome && memory_.apart[tile] > reach_) return {};
    index_t const chosen = choose<AtHome>(tile);
    if (chosen == 0) return {};
    if (result const done = reader_.read(tile); !done) return done;
    reach_is_known_ = !is_knn;
    point_bvh<scalar> index;
    result const built = build_point_bvh(exec_, batch<view>{reader_.points()}, memory_.index, index);
    if (built) answer(index, chosen, extents_[tile].first_index);
    return built;
  }

  void answer(point_bvh<scalar> const& index, index_t chosen, index_t first_index) noexcept {
    batch<view> const asked{view{memory_.asked, chosen}};
    search_of_index<point_bvh<scalar>, view> const search{exec_, index, asked, false, memory_.sort};
    tile_row_merger<scalar, nearest_first> const by_distance{rows_, memory_.rows, first_index};
    auto request = request_of<scalar>(params_);
    request.excluded_points = memory_.excluded;
    if constexpr (is_knn) {
      pass<neighbor_key<scalar>>(search, request, by_distance, choose_knn_pass<scalar>(request.k));
    } else if (rows_.k == 0) {
      auto const count = [this](index_t, index_t i, index_t found) { rows_.counts[memory_.rows[i]] += found; };
      search(radius_count_task<scalar, decltype(count)>{request, count}, [](index_t) noexcept {});
    } else if (params_.order == radius_order::nearest) {
      pass<neighbor_key<scalar>>(search, request, by_distance, choose_knn_pass<scalar>(request.k));
    } else {
      tile_row_merger<scalar, lowest_first> const by_index{rows_, memory_.rows, first_index};
      pass<index_key<scalar>>(search, request, by_index, choose_lowest_pass<scalar>(request.k));
    }
  }
  template <class Key, class Search, class Merger>
  static void pass(Search const& search, knn_request<scalar> const& request, Merger const& merge,
                   knn_function<scalar, Key> function) noexcept {
    search(knn_task<Key, scalar, Merger>{request, merge, function}, [](index_t) noexcept {});
  }

  using view = point_view<scalar>;

  host_exec exec_;
  tile_reader<Tiles> reader_;
  tile_extent<scalar> const* extents_;
  index_t tiles_;
  shard<Queries> const& queries_;
  Params const& params_;
  tile_rows<scalar> rows_;
  memory memory_;

  unsigned long long non_finite_ = 0;
  scalar reach_ = 0;  ///< reach2() of the rows when it was last known
  bool reach_is_known_ = false;
};

/// Checks what knn_tiles() and radius_tiles() have in common.
template <class Tiles, class Queries>
result check_tile_search(host_exec exec, Tiles const& tiles, span<tile_extent_of<Tiles> const> extents,
                         shard<Queries> const& queries) {
  static_assert(tile_point<typename Tiles::point>::dim == 3,
                "farpoint: neighbor searches take tiles of vec<Scalar, 3>");
  static_assert(std::is_same_v<tile_scalar<Tiles>, typename Queries::scalar>,
                "farpoint: tiles and queries must both be double, or neither");
  if (result const checked = check_threads(exec); !checked) return checked;
  if (result const checked = check_tiles(tiles, extents); !checked) return checked;
  if (result const checked = check_queries(batch<Queries>{queries.points}, 1); !checked) return checked;
  if (queries.points.size() > shard_max_points) return reject("queries: more than 2^30 queries of a call");
  if (queries.first_index < 0 || queries.first_index > index_t{1} << 62) {
    return reject("queries: first_index is negative, or above 2^62");
  }
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// k nearest neighbors in a cloud that does not fit into memory, and is read tile by tile.
#pragma once

#include <farpoint/scale/tiles/search_task.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Outputs of knn_tiles().
template <class Scalar = float>
struct knn_tiles_output {
  span<index_t> indices = {};    ///< `[queries, k]`: indices into the whole cloud, as in knn_output
  span<Scalar> distances = {};   ///< `[queries, k]`: squared distances (m^2), as in knn_output; not optional
  index_t* reads = nullptr;      ///< number of reads of tiles, also if one fails; optional
  knn_report* report = nullptr;  ///< points of all tiles, and queries; optional
};

/// Bytes of workspace that knn_tiles() and radius_tiles() need, 256-byte aligned.
///
/// Per point of the largest tile 32 bytes (double: 60), per query 40 (double: 64), per tile 12 (double: 16). O(tiles).
/// @param exec     as for the call
/// @param tiles    see is_tile_source
/// @param queries  number of queries of a call, at most
template <class Tiles>
std::size_t knn_tiles_workspace_bytes(host_exec exec, Tiles const& tiles, index_t queries) {
  index_t const largest = detail::largest_tile(tiles.count(), [&](index_t t) { return tiles.size(t); });
  return detail::tile_search_memory<tile_scalar<Tiles>>{nullptr, exec, tiles.count(), largest, queries}.size;
}

/// Finds the k nearest points of each query in a cloud of tiles. The rows have the bits of one knn() call for the whole
/// cloud.
///
/// A tile is read only if some query's row may have a point of it. Each query is answered first from the tile that it
/// is closest to, and then from the tiles whose boxes are no farther away than its k-th neighbor so far. For the rows
/// of all points of a large cloud, call it once per tile, with the tile's points as queries.
///
/// @param exec       number of threads that search; the caller's thread reads
/// @param tiles      see is_tile_source, with three coordinates
/// @param extents    `[tiles]`: from measure_tiles(), or from the files' headers
/// @param queries    `{points, first_index}`, at most 2^30; double if and only if the tiles are. With exclude_self,
///                   query i is not matched with the point of index `first_index + i`; otherwise first_index is not
///                   used
/// @param params     see knn_params
/// @param output     see knn_tiles_output
/// @param workspace  at least knn_tiles_workspace_bytes() bytes, 256-byte aligned
///
/// @return ok | bad_argument | workspace_too_small: nothing is written and no tile is read; or the failure of a read:
///         rows are unspecified
///
/// Complexity: a tile is read at most twice: for the queries that are closest to it, and for others. Each read builds a
/// BVH, which takes O(n log n) for n points of the tile. Thread safety: concurrent calls must not share the source,
/// output or workspace.
template <class Tiles, class Queries>
result knn_tiles(host_exec exec, Tiles& tiles, span<tile_extent_of<Tiles> const> extents, shard<Queries> const& queries,
                 knn_params const& params, knn_tiles_output<tile_scalar<Tiles>> const& output, bytes workspace) {
  using scalar = tile_scalar<Tiles>;
  if (result const checked = detail::check_tile_search(exec, tiles, extents, queries); !checked) return checked;
  index_t const asked = queries.points.size();
  knn_output<scalar> lists;
  lists.indices = output.indices;
  if (result const checked = detail::check_knn(asked, params, lists); !checked) return checked;
  if (!detail::holds(static_cast<index_t>(output.distances.size()), asked, params.k)) {
    return detail::reject("knn_tiles: output.distances is smaller than queries x k");
  }
  detail::tile_search_memory<scalar> const memory{workspace.data(), exec, tiles.count(), detail::largest_tile(extents),
                                                  asked};
  if (result const checked = detail::check_workspace(workspace, memory.size, FARPOINT_WORKSPACE_OF("knn_tiles"));
      !checked)
    return checked;
  detail::tile_rows<scalar> const rows{
      {extents.data()},        params.k, detail::squared_radius<scalar>(params.max_radius), output.indices.data(),
      output.distances.data(), nullptr};
  detail::tile_search<Tiles, Queries, knn_params> search{exec, tiles, extents, queries, params, rows, memory};
  result const done = search.run();
  if (output.reads != nullptr) *output.reads = search.reads();
  if (output.report != nullptr) *output.report = {search.non_finite_points(), search.non_finite_queries(), 0};
  return done;
}

FARPOINT_END_NAMESPACE

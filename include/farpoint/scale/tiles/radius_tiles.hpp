/// @file
/// Neighbors within a radius in a cloud that does not fit into memory, and is read tile by tile.
#pragma once

#include <farpoint/scale/tiles/knn_tiles.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Outputs of radius_tiles().
template <class Scalar = float>
struct radius_tiles_output {
  span<index_t> indices = {};  ///< `[queries, max_neighbors]`: indices into the whole cloud, as in radius_output
  span<Scalar> distances =
      {};  ///< `[queries, max_neighbors]`: squared distances (m^2), as in radius_output; not optional
  span<index_t> counts = {};        ///< `[queries]`: as in radius_output; not optional
  index_t* reads = nullptr;         ///< number of reads of tiles, also if one fails; optional
  radius_report* report = nullptr;  ///< points of all tiles, queries, and their neighbors; optional
};

/// Bytes of workspace that radius_tiles() needs, equal to those of knn_tiles().
template <class Tiles>
std::size_t radius_tiles_workspace_bytes(host_exec exec, Tiles const& tiles, index_t queries) {
  return knn_tiles_workspace_bytes(exec, tiles, queries);
}

/// Finds up to params.max_neighbors points within a radius of each query, or only counts them, in a cloud of tiles. The
/// rows have the bits of one radius() call for the whole cloud.
///
/// A tile is read only if its box is within the radius of a query whose row it can change: a full row takes nearer
/// points or, by radius_order::index, points of lower index. Tiles are read from the nearest to the farthest or, by
/// radius_order::index, in their order.
///
/// @param exec       number of threads that search; the caller's thread reads
/// @param tiles      see is_tile_source, with three coordinates
/// @param extents    `[tiles]`: from measure_tiles(), or from the files' headers
/// @param queries    as for knn_tiles()
/// @param params     see radius_params
/// @param output     see radius_tiles_output
/// @param workspace  at least radius_tiles_workspace_bytes() bytes, 256-byte aligned
///
/// @return as knn_tiles()
///
/// Complexity: as knn_tiles(), but a tile is read at most once. Thread safety: as knn_tiles().
template <class Tiles, class Queries>
result radius_tiles(host_exec exec, Tiles& tiles, span<tile_extent_of<Tiles> const> extents,
                    shard<Queries> const& queries, radius_params const& params,
                    radius_tiles_output<tile_scalar<Tiles>> const& output, bytes workspace) {
  using scalar = tile_scalar<Tiles>;
  if (result const checked = detail::check_tile_search(exec, tiles, extents, queries); !checked) return checked;
  index_t const asked = queries.points.size();
  radius_output<scalar> lists;
  lists.indices = output.indices;
  if (result const checked = detail::check_radius(asked, params, lists); !checked) return checked;
  if (!detail::holds(static_cast<index_t>(output.distances.size()), asked, params.max_neighbors)) {
    return detail::reject("radius_tiles: output.distances is smaller than queries x max_neighbors");
  }
  if (!detail::holds(static_cast<index_t>(output.counts.size()), asked, 1)) {
    return detail::reject("radius_tiles: output.counts is smaller than the number of queries");
  }
  detail::tile_search_memory<scalar> const memory{workspace.data(), exec, tiles.count(), detail::largest_tile(extents),
                                                  asked};
  if (result const checked = detail::check_workspace(workspace, memory.size, FARPOINT_WORKSPACE_OF("radius_tiles"));
      !checked)
    return checked;
  detail::tile_rows<scalar> const rows{
      {extents.data()},      params.max_neighbors,    detail::largest_distance2<scalar>(params),
      output.indices.data(), output.distances.data(), output.counts.data()};
  detail::tile_search<Tiles, Queries, radius_params> search{exec, tiles, extents, queries, params, rows, memory};
  result const done = search.run();
  if (output.reads != nullptr) *output.reads = search.reads();
  if (output.report != nullptr) {
    *output.report = {search.non_finite_points(), search.non_finite_queries(), 0, 0, 0};
    for (index_t i = 0; i < asked; ++i) {
      output.report->total += static_cast<unsigned long long>(output.counts[static_cast<std::size_t>(i)]);
    }
  }
  return done;
}

FARPOINT_END_NAMESPACE

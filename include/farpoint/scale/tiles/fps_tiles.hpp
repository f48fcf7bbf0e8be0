/// @file
/// Farthest point sampling of a cloud that does not fit into memory, and is read tile by tile.
#pragma once

#include <farpoint/detail/fps/check.hpp>
#include <farpoint/scale/tiles/fps_task.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Outputs of fps_tiles(). Every part except `indices` is optional.
template <class Scalar = float>
struct fps_tiles_output {
  span<index_t> indices = {};    ///< `[samples]`: indices into the whole cloud, as in fps_output
  span<Scalar> distances = {};   ///< `[samples]`: squared distances (m^2), as in fps_output
  index_t* count = nullptr;      ///< number of samples picked
  index_t* reads = nullptr;      ///< number of reads of tiles, also if one fails
  index_t* rounds = nullptr;     ///< number of rounds; each reads a tile at most once
  fps_report* report = nullptr;  ///< for the whole cloud
};

namespace FARPOINT_HIDDEN detail {

template <class Tiles>
result check_fps_tiles(host_exec exec, Tiles const& tiles, span<tile_extent_of<Tiles> const> extents, fps_params params,
                       span<tile_scalar<Tiles>> nearest, fps_tiles_output<tile_scalar<Tiles>> const& output) {
  using view = typename tile_reader<Tiles>::view;
  if (result const checked = check_threads(exec); !checked) return checked;
  if (result const checked = check_tiles(tiles, extents); !checked) return checked;
  index_t points = 0;
  for (auto const& one : extents) points += one.size;
  if (!params.firsts.empty() || !params.sample_counts.empty() || !params.chosen.empty()) {
    return reject("fps_tiles: takes no params.firsts, params.sample_counts or params.chosen");
  }
  if (params.random_first && points >= index_t{1} << 32) {
    return reject("fps_tiles: params.random_first is for clouds of fewer than 2^32 points");
  }
  if (!params.random_first && points > 0 && params.first >= points) {
    return reject("fps_tiles: params.first is not below the number of points");
  }
  if (static_cast<index_t>(nearest.size()) != points) {
    return reject("fps_tiles: nearest needs one entry per point of all tiles");
  }
  return check_fps(batch<view>{view{}}, params, fps_output<tile_scalar<Tiles>>{output.indices, output.distances});
}

}  // namespace detail

/// Bytes of workspace that fps_tiles() needs, 256-byte aligned.
///
/// Per point of the largest tile 37 bytes with three floats, up to 200 for tiles of fewer than 100,000 points; per
/// sample
/// 16. Lists of candidates take up to 5 MB, and 17 kB per tile above 256 tiles. O(tiles).
/// @param samples  params.samples
template <class Tiles>
std::size_t fps_tiles_workspace_bytes(host_exec exec, Tiles const& tiles, index_t samples) {
  using point = detail::tile_point<typename Tiles::point>;
  index_t const largest = detail::largest_tile(tiles.count(), [&](index_t t) { return tiles.size(t); });
  return detail::fps_tiles_memory<typename point::scalar, point::dim>{
      nullptr, resolve_threads(exec.threads), tiles.count(), largest, detail::larger<index_t>(samples, 0)}
      .size;
}

/// Farthest point sampling of a cloud of tiles. The samples have the bits of one fps() call for the whole cloud.
///
/// Works in rounds, as fps_shard() does: a round reads the tiles, and accepts all candidates within whose ball no
/// better candidate can lie, in all tiles at once. A serial loop would read at least one tile for each sample. A tile
/// is left out of a round if no sample of the previous round is near enough to change it, and its candidates are known
/// or too close to samples to be accepted. The number of rounds grows with the logarithm of the samples, not with the
/// points.
///
/// @param exec       number of threads; the caller's thread reads
/// @param tiles      see is_tile_source, 1 to 16 coordinates
/// @param extents    `[tiles]`: from measure_tiles(), or from the files' headers
/// @param params     see fps_params. `firsts`, `chosen` and `sample_counts` must be empty.
///                   `random_first` is for fewer than 2^32 points
/// @param nearest    `[points of all tiles]`: scratch, the squared distance of each point to its nearest sample. May be
///                   a file that is mapped into memory: it is accessed tile by tile
/// @param output     see fps_tiles_output
/// @param workspace  at least fps_tiles_workspace_bytes() bytes, 256-byte aligned
///
/// @return ok | bad_argument | workspace_too_small: nothing is written and no tile is read; or the failure of a read:
///         the output is unspecified
///
/// Complexity: a tile is read at most once a round, and once or twice before the first. Each read sorts the tile's
/// points into buckets. Thread safety: concurrent calls must not share the source, nearest, output or workspace.
template <class Tiles>
result fps_tiles(host_exec exec, Tiles& tiles, span<tile_extent_of<Tiles> const> extents, fps_params const& params,
                 span<tile_scalar<Tiles>> nearest, fps_tiles_output<tile_scalar<Tiles>> const& output,
                 bytes workspace) {
  using scalar = tile_scalar<Tiles>;
  using point = detail::tile_point<typename Tiles::point>;
  result checked = detail::check_fps_tiles(exec, tiles, extents, params, nearest, output);
  if (!checked) return checked;
  detail::fps_tiles_memory<scalar, point::dim> const memory{
      workspace.data(), resolve_threads(exec.threads), tiles.count(), detail::largest_tile(extents), params.samples};
  checked = detail::check_workspace(workspace, memory.size, FARPOINT_WORKSPACE_OF("fps_tiles"));
  if (!checked) return checked;
  auto const points = static_cast<index_t>(nearest.size());
  bool const is_random = params.random_first && points > 0;
  fps_shard_output<scalar> const found{output.indices, output.distances, output.count};
  detail::fps_tiles_task<Tiles> task{exec, tiles, extents, params, found, nearest, memory};
  result const done = task.run(is_random ? detail::random_first(params.seed, 0, points) : params.first);
  if (output.reads != nullptr) *output.reads = task.reads();
  if (output.rounds != nullptr) *output.rounds = task.rounds();
  if (output.report != nullptr) {
    *output.report = {};
    for (auto const& one : extents) output.report->non_finite += params.samples > 0 ? one.non_finite : 0;
  }
  return done;
}

FARPOINT_END_NAMESPACE

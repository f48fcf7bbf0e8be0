/// @file
/// Steps of the calls on a voxel map. Each is a loop over independent indices, for kernels and host threads.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/detail/voxelize/map_layout.hpp>
#include <farpoint/detail/voxelize/voxel_mean.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Number of a tile's voxel that is not in the map.
inline constexpr std::uint32_t voxel_map_none = 0xffffffffu;
/// Flag in the number of a voxel that the tile has added to the map.
inline constexpr std::uint32_t voxel_map_new = 0x80000000u;

/// Arguments of the steps of an insertion. Voxels and points are the tile's.
template <class Points>
struct voxel_map_tile_args {
  using scalar = typename Points::scalar;

  voxel_map_params<scalar> params;
  voxel_map_arrays<scalar> map;
  voxel_map_tile<Points> tile;
  voxel_map_scratch scratch;
  int coordinates = 0;  ///< number of coordinates that are summed up: 0 or 3
  int columns = 0;      ///< number of coordinates and features

  FARPOINT_HD bool has_voxel(index_t voxel) const noexcept { return voxel < *scratch.voxel_count; }
  FARPOINT_HD index_t size_of(index_t voxel) const noexcept {
    return scratch.offsets[voxel + 1] - scratch.offsets[voxel];
  }
  /// Returns the cell of a voxel from its first point, which is inside the grid.
  FARPOINT_HD std::uint64_t cell_of_voxel(index_t voxel) const noexcept {
    vec<std::int32_t> at{};
    voxel_of(params.grid, tile.points[scratch.members[scratch.offsets[voxel]]], at);
    return cell_of(params.grid, at);
  }
};

/// Looks a voxel up in the map. The number of indices is the number of points.
template <class Points>
struct voxel_map_find_step {
  voxel_map_tile_args<Points> args;

  FARPOINT_HD void operator()(std::uint64_t index) const noexcept {
    auto const voxel = static_cast<index_t>(index);
    auto const& scratch = args.scratch;
    if (!args.tile.point_voxel.empty()) args.tile.point_voxel.set(voxel, -1);
    scratch.ranks[voxel] = 0;
    if (!args.has_voxel(voxel)) return;
    scratch.numbers[voxel] =
        args.map.table(args.params.hash_seed).value_or(args.cell_of_voxel(voxel), voxel_map_none, unchanging);
    scratch.ranks[voxel] = scratch.numbers[voxel] == voxel_map_none ? 1 : 0;
  }
};

/// Numbers a voxel that is not in the map, and computes how many of its points are kept.
template <class Points>
struct voxel_map_number_step {
  voxel_map_tile_args<Points> args;

  FARPOINT_HD void operator()(std::uint64_t index) const noexcept {
    auto const voxel = static_cast<index_t>(index);
    if (!args.has_voxel(voxel)) return;
    auto const& map = args.map;
    auto const size = static_cast<std::uint64_t>(args.size_of(voxel));
    std::uint64_t number = args.scratch.numbers[voxel];
    bool const is_new = number == voxel_map_none;
    if (is_new) {
      number = map.counters->voxels + static_cast<std::uint64_t>(args.scratch.ranks[voxel]);
      auto const limit = static_cast<std::uint64_t>(smaller(args.params.capacity, args.params.mode.max_voxels));
      if (number >= limit) {
        atomic_add(&map.counters->dropped_points, size);
        return;
      }
      std::uint64_t const cell = args.cell_of_voxel(voxel);
      map.table(args.params.hash_seed).insert(cell, static_cast<std::uint32_t>(number));
      map.cells[number] = cell;
      map.counts[number] = 0;
      map.first_points[number] = args.params.first_index + static_cast<index_t>(map.counters->points) +
                                 args.scratch.members[args.scratch.offsets[voxel]];
    }
    if (args.params.parts.last_tile) {
      map.last_tiles[number] = static_cast<std::uint32_t>(smaller(map.counters->tiles, std::uint64_t{0xffffffffu}));
    }
    std::uint64_t const room = static_cast<std::uint64_t>(args.params.mode.max_points) - map.counts[number];
    std::uint64_t const kept = smaller(size, room);
    map.counts[number] += kept;
    if (kept < size) atomic_add(&map.counters->surplus_points, size - kept);
    args.scratch.numbers[voxel] = static_cast<std::uint32_t>(number) | (is_new ? voxel_map_new : 0);
    args.scratch.kept[voxel] = static_cast<std::uint32_t>(kept);
  }
};

/// Adds one column of a voxel's points, in input order, to the voxel's sums and maxima in the map.
template <class Points>
struct voxel_map_add_step {
  voxel_map_tile_args<Points> args;

  FARPOINT_HD void operator()(std::uint64_t index) const noexcept {
    auto const columns = static_cast<std::uint64_t>(larger(args.columns, 1));
    auto const voxel = static_cast<index_t>(index / columns);
    auto const column = static_cast<int>(index % columns);
    if (!args.has_voxel(voxel) || args.scratch.numbers[voxel] == voxel_map_none) return;
    auto const number = static_cast<index_t>(args.scratch.numbers[voxel] & ~voxel_map_new);
    bool const is_new = (args.scratch.numbers[voxel] & voxel_map_new) != 0;
    std::int32_t const* const members = args.scratch.members + args.scratch.offsets[voxel];
    if (column == 0 && !args.tile.point_voxel.empty()) {
      for (index_t i = 0; i < args.size_of(voxel); ++i) args.tile.point_voxel.set(members[i], number);
    }
    if (column >= args.columns) return;
    if (column < args.coordinates) {
      add_coordinate(number, column, is_new, {members, args.scratch.kept[voxel]});
    } else {
      add_feature(number, column - args.coordinates, is_new, {members, args.scratch.kept[voxel]});
    }
  }

 private:
  FARPOINT_HD void add_coordinate(index_t number, int axis, bool is_new,
                                  span<std::int32_t const> points) const noexcept {
    auto& total = args.map.sums[number * 3 + axis];
    auto sum = is_new ? typename Points::scalar(0) : total;
    for (std::int32_t const i : points) sum += args.tile.points[i][axis];
    total = with_one_nan(sum);
  }

  FARPOINT_HD void add_feature(index_t number, int feature, bool is_new,
                               span<std::int32_t const> points) const noexcept {
    if (points.empty()) return;
    auto const& map = args.map;
    auto const column = args.tile.features.column(feature);
    index_t const at = number * args.params.features + feature;
    bool const has_largest = args.params.parts.max;
    bool const has_sum = args.params.parts.mean;
    if (is_new && args.params.parts.first) map.first[at] = column(points[0]);
    float sum = is_new || !has_sum ? 0 : map.feature_sums[at];
    float largest = is_new || !has_largest ? column(points[0]) : map.largest[at];
    for (std::int32_t const i : points) {
      float const value = column(i);
      sum += value;
      if (value > largest || is_nan(largest)) largest = value;
    }
    if (has_sum) map.feature_sums[at] = with_one_nan(sum);
    if (has_largest) map.largest[at] = largest;
  }
};

/// Adds the tile to the counters, after all steps that read them.
template <class Points>
struct voxel_map_count_step {
  voxel_map_tile_args<Points> args;

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    auto& counters = *args.map.counters;
    auto const points = args.tile.points.size();
    auto const limit = static_cast<std::uint64_t>(smaller(args.params.capacity, args.params.mode.max_voxels));
    counters.points += static_cast<std::uint64_t>(points);
    counters.voxels = smaller(limit, counters.voxels + static_cast<std::uint64_t>(args.scratch.ranks[points]));
    counters.non_finite += args.scratch.report->non_finite;
    counters.outside += args.scratch.report->outside;
    ++counters.tiles;
  }
};

/// Clears a map.
template <class Scalar>
struct voxel_map_clear_step {
  voxel_map_params<Scalar> params;
  voxel_map_arrays<Scalar> map;

  FARPOINT_HD void operator()(std::uint64_t index) const noexcept {
    if (index == 0) *map.counters = {};
    auto const table = map.table(params.hash_seed);
    auto const at = static_cast<index_t>(index);
    if (at < table.clear_stores()) table.clear_part(at, at + 1);
  }
};

/// Writes the row of a voxel; index 0 also writes the totals.
template <class Scalar>
struct voxel_map_read_step {
  voxel_map_params<Scalar> params;
  voxel_map_arrays<Scalar> map;
  voxel_map_output<Scalar> output;

  FARPOINT_HD void operator()(std::uint64_t index) const noexcept {
    auto const row = static_cast<index_t>(index);
    auto const voxels = static_cast<index_t>(map.counters->voxels);
    if (row == 0) write_totals(voxels);
    // A sum of begin and row could overflow, the difference cannot.
    if (row >= output.capacity || row >= voxels - output.begin) return;
    index_t const voxel = output.begin + row;
    std::uint64_t const count = map.counts[voxel];
    if (!output.coords.empty()) write_coords(row, voxel);
    if (!output.points_per_voxel.empty()) output.points_per_voxel.set(row, static_cast<index_t>(count));
    if (!output.first_point.empty()) output.first_point[static_cast<std::size_t>(row)] = map.first_points[voxel];
    for (int axis = 0; axis < 3 && !output.centroid.empty(); ++axis) {
      output.centroid[static_cast<std::size_t>(row * 3 + axis)] = voxel_mean(map.sums[voxel * 3 + axis], count);
    }
    for (int f = 0; f < params.features; ++f) {
      index_t const to = row * params.features + f;
      index_t const from = voxel * params.features + f;
      if (!output.mean.empty()) output.mean.set(to, voxel_mean(map.feature_sums[from], count));
      if (!output.max.empty()) output.max.set(to, map.largest[from]);
      if (!output.first.empty()) output.first.set(to, map.first[from]);
    }
  }

 private:
  FARPOINT_HD void write_coords(index_t row, index_t voxel) const noexcept {
    vec<std::int32_t> const at = voxel_at(params.grid, map.cells[voxel]);
    int const columns = column_count(output.columns);
    for (int c = 0; c < columns; ++c) {
      int const axis = axis_of_column(output.columns, c);
      output.coords[static_cast<std::size_t>(row * columns + c)] = axis < 0 ? 0 : at[axis];
    }
  }

  FARPOINT_HD void write_totals(index_t voxels) const noexcept {
    index_t const left = larger(voxels - output.begin, index_t{0});
    if (!output.voxel_count.empty()) output.voxel_count.set(0, smaller(left, output.capacity));
    if (output.report != nullptr) *output.report = map.counters->report();
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

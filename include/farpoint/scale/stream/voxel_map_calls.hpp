/// @file
/// Calls on a voxel map for all executions: voxelize() of a tile, and loops over its output.
#pragma once

#include <farpoint/detail/voxelize/map_check.hpp>
#include <farpoint/detail/voxelize/map_steps.hpp>
#include <farpoint/host/for_each_index.hpp>
#include <farpoint/voxelize.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Exclusive scan of the sizes of rows: `[rows + 1]` offsets; the last is the sum.
template <class Exec>
class voxel_map_scan;

template <>
class voxel_map_scan<host_exec> {
 public:
  voxel_map_scan(workspace_cutter&, index_t rows) noexcept : rows_{rows} {}

  result run(host_exec, std::int32_t* offsets) const noexcept {
    std::int32_t sum = 0;
    for (index_t i = 0; i <= rows_; ++i) {
      std::int32_t const size = i < rows_ ? offsets[i] : 0;
      offsets[i] = sum;
      sum += size;
    }
    return {};
  }

 private:
  index_t rows_;
};

/// Parameters with hash_seed 0 replaced by the seed of this process.
template <class Scalar>
voxel_map_params<Scalar> seeded(voxel_map_params<Scalar> params) noexcept {
  if (params.hash_seed == 0) params.hash_seed = process_seed();
  return params;
}

/// Arrays and steps of one insertion.
template <class Exec, class Points>
class voxel_map_insertion {
 public:
  using scalar = typename Points::scalar;

  /// @param points  points of the tile; only their number is used. `workspace` may be null to compute sizes
  voxel_map_insertion(Exec exec, Points const& points, unsigned char* workspace) noexcept
      : exec_{exec},
        cutter_{workspace},
        scratch_{cutter_, bounded_points(points.size())},
        scan_{cutter_, bounded_points(points.size())},
        front_{workspace_aligned(cutter_.used())} {}

  std::size_t workspace_size(voxel_map_params<scalar> const& params, Points const& points) const noexcept {
    return front_ + voxelize_workspace_bytes(exec_, batch<Points>{points}, params_of(params),
                                             scratch_.template output<scalar>(points.size()));
  }

  /// voxelize() comes first: it refuses arguments before anything is written.
  result run(voxel_map<scalar> const& map, voxel_map_tile<Points> const& tile, bytes workspace) const noexcept {
    index_t const n = tile.points.size();
    auto const params = seeded(map.params);
    auto const& parts = params.parts;
    int const coordinates = parts.centroid ? 3 : 0;
    int const columns = coordinates + (parts.mean || parts.max || parts.first ? params.features : 0);
    voxel_map_tile_args<Points> const args{
        params, voxel_map_arrays<scalar>{params, map.memory.data()}, tile, scratch_, coordinates, columns};
    result done = voxelize(exec_, batch<Points>{tile.points}, params_of(params), scratch_.template output<scalar>(n),
                           workspace.subspan(front_));
    if (done) done = for_each_index(exec_, n, voxel_map_find_step<Points>{args}, 8);
    if (done) done = scan_.run(exec_, scratch_.ranks);
    if (done) done = for_each_index(exec_, n, voxel_map_number_step<Points>{args}, 8);
    if (done) done = for_each_index(exec_, n * larger(columns, 1), voxel_map_add_step<Points>{args}, 4);
    if (done) done = for_each_index(exec_, 1, voxel_map_count_step<Points>{args});
    return done;
  }

 private:
  static voxelize_params<scalar> params_of(voxel_map_params<scalar> const& map) noexcept {
    voxelize_params<scalar> params;
    params.grid = map.grid;
    params.hash_seed = map.hash_seed;
    return params;
  }

  Exec exec_;
  workspace_cutter cutter_;
  voxel_map_scratch scratch_;
  voxel_map_scan<Exec> scan_;
  std::size_t front_;  ///< bytes before the workspace of voxelize()
};

template <class Exec, class Scalar>
result voxel_map_clear_on(Exec exec, voxel_map<Scalar> const& map) noexcept {
  if (result const checked = check_voxel_map(map); !checked) return checked;
  auto const params = seeded(map.params);
  voxel_map_arrays<Scalar> const arrays{params, map.memory.data()};
  index_t const stores = larger(arrays.table(0).clear_stores(), index_t{1});
  return for_each_index(exec, stores, voxel_map_clear_step<Scalar>{params, arrays}, 2);
}

template <class Exec, class Points>
std::size_t voxel_map_insert_size(Exec exec, voxel_map<typename Points::scalar> const& map,
                                  voxel_map_tile<Points> const& tile) noexcept {
  if (!check_voxel_map_params(map.params) || !check_voxel_map_tile(map.params, tile)) return 0;
  if (tile.points.size() == 0) return 0;
  return voxel_map_insertion<Exec, Points>{exec, tile.points, nullptr}.workspace_size(map.params, tile.points);
}

template <class Exec, class Points>
result voxel_map_insert_bound(Exec exec, batch_limits const& limits, std::size_t& bound) noexcept {
  std::size_t of_voxelize = 0;
  result const checked = voxelize_workspace_bound<Points>(exec, {limits.points, 1}, of_voxelize);
  if (!checked) return checked;
  workspace_cutter cutter;
  voxel_map_scratch const scratch{cutter, limits.points};
  voxel_map_scan<Exec> const scan{cutter, limits.points};
  bound = workspace_aligned(cutter.used()) + of_voxelize;
  return {};
}

template <class Exec, class Points>
result voxel_map_insert_on(Exec exec, voxel_map<typename Points::scalar> const& map, voxel_map_tile<Points> const& tile,
                           bytes workspace) noexcept {
  if (result const checked = check_voxel_map(map); !checked) return checked;
  if (result const checked = check_voxel_map_tile(map.params, tile); !checked) return checked;
  if (tile.points.size() == 0) return {};
  std::size_t const needed = voxel_map_insert_size(exec, map, tile);
  if (result const checked = check_workspace(workspace, needed, FARPOINT_WORKSPACE_OF("voxel_map_insert")); !checked)
    return checked;
  return voxel_map_insertion<Exec, Points>{exec, tile.points, workspace.data()}.run(map, tile, workspace);
}

template <class Exec, class Scalar>
result voxel_map_read_on(Exec exec, voxel_map<Scalar> const& map, voxel_map_output<Scalar> const& output) noexcept {
  if (result const checked = check_voxel_map(map); !checked) return checked;
  if (result const checked = check_voxel_map_output(map.params, output); !checked) return checked;
  voxel_map_arrays<Scalar> const arrays{map.params, map.memory.data()};
  // Rows to read: limited by the map's capacity, and at least one.
  index_t const rows = larger(smaller(output.capacity, map.params.capacity), index_t{1});
  return for_each_index(exec, rows, voxel_map_read_step<Scalar>{map.params, arrays, output}, 16);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

// Problems for a voxel map: problems of voxelize() cut into tiles, and the reference's answer for all tiles at once.
#pragma once

#include <farpoint/scale/voxel_map.hpp>

#include "../support/catch.hpp"
#include "../support/check_answer.hpp"
#include "../voxelize/voxelize_random.hpp"

namespace farpoint_tests {

/// A cloud, and the ends of its tiles.
template <class Coord>
struct voxel_map_problem {
  voxelize_problem<Coord> cloud;
  std::vector<index_t> ends;
  index_t first_index = 0;
};

/// Cuts a cloud into random tiles, some of which are empty.
template <class Coord>
voxel_map_problem<Coord> in_tiles(voxelize_problem<Coord> cloud, random_source& random, index_t tiles) {
  // Options that need all points at once are not available.
  cloud.order = farpoint::voxel_order::first_occurrence;
  cloud.kept = farpoint::voxel_points::first;
  cloud.offsets.clear();
  cloud.clouds = 1;
  cloud.wanted |= bit(part::report);
  cloud.wanted &= ~(bit(part::gathered) | bit(part::list_offsets) | bit(part::list_points) | bit(part::voxel_offsets));
  voxel_map_problem<Coord> problem{std::move(cloud), {}, 0};
  index_t const n = problem.cloud.points;
  for (index_t t = 1; t < tiles; ++t) problem.ends.push_back(random.below(n + 1));
  problem.ends.push_back(n);
  std::sort(problem.ends.begin(), problem.ends.end());
  return problem;
}

template <class Coord>
voxel_map_problem<Coord> random_voxel_map_problem(std::uint64_t seed, std::int64_t point_limit) {
  random_source random{seed + 77};
  auto problem = in_tiles(random_voxelize_problem<Coord>(seed, point_limit), random, 1 + random.below(6));
  index_t const firsts[] = {0, 1, (index_t{1} << 32) - 5, index_t{1} << 33, index_t{1} << 60};
  problem.first_index = firsts[random.below(5)];
  return problem;
}

/// Returns the features of points `begin` to `begin + count`.
inline farpoint::feature_view features_of(farpoint::feature_view const& all, index_t begin, index_t count) {
  std::vector<int> offsets;
  std::vector<farpoint::feature_type> types;
  for (int f = 0; f < all.count(); ++f) {
    offsets.push_back(all.offset(f));
    types.push_back(all.type(f));
  }
  return farpoint::feature_view::fields(all.base() + begin * all.stride(), count, all.stride(), offsets.data(),
                                        types.data(), all.count());
}

inline farpoint::index_span part_of(farpoint::index_span const& all, index_t begin, index_t count) {
  if (all.empty()) return all;
  auto const size = static_cast<std::size_t>(count);
  if (all.wide()) return farpoint::span<std::int64_t>{static_cast<std::int64_t*>(all.data()) + begin, size};
  return farpoint::span<std::int32_t>{static_cast<std::int32_t*>(all.data()) + begin, size};
}

struct voxel_map_totals {
  farpoint::voxel_map_report report;
  std::vector<index_t> first_points;
};

/// Clears a map, inserts all tiles, and reads it out in two pieces.
/// @tparam Array  host_array or device_array
/// @param wait    waits for a stream
template <template <class> class Array, class Exec, class Problem, class Wait, class Points, class Scalar>
farpoint::result run_voxel_map(Exec exec, Problem const& problem, Wait const& wait, Points const& points,
                               farpoint::voxelize_params<Scalar> const& params,
                               farpoint::voxelize_output<Scalar> const& output, voxel_map_totals& totals) {
  farpoint::voxel_map<Scalar> map;
  map.params.grid = params.grid;
  map.params.mode = params.mode;
  map.params.capacity = output.capacity;
  map.params.features = params.features.count();
  map.params.parts = {!output.centroid.empty(), !output.mean.empty(), !output.max.empty(), !output.first.empty()};
  map.params.first_index = problem.first_index;
  map.params.hash_seed = params.hash_seed;
  Array<unsigned char> const memory{farpoint::voxel_map_bytes(map.params)};
  map.memory = {memory.data(), memory.size()};
  farpoint::result outcome = voxel_map_clear(exec, map);

  std::size_t bound = 0;
  if (outcome) outcome = farpoint::voxel_map_insert_workspace_bound<Points>(exec, {points.size(), 1}, bound);
  index_t begin = 0;
  for (index_t const end : problem.ends) {
    if (!outcome) return outcome;
    farpoint::voxel_map_tile<Points> const tile{points.subview(begin, end - begin),
                                                features_of(params.features, begin, end - begin),
                                                part_of(output.point_voxel, begin, end - begin)};
    // A new workspace for each tile, so that no call can rely on data of an earlier one.
    std::size_t const needed = voxel_map_insert_workspace_bytes(exec, map, tile);
    if (needed > bound) return {farpoint::status::bad_argument, -1, "test: more than the bound"};
    Array<unsigned char> const workspace{needed};
    outcome = voxel_map_insert(exec, map, tile, {workspace.data(), needed});
    wait();
    if (!workspace.intact()) return {farpoint::status::bad_argument, -1, "test: the workspace was overrun"};
    begin = end;
  }

  auto const capacity = static_cast<std::size_t>(output.capacity);
  Array<farpoint::voxel_map_report> const report{1};
  Array<index_t> const first_points{capacity};
  farpoint::voxel_map_output<Scalar> rows;
  rows.capacity = output.capacity;
  rows.coords = output.coords;
  rows.columns = output.columns;
  rows.points_per_voxel = output.points_per_voxel;
  rows.mean = output.mean.template computed_as<float>();
  rows.max = output.max.template computed_as<float>();
  rows.first = output.first.template computed_as<float>();
  rows.centroid = output.centroid;
  rows.voxel_count = output.voxel_count;
  rows.report = report.data();
  if (outcome) outcome = voxel_map_read(exec, map, rows);
  farpoint::voxel_map_output<Scalar> firsts;
  for (firsts.begin = 0; outcome && firsts.begin < output.capacity; firsts.begin += firsts.capacity) {
    firsts.capacity = output.capacity - output.capacity / 3 - firsts.begin;
    if (firsts.capacity <= 0) firsts.capacity = output.capacity - firsts.begin;
    firsts.first_point = {first_points.data() + firsts.begin, static_cast<std::size_t>(firsts.capacity)};
    outcome = voxel_map_read(exec, map, firsts);
  }
  wait();
  if (!outcome) return outcome;
  bool const intact = memory.intact() && report.intact() && first_points.intact();
  if (!intact) return {farpoint::status::bad_argument, -1, "test: memory of the map was overrun"};
  totals.report = report.download()[0];
  totals.first_points = first_points.download();
  totals.first_points.resize(static_cast<std::size_t>(totals.report.voxels));
  return outcome;
}

/// Stores the report of a map as a report of voxelize().
inline void put_report(voxelize_answer& answer, farpoint::voxel_map_report const& from) {
  farpoint::voxelize_report report;
  report.voxels = from.voxels;
  report.non_finite = from.non_finite;
  report.outside = from.outside;
  report.dropped_points = from.dropped_points;
  report.surplus_points = from.surplus_points;
  answer.parts[part::report].assign(sizeof report, 0);
  std::memcpy(answer.parts[part::report].data(), &report, sizeof report);
}

struct voxel_map_answer {
  voxel_map_answer(voxelize_answer of_rows, voxel_map_totals of_map)
      : rows{std::move(of_rows)}, totals{std::move(of_map)} {
    put_report(rows, totals.report);
  }
  voxelize_answer rows;  ///< as voxelize() gives them
  voxel_map_totals totals;
};

/// Returns the answer of reference::voxelize() for all tiles at once, without the number of dropped voxels, which a map
/// does not count.
template <class Problem>
voxel_map_answer all_tiles_at_once(Problem const& problem) {
  voxel_map_totals totals;
  auto all = problem.cloud;
  all.wide = true;
  all.wanted |= bit(part::point_voxel);
  auto const detailed = reference_voxels(all);
  auto const rows = detailed.indices(part::point_voxel);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] == static_cast<index_t>(totals.first_points.size())) {
      totals.first_points.push_back(problem.first_index + static_cast<index_t>(i));
    }
  }
  auto answer = reference_voxels(problem.cloud);
  auto const report = answer.report();
  totals.report = {static_cast<unsigned long long>(problem.cloud.points),
                   report.voxels,
                   report.non_finite,
                   report.outside,
                   report.dropped_points,
                   report.surplus_points};
  return {std::move(answer), std::move(totals)};
}

inline void check_same(voxel_map_answer const& found, voxel_map_answer const& expected) {
  check_answer(found.rows, expected.rows, found.rows.outcome.reason);
  CHECK(found.totals.report.points == expected.totals.report.points);
  CHECK(found.totals.report.voxels == expected.totals.report.voxels);
  CHECK(found.totals.first_points == expected.totals.first_points);
}

}  // namespace farpoint_tests

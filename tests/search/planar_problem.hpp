// Searches among points of two coordinates, on the arrays of a call_memory, so that one body runs on both backends, and
// a loop over all points in the plane as their oracle.
#pragma once

#include <farpoint/geometry/planar_view.hpp>
#include <farpoint/radius.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../support/call_memory.hpp"
#include "../support/clouds.hpp"
#include "../support/random.hpp"

namespace farpoint_tests {

using farpoint::index_t;

/// knn() and radius_rows() of clouds of records (x, y, number), a number that is not a coordinate.
template <class Coord>
struct planar_problem {
  using scalar = farpoint::scalar_of<Coord>;
  using view = farpoint::planar_view<farpoint::point_view<Coord, 2>>;

  std::vector<Coord> records;
  index_t clouds = 1;
  index_t k = 1;
  double radius = 0;

  index_t size() const { return static_cast<index_t>(records.size() / 3); }
  /// All neighbors within a radius, as many as oracle() finds.
  std::size_t row_capacity() const {
    std::size_t total = 0;
    for (index_t i = 0; i < size(); ++i) total += within(i).size();
    return total;
  }

  template <class Exec, class Memory>
  farpoint::result run(Exec exec, Memory& memory) const {
    auto const stored = memory.input(records);
    farpoint::point_view<Coord, 2> const flat{stored.data(), size(), 3 * sizeof(Coord)};
    auto const batch = farpoint::batch<view>::regular(farpoint::in_plane(flat), clouds);
    auto const rows = static_cast<std::size_t>(size());
    farpoint::knn_output<scalar> lists{memory.template output<std::int32_t>(rows * static_cast<std::size_t>(k))};
    lists.distances = memory.template output<scalar>(rows * static_cast<std::size_t>(k));
    farpoint::knn_params const nearest{k};
    farpoint::result const found =
        knn(exec, batch, nearest, lists, memory.scratch(knn_workspace_bytes(exec, batch, nearest)));
    farpoint::radius_params params;
    params.radius = radius;
    std::size_t const capacity = row_capacity();
    farpoint::radius_rows_output<scalar> within_radius{memory.template output<index_t>(rows + 1)};
    within_radius.indices = memory.template output<std::int64_t>(capacity);
    within_radius.distances = memory.template output<scalar>(capacity);
    if (!found) return found;
    return radius_rows(exec, batch, params, within_radius, memory.scratch(radius_workspace_bytes(exec, batch)));
  }

  /// Bytes of the outputs in the order of run().
  std::vector<std::vector<unsigned char>> expected() const {
    call_memory<host_space> memory;
    auto const rows = static_cast<std::size_t>(size()), most = static_cast<std::size_t>(k);
    auto const indices = memory.output<std::int32_t>(rows * most);
    auto const distances = memory.output<scalar>(rows * most);
    auto const offsets = memory.output<index_t>(rows + 1);
    auto const row_indices = memory.output<std::int64_t>(row_capacity());
    auto const row_distances = memory.output<scalar>(row_capacity());
    index_t end = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      auto all = others(static_cast<index_t>(i));
      std::sort(all.begin(), all.end());
      for (std::size_t j = 0; j < most; ++j) {
        bool const exists = j < all.size();
        indices[i * most + j] = exists ? static_cast<std::int32_t>(all[j].second) : -1;
        distances[i * most + j] = exists ? all[j].first : std::numeric_limits<scalar>::infinity();
      }
      offsets[i] = end;
      for (auto const& [distance, index] : within(static_cast<index_t>(i))) {
        row_indices[static_cast<std::size_t>(end)] = index;
        row_distances[static_cast<std::size_t>(end++)] = distance;
      }
    }
    offsets[rows] = end;
    return memory.outputs();
  }

 private:
  using neighbor = std::pair<scalar, index_t>;

  scalar at(index_t i, int axis) const { return static_cast<scalar>(records[static_cast<std::size_t>(3 * i + axis)]); }

  /// All points of the query's cloud by index; none of a query that is not finite.
  std::vector<neighbor> others(index_t query) const {
    std::vector<neighbor> all;
    index_t const each = size() / clouds, begin = query / each * each;
    auto const is_finite = [this](index_t i) { return std::isfinite(at(i, 0)) && std::isfinite(at(i, 1)); };
    for (index_t i = begin; i < begin + each && is_finite(query); ++i) {
      scalar const dx = at(i, 0) - at(query, 0), dy = at(i, 1) - at(query, 1);
      if (is_finite(i)) all.push_back({std::fma(dy, dy, dx * dx), i - begin});
    }
    return all;
  }
  std::vector<neighbor> within(index_t query) const {
    auto const r = static_cast<scalar>(radius);
    std::vector<neighbor> near;
    for (neighbor const& each : others(query)) {
      if (each.first <= r * r) near.push_back(each);
    }
    return near;
  }
};

/// Calls `check(problem)` for clouds of all shapes, whose third numbers must not count.
template <class Coord, class Check>
void for_planar_problems(Check const& check) {
  for (shape const which : all_shapes) {
    for (std::size_t const n : {1u, 4u, 60u, 900u}) {
      planar_problem<Coord> problem;
      for (auto const& p : make_cloud(which, n, n)) {
        for (double const x : {p[0], p[1], 1e3 * p[2]}) problem.records.push_back(static_cast<Coord>(x));
      }
      problem.clouds = n % 4 == 0 ? 4 : 1;
      problem.k = n == 60 ? 40 : 5;
      problem.radius = 0.1;
      check(problem);
    }
  }
}

}  // namespace farpoint_tests

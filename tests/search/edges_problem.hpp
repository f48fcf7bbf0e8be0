// neighbor_edges() on the arrays of a call_memory, so that one body runs on both backends, and plain loops as its
// oracles: over lists of all kinds, and over all pairs of points.
#pragma once

#include <farpoint/search/neighbor_edges.hpp>

#include <algorithm>
#include <cmath>

#include "../support/call_memory.hpp"
#include "../support/clouds.hpp"
#include "../support/garbage_offsets.hpp"

namespace farpoint_tests {

using farpoint::edge_flow;
using farpoint::index_t;

/// The edges of a plain loop, and their outputs in the order of the problems below.
template <class Index>
struct expected_edges {
  std::vector<std::pair<index_t, index_t>> edges;  ///< query and point
  std::vector<float> distances;                    ///< of each edge
  farpoint::edges_report report;

  void add(index_t query, index_t point, float distance) {
    edges.push_back({query, point});
    distances.push_back(distance);
  }

  std::vector<std::vector<unsigned char>> outputs(std::size_t capacity, edge_flow flow) {
    call_memory<host_space> memory;
    std::size_t const written = std::min(capacity, edges.size());
    report.total = edges.size();
    report.over_capacity = edges.size() - written;
    auto const rows = memory.output<Index>(capacity);
    auto const cols = memory.output<Index>(capacity);
    auto const values = memory.output<float>(capacity);
    for (std::size_t e = 0; e < written; ++e) {
      auto const [query, point] = edges[e];
      rows[e] = static_cast<Index>(flow == edge_flow::source_to_target ? point : query);
      cols[e] = static_cast<Index>(flow == edge_flow::source_to_target ? query : point);
      values[e] = distances[e];
    }
    memory.output<std::int64_t>(1)[0] = static_cast<std::int64_t>(written);
    *memory.output<farpoint::edges_report>(1).data() = report;
    return memory.outputs();
  }
};

template <class Index, class Memory>
farpoint::edges_output<float> edges_output_in(Memory& memory, std::size_t capacity) {
  farpoint::edges_output<float> output;
  output.rows = memory.template output<Index>(capacity);
  output.cols = memory.template output<Index>(capacity);
  output.distances = memory.template output<float>(capacity);
  output.count = memory.template output<std::int64_t>(1);
  output.report = memory.template output<farpoint::edges_report>(1).data();
  return output;
}

/// Lists with gaps, entries that are no points, and rows of queries that are in no cloud.
template <class Index>
struct edges_problem {
  using view = farpoint::point_view<float>;

  index_t points = 0, queries = 0, clouds = 1;
  std::vector<index_t> point_offsets, query_offsets;  ///< of ragged batches; empty: regular batches
  index_t k = 0;                                      ///< 0: rows
  std::vector<Index> indices;
  std::vector<Index> row_offsets;
  std::vector<float> distances;
  edge_flow flow = edge_flow::source_to_target;
  std::size_t capacity = 0;

  template <class Exec, class Memory>
  farpoint::result run(Exec exec, Memory& memory) const {
    auto const coordinates = memory.input(std::vector<float>(3));  // never read
    auto const batch_of = [&](index_t count, farpoint::span<index_t const> offsets) {
      view const all{coordinates.data(), count, 0};
      return offsets.empty() ? farpoint::batch<view>::regular(all, clouds)
                             : farpoint::batch<view>::ragged(all, offsets);
    };
    auto const cloud = batch_of(points, memory.input(point_offsets));
    auto const asked = batch_of(queries, memory.input(query_offsets));
    farpoint::neighbor_lists<float> lists;
    lists.indices = memory.input(indices);
    lists.k = k;
    lists.offsets = memory.input(row_offsets);
    lists.distances = memory.input(distances);
    auto const output = edges_output_in<Index>(memory, capacity);
    return neighbor_edges(exec, cloud, asked, lists, flow, output,
                          memory.scratch(neighbor_edges_workspace_bytes(exec, asked, lists)));
  }

  std::vector<std::vector<unsigned char>> expected() const {
    expected_edges<Index> found;
    index_t const cloud_count = point_offsets.empty() ? clouds : static_cast<index_t>(point_offsets.size()) - 1;
    count_bad(point_offsets, points, found.report);
    count_bad(query_offsets, queries, found.report);
    for (index_t b = 0; b < cloud_count && found.report.bad_offsets == 0; ++b) {
      auto const [begin, end] = bounds(point_offsets, points, b);
      auto const [first, last] = bounds(query_offsets, queries, b);
      for (index_t row = first; row < last; ++row) add_row(row, begin, end - begin, found);
    }
    return found.outputs(capacity, flow);
  }

 private:
  static void count_bad(std::vector<index_t> const& offsets, index_t size, farpoint::edges_report& report) {
    for (std::size_t b = 0; b < offsets.size(); ++b) {
      bool const descends = b > 0 && offsets[b] < offsets[b - 1];
      report.bad_offsets += descends || offsets[b] < 0 || offsets[b] > size ? 1u : 0u;
    }
  }
  std::pair<index_t, index_t> bounds(std::vector<index_t> const& offsets, index_t size, index_t b) const {
    auto const at = static_cast<std::size_t>(b);
    if (offsets.empty()) return {b * (size / clouds), (b + 1) * (size / clouds)};
    return {offsets[at], offsets[at + 1]};
  }
  void add_row(index_t row, index_t begin, index_t size, expected_edges<Index>& found) const {
    auto const at = static_cast<std::size_t>(row);
    index_t const from = k > 0 ? row * k : index_t{row_offsets[at]};
    index_t const to = k > 0 ? from + k : std::min(index_t{row_offsets[at + 1]}, static_cast<index_t>(indices.size()));
    for (index_t entry = from; entry < to; ++entry) {
      index_t const i = indices[static_cast<std::size_t>(entry)];
      if (i == -1) continue;
      if (i < 0 || i >= size) {
        ++found.report.bad_indices;
      } else {
        found.add(row, begin + i, distances[static_cast<std::size_t>(entry)]);
      }
    }
  }
};

template <class Index>
edges_problem<Index> random_edges(std::uint64_t seed, index_t queries) {
  random_source random{seed};
  edges_problem<Index> problem;
  problem.queries = queries;
  problem.points = 1 + random.below(300);
  problem.flow = random.below(2) == 0 ? edge_flow::source_to_target : edge_flow::target_to_source;
  index_t largest = problem.points;
  switch (random.below(4)) {
    case 0:
      problem.clouds = queries % 4 == 0 ? 4 : 1;
      problem.points = (problem.points + 3) / 4 * 4;
      largest = problem.points / problem.clouds;
      break;
    case 1: problem.point_offsets = garbage_offsets(random, problem.points, 3); break;
    default:
      for (int b = 0; b < 6; ++b) problem.point_offsets.push_back(random.below(problem.points + 1));
      std::sort(problem.point_offsets.begin(), problem.point_offsets.end());
  }
  if (!problem.point_offsets.empty()) {
    for (std::size_t b = 0; b < problem.point_offsets.size(); ++b) {
      problem.query_offsets.push_back(random.below(queries + 1));
    }
    std::sort(problem.query_offsets.begin(), problem.query_offsets.end());
  }
  std::size_t entries = 0;
  if (random.below(2) == 0) {
    problem.k = 1 + random.below(20);
    entries = static_cast<std::size_t>(queries * problem.k);
  } else {
    problem.row_offsets.push_back(0);
    for (index_t row = 0; row < queries; ++row) {
      index_t const count = random.below(3) == 0 ? 0 : random.below(30);
      problem.row_offsets.push_back(static_cast<Index>(problem.row_offsets.back() + count));
    }
    // Rows that did not fit, and entries behind the last row.
    auto const all = static_cast<index_t>(problem.row_offsets.back());
    entries = static_cast<std::size_t>(random.below(2) == 0 ? all + 40 : random.below(all + 1));
  }
  for (std::size_t e = 0; e < entries; ++e) {
    bool const is_gap = random.below(5) == 0;
    bool const is_wrong = random.below(40) == 0;
    auto const wrong = static_cast<Index>(random.below(2) == 0 ? -2 - random.below(9) : largest + random.below(9));
    problem.indices.push_back(is_gap ? Index{-1} : is_wrong ? wrong : static_cast<Index>(random.below(largest)));
    problem.distances.push_back(random.uniform());
  }
  problem.capacity =
      random.below(3) == 0 ? static_cast<std::size_t>(random.below(static_cast<index_t>(entries) + 1)) : entries;
  return problem;
}

/// Calls `check(problem)` for lists of few and of many entries.
template <class Check>
void for_edges(Check const& check) {
  std::uint64_t seed = 0;
  for (index_t const queries : {0, 1, 31, 300, 2048, 9000}) {
    for (int turn = 0; turn < 8; ++turn) {
      check(random_edges<std::int32_t>(++seed, queries));
      check(random_edges<std::int64_t>(++seed, queries));
    }
  }
}

/// A search and its edges in one run: at most k nearest others within a radius.
struct edges_of_search {
  std::vector<float> points;  ///< `[points, 3]`
  std::vector<index_t> offsets;
  index_t k = 0;  ///< 0: all within the radius
  double radius = 0;

  index_t size() const { return static_cast<index_t>(points.size() / 3); }

  template <class Exec, class Memory>
  farpoint::result run(Exec exec, Memory& memory) const {
    using view = farpoint::point_view<float>;
    view const all{memory.input(points).data(), size()};
    auto const cloud = farpoint::batch<view>::ragged(all, memory.input(offsets));
    farpoint::neighbor_lists<float> lists;
    lists.k = k;
    farpoint::result searched;
    if (k > 0) {
      auto const entries = static_cast<std::size_t>(size() * k);
      auto const indices = memory.template scratch<std::int32_t>(entries);
      auto const distances = memory.template scratch<float>(entries);
      farpoint::knn_params const nearest{k, radius, true};
      searched =
          knn(exec, cloud, nearest, {indices, distances}, memory.scratch(knn_workspace_bytes(exec, cloud, nearest)));
      lists.indices = indices;
      lists.distances = distances;
    } else {
      farpoint::radius_params params;
      params.radius = radius;
      params.order = farpoint::radius_order::nearest;
      params.exclude_self = true;
      auto const capacity = static_cast<std::size_t>(size() * size());
      auto const row_offsets = memory.template scratch<std::int64_t>(static_cast<std::size_t>(size()) + 1);
      auto const indices = memory.template scratch<std::int32_t>(capacity);
      auto const distances = memory.template scratch<float>(capacity);
      searched = radius_rows(exec, cloud, params, {row_offsets, indices, distances},
                             memory.scratch(radius_workspace_bytes(exec, cloud)));
      lists.indices = indices;
      lists.distances = distances;
      lists.offsets = row_offsets;
    }
    auto const output = edges_output_in<std::int64_t>(memory, capacity());
    if (!searched) return searched;
    return neighbor_edges(exec, cloud, lists, edge_flow::source_to_target, output,
                          memory.scratch(neighbor_edges_workspace_bytes(exec, cloud, lists)));
  }

  std::vector<std::vector<unsigned char>> expected() const {
    expected_edges<std::int64_t> found;
    auto const r = static_cast<float>(radius);
    for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
      for (index_t q = offsets[b]; q < offsets[b + 1]; ++q) {
        std::vector<std::pair<float, index_t>> row;
        for (index_t i = offsets[b]; i < offsets[b + 1]; ++i) {
          float const d = distance2(i, q);
          if (i != q && d <= r * r) row.push_back({d, i});
        }
        std::sort(row.begin(), row.end());
        if (k > 0) row.resize(std::min(row.size(), static_cast<std::size_t>(k)));
        for (auto const& [d, i] : row) found.add(q, i, d);
      }
    }
    return found.outputs(capacity(), edge_flow::source_to_target);
  }

 private:
  std::size_t capacity() const { return points.size() * 4; }
  float distance2(index_t a, index_t b) const {
    float sum = 0;
    for (index_t axis = 0; axis < 3; ++axis) {
      float const d = points[static_cast<std::size_t>(3 * a + axis)] - points[static_cast<std::size_t>(3 * b + axis)];
      sum = std::fma(d, d, sum);
    }
    return sum;
  }
};

template <class Check>
void for_edges_of_searches(Check const& check) {
  for (index_t const k : {0, 1, 6, 40}) {
    edges_of_search problem;
    problem.k = k;
    problem.radius = 0.2;
    for (auto const& p : make_cloud(shape::cube, 600, 7)) {
      for (double const x : p) problem.points.push_back(static_cast<float>(x));
    }
    problem.offsets = {3, 3, 200, 201, 590};
    check(problem);
  }
}

}  // namespace farpoint_tests

/// @file
/// radius() and radius_rows() by brute force: their definitions, and the oracles of their tests.
#pragma once

#include <farpoint/reference/knn.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace reference {
namespace detail {

/// The checks that both functions make.
template <class Points, class Queries>
result check_radius_clouds(batch<Points> const& points, batch<Queries> const& queries) {
  if (result const checked = farpoint::detail::check_bvh_points(points); !checked) return checked;
  return farpoint::detail::check_queries(queries, points.size());
}

/// The neighbours of query i of a cloud, in the order of `params`.
template <class Points, class Queries>
auto radius_row(std::vector<numbered_point<Points>> const& points, Queries const& queries, index_t i,
                radius_params const& params) {
  auto const radius2 = farpoint::detail::largest_distance2<typename Points::scalar>(params);
  auto found = all_within(points, queries[i], radius2, params.exclude_self ? i : -1);
  if (params.order == radius_order::nearest) std::sort(found.begin(), found.end());
  return found;
}

}  // namespace detail

/// farpoint::radius() on one thread by its definition: the same rules and outputs, host memory. O(points * queries).
/// Allocates; throws std::bad_alloc.
template <class Points, class Queries>
result radius(batch<Points> const& points, batch<Queries> const& queries, radius_params const& params, index_t max,
              radius_output<typename Points::scalar> const& output) {
  if (result const checked = detail::check_radius_clouds(points, queries); !checked) return checked;
  if (result const checked = farpoint::detail::check_radius(queries.points().size(), params, max, output); !checked) {
    return checked;
  }
  if (auto const bad = farpoint::detail::count_bad_offsets(points, queries); bad > 0) {
    auto const search = [&](auto const& none, auto const& rows) { return radius(none, rows, params, max, output); };
    return detail::leave_rows_empty(points, queries, output.report, bad, search);
  }
  radius_report report;
  for (index_t b = 0; b < points.size(); ++b) {
    auto const cloud = detail::finite_points(points[b]);
    for (index_t i = 0; i < queries[b].size(); ++i) {
      auto found = detail::radius_row(cloud, queries[b], i, params);
      if (max > 0) found.resize(std::min(found.size(), static_cast<std::size_t>(max)));
      index_t const row = queries.begin_of(b) + i;
      if (max > 0) detail::write_row(found, row, max, output.indices, output.distances);
      if (!output.counts.empty()) output.counts.set(row, static_cast<index_t>(found.size()));
      report.total += found.size();
    }
  }
  detail::count_non_finite(points, queries, report);
  if (output.report != nullptr) *output.report = report;
  return {};
}

/// farpoint::radius_rows() on one thread by its definition: the same rules and outputs, host memory.
/// O(points * queries). Allocates; throws std::bad_alloc.
template <class Points, class Queries>
result radius_rows(batch<Points> const& points, batch<Queries> const& queries, radius_params const& params,
                   radius_rows_output<typename Points::scalar> const& output) {
  using scalar = typename Points::scalar;
  if (result const checked = detail::check_radius_clouds(points, queries); !checked) return checked;
  if (result const checked = farpoint::detail::check_radius_rows(queries.points().size(), params, output); !checked) {
    return checked;
  }
  if (auto const bad = farpoint::detail::count_bad_offsets(points, queries); bad > 0) {
    auto const search = [&](auto const& none, auto const& all) { return radius_rows(none, all, params, output); };
    return detail::leave_rows_empty(points, queries, output.report, bad, search);
  }
  auto const rows = static_cast<std::size_t>(queries.points().size());
  std::vector<std::vector<detail::neighbour<scalar>>> found(rows);
  for (index_t b = 0; b < points.size(); ++b) {
    auto const cloud = detail::finite_points(points[b]);
    for (index_t i = 0; i < queries[b].size(); ++i) {
      found[static_cast<std::size_t>(queries.begin_of(b) + i)] = detail::radius_row(cloud, queries[b], i, params);
    }
  }
  radius_report report;
  index_t const capacity = output.indices.size();
  index_t offset = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    output.offsets.set(static_cast<index_t>(r), offset);
    auto const size = static_cast<index_t>(found[r].size());
    bool const fits = offset + size <= capacity;
    report.rows_left_out += fits ? 0 : 1;
    for (index_t j = 0; j < size && offset + j < capacity; ++j) {
      auto const [d, i] = found[r][static_cast<std::size_t>(j)];
      output.indices.set(offset + j, fits ? i : -1);
      if (output.distances.empty()) continue;
      output.distances[static_cast<std::size_t>(offset + j)] = fits ? d : std::numeric_limits<scalar>::infinity();
    }
    offset += size;
  }
  output.offsets.set(static_cast<index_t>(rows), offset);
  report.total = static_cast<unsigned long long>(offset);
  detail::count_non_finite(points, queries, report);
  if (output.report != nullptr) *output.report = report;
  return {};
}

}  // namespace reference
FARPOINT_END_NAMESPACE

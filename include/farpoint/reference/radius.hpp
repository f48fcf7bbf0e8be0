/// @file
/// Brute-force radius() and radius_rows(): their definitions, and the oracles of their tests.
#pragma once

#include <farpoint/reference/knn.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace reference {
namespace detail {

/// Checks common to both functions.
template <class Points, class Queries>
result check_radius_clouds(batch<Points> const& points, batch<Queries> const& queries) {
  if (result const checked = farpoint::detail::check_bvh_points(points); !checked) return checked;
  return farpoint::detail::check_queries(queries, points.size());
}

/// All of these points within the radius of a query, ascending by index.
template <class Points, class Point>
std::vector<neighbor<typename Points::scalar>> all_within(std::vector<numbered_point<Points>> const& points,
                                                          Point const& query, typename Points::scalar radius2,
                                                          index_t excluded) {
  std::vector<neighbor<typename Points::scalar>> found;
  if (!is_finite(query)) return found;
  for (auto const& [point, i] : points) {
    if (i == excluded) continue;
    auto const d = distance2(point, query);
    if (d <= radius2) found.emplace_back(d, i);
  }
  return found;
}

/// Neighbors per row.
template <class Scalar>
using found_rows = std::vector<std::vector<neighbor<Scalar>>>;

/// Finds the neighbors of all queries, in the order of `params`. Requires checked arguments and valid offsets.
template <class Points, class Queries>
found_rows<typename Points::scalar> find_rows(batch<Points> const& points, batch<Queries> const& queries,
                                              radius_params const& params) {
  auto const radius2 = farpoint::detail::largest_distance2<typename Points::scalar>(params);
  found_rows<typename Points::scalar> rows(static_cast<std::size_t>(queries.points().size()));
  for (index_t b = 0; b < points.size(); ++b) {
    auto const cloud = finite_points(points[b]);
    for (index_t i = 0; i < queries[b].size(); ++i) {
      auto& row = rows[static_cast<std::size_t>(queries.begin_of(b) + i)];
      row = all_within(cloud, queries[b][i], radius2, params.exclude_self ? i : -1);
      if (params.order == radius_order::nearest) std::sort(row.begin(), row.end());
    }
  }
  return rows;
}

/// Writes up to `max` neighbors per row; rows that belong to no cloud are not written.
template <class Queries, class Scalar>
void write_lists(batch<Queries> const& queries, found_rows<Scalar> const& rows, index_t max,
                 radius_output<Scalar> const& output, radius_report& report) {
  for (index_t b = 0; b < queries.size(); ++b) {
    for (index_t i = 0; i < queries[b].size(); ++i) {
      index_t const row = queries.begin_of(b) + i;
      auto const& found = rows[static_cast<std::size_t>(row)];
      if (max > 0) write_row(found, row, max, output.indices, output.distances);
      auto const kept = max > 0 ? std::min(found.size(), static_cast<std::size_t>(max)) : found.size();
      if (!output.counts.empty()) output.counts.set(row, static_cast<index_t>(kept));
      report.total += kept;
    }
  }
}

/// Writes all neighbors, as consecutive rows; rows that do not fit are left out.
template <class Scalar>
void write_rows(found_rows<Scalar> const& rows, radius_rows_output<Scalar> const& output, radius_report& report) {
  index_t const capacity = output.indices.size();
  index_t offset = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    output.offsets.set(static_cast<index_t>(r), offset);
    auto const size = static_cast<index_t>(rows[r].size());
    bool const fits = offset + size <= capacity;
    report.rows_left_out += fits ? 0 : 1;
    for (index_t j = 0; j < size && offset + j < capacity; ++j) {
      auto const [d, i] = rows[r][static_cast<std::size_t>(j)];
      output.indices.set(offset + j, fits ? i : -1);
      if (output.distances.empty()) continue;
      output.distances[static_cast<std::size_t>(offset + j)] = fits ? d : std::numeric_limits<Scalar>::infinity();
    }
    offset += size;
  }
  output.offsets.set(static_cast<index_t>(rows.size()), offset);
  report.total = static_cast<unsigned long long>(offset);
}

/// Calls write(queries, rows, report) with the rows from `find()`, or with empty rows if offsets are invalid.
template <class Points, class Queries, class Find, class Write>
result answer_rows(batch<Points> const& points, batch<Queries> const& queries, radius_report* output, Find const& find,
                   Write const& write) {
  radius_report report;
  if (auto const bad = farpoint::detail::count_bad_offsets(points, queries); bad > 0) {
    found_rows<typename Points::scalar> const none(static_cast<std::size_t>(queries.points().size()));
    write(batch<Queries>{queries.points()}, none, report);
    report = {};
    report.bad_offsets = bad;
  } else {
    write(queries, find(), report);
    count_non_finite(points, queries, report);
  }
  if (output != nullptr) *output = report;
  return {};
}

/// radius() with rows from `find()`, which returns find_rows() of the same arguments: lets callers compute several
/// outputs from the same rows.
template <class Points, class Queries, class Find>
result radius_from(batch<Points> const& points, batch<Queries> const& queries, radius_params const& params,
                   radius_output<typename Points::scalar> const& output, Find const& find) {
  if (result const checked = check_radius_clouds(points, queries); !checked) return checked;
  if (result const checked = farpoint::detail::check_radius(queries.points().size(), params, output); !checked) {
    return checked;
  }
  return answer_rows(points, queries, output.report, find, [&](auto const& asked, auto const& rows, auto& report) {
    write_lists(asked, rows, params.max_neighbors, output, report);
  });
}

/// radius_rows() with rows from `find()`; see radius_from().
template <class Points, class Queries, class Find>
result radius_rows_from(batch<Points> const& points, batch<Queries> const& queries, radius_params const& params,
                        radius_rows_output<typename Points::scalar> const& output, Find const& find) {
  if (result const checked = check_radius_clouds(points, queries); !checked) return checked;
  if (result const checked = farpoint::detail::check_radius_rows(queries.points().size(), params, output); !checked) {
    return checked;
  }
  return answer_rows(points, queries, output.report, find,
                     [&](auto const&, auto const& rows, auto& report) { write_rows(rows, output, report); });
}

}  // namespace detail

/// farpoint::radius() on one thread, by definition: same rules and outputs, host memory. O(points * queries).
/// Allocates; throws std::bad_alloc.
template <class Points, class Queries>
result radius(batch<Points> const& points, batch<Queries> const& queries, radius_params const& params,
              radius_output<typename Points::scalar> const& output) {
  return detail::radius_from(points, queries, params, output,
                             [&] { return detail::find_rows(points, queries, params); });
}

/// farpoint::radius_rows() on one thread, by definition: same rules and outputs, host memory. O(points * queries).
/// Allocates; throws std::bad_alloc.
template <class Points, class Queries>
result radius_rows(batch<Points> const& points, batch<Queries> const& queries, radius_params const& params,
                   radius_rows_output<typename Points::scalar> const& output) {
  return detail::radius_rows_from(points, queries, params, output,
                                  [&] { return detail::find_rows(points, queries, params); });
}

}  // namespace reference
FARPOINT_END_NAMESPACE

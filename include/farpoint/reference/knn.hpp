/// @file
/// Brute-force knn(): its definition, and the oracle of its tests.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/detail/search/check.hpp>

#include <algorithm>
#include <utility>
#include <vector>

FARPOINT_BEGIN_NAMESPACE
namespace reference {
namespace detail {

/// Neighbor; ordered by squared distance, then by index.
template <class Scalar>
using neighbor = std::pair<Scalar, index_t>;

/// Point with its index in its cloud.
template <class Points>
struct numbered_point {
  decltype(std::declval<Points>()[index_t{}]) point;
  index_t index;
};

/// Finite points of a cloud, loaded once for all queries.
template <class Points>
std::vector<numbered_point<Points>> finite_points(Points const& cloud) {
  std::vector<numbered_point<Points>> found;
  for (index_t i = 0; i < cloud.size(); ++i) {
    auto const point = cloud[i];
    if (is_finite(point)) found.push_back({point, i});
  }
  return found;
}

/// The `most` nearest of these points within the radius of a query, ascending: O(points).
template <class Points, class Point>
std::vector<neighbor<typename Points::scalar>> nearest_within(std::vector<numbered_point<Points>> const& points,
                                                              Point const& query, typename Points::scalar radius2,
                                                              index_t excluded, std::size_t most) {
  std::vector<neighbor<typename Points::scalar>> found;
  if (!is_finite(query)) return found;
  auto farthest = radius2;
  for (auto const& [point, i] : points) {
    if (i == excluded) continue;
    auto const d = distance2(point, query);
    // Ties go to the lower index, and index i is higher than all before.
    if (!(found.size() < most ? d <= farthest : d < farthest)) continue;
    found.emplace_back(d, i);
    if (found.size() < 2 * most) continue;
    auto const last = found.begin() + static_cast<std::ptrdiff_t>(most) - 1;
    std::nth_element(found.begin(), last, found.end());
    farthest = last->first;
    found.resize(most);
  }
  std::sort(found.begin(), found.end());
  found.resize(std::min(found.size(), most));
  return found;
}

/// Counts non-finite points and queries.
template <class Points, class Queries, class Report>
void count_non_finite(batch<Points> const& points, batch<Queries> const& queries, Report& report) {
  for (index_t b = 0; b < points.size(); ++b) {
    for (index_t i = 0; i < points[b].size(); ++i) report.non_finite_points += is_finite(points[b][i]) ? 0u : 1u;
    for (index_t i = 0; i < queries[b].size(); ++i) report.non_finite_queries += is_finite(queries[b][i]) ? 0u : 1u;
  }
}

/// Result for a batch with invalid offsets: the result of `search(points, queries)` for no point and one cloud of all
/// queries, with a report that counts only the invalid offsets.
template <class Points, class Queries, class Report, class Search>
result leave_rows_empty(batch<Points> const& points, batch<Queries> const& queries, Report* report,
                        unsigned long long bad_offsets, Search const& search) {
  batch<Points> const none{points.points().subview(0, 0)};
  result const outcome = search(none, batch<Queries>{queries.points()});
  if (report == nullptr) return outcome;
  *report = {};
  report->bad_offsets = bad_offsets;
  return outcome;
}

/// Writes a row of `width` elements; pads with index -1 and distance +inf.
template <class Scalar>
void write_row(std::vector<neighbor<Scalar>> const& found, index_t row, index_t width, index_span indices,
               span<Scalar> distances) {
  for (index_t j = 0; j < width; ++j) {
    bool const is_there = j < static_cast<index_t>(found.size());
    auto const [d, i] = is_there ? found[static_cast<std::size_t>(j)]
                                 : neighbor<Scalar>{std::numeric_limits<Scalar>::infinity(), index_t{-1}};
    indices.set(row * width + j, i);
    if (!distances.empty()) distances[static_cast<std::size_t>(row * width + j)] = d;
  }
}

}  // namespace detail

/// farpoint::knn() on one thread, by definition: same rules and outputs, host memory. O(points * queries). Allocates;
/// throws std::bad_alloc.
template <class Points, class Queries>
result knn(batch<Points> const& points, batch<Queries> const& queries, knn_params const& params,
           knn_output<typename Points::scalar> const& output) {
  using scalar = typename Points::scalar;
  if (result const checked = farpoint::detail::check_bvh_points(points); !checked) return checked;
  if (result const checked = farpoint::detail::check_queries(queries, points.size()); !checked) return checked;
  if (result const checked = farpoint::detail::check_knn(queries.points().size(), params, output); !checked) {
    return checked;
  }
  if (auto const bad = farpoint::detail::count_bad_offsets(points, queries); bad > 0) {
    auto const search = [&](auto const& none, auto const& rows) { return knn(none, rows, params, output); };
    return detail::leave_rows_empty(points, queries, output.report, bad, search);
  }
  auto const radius2 = farpoint::detail::squared_radius<scalar>(params.max_radius);
  for (index_t b = 0; b < points.size(); ++b) {
    auto const cloud = detail::finite_points(points[b]);
    for (index_t i = 0; i < queries[b].size(); ++i) {
      auto const found = detail::nearest_within(cloud, queries[b][i], radius2, params.exclude_self ? i : -1,
                                                static_cast<std::size_t>(params.k));
      index_t const row = queries.begin_of(b) + i;
      detail::write_row(found, row, params.k, output.indices, output.distances);
      if (!output.counts.empty()) output.counts.set(row, static_cast<index_t>(found.size()));
    }
  }
  if (output.report != nullptr) {
    *output.report = {};
    detail::count_non_finite(points, queries, *output.report);
  }
  return {};
}

/// knn() with the points as queries.
template <class Points>
result knn(batch<Points> const& points, knn_params const& params, knn_output<typename Points::scalar> const& output) {
  return reference::knn(points, points, params, output);
}

}  // namespace reference
FARPOINT_END_NAMESPACE

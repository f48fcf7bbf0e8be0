// Searches on the host with a tuning of the test's; `self` states that the queries are the points. Other tests make the
// public calls only.
#pragma once

#include <farpoint/knn.hpp>
#include <farpoint/radius.hpp>

#include <cstddef>

namespace farpoint_tests {

using search_tuning = farpoint::detail::for_each_cloud_tuning;

/// Bytes for each of the searches below.
template <class Points, class Queries>
std::size_t search_tuned_bytes(farpoint::host_exec exec, Points const& points, Queries const& queries, bool self,
                               search_tuning const& tuning) {
  return farpoint::detail::host_search_bytes(exec, points, queries, self, tuning);
}

/// knn_tuned(exec, points, queries, self, params, output, workspace, tuning)
template <class... Arguments>
farpoint::result knn_tuned(Arguments const&... arguments) {
  return farpoint::detail::knn_host(arguments...);
}
/// radius_tuned(exec, points, queries, self, params, output, workspace, tuning)
template <class... Arguments>
farpoint::result radius_tuned(Arguments const&... arguments) {
  return farpoint::detail::radius_host(arguments...);
}
/// radius_rows_tuned(exec, points, queries, self, params, output, workspace, tuning)
template <class... Arguments>
farpoint::result radius_rows_tuned(Arguments const&... arguments) {
  return farpoint::detail::radius_rows_host(arguments...);
}

}  // namespace farpoint_tests

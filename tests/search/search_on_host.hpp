// The answers of knn(), radius() and radius_rows() on host memory.
#pragma once

#include <farpoint/knn.hpp>
#include <farpoint/radius.hpp>

#include <utility>

#include "../support/host_array.hpp"
#include "knn_problem.hpp"
#include "radius_problem.hpp"

namespace farpoint_tests {

/// Calls `search(points)` or `search(points, queries)`.
template <class Problem, class Search>
farpoint::result with_clouds(Problem const& problem, Search const& search) {
  auto const points = clouds_in_place(problem.points);
  return problem.self ? search(points) : search(points, clouds_in_place(problem.queries));
}

template <class Problem>
auto knn_on_host(Problem const& problem, host_exec exec = host_exec{1}) {
  return collect_knn(problem, [&](auto const& output) {
    return with_clouds(problem, [&](auto const&... clouds) {
      auto const params = problem.nearest();
      host_workspace const workspace{knn_workspace_bytes(exec, clouds..., params)};
      return knn(exec, clouds..., params, output, workspace.get());
    });
  });
}

/// Calls `search(workspace, points)` or `search(workspace, points, queries)`.
template <class Problem, class Search>
farpoint::result search_radius(Problem const& problem, host_exec exec, Search const& search) {
  return with_clouds(problem, [&](auto const&... clouds) {
    host_workspace const workspace{radius_workspace_bytes(exec, clouds...)};
    return search(workspace.get(), clouds...);
  });
}

template <class Problem>
auto radius_on_host(Problem const& problem, host_exec exec = host_exec{1}) {
  return collect_radius(problem, [&](auto const& output) {
    return search_radius(problem, exec, [&](farpoint::bytes memory, auto const&... clouds) {
      return radius(exec, clouds..., problem.within(), output, memory);
    });
  });
}

template <class Problem>
auto rows_on_host(Problem const& problem, host_exec exec = host_exec{1}) {
  return collect_rows(problem, [&](auto const& output) {
    return search_radius(problem, exec, [&](farpoint::bytes memory, auto const&... clouds) {
      return radius_rows(exec, clouds..., problem.params, output, memory);
    });
  });
}

}  // namespace farpoint_tests

// Random calls of knn(), radius() and radius_rows().
#include <farpoint/knn.hpp>
#include <farpoint/radius.hpp>

#include "../device/knn_on_device.cuh"
#include "../device/radius_on_device.cuh"
#include "random_calls.hpp"

namespace farpoint_tests {
namespace {

/// Calls `search(points)` or `search(points, queries)`.
template <class Problem, class Search>
farpoint::result with_clouds(Problem const& problem, Search const& search) {
  auto const points = clouds_in_place(problem.points);
  return problem.self ? search(points) : search(points, clouds_in_place(problem.queries));
}

template <class Problem>
auto knn_on_host(Problem const& problem) {
  return collect_knn(problem, [&](auto const& output) {
    return with_clouds(problem, [&](auto const&... clouds) {
      auto const [method, k] = std::pair{problem.method, problem.k};
      farpoint::detail::host_workspace const workspace{knn_workspace_bytes(one_thread, clouds..., method, k)};
      return knn(one_thread, clouds..., method, k, output, workspace.get());
    });
  });
}

/// Calls `search(workspace, points)` or `search(workspace, points, queries)`.
template <class Problem, class Search>
farpoint::result search_radius(Problem const& problem, Search const& search) {
  return with_clouds(problem, [&](auto const&... clouds) {
    farpoint::detail::host_workspace const workspace{radius_workspace_bytes(one_thread, clouds...)};
    return search(workspace.get(), clouds...);
  });
}

template <class Problem>
auto radius_on_host(Problem const& problem) {
  return collect_radius(problem, [&](auto const& output) {
    return search_radius(problem, [&](farpoint::bytes memory, auto const&... clouds) {
      return radius(one_thread, clouds..., problem.params, problem.k, output, memory);
    });
  });
}

template <class Problem>
auto rows_on_host(Problem const& problem) {
  return collect_rows(problem, [&](auto const& output) {
    return search_radius(problem, [&](farpoint::bytes memory, auto const&... clouds) {
      return radius_rows(one_thread, clouds..., problem.params, output, memory);
    });
  });
}

/// Gives a problem clouds of points, and of queries or none.
template <class Problem>
void draw_clouds_of(random_source& random, Problem& problem) {
  draw_batch(random, problem.points, draw_clouds(random));
  problem.wide = one_in(random, 2);
  if (one_in(random, 2)) return;
  index_t const clouds = problem.points.cloud_count();
  problem.ask(random_cloud(random, one_in(random, 6) ? 40000 : 2000));
  draw_batch(random, problem.queries, clouds);
  // A regular batch of another number of clouds is refused.
  if (problem.queries.cloud_count() == clouds) return;
  problem.queries.offsets.assign(static_cast<std::size_t>(clouds) + 1, 0);
  problem.queries.offsets.back() = problem.queries.points;
}

}  // namespace

std::string random_knn(std::uint64_t seed) {
  random_source random{seed};
  knn_problem<float> problem{random_cloud(random, 5000), 1 + random.below(one_in(random, 5) ? 300 : 40)};
  draw_clouds_of(random, problem);
  problem.k = std::min<index_t>(problem.k, 1 + 400000 / (problem.query_count() + 1));
  problem.method.exclude_self = one_in(random, 2);
  if (one_in(random, 3)) problem.method.max_radius = static_cast<double>(random.uniform());
  auto const kind = random.below(4);
  auto const host = knn_on_host(problem);
  return with_index_type(problem, [&](auto index) {
    knn_call<knn_problem<float>, decltype(index)> call{problem};
    auto device = run_call(call, [&](cudaStream_t stream) {
      return kind < 2 ? call.enqueue(stream) : call.enqueue_with_index(stream, kind == 2);
    });
    if (kind < 2) return compare(device, host);
    // A built index counts the points where it was built.
    auto expected = host;
    expected.non_finite_points = device.non_finite_points = 0;
    // And the offsets of queries that are the points a second time.
    if (problem.self) device.bad_offsets /= 2;
    return compare(device, expected);
  });
}

std::string random_radius(std::uint64_t seed) {
  random_source random{seed};
  auto const order = one_in(random, 2) ? radius_order::index : radius_order::nearest;
  auto const radius = one_in(random, 10) ? 1e30 : static_cast<double>(random.uniform()) / 2;
  radius_problem<float> problem{random_cloud(random, 3000), radius, random.below(one_in(random, 5) ? 300 : 40), order};
  draw_clouds_of(random, problem);
  problem.k = std::min<index_t>(problem.k, 400000 / (problem.query_count() + 1));
  problem.params.exclude_self = one_in(random, 2);
  problem.capacity = one_in(random, 4) ? 0 : random.below(200000);
  bool const rows = one_in(random, 2);
  return with_index_type(problem, [&](auto index) {
    using type = decltype(index);
    return rows ? compare(rows_on_device<type>(problem), rows_on_host(problem))
                : compare(radius_on_device<type>(problem), radius_on_host(problem));
  });
}

}  // namespace farpoint_tests

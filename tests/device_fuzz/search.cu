// Random calls of knn(), radius() and radius_rows().
#include "../search/device/knn_on_device.cuh"
#include "../search/device/radius_on_device.cuh"
#include "../search/search_on_host.hpp"
#include "random_calls.hpp"

namespace farpoint_tests {
namespace {

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
  problem.limits.exclude_self = one_in(random, 2);
  if (one_in(random, 3)) problem.limits.max_radius = static_cast<double>(random.uniform());
  auto const kind = random.below(4);
  auto const host = knn_on_host(problem);
  return with_index_type(problem, [&](auto index) {
    knn_call<knn_problem<float>, decltype(index)> call{problem};
    auto device = run_call(call, [&](cudaStream_t stream) {
      return kind < 2 ? call.enqueue(stream) : call.enqueue_with_index(stream, kind == 2);
    });
    return compare(device, host);
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

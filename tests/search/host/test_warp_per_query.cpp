// Long lists of a GPU on a CPU: 32 fibers search for one query as a warp does, with the same source. The oracle is
// brute force.
#include <farpoint/detail/search/host_plan.hpp>
#include <farpoint/detail/search/radius_operations.hpp>
#include <farpoint/detail/search/warp_per_query.hpp>

#include "../../support/catch.hpp"
#include "../../support/check_answer.hpp"
#include "../fiber_warp.hpp"
#include "../radius_problem.hpp"

using namespace farpoint_tests;
using namespace farpoint::detail;
using farpoint::index_key;
using farpoint::neighbor_key;

namespace {

template <class Key, class Problem, class Output>
void search_by_fibers(Problem const& problem, Output const& output) {
  using scalar = typename Problem::scalar;
  using view = typename Problem::points_type::view;
  auto const [points, queries] = both_in_place(problem);
  host_search_plan<scalar> const plan{farpoint::host_exec{1}, points, {}};
  host_workspace const workspace{plan.bytes()};
  auto const memory = plan.cut(workspace.get().data());
  build_on_host(plan, memory, points);
  *output.report = {};
  output.report->non_finite_points = count_left_out(points, memory.index);
  search_queries<view> const asked{queries, memory.index, problem.self};
  int const k = static_cast<int>(problem.k);
  auto const request = request_of<scalar>(problem.within());
  std::vector<Key> keys(static_cast<std::size_t>(collected_topk<fiber_warp, Key>::room_for(k)), Key{scalar(-1), 7});
  auto const write = [&](index_t row, int count) {
    for (int j = 0; j < k; ++j) {
      bool const is_there = j < count;
      Key const& key = keys[static_cast<std::size_t>(j)];
      output.indices.set(row * k + j, is_there ? index_t{key.index()} : -1);
      output.distances[static_cast<std::size_t>(row * k + j)] = is_there ? key.distance2() : no_distance<scalar>;
    }
    output.counts.set(row, count);
  };
  for (index_t thread = 0; thread < asked.threads(); ++thread) {
    index_t bad_row = -1;
    auto const query = asked.of_thread(thread, bad_row);
    if (bad_row >= 0) {
      write(bad_row, 0);
      ++output.report->non_finite_queries;
    }
    if (!query.exists()) continue;
    fiber_blocks::run(1, fiber_warp::lanes, static_cast<std::uint64_t>(thread), [&] {
      int const count = search_by_warp<fiber_warp>(asked.index_of(query), query, request, request.radius2, keys.data());
      if (fiber_warp::lane() == 0) {
        write(query.row, count);
        output.report->total += static_cast<unsigned long long>(count);
      }
    });
  }
}

template <class Problem>
void check_fibers(Problem const& problem) {
  auto const answer = collect_radius(problem, [&](auto const& output) -> farpoint::result {
    using scalar = typename Problem::scalar;
    if (problem.params.order == radius_order::nearest) {
      search_by_fibers<neighbor_key<scalar>>(problem, output);
    } else {
      search_by_fibers<index_key<scalar>>(problem, output);
    }
    return {};
  });
  check_answer(answer, reference_radius(problem));
}

template <class Coord>
void check_shapes(std::vector<index_t> const& lengths, std::uint64_t seed) {
  std::size_t turn = 0;
  for (shape const which : all_shapes) {
    for (std::size_t const n : {0u, 1u, 8u, 40u, 300u}) {
      for (auto const order : {radius_order::index, radius_order::nearest}) {
        // Whole clouds, parts of them, and a few points.
        double const radius = turn % 3 == 0 ? 0.3 : turn % 3 == 1 ? 1e3 : 0.05;
        radius_problem<Coord> problem{make_cloud(which, n, seed + n), radius, lengths[turn % lengths.size()], order};
        problem.params.exclusive = turn % 5 == 1;
        problem.params.exclude_self = turn % 4 == 1;
        problem.ask(make_cloud(which, n < 300 ? n : 30, seed + (turn % 2 == 0 ? n : 1)));
        CAPTURE(static_cast<int>(which), n, static_cast<int>(order), radius, problem.k, seed);
        check_fibers(problem);
        ++turn;
      }
    }
  }
}

}  // namespace

ONE_THREAD_TEST_CASE("a warp per query: every shape of cloud, float", "[radius][host][one_thread]") {
  check_shapes<float>({33, 100, 64, 1, 65}, 1);
}

ONE_THREAD_TEST_CASE("a warp per query: every shape of cloud, double", "[radius][host][one_thread]") {
  check_shapes<double>({40, 17, 128}, 2);
}

ONE_THREAD_TEST_CASE("a warp per query: the points ask, many within the radius, in clouds of a batch",
                     "[radius][host][one_thread]") {
  for (shape const which : {shape::cube, shape::lattice, shape::all_equal, shape::non_finite}) {
    for (auto const order : {radius_order::index, radius_order::nearest}) {
      for (index_t const max : {33, 129}) {
        radius_problem<float> problem{make_cloud(which, 400, 3), 2, max, order};
        problem.points.offsets = {0, 5, 5, 45, 85, 400};
        problem.params.exclude_self = max == 33;
        CAPTURE(static_cast<int>(which), static_cast<int>(order), max);
        check_fibers(problem);
      }
    }
  }
}

// Packets of a GPU's knn() on a CPU: 32 fibers search as a warp does, with the same source. The oracle is brute force.
#include <farpoint/detail/search/host_plan.hpp>
#include <farpoint/detail/search/knn_request.hpp>
#include <farpoint/detail/search/packets/search.hpp>

#include "../../support/catch.hpp"
#include "../../support/check_answer.hpp"
#include "../fiber_warp.hpp"
#include "../knn_problem.hpp"
#include "../ragged_batches.hpp"

#include <memory>
#include <numeric>
#include <type_traits>

using namespace farpoint_tests;
using namespace farpoint::detail;
using farpoint::no_index;

namespace {

/// A way to make packets and to search them.
struct packet_search {
  char const* name;
  bool is_external;    ///< search_external(), else search_together()
  bool has_own_order;  ///< queries that are not the points have a BVH of their own
  packet_limits limits{};
};

constexpr float always = infinity<float>;
constexpr float never = -1;
constexpr packet_search searches[] = {
    {"default, order of the view", true, false, {farpoint::knn_selector::max_spread, 192}},
    {"default, own order", true, true, {farpoint::knn_selector::max_spread_in_order, 192}},
    {"together, order of the view", true, false, {always, 1 << 30}},
    {"together, own order", true, true, {always, 1 << 30}},
    {"each lane, order of the view", true, false, {never, 0}},
    {"each lane, own order", true, true, {never, 0}},
    {"each lane, after a beam", true, false, {0, 0}},
    {"together for one turn", true, false, {always, 0}},
    {"together for a few turns", true, false, {always, 5}},
    {"together for more turns, own order", true, true, {always, 11}},
};
constexpr packet_search from_own_leaf{"from their own leaf", false, false};

/// BVHs that the host has built. Packets have an order, as a GPU gives them where they are many: the last comes first.
template <class View>
class built_clouds {
 public:
  using scalar = typename View::scalar;

  explicit built_clouds(farpoint::batch<View> const& clouds)
      : plan_{farpoint::host_exec{1}, clouds, {}}, memory_{plan_.bytes()} {
    auto const memory = plan_.cut(memory_.get().data());
    build_on_host(plan_, memory, clouds);
    arrays_ = memory.index;
    index_t const lanes = clouds.points().size() + farpoint::point_bvh_width * clouds.size();
    packets_.resize(static_cast<std::size_t>(divide_up(lanes, index_t{warp_packet_lanes})));
    std::iota(packets_.rbegin(), packets_.rend(), 0u);
  }
  point_bvh_arrays<scalar> const& arrays() const { return arrays_; }
  point_bvh_arrays<scalar> in_reverse() const {
    auto arrays = arrays_;
    arrays.packets = const_cast<std::uint32_t*>(packets_.data());
    return arrays;
  }

 private:
  host_search_plan<scalar> plan_;
  host_workspace memory_;
  point_bvh_arrays<scalar> arrays_;
  std::vector<std::uint32_t> packets_;
};

/// Answers all packets, one after another in the same memory.
template <int Capacity, class Problem, class Queries, class Output>
void run_packets(Problem const& problem, search_queries<Queries> const& asked, packet_search const& how,
                 Output const& output) {
  using scalar = typename Problem::scalar;
  using list = fiber_topk<scalar, Capacity>;
  int const k = static_cast<int>(problem.k);
  knn_request<scalar> const request{k, squared_radius<scalar>(problem.limits.max_radius), problem.limits.exclude_self};
  auto const shared = std::make_unique<packet_memory<scalar>>();
  auto const candidates = std::make_unique<typename list::storage>();
  std::memset(static_cast<void*>(shared.get()), 0xa5, sizeof *shared);
  auto const write = [&](index_t row, list const* found) {
    index_t count = 0;
    for (int j = 0; j < k; ++j) {
      auto const key = found == nullptr ? typename list::key{scalar(0), no_index} : (*found)[Capacity - k + j];
      bool const is_there = key.index() != no_index;
      output.indices.set(row * k + j, is_there ? index_t{key.index()} : -1);
      output.distances[static_cast<std::size_t>(row * k + j)] = is_there ? key.distance2() : no_distance<scalar>;
      count += is_there ? 1 : 0;
    }
    output.counts.set(row, count);
  };
  fiber_blocks::run(1, 32, 7, [&] {
    for (index_t first = 0; first < asked.threads(); first += fiber_warp::lanes) {
      index_t bad_row = -1;
      search_query<scalar> const mine = asked.of_thread(first + fiber_warp::lane(), bad_row);
      if (bad_row >= 0) {
        write(bad_row, nullptr);
        if (!asked.has_bad_offsets()) ++output.report->non_finite_queries;
      }
      if (fiber_warp::ballot(mine.exists()) == 0) continue;
      std::uint32_t const excluded = mine.exists() ? request.excluded(mine.index) : no_index;
      list found{*candidates, k, {request.radius2, no_index}, excluded};
      if (how.is_external) {
        search_external<fiber_warp>(asked, mine, k, how.limits, *shared, found);
      } else {
        search_together<fiber_warp>(asked, mine, *shared, found);
      }
      if (mine.exists()) write(mine.row, &found);
      fiber_warp::sync();
    }
  });
  CHECK(candidates->faults == 0);
}

template <class Problem>
auto solve_knn(Problem const& problem, packet_search const& how) {
  using view = typename Problem::points_type::view;
  return collect_knn(problem, [&](auto const& output) -> farpoint::result {
    farpoint::batch<view> const points = clouds_in_place(problem.points);
    farpoint::batch<view> const queries = problem.self ? points : clouds_in_place(problem.queries);
    *output.report = {};
    built_clouds<view> const index{points};
    built_clouds<view> const order{queries};
    search_queries<view> asked{queries, problem.self ? index.in_reverse() : index.arrays(), problem.self};
    if (how.has_own_order) asked.answer_in_order(order.in_reverse());
    output.report->non_finite_points = count_left_out(points, index.arrays());
    // Two capacities of doubles: instances of a search take long to compile.
    if constexpr (std::is_same_v<typename Problem::scalar, float>) {
      if (problem.k == 1) {
        run_packets<1>(problem, asked, how, output);
        return {};
      }
    }
    if (problem.k <= 8) {
      run_packets<8>(problem, asked, how, output);
    } else {
      run_packets<64>(problem, asked, how, output);
    }
    return {};
  });
}

/// All ways of search, or every third from `turn` on.
template <class Problem>
void check_searches(Problem const& problem, std::size_t turn = 0, std::size_t step = 1) {
  auto const expected = reference_knn(problem);
  for (std::size_t i = turn % step; i < std::size(searches); i += step) {
    INFO(searches[i].name);
    auto const answer = solve_knn(problem, searches[i]);
    check_answer(answer, expected);
  }
}

/// Queries near points, at points, far away and not finite, in an order without sense.
xyz_cloud make_queries(shape which, xyz_cloud const& points, std::size_t n, std::uint64_t seed) {
  random_source random{seed};
  auto queries = make_cloud(which, n, seed + 1);
  for (std::size_t i = 0; i < n; ++i) {
    switch (random.below(8)) {
      case 0:
        if (!points.empty())
          queries[i] = points[static_cast<std::size_t>(random.below(static_cast<index_t>(points.size())))];
        break;
      case 1:
        for (auto& c : queries[i]) c *= -1e3;
        break;
      case 2:
        if (i % 5 == 0) queries[i][i % 3] = std::numeric_limits<double>::quiet_NaN();
        if (i % 5 == 1) queries[i][i % 3] = std::numeric_limits<double>::infinity();
        break;
      default: break;
    }
  }
  return queries;
}

template <class Coord>
void check_shapes(std::vector<index_t> const& neighbors, std::uint64_t seed) {
  std::size_t turn = 0;
  for (shape const which : all_shapes) {
    for (std::size_t const n : {0u, 1u, 2u, 7u, 8u, 9u, 33u, 65u, 300u, 700u}) {
      auto const cloud = make_cloud(which, n, seed + n);
      // A packet, several of which the last is not full, and one lane.
      std::size_t const queries = turn % 3 == 0 ? 32 : turn % 3 == 1 ? 100 : 1;
      index_t const k = neighbors[turn % neighbors.size()];
      knn_problem<Coord> problem{cloud, k};
      problem.ask(make_queries(which, cloud, queries, seed + turn));
      problem.limits.exclude_self = turn / 3 % 4 == 1;
      CAPTURE(static_cast<int>(which), n, queries, k, seed);
      // Ten sizes: with these steps each size meets each search at some shape.
      check_searches(problem, turn, n < 65 ? 3 : 7);
      ++turn;
    }
  }
}

}  // namespace

ONE_THREAD_TEST_CASE("packets of a GPU: other queries, every shape of cloud, float", "[knn][host][one_thread]") {
  check_shapes<float>({1, 8, 5, 32}, 1);
}

ONE_THREAD_TEST_CASE("packets of a GPU: other queries, every shape of cloud, double", "[knn][host][one_thread]") {
  check_shapes<double>({8, 1, 20}, 2);
}

ONE_THREAD_TEST_CASE("packets of a GPU: lists of 64", "[knn][host][one_thread]") {
  for (shape const which : {shape::cube, shape::lattice, shape::all_equal, shape::overflowing}) {
    auto const cloud = make_cloud(which, 500, 5);
    knn_problem<float> problem{cloud, 47};
    problem.ask(make_queries(which, cloud, 70, 6));
    CAPTURE(static_cast<int>(which));
    check_searches(problem);
  }
}

ONE_THREAD_TEST_CASE("packets of a GPU: a radius, and duplicates at it", "[knn][host][one_thread]") {
  std::size_t turn = 0;
  for (shape const which : {shape::cube, shape::lattice, shape::duplicates, shape::clusters}) {
    for (double const radius : {0.0, 1e-3, 0.25, 1.0, 1e6}) {
      auto const cloud = make_cloud(which, 600, 7);
      knn_problem<float> problem{cloud, 6};
      problem.ask(make_queries(which, cloud, 64, turn));
      problem.limits.max_radius = radius;
      problem.limits.exclude_self = turn % 2 == 0;
      CAPTURE(static_cast<int>(which), radius);
      check_searches(problem, turn++, 2);
    }
  }
}

ONE_THREAD_TEST_CASE("packets of a GPU: several levels, and queries that jump", "[knn][host][one_thread]") {
  std::size_t turn = 0;
  for (shape const which : {shape::cube, shape::rings, shape::all_equal, shape::far_clusters, shape::outlier}) {
    auto const cloud = make_cloud(which, 5000, 8);
    knn_problem<float> problem{cloud, 8};
    problem.ask(make_queries(which, cloud, 96, turn));
    CAPTURE(static_cast<int>(which));
    check_searches(problem, turn++, 3);
  }
}

ONE_THREAD_TEST_CASE("packets of a GPU: half of the points and of the queries in one place",
                     "[knn][host][one_thread]") {
  auto cloud = make_cloud(shape::cube, 2000, 3);
  for (std::size_t i = 0; i < 1000; ++i) cloud[2 * i] = {0.5, 0.5, 0.5};
  auto queries = make_cloud(shape::cube, 96, 4);
  for (std::size_t i = 0; i < 96; i += 2) queries[i] = {0.5, 0.5, 0.5};
  for (index_t const k : {1, 8, 32}) {
    CAPTURE(k);
    knn_problem<float> problem{cloud, k};
    problem.ask(queries);
    check_searches(problem);
  }
}

ONE_THREAD_TEST_CASE("packets of a GPU: ragged batches with empty clouds", "[knn][host][one_thread]") {
  std::size_t turn = 0;
  auto const cloud = make_cloud(shape::non_finite, ragged_points, 9);
  auto const queries = make_queries(shape::cube, cloud, ragged_queries, 10);
  for_ragged_batches([&](std::vector<index_t> const& of_points, std::vector<index_t> const& of_queries) {
    knn_problem<float> problem{cloud, 3};
    problem.ask(queries);
    set_offsets(problem, of_points, of_queries);
    check_searches(problem, turn++, 4);
  });
  // Packets that hold queries of many clouds, some without points.
  knn_problem<float> problem{make_cloud(shape::lattice, 200, 11), 4};
  problem.ask(make_queries(shape::lattice, cloud, 90, 12));
  set_offsets(problem, {0, 0, 3, 3, 40, 48, 57, 200, 200}, {0, 4, 8, 11, 20, 31, 32, 60, 90});
  check_searches(problem);
}

namespace {

void check_own_search(knn_problem<float> const& problem) {
  auto const expected = reference_knn(problem);
  auto const answer = solve_knn(problem, from_own_leaf);
  check_answer(answer, expected);
}

}  // namespace

ONE_THREAD_TEST_CASE("packets of a GPU: the points ask", "[knn][host][one_thread]") {
  for (shape const which : all_shapes) {
    for (std::size_t const n : {1u, 9u, 64u, 333u}) {
      for (index_t const k : {1, 7, 30}) {
        CAPTURE(static_cast<int>(which), n, k);
        knn_problem<float> problem{make_cloud(which, n, n), k};
        problem.limits.exclude_self = n == 64;
        check_own_search(problem);
      }
    }
  }
}

ONE_THREAD_TEST_CASE("packets of a GPU: the points ask, several levels", "[knn][host][one_thread]") {
  for (shape const which : {shape::cube, shape::rings, shape::lattice, shape::all_equal, shape::duplicates,
                            shape::far_clusters, shape::non_finite}) {
    for (index_t const k : {1, 8}) {
      CAPTURE(static_cast<int>(which), k);
      knn_problem<float> problem{make_cloud(which, 2501, 13), k};
      problem.limits.max_radius = which == shape::cube ? 0.1 : infinity<double>;
      check_own_search(problem);
    }
  }
}

ONE_THREAD_TEST_CASE("packets of a GPU: the points ask, half of them in one place", "[knn][host][one_thread]") {
  auto cloud = make_cloud(shape::cube, 1500, 3);
  for (std::size_t i = 0; i < 750; ++i) cloud[2 * i] = {0.5, 0.5, 0.5};
  for (index_t const k : {1, 8, 32}) {
    CAPTURE(k);
    knn_problem<float> problem{cloud, k};
    problem.limits.exclude_self = k == 8;
    check_own_search(problem);
  }
}

ONE_THREAD_TEST_CASE("packets of a GPU: the points of ragged batches ask", "[knn][host][one_thread]") {
  knn_problem<float> problem{make_cloud(shape::non_finite, ragged_points, 9), 3};
  for_ragged_batches([&](std::vector<index_t> const& of_points, std::vector<index_t> const&) {
    set_offsets(problem, of_points, of_points);
    check_own_search(problem);
  });
}

// Host threads run the tasks that a GPU's threads run for their queries in radius() and radius_rows(): the tasks and
// the distribution of queries are the same source.
#include <farpoint/detail/search/host_plan.hpp>
#include <farpoint/detail/search/radius_host.hpp>
#include <farpoint/detail/search/radius_operations.hpp>

#include "../../support/catch.hpp"
#include "../../support/check_answer.hpp"
#include "../radius_problem.hpp"

using namespace farpoint_tests;
using namespace farpoint::detail;
using farpoint::index_key;
using farpoint::neighbor_key;
using farpoint::radius_report;
using farpoint::run_team;

namespace {

/// A problem's clouds with the index that the host has built.
template <class Problem>
class indexed_problem {
 public:
  using scalar = typename Problem::scalar;
  using view = typename Problem::points_type::view;

  explicit indexed_problem(Problem const& problem)
      : points{clouds_in_place(problem.points)},
        queries{problem.self ? points : clouds_in_place(problem.queries)},
        self_{problem.self},
        plan_{host_exec{1}, points, {}},
        memory_{plan_.bytes()} {
    auto const memory = plan_.cut(memory_.get().data());
    build_on_host(plan_, memory, points);
    index_ = memory.index;
    order_packets();
  }

  farpoint::batch<view> const points;
  farpoint::batch<view> const queries;

  /// Runs a task as the kernel does, on several threads; returns what it added up.
  template <class Task>
  void run(Task const& task, unsigned long long& found, unsigned long long& non_finite) const {
    if (bad_offsets() > 0) {
      for (index_t row = 0; row < queries.points().size(); ++row) task.leave_empty(row);
      return;
    }
    search_queries<view> const spread{queries, index_, self_};
    std::atomic<index_t> all{0}, bad{0};
    run_team(3, [&](int rank, int threads) {
      index_t found_here = 0;
      index_t bad_here = 0;
      // A grid has whole blocks.
      index_t const all_threads = divide_up(spread.threads(), block_size) * block_size;
      for (index_t thread = rank; thread < all_threads; thread += threads) {
        index_t bad_row = -1;
        auto const query = spread.of_thread(thread, bad_row);
        if (bad_row >= 0) task.leave_empty(bad_row);
        bad_here += bad_row >= 0 ? 1 : 0;
        if (query.exists()) found_here += task.answer(query, spread.index_of(query));
      }
      all += found_here;
      bad += bad_here;
    });
    found += static_cast<unsigned long long>(all.load());
    non_finite += static_cast<unsigned long long>(bad.load());
  }
  unsigned long long left_out() const { return bad_offsets() > 0 ? 0 : count_left_out(points, index_); }
  /// Number of wrong offsets of points and queries. If it is not 0, all rows are empty.
  unsigned long long bad_offsets() const {
    index_t const all = count_bad_offsets(points) + (self_ ? 0 : count_bad_offsets(queries));
    return static_cast<unsigned long long>(all);
  }

 private:
  static constexpr index_t packet = 32;
  static constexpr index_t block_size = 8 * packet;

  /// Gives packets an order, as a GPU does where they are many: here the last comes first.
  void order_packets() {
    if (!self_) return;
    auto const packets = static_cast<std::uint32_t>(search_queries<view>{queries, index_, self_}.threads() / packet);
    for (std::uint32_t i = 0; i < packets; ++i) packets_.push_back(packets - 1 - i);
    index_.packets = packets_.data();
  }

  bool self_;
  host_search_plan<scalar> plan_;
  host_workspace memory_;
  point_bvh_arrays<scalar> index_;
  std::vector<std::uint32_t> packets_;  ///< none lies behind the last
};

/// @param first_index  added to the indices of neighbors
template <class Key, class Problem, class Output>
void run_lists(indexed_problem<Problem> const& clouds, Problem const& problem, index_t first_index,
               Output const& output, radius_report& report) {
  using scalar = typename Problem::scalar;
  using writer_type = row_writer<scalar>;
  auto const request = request_of<scalar>(problem.within());
  writer_type const writer{problem.k, output.indices, output.distances, output.counts, first_index};
  auto const run = [&](auto const& task) { clouds.run(task, report.total, report.non_finite_queries); };
  if (problem.k == 0) {
    run(radius_count<scalar>{request, output.counts});
  } else if (problem.k == 1) {
    run(register_lists<Key, 1, writer_type>{request, writer});
  } else if (problem.k <= 16) {
    run(register_lists<Key, 16, writer_type>{request, writer});
  } else {
    run(register_lists<Key, 32, writer_type>{request, writer});
  }
}

template <class Problem>
auto solve_radius(Problem const& problem, index_t first_index = 0) {
  return collect_radius(problem, [&](auto const& output) -> farpoint::result {
    indexed_problem<Problem> const clouds{problem};
    auto checked = check_host_search(host_exec{1}, clouds.points, clouds.queries);
    if (checked) checked = check_radius(clouds.queries.points().size(), problem.within(), output);
    if (!checked) return checked;
    *output.report = {};
    if (problem.params.order == radius_order::nearest) {
      run_lists<neighbor_key<typename Problem::scalar>>(clouds, problem, first_index, output, *output.report);
    } else {
      run_lists<index_key<typename Problem::scalar>>(clouds, problem, first_index, output, *output.report);
    }
    output.report->non_finite_points = clouds.left_out();
    output.report->bad_offsets = clouds.bad_offsets();
    return {};
  });
}

template <class Problem>
auto solve_rows(Problem const& problem) {
  using scalar = typename Problem::scalar;
  using view = typename Problem::points_type::view;
  return collect_rows(problem, [&](auto const& output) -> farpoint::result {
    indexed_problem<Problem> const clouds{problem};
    index_t const rows = clouds.queries.points().size();
    auto const request = request_of<scalar>(problem.params);
    *output.report = {};
    for (index_t row = 0; row <= rows; ++row) output.offsets.set(row, 0);
    unsigned long long none = 0;
    clouds.run(radius_count<scalar>{request, output.offsets}, none, output.report->non_finite_queries);
    output.report->total = static_cast<unsigned long long>(add_up_counts(output.offsets, rows));
    for (index_t row = 0; row < rows; ++row) {
      bool const fits = row_fits(output.offsets.get(row + 1), output.indices.size(), output.offsets.wide());
      output.report->rows_left_out += fits ? 0 : 1;
    }
    if (problem.params.order == radius_order::nearest) {
      clouds.run(radius_rows_fill<neighbor_key<scalar>, view>{request, clouds.points, output, 0}, none, none);
    } else {
      clouds.run(radius_rows_fill<index_key<scalar>, view>{request, clouds.points, output, 0}, none, none);
    }
    output.report->non_finite_points = clouds.left_out();
    output.report->bad_offsets = clouds.bad_offsets();
    return {};
  });
}

}  // namespace

#define BACKEND_NAME "tasks of a GPU"
#define BACKEND_TAG "[host][one_thread]"
#define BACKEND_TEST_CASE ONE_THREAD_TEST_CASE
#define BACKEND_LONGEST_LIST 32
#include "../radius_tests.inc"

namespace {

/// Counts how often it is called for each row.
struct visit_counter {
  std::vector<std::atomic<int>>& seen;
  std::vector<std::atomic<int>>& empty;

  index_t answer(search_query<float> const& q, farpoint::point_bvh_ref<float> const&) const {
    ++seen[static_cast<std::size_t>(q.row)];
    return 1;
  }
  void leave_empty(index_t row) const { ++empty[static_cast<std::size_t>(row)]; }
};

}  // namespace

TEST_CASE("radius, tasks of a GPU: indices may count from another number than 0", "[radius][host]") {
  constexpr index_t first = (index_t{1} << 33) + 5;
  for (std::uint64_t seed = 0; seed < rounds(40); ++seed) {
    radius_problem<float> problem{make_cloud(all_shapes[seed % std::size(all_shapes)], 100, seed), 0.5, 0};
    problem.wide = true;
    for (auto const order : {radius_order::index, radius_order::nearest}) {
      problem.params.order = order;
      for (index_t const max : {1, 16, 18, 32}) {
        problem.k = max;
        CAPTURE(seed, static_cast<int>(order), max);
        auto expected = reference_radius(problem);
        for (index_t& index : expected.indices) index += index < 0 ? 0 : first;
        auto const actual = solve_radius(problem, first);
        check_answer(actual, expected);
      }
    }
  }
}

TEST_CASE("search_queries: every query of a batch has one thread, whatever the offsets", "[radius][host]") {
  auto const cloud = make_cloud(shape::non_finite, 500, 3);
  knn_problem<float> problem{cloud, 1};
  for (auto const& offsets : {std::vector<index_t>{}, {0, 500}, {0, 0, 1, 9, 9, 200, 500, 500}, {100, 250, 400}}) {
    problem.points.offsets = offsets;
    for (bool const self : {true, false}) {
      problem.self = self;
      problem.queries = problem.points;
      indexed_problem<knn_problem<float>> const clouds{problem};
      std::vector<std::atomic<int>> seen(500), empty(500);
      visit_counter const task{seen, empty};
      unsigned long long found = 0;
      unsigned long long bad = 0;
      clouds.run(task, found, bad);
      bool right = true;
      for (std::size_t i = 0; i < 500; ++i) {
        bool const inside = offsets.empty() || (index_t(i) >= offsets.front() && index_t(i) < offsets.back());
        bool const finite = std::isfinite(cloud[i][0]) && std::isfinite(cloud[i][1]) && std::isfinite(cloud[i][2]);
        right = right && seen[i] == (inside && finite ? 1 : 0) && empty[i] == (inside && !finite ? 1 : 0);
      }
      CHECK(right);
    }
  }
}

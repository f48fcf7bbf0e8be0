/// @file
/// Searches of farpoint and of other libraries on the host: among the points themselves, for other points, and within a
/// radius, one query at a time. See README.md.

#include "host_peers/problem.hpp"
#include "host_peers/register.hpp"
#include "peers/external/host_search.hpp"
#include "support/host_timing.hpp"
#include "support/problem_store.hpp"
#include "support/register_row.hpp"

#include <farpoint/core/workspace.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/point_bvh.hpp>

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

namespace farpoint_bench {
namespace {

constexpr char const* near_label = "distances of some queries are near brute force's";
constexpr char const* equal_label = "some rows equal brute force";

/// Radius of host_within (m).
constexpr float within_radius = 0.5f;

/// Registers the rows of one type of coordinates.
template <class Scalar>
class searches {
 public:
  using problem = host_search_problem<Scalar>;
  using store = problem_store<problem, knn_row>;

  explicit searches(std::shared_ptr<store> problems) : problems_{std::move(problems)} {}

  /// The index is built in the call.
  void among_themselves(char const* suite, knn_row const& row, int threads) const {
    for (auto const& peer : host_peers<Scalar>()) {
      add(suite, row, peer.name, threads, [=](benchmark::State& state, problem const& p) {
        lists_of(state, p, threads, near_label, [&](host_lists<Scalar>& lists) {
          search_peer(*peer.build(p.xyz().data(), p.size()), p.xyz(), p.k(), threads, lists.indices.data(),
                      lists.distances.data());
        });
      });
    }
    add(suite, row, "farpoint", threads, [=](benchmark::State& state, problem const& p) {
      farpoint::host_exec const exec{threads};
      farpoint::host_scratch const workspace{
          farpoint::knn_workspace_bytes(exec, p.points(), farpoint::knn_params{p.row().k})};
      lists_of(state, p, threads, equal_label, [&](host_lists<Scalar>& lists) {
        check(farpoint::knn(exec, p.points(), farpoint::knn_params{p.row().k}, lists.output(), workspace),
              "farpoint::knn");
      });
    });
  }

  /// The index is given.
  void of_others(knn_row const& row, int threads) const {
    for (auto const& peer : host_peers<Scalar>()) {
      add("host_queries", row, peer.name, threads, [=](benchmark::State& state, problem const& p) {
        auto const index = peer.build(p.xyz().data(), p.size());
        lists_of(state, p, threads, near_label, [&](host_lists<Scalar>& lists) {
          search_peer(*index, p.queries(), p.k(), threads, lists.indices.data(), lists.distances.data());
        });
      });
    }
    for (bool const sorted : {true, false}) {
      add("host_queries", row, sorted ? "farpoint" : "farpoint_no_workspace", threads,
          [=](benchmark::State& state, problem const& p) {
            auto const built = farpoint_index(p);
            farpoint::host_exec const exec{threads};
            farpoint::host_scratch const workspace{
                sorted ? farpoint::knn_workspace_bytes(exec, built->index, p.asking()) : 0};
            lists_of(state, p, threads, equal_label, [&](host_lists<Scalar>& lists) {
              check(farpoint::knn(exec, built->index, p.asking(), farpoint::knn_params{p.row().k}, lists.output(),
                                  workspace),
                    "farpoint::knn");
            });
          });
    }
  }

  /// Radius searches in an index that is already built, one call per query.
  void within(knn_row const& row) const {
    for (auto const& peer : host_peers<Scalar>()) {
      add("host_within", row, peer.name, 1, [=](benchmark::State& state, problem const& p) {
        auto const index = peer.build(p.xyz().data(), p.size());
        counts_of(state, p, [&](std::vector<std::int32_t>& counts) {
          index->within(p.queries().data(), p.size(), within_radius, counts.data());
        });
      });
    }
    add("host_within", row, "farpoint", 1, [=](benchmark::State& state, problem const& p) {
      auto const built = farpoint_index(p);
      auto const cloud = built->index[0];
      struct found_point {
        std::uint32_t index;
        Scalar distance2;
      };
      std::vector<found_point> found;
      counts_of(state, p, [&](std::vector<std::int32_t>& counts) {
        for (std::size_t i = 0; i < p.size(); ++i) {
          Scalar const* const q = &p.queries()[3 * i];
          found.clear();
          cloud.within({{q[0], q[1], q[2]}}, Scalar{within_radius} * Scalar{within_radius},
                       [&](std::uint32_t index, Scalar distance2) {
                         found.push_back({index, distance2});
                       });
          counts[i] = static_cast<std::int32_t>(found.size());
        }
      });
    });
  }

 private:
  template <class Body>
  void add(char const* suite, knn_row const& row, std::string const& who, int threads, Body body) const {
    register_row(std::string{suite} + "/" + row.name() + "/" + scalar_name<Scalar>() + "/" + who + "_threads_" +
                     std::to_string(threads),
                 row.calls,
                 [row, body, problems = problems_](benchmark::State& state) { body(state, (*problems)[row]); });
  }

  static std::shared_ptr<farpoint::point_bvh_of_cloud<Scalar>> farpoint_index(problem const& p) {
    farpoint::host_exec const exec{1};
    auto const built = std::make_shared<farpoint::point_bvh_of_cloud<Scalar>>(
        farpoint::point_bvh_of_cloud<Scalar>{farpoint::host_scratch{farpoint::point_bvh_bytes(exec, p.points())}, {}});
    check(farpoint::build_point_bvh(exec, p.points(), built->memory, built->index), "farpoint::build_point_bvh");
    return built;
  }

  template <class Call>
  static void lists_of(benchmark::State& state, problem const& p, int threads, char const* label, Call const& call) {
    host_lists<Scalar> got{p.size() * p.k()};
    time_blocking_calls(state, p.row().work(), [&] { call(got); });
    if (label == equal_label) {
      p.expect_equal(got);
    } else {
      p.expect_near(got);
    }
    finish(state, p, threads, label);
  }

  template <class Call>
  static void counts_of(benchmark::State& state, problem const& p, Call const& call) {
    std::vector<std::int32_t> counts(p.size());
    time_blocking_calls(state, p.row().work(), [&] { call(counts); });
    p.expect_counts(counts, within_radius);
    finish(state, p, 1, "counts of some queries are brute force's");
  }

  static void finish(benchmark::State& state, problem const& p, int threads, char const* label) {
    state.SetLabel(label);
    p.row().count(state);
    state.counters["host_threads"] = threads;
  }

  std::shared_ptr<store> problems_;
};

constexpr knn_row themselves_rows[] = {
    {115'200, 10, knn_cloud::lidar, 10},
    {100'000, 10, knn_cloud::cube, 10},
    {1'000'000, 10, knn_cloud::lidar, 3},
};
constexpr knn_row small_rows[] = {
    {1, 1, knn_cloud::cube, 2000},
    {10, 4, knn_cloud::cube, 2000},
    {100, 8, knn_cloud::cube, 1000},
    {1'000, 8, knn_cloud::cube, 200},
};
constexpr knn_row others_rows[] = {
    {115'200, 10, knn_cloud::lidar, 10, nullptr, knn_queries::moved},
    {115'200, 10, knn_cloud::lidar, 10, nullptr, knn_queries::shuffled},
};
constexpr knn_row within_row{115'200, 10, knn_cloud::lidar, 5, nullptr, knn_queries::moved};

template <class Scalar>
std::shared_ptr<void> register_of(std::vector<named_scan> const& scans) {
  auto const problems = std::make_shared<typename searches<Scalar>::store>(scans);
  searches<Scalar> const all{problems};
  for (knn_row const& row : themselves_rows) {
    for (int const threads : thread_counts()) all.among_themselves("host_knn", row, threads);
  }
  for (knn_row const& row : others_rows) {
    for (int const threads : thread_counts()) all.of_others(row, threads);
  }
  all.within(within_row);
  for (knn_row const& row : small_rows) all.among_themselves("host_small", row, 1);
  for (named_scan const& scan : problems->scans()) {
    auto const points = static_cast<farpoint::index_t>(scan.xyz.size() / 3);
    knn_row row{points, 10, knn_cloud::scan, 5, scan.name.c_str()};
    for (int const threads : thread_counts()) all.among_themselves("host_knn", row, threads);
    row.asking = knn_queries::moved;
    for (int const threads : thread_counts()) all.of_others(row, threads);
    all.within(row);
  }
  return problems;
}

}  // namespace

std::vector<std::shared_ptr<void>> register_searches(std::vector<named_scan> const& scans) {
  return {register_of<float>(scans), register_of<double>(scans)};
}

}  // namespace farpoint_bench

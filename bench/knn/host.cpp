/// @file
/// knn() on the host against nanoflann and brute force, in one run. See README.md.

#include "knn/leaves.hpp"
#include "peers/knn_nanoflann.hpp"
#include "knn/row.hpp"
#include "support/context.hpp"
#include "support/failures.hpp"
#include "support/host_timing.hpp"
#include "support/run_suite.hpp"

#include <farpoint/knn.hpp>
#include <farpoint/reference/knn.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace farpoint_bench {
namespace {

constexpr knn_row rows[] = {
    {10'000, 8, knn_cloud::cube, 20},       {100'000, 8, knn_cloud::cube, 10},   {100'000, 8, knn_cloud::sphere, 10},
    {100'000, 8, knn_cloud::lidar, 10},     {100'000, 8, knn_cloud::clumps, 10}, {100'000, 8, knn_cloud::one_cell, 10},
    {100'000, 8, knn_cloud::line, 10},      {100'000, 1, knn_cloud::cube, 10},   {100'000, 16, knn_cloud::cube, 5},
    {100'000, 32, knn_cloud::cube, 5},      {100'000, 100, knn_cloud::cube, 3},  {1'000'000, 8, knn_cloud::cube, 3},
    {1'000'000, 8, knn_cloud::sphere, 3},   {1'000'000, 8, knn_cloud::lidar, 3}, {1'000'000, 8, knn_cloud::clumps, 3},
    {1'000'000, 8, knn_cloud::one_cell, 3}, {1'000'000, 8, knn_cloud::line, 3},
};

/// Largest cloud of which brute force is timed: all pairs.
constexpr farpoint::index_t brute_force_points = 10'000;
/// Queries whose answers brute force checks.
constexpr std::size_t checked_queries = 200;

using cloud_batch = farpoint::batch<farpoint::point_view<float>>;

cloud_batch batch_of(std::vector<float> const& xyz) {
  return cloud_batch{farpoint::point_view<float>{xyz.data(), static_cast<farpoint::index_t>(xyz.size() / 3)}};
}

/// `[queries, k]` each.
struct lists {
  std::vector<std::int32_t> indices;
  std::vector<float> distances;

  lists(std::size_t queries, farpoint::index_t k)
      : indices(queries * static_cast<std::size_t>(k)), distances(indices.size()) {}
  farpoint::knn_output<float> output() { return {indices, distances}; }
};

void check_host(farpoint::result outcome) {
  if (!outcome) throw std::runtime_error{std::string{farpoint::to_string(outcome.code)} + ": " + outcome.reason};
}

/// A row's points and brute force's answer for some of them.
struct problem {
  knn_row row;
  std::vector<float> xyz;
  std::vector<std::size_t> asked;
  lists wanted;

  problem(knn_row const& r, std::vector<float> const& scan)
      : row{r}, xyz{row.make(scan)}, wanted{std::min(checked_queries, xyz.size() / 3), row.k} {
    std::size_t const n = xyz.size() / 3;
    std::vector<float> queries;
    for (std::size_t i = 0; i < std::min(checked_queries, n); ++i) {
      asked.push_back(i * 7919 % n);
      queries.insert(queries.end(), &xyz[3 * asked.back()], &xyz[3 * asked.back()] + 3);
    }
    check_host(farpoint::reference::knn(batch_of(xyz), batch_of(queries), farpoint::exact{}, row.k, wanted.output()));
  }

  /// Throws unless indices and bits of distances are brute force's.
  void expect_equal(lists const& got) const {
    auto const k = static_cast<std::size_t>(row.k);
    for (std::size_t i = 0; i < asked.size() * k; ++i) {
      std::size_t const at = asked[i / k] * k + i % k;
      if (got.indices[at] == wanted.indices[i] &&
          std::memcmp(&got.distances[at], &wanted.distances[i], sizeof(float)) == 0) {
        continue;
      }
      throw std::runtime_error{"MISMATCH at point " + std::to_string(asked[i / k])};
    }
  }

  /// Throws unless the distances agree but for rounding: others add in another order, and break ties otherwise.
  void expect_near(lists const& got) const {
    auto const k = static_cast<std::size_t>(row.k);
    for (std::size_t i = 0; i < asked.size() * k; ++i) {
      float const a = got.distances[asked[i / k] * k + i % k];
      if (!(std::fabs(a - wanted.distances[i]) <= 1e-5f * wanted.distances[i])) {
        throw std::runtime_error{"MISMATCH at point " + std::to_string(asked[i / k])};
      }
    }
  }
};

void count_row(benchmark::State& state, problem const& p, int threads) {
  state.counters["n"] = static_cast<double>(p.xyz.size() / 3);
  state.counters["k"] = static_cast<double>(p.row.k);
  state.counters["host_threads"] = threads;
}

void run_brute_force(benchmark::State& state, problem const& p) {
  lists found{p.xyz.size() / 3, p.row.k};
  time_blocking_calls(state, p.row.work(), [&] {
    check_host(farpoint::reference::knn(batch_of(p.xyz), farpoint::exact{}, p.row.k, found.output()));
  });
  p.expect_equal(found);
  count_row(state, p, 1);
}

void run_farpoint(benchmark::State& state, problem const& p, int threads) {
  lists found{p.xyz.size() / 3, p.row.k};
  farpoint::host_exec const exec{threads};
  cloud_batch const cloud = batch_of(p.xyz);
  farpoint::detail::host_workspace const workspace{
      farpoint::knn_workspace_bytes(exec, cloud, farpoint::exact{}, p.row.k)};
  time_blocking_calls(state, p.row.work(), [&] {
    check_host(farpoint::knn(exec, cloud, farpoint::exact{}, p.row.k, found.output(), workspace.get()));
  });
  p.expect_equal(found);
  state.SetLabel("some rows equal brute force");
  count_row(state, p, threads);
}

#if defined(FARPOINT_BENCH_HAS_NANOFLANN)

void run_nanoflann(benchmark::State& state, problem const& p, int threads) {
  lists found{p.xyz.size() / 3, p.row.k};
  time_blocking_calls(state, p.row.work(), [&] {
    nanoflann_knn(p.xyz, static_cast<std::size_t>(p.row.k), threads, found.indices.data(), found.distances.data());
  });
  p.expect_near(found);
  state.SetLabel("some distances are near brute force's");
  count_row(state, p, threads);
}

#endif  // defined(FARPOINT_BENCH_HAS_NANOFLANN)

/// Queries that are answered together, as a warp does it.
constexpr std::size_t packet = 32;

/// What leaves of `Leaf` points cost, for queries one by one or `together`.
template <int Leaf>
void run_leaves(benchmark::State& state, problem const& p, std::size_t together) {
  cloud_batch const cloud = batch_of(p.xyz);
  farpoint::host_exec const exec{1};
  farpoint::detail::host_workspace const memory{farpoint::point_bvh_bytes(exec, cloud)};
  farpoint::point_bvh<float> built;
  check_host(farpoint::build_point_bvh(exec, cloud, memory.get(), built));
  leaf_index<Leaf> const index{built[0]};
  lists found{p.xyz.size() / 3, p.row.k};
  search_counts counts;
  time_blocking_calls(state, p.row.work(), [&] {
    counts = {};
    std::vector<farpoint::topk_list<farpoint::neighbour_key<float>, 32>> nearest;
    std::vector<farpoint::neighbour_key<float>> keys(static_cast<std::size_t>(p.row.k));
    for (std::size_t first = 0; first < index.size(); first += together) {
      std::size_t const count = std::min(together, index.size() - first);
      index.search(first, count, static_cast<int>(p.row.k), nearest, counts);
      for (std::size_t q = 0; q < count; ++q) {
        std::size_t const row = index.index_of(first + q) * keys.size();
        nearest[q].write(keys.data(), static_cast<int>(p.row.k));
        for (std::size_t j = 0; j < keys.size(); ++j) {
          found.indices[row + j] = static_cast<std::int32_t>(keys[j].index());
          found.distances[row + j] = keys[j].distance2();
        }
      }
    }
  });
  p.expect_equal(found);
  state.SetLabel("some rows equal brute force");
  count_row(state, p, 1);
  double const searches = std::ceil(static_cast<double>(index.size()) / static_cast<double>(together));
  state.counters["groups"] = static_cast<double>(counts.groups) / searches;
  state.counters["leaves"] = static_cast<double>(counts.leaves) / searches;
  state.counters["tested_points"] = static_cast<double>(counts.leaves) * Leaf / searches;
}

/// Keeps the problems of the rows that have been measured.
class problem_store {
 public:
  explicit problem_store(std::vector<float> scan) : scan_{std::move(scan)} {}

  std::vector<float> const& scan() const noexcept { return scan_; }
  problem const& operator[](knn_row const& row) {
    auto& kept = problems_[row.name()];
    if (kept == nullptr) kept = std::make_unique<problem>(row, scan_);
    return *kept;
  }

 private:
  std::vector<float> scan_;
  std::map<std::string, std::unique_ptr<problem>> problems_;
};

template <class Body>
void register_row(std::string const& name, int calls, Body body) {
  benchmark::RegisterBenchmark(name.c_str(), [body](benchmark::State& state) { guarded(state, [&] { body(state); }); })
      ->UseManualTime()
      ->Iterations(calls)
      ->Unit(benchmark::kMillisecond);
}

void register_row_of(knn_row const& row, problem_store& problems) {
  std::string const name = "knn_host/" + row.name();
  if (row.points <= brute_force_points) {
    register_row(name + "/brute_force", 1,
                 [row, &problems](benchmark::State& state) { run_brute_force(state, problems[row]); });
  }
  for (int const threads : thread_counts()) {
    std::string const tail = "_threads_" + std::to_string(threads);
#if defined(FARPOINT_BENCH_HAS_NANOFLANN)
    register_row(name + "/nanoflann" + tail, row.calls,
                 [row, threads, &problems](benchmark::State& state) { run_nanoflann(state, problems[row], threads); });
#endif
    register_row(name + "/farpoint" + tail, row.calls,
                 [row, threads, &problems](benchmark::State& state) { run_farpoint(state, problems[row], threads); });
  }
}

template <int... Leaf>
void register_leaves(knn_row const& row, problem_store& problems) {
  std::string const name = "leaves/" + row.name() + "/leaf_";
  (register_row(name + std::to_string(Leaf), 1,
                [row, &problems](benchmark::State& state) { run_leaves<Leaf>(state, problems[row], 1); }),
   ...);
  (register_row(name + std::to_string(Leaf) + "_together", 1,
                [row, &problems](benchmark::State& state) { run_leaves<Leaf>(state, problems[row], packet); }),
   ...);
}

/// k is 32 at most.
constexpr knn_row leaf_rows[] = {
    {1'000'000, 8, knn_cloud::cube, 1},
    {1'000'000, 32, knn_cloud::cube, 1},
    {1'000'000, 8, knn_cloud::lidar, 1},
};

int run(arguments const& wished) {
  problem_store problems{wished.cloud_path.empty() ? std::vector<float>{} : read_cloud(wished.cloud_path)};
  for (knn_row const& row : rows) register_row_of(row, problems);
  if (!problems.scan().empty()) {
    register_row_of({static_cast<farpoint::index_t>(problems.scan().size() / 3), 8, knn_cloud::scan, 5}, problems);
  }
  if (wants("leaves", "FARPOINT_LEAVES")) {
    for (knn_row const& row : leaf_rows) register_leaves<4, 8, 16, 32>(row, problems);
  }
  if (!wished.list_only) {
    add_common_context("knn_host");
    if (!wished.cloud_path.empty()) benchmark::AddCustomContext("scan", file_name(wished.cloud_path));
  }
  return run_all();
}

}  // namespace
}  // namespace farpoint_bench

int main(int argc, char** argv) {
  return farpoint_bench::run_suite(argc, argv, farpoint_bench::run);
}

/// @file
/// knn() on the host against other libraries and brute force. See README.md.

#include "knn/expected.hpp"
#include "knn/leaves.hpp"
#include "peers/external/host_search.hpp"
#include "support/check.hpp"
#include "support/host_timing.hpp"
#include "support/problem_store.hpp"
#include "support/register_row.hpp"
#include "support/suite.hpp"

#include <farpoint/knn.hpp>
#include <farpoint/reference/knn.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <string>
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

/// Maximum number of points for which brute force, which compares all pairs, is timed.
constexpr farpoint::index_t brute_force_points = 10'000;
/// Number of queries of a row whose neighbors brute force finds, too.
constexpr farpoint::index_t checked_queries = 200;

/// A row's points and queries, and the neighbors that brute force finds for some of the queries.
struct host_problem {
  knn_row row;
  std::vector<float> xyz;
  std::vector<float> queries;
  std::vector<std::size_t> asked;
  knn_lists expected;

  host_problem(knn_row const& r, std::vector<float> const& scan)
      : row{r},
        xyz{row.make(scan)},
        queries{row.make_queries(xyz)},
        expected{std::min(checked_queries, row.points), row.k} {
    auto const n = static_cast<std::size_t>(row.points);
    std::vector<float> some;
    for (std::size_t i = 0; i < expected.indices.size() / static_cast<std::size_t>(row.k); ++i) {
      asked.push_back(i * 7919 % n);
      some.insert(some.end(), &queries[3 * asked.back()], &queries[3 * asked.back()] + 3);
    }
    check(farpoint::reference::knn(cloud(), cloud_of(some.data(), std::min(checked_queries, row.points)),
                                   farpoint::knn_params{row.k}, expected.output()),
          "farpoint::reference::knn");
  }

  knn_clouds cloud() const { return cloud_of(xyz.data(), row.points); }
  knn_clouds asking() const { return cloud_of(queries.data(), row.points); }

  /// The lists of the queries that brute force answered.
  knn_lists checked(knn_lists const& all) const {
    auto const k = static_cast<std::size_t>(row.k);
    knn_lists some = expected;
    for (std::size_t i = 0; i < some.indices.size(); ++i) {
      some.indices[i] = all.indices[asked[i / k] * k + i % k];
      some.distances[i] = all.distances[asked[i / k] * k + i % k];
    }
    return some;
  }
};

using host_problem_store = problem_store<host_problem, knn_row>;

/// Times `call(lists)`. The lists of the last call must equal the lists of brute force, to the bit.
template <class Call>
void time_row(benchmark::State& state, host_problem const& p, int threads, Call&& call) {
  knn_lists got{p.row.points, p.row.k};
  time_blocking_calls(state, p.row.work(), [&] { call(got); });
  expect_equal(p.checked(got), p.expected, p.row.k, p.row.name());
  p.row.count(state);
  state.counters["host_threads"] = threads;
}

void run_brute_force(benchmark::State& state, host_problem const& p) {
  time_row(state, p, 1, [&](knn_lists& lists) {
    check(farpoint::reference::knn(p.cloud(), farpoint::knn_params{p.row.k}, lists.output()),
          "farpoint::reference::knn");
  });
}

void run_farpoint(benchmark::State& state, host_problem const& p, int threads) {
  farpoint::host_exec const exec{threads};
  farpoint::detail::host_workspace const workspace{
      farpoint::knn_workspace_bytes(exec, p.cloud(), farpoint::knn_params{p.row.k})};
  time_row(state, p, threads, [&](knn_lists& lists) {
    check(farpoint::knn(exec, p.cloud(), farpoint::knn_params{p.row.k}, lists.output(), workspace.get()),
          "farpoint::knn");
  });
  state.SetLabel("some rows equal brute force");
}

/// Times `call(lists)`. The distances of the last call must equal the distances of brute force up to rounding: another
/// library may round and break ties differently.
template <class Call>
void time_near_row(benchmark::State& state, host_problem const& p, int threads, Call&& call) {
  knn_lists got{p.row.points, p.row.k};
  time_blocking_calls(state, p.row.work(), [&] { call(got); });
  expect_near(p.checked(got), p.expected, p.row.k, p.row.name());
  state.SetLabel("some distances are near brute force's");
  p.row.count(state);
  state.counters["host_threads"] = threads;
}

void run_peer(benchmark::State& state, host_problem const& p, host_peer<float> const& peer, int threads) {
  time_near_row(state, p, threads, [&](knn_lists& lists) {
    search_peer(*peer.build(p.xyz.data(), p.xyz.size() / 3), p.xyz, static_cast<std::size_t>(p.row.k), threads,
                lists.indices.data(), lists.distances.data());
  });
}

void run_peer_queries(benchmark::State& state, host_problem const& p, host_peer<float> const& peer, int threads) {
  auto const index = peer.build(p.xyz.data(), p.xyz.size() / 3);
  time_near_row(state, p, threads, [&](knn_lists& lists) {
    search_peer(*index, p.queries, static_cast<std::size_t>(p.row.k), threads, lists.indices.data(),
                lists.distances.data());
  });
}

/// farpoint's index of a row's points.
struct built_index {
  farpoint::detail::host_workspace memory;
  farpoint::point_bvh<float> bvh;

  explicit built_index(host_problem const& p) : memory{farpoint::point_bvh_bytes(farpoint::host_exec{1}, p.cloud())} {
    check(farpoint::build_point_bvh(farpoint::host_exec{1}, p.cloud(), memory.get(), bvh), "farpoint::build_point_bvh");
  }
};

/// @param sorted  true if the call has a workspace, in which it sorts the queries
void run_queries(benchmark::State& state, host_problem const& p, int threads, bool sorted) {
  built_index const index{p};
  farpoint::host_exec const exec{threads};
  farpoint::host_scratch const workspace{sorted ? farpoint::knn_workspace_bytes(exec, index.bvh, p.asking()) : 0};
  time_row(state, p, threads, [&](knn_lists& lists) {
    check(farpoint::knn(exec, index.bvh, p.asking(), farpoint::knn_params{p.row.k}, lists.output(), workspace),
          "farpoint::knn");
  });
  state.SetLabel("some rows equal brute force");
}

/// Searches one query at a time, as a caller's own loop does.
template <int K>
void run_one_by_one(benchmark::State& state, host_problem const& p) {
  built_index const index{p};
  auto const among = index.bvh[0];
  time_row(state, p, 1, [&](knn_lists& lists) {
    for (std::size_t i = 0; i < p.queries.size() / 3; ++i) {
      auto const found = among.template nearest<K>({{p.queries[3 * i], p.queries[3 * i + 1], p.queries[3 * i + 2]}});
      for (int j = 0; j < K; ++j) {
        lists.indices[i * K + static_cast<std::size_t>(j)] = static_cast<std::int32_t>(found[j].index());
        lists.distances[i * K + static_cast<std::size_t>(j)] = found[j].distance2();
      }
    }
  });
  state.SetLabel("some rows equal brute force");
}

/// Number of queries that are answered together, as by a warp.
constexpr std::size_t packet = 32;

/// Counts the work of a search with leaves of `Leaf` points, for queries one by one or `together`.
template <int Leaf>
void run_leaves(benchmark::State& state, host_problem const& p, std::size_t together) {
  built_index const built{p};
  leaf_index<Leaf> const index{built.bvh[0]};
  search_counts counts;
  time_row(state, p, 1, [&](knn_lists& lists) {
    counts = {};
    std::vector<farpoint::topk_list<farpoint::neighbor_key<float>, 32>> nearest;
    std::vector<farpoint::neighbor_key<float>> keys(static_cast<std::size_t>(p.row.k));
    for (std::size_t first = 0; first < index.size(); first += together) {
      std::size_t const count = std::min(together, index.size() - first);
      index.search(first, count, static_cast<int>(p.row.k), nearest, counts);
      for (std::size_t q = 0; q < count; ++q) {
        std::size_t const row = index.index_of(first + q) * keys.size();
        nearest[q].write(keys.data(), static_cast<int>(p.row.k));
        for (std::size_t j = 0; j < keys.size(); ++j) {
          lists.indices[row + j] = static_cast<std::int32_t>(keys[j].index());
          lists.distances[row + j] = keys[j].distance2();
        }
      }
    }
  });
  state.SetLabel("some rows equal brute force");
  double const searches = std::ceil(static_cast<double>(index.size()) / static_cast<double>(together));
  state.counters["groups"] = static_cast<double>(counts.groups) / searches;
  state.counters["leaves"] = static_cast<double>(counts.leaves) / searches;
  state.counters["tested_points"] = static_cast<double>(counts.leaves) * Leaf / searches;
}

void register_all(knn_row const& row, host_problem_store& problems) {
  std::string const name = "knn_host/" + row.name();
  if (row.points <= brute_force_points) {
    register_row(name + "/brute_force", 1,
                 [row, &problems](benchmark::State& state) { run_brute_force(state, problems[row]); });
  }
  for (int const threads : thread_counts()) {
    std::string const tail = "_threads_" + std::to_string(threads);
    for (host_peer<float> const& peer : host_peers<float>()) {
      register_row(name + "/" + peer.name + tail, row.calls, [row, threads, peer, &problems](benchmark::State& state) {
        run_peer(state, problems[row], peer, threads);
      });
    }
    register_row(name + "/farpoint" + tail, row.calls,
                 [row, threads, &problems](benchmark::State& state) { run_farpoint(state, problems[row], threads); });
  }
}

/// Registers rows of queries that are not the points, with an index that is built before the timed calls.
template <int K>
void register_queries(knn_row row, host_problem_store& problems) {
  row.k = K;
  std::string const name = "queries/" + row.name() + "/";
  for (int const threads : thread_counts()) {
    std::string const tail = "_threads_" + std::to_string(threads);
    for (host_peer<float> const& peer : host_peers<float>()) {
      register_row(name + peer.name + tail, row.calls, [row, threads, peer, &problems](benchmark::State& state) {
        run_peer_queries(state, problems[row], peer, threads);
      });
    }
    for (bool const sorted : {true, false}) {
      register_row(name + (sorted ? "farpoint" : "farpoint_no_workspace") + tail, row.calls,
                   [row, threads, sorted, &problems](benchmark::State& state) {
                     run_queries(state, problems[row], threads, sorted);
                   });
    }
  }
  register_row(name + "one_by_one", row.calls,
               [row, &problems](benchmark::State& state) { run_one_by_one<K>(state, problems[row]); });
}

template <int... Leaf>
void register_leaves(knn_row const& row, host_problem_store& problems) {
  std::string const name = "leaves/" + row.name() + "/leaf_";
  (register_row(name + std::to_string(Leaf), 1,
                [row, &problems](benchmark::State& state) { run_leaves<Leaf>(state, problems[row], 1); }),
   ...);
  (register_row(name + std::to_string(Leaf) + "_together", 1,
                [row, &problems](benchmark::State& state) { run_leaves<Leaf>(state, problems[row], packet); }),
   ...);
}

/// Rows whose visited leaves are counted; k is at most 32, the capacity of the lists of run_leaves().
constexpr knn_row leaf_rows[] = {
    {1'000'000, 8, knn_cloud::cube, 1},
    {1'000'000, 32, knn_cloud::cube, 1},
    {1'000'000, 8, knn_cloud::lidar, 1},
};

void register_rows(host_problem_store& problems) {
  for (knn_row const& row : rows) register_all(row, problems);
  for (named_scan const& scan : problems.scans()) {
    auto const points = static_cast<farpoint::index_t>(scan.xyz.size() / 3);
    register_all({points, 8, knn_cloud::scan, 5, scan.name.c_str()}, problems);
  }
  for (knn_queries const asking : {knn_queries::moved, knn_queries::shuffled}) {
    for (knn_cloud const kind : {knn_cloud::lidar, knn_cloud::cube}) {
      for (farpoint::index_t const points : {100'000, 1'000'000}) {
        knn_row const row{points, 1, kind, points < 1'000'000 ? 10 : 3, nullptr, asking};
        register_queries<1>(row, problems);
        register_queries<10>(row, problems);
      }
    }
  }
}

}  // namespace

int run_program(arguments const& args) {
  host_problem_store problems{read_first_scan(args.cloud_paths)};
  register_rows(problems);
  if (wants("leaves", "FARPOINT_LEAVES")) {
    for (knn_row const& row : leaf_rows) register_leaves<4, 8, 16, 32>(row, problems);
  }
  if (!args.cloud_path.empty()) benchmark::AddCustomContext("scan", file_name(args.cloud_path));
  return run_host_suite("knn_host", args);
}

}  // namespace farpoint_bench

/// @file
/// knn() of a cloud among itself on the GPU, beside brute force, nanoflann and other libraries. See bench/README.md.

#include "knn/external.cuh"
#include "knn/neighborhood.cuh"
#include "knn/peers.cuh"
#include "knn/register.cuh"
#include "peers/knn_nanoflann.hpp"
#include "support/cuda_suite.cuh"
#include "support/host_timing.hpp"
#include "support/peer_row.cuh"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

namespace farpoint_bench {
namespace {

constexpr knn_row rows[] = {
    {100, 8, knn_cloud::cube, 200},          {1'000, 8, knn_cloud::cube, 200},
    {10'000, 8, knn_cloud::cube, 200},       {100'000, 8, knn_cloud::cube, 200},
    {1'000'000, 1, knn_cloud::cube, 50},     {1'000'000, 3, knn_cloud::cube, 50},
    {1'000'000, 8, knn_cloud::cube, 50},     {1'000'000, 16, knn_cloud::cube, 50},
    {1'000'000, 32, knn_cloud::cube, 50},    {1'000'000, 64, knn_cloud::cube, 20},
    {1'000'000, 8, knn_cloud::sphere, 50},   {1'000'000, 16, knn_cloud::sphere, 50},
    {1'000'000, 32, knn_cloud::sphere, 50},  {1'000'000, 8, knn_cloud::lidar, 50},
    {1'000'000, 8, knn_cloud::clumps, 50},   {1'000'000, 8, knn_cloud::line, 50},
    {1'000'000, 8, knn_cloud::one_cell, 50}, {1'000'000, 8, knn_cloud::heap, 20},
    {10'000'000, 8, knn_cloud::cube, 20},
};

/// Row that is measured only on request: it takes 10 GB of device memory, and 10 GB and some seconds on the host.
constexpr knn_row huge_row{100'000'000, 8, knn_cloud::cube, 5};

/// Largest cloud for which brute force over all pairs is timed, and the number of its calls.
constexpr farpoint::index_t brute_points = 1'000'000;
constexpr int brute_calls = 5;
/// Number of calls of other libraries on the GPU.
constexpr int peer_calls = 10;
/// Largest cloud for which nanoflann is timed, and the number of its calls.
[[maybe_unused]] constexpr farpoint::index_t nanoflann_points = 1'000'000;
[[maybe_unused]] constexpr int nanoflann_calls = 3;

void register_brute(knn_contender const& c) {
  register_knn(
      c, [](knn_problem&) {}, [](knn_problem const& problem, cudaStream_t stream) { problem.launch_brute(stream); });
}

#if defined(FARPOINT_BENCH_HAS_NANOFLANN)

void register_nanoflann(knn_contender const& c, int threads) {
  register_row(c.name + "_threads_" + std::to_string(threads), c.calls, [=](benchmark::State& state) {
    knn_problem& problem = (*c.problems)[c.row];
    knn_lists const& expected = problem.expected();
    knn_lists got = expected;
    time_blocking_calls(state, c.row.work(), [&] {
      nanoflann_knn(problem.xyz(), static_cast<std::size_t>(c.row.k), threads, got.indices.data(),
                    got.distances.data());
    });
    expect_near(got, expected, c.row.k, "nanoflann");
    state.SetLabel("distances are near those of host_exec");
    c.row.count(state);
    state.counters["host_threads"] = threads;
  });
}

#endif  // defined(FARPOINT_BENCH_HAS_NANOFLANN)

/// Registers other libraries on the GPU. Their trees put the equal points of a heap into one leaf, and would compare
/// all pairs of it.
void register_knn_peers(knn_row const& row, bool flush_l2, knn_problem_store& problems) {
  if (row.kind == knn_cloud::heap) return;
  register_peers<device_knn>(
      "knn_exact/" + row.name() + "/", knn_problem::peer_shape(row), std::min(row.calls, peer_calls),
      [&problems, row, flush_l2](auto& state, auto const& peer) {
        knn_problem& problem = problems[row];
        time_peer(
            state, peer, problem.peer_input(), problem.stream(), row.work(), flush_l2, [&](device_knn const& call) {
              row.count(state);
              return peer_answer{mistakes_in(call.indices(), problem.xyz(), problem.xyz(), problem.expected(), row.k),
                                 "distances are near those of host_exec"};
            });
      });
}

/// Registers the contenders of a row.
void register_all(knn_row const& row, bool flush_l2, knn_problem_store& problems) {
  std::string const name = "knn_exact/" + row.name() + "/";
  auto const with = [&](char const* who, int calls, how mode) {
    return knn_contender{name + who, row, calls, mode, flush_l2, &problems};
  };
  bool const suits_brute = row.points <= brute_points && row.k <= brute_max_neighbors;
  if (suits_brute) register_brute(with("brute_force", brute_calls, how::launched));
#if defined(FARPOINT_BENCH_HAS_NANOFLANN)
  // nanoflann, too, puts the equal points of a heap into one leaf.
  bool const suits_nanoflann = row.points <= nanoflann_points && row.kind != knn_cloud::heap;
  if (suits_nanoflann) register_nanoflann(with("nanoflann", nanoflann_calls, how::launched), thread_counts().back());
#endif
  register_knn_peers(row, flush_l2, problems);
  register_farpoint<farpoint::knn_selector>(with("farpoint", row.calls, how::launched));
  register_farpoint<farpoint::knn_selector>(with("graph", row.calls, how::replayed));
  // The index does not depend on k.
  if (row.k != 8) return;
  register_index<farpoint::knn_selector>(
      {"index/" + row.name() + "/graph", row, row.calls, how::replayed, flush_l2, &problems});
}

void register_rows(bool flush_l2, knn_problem_store& problems) {
  for (knn_row const& row : rows) register_all(row, flush_l2, problems);
  if (wants("100000000", "FARPOINT_HUGE")) register_all(huge_row, flush_l2, problems);
  for (named_scan const& scan : problems.scans()) {
    auto const points = static_cast<farpoint::index_t>(scan.xyz.size() / 3);
    for (farpoint::index_t const k : {1, 8, 32}) {
      register_all({points, k, knn_cloud::scan, 100, scan.name.c_str()}, flush_l2, problems);
    }
  }
}

}  // namespace

int run_program(arguments const& args) {
  knn_problem_store problems{read_scans(args.cloud_paths)};
  register_rows(args.flush_l2, problems);
  register_external(args.flush_l2);
  register_neighborhood(args.flush_l2);
  return run_cuda_suite("knn_exact", args);
}

}  // namespace farpoint_bench

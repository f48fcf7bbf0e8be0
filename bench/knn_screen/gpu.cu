/// @file
/// knn() in screen space on the GPU against FastKNN and Auto Splats, in one run. See README.md.

#include "knn_screen/problem.cuh"
#include "support/cuda_context.cuh"
#include "support/failures.hpp"
#include "support/run_cuda_suite.hpp"
#include "support/timing.cuh"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>
#include <vector>

namespace farpoint_bench {
namespace {

/// About 30,000, 150,000 and 500,000 visible points with the fewest, the usual and the most neighbours; in one of them
/// all from 3 to 16.
std::vector<knn_screen_row> rows() {
  std::vector<knn_screen_row> all;
  for (int const k : {8, 3, 32}) {
    for (auto const& size : {std::array<int, 2>{1024, 1024}, {1920, 1080}}) {
      for (farpoint::index_t const points : {31'000, 170'000, 1'000'000}) {
        all.push_back({points, size[0], size[1], k, k == 8 ? 50 : 20});
      }
    }
  }
  for (int k = 4; k <= 16; ++k) {
    if (k != 8) all.push_back({170'000, 1024, 1024, k, 20});
  }
  return all;
}

/// A row, its name, and where the problems are.
struct entry {
  std::string name;
  knn_screen_row row;
  bool flush_l2;
  knn_screen_problem_store* problems;
};

/// Registers a graph: prepare(problem) returns the label; then launch(problem, stream) is captured, and timed.
template <class Prepare, class Launch>
void register_graph(entry const& e, Prepare prepare, Launch launch) {
  auto const body = [=](benchmark::State& state) {
    guarded(state, [&] {
      knn_screen_problem& problem = (*e.problems)[e.row];
      state.SetLabel(prepare(problem));
      state.counters["n"] = static_cast<double>(e.row.points);
      state.counters["k"] = e.row.k;
      state.counters["visible"] = static_cast<double>(problem.visible());
      time_row(state, how::replayed, problem.stream(), e.row.work(problem.visible()), e.flush_l2,
               [&](cudaStream_t stream) { launch(problem, stream); });
    });
  };
  benchmark::RegisterBenchmark(e.name.c_str(), body)
      ->UseManualTime()
      ->Iterations(e.row.calls)
      ->Unit(benchmark::kMillisecond);
}

std::string right_sets(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "right sets %.4f", share);
  return text;
}

void register_published(entry e, char const* contender, void (*launch)(cudaStream_t, published_args const&)) {
  e.name += contender;
  register_graph(
      e,
      [launch](knn_screen_problem& problem) {
        problem.reserve_published();
        launch(problem.stream(), problem.published());
        return right_sets(problem.share_of_right_published_sets());
      },
      [launch](knn_screen_problem const& problem, cudaStream_t stream) { launch(stream, problem.published()); });
}

void register_farpoint(entry e, char const* contender, int rounds) {
  e.name += contender;
  register_graph(
      e,
      [rounds](knn_screen_problem& problem) {
        problem.reserve(rounds);
        problem.verify(rounds);
        return "host_exec, bit by bit, " + right_sets(problem.share_of_right_sets(rounds));
      },
      [rounds](knn_screen_problem const& problem, cudaStream_t stream) { problem.launch(stream, rounds); });
}

void register_parts(entry e) {
  std::string const name = e.name;
  for (bool const with_index : {false, true}) {
    e.name = name + (with_index ? "view_and_index_graph" : "view_graph");
    register_graph(
        e,
        [with_index](knn_screen_problem& problem) {
          problem.reserve(0);
          return std::string{"part of until_exact: projection, z-buffer, numbering"} + (with_index ? ", index" : "");
        },
        [with_index](knn_screen_problem const& problem, cudaStream_t stream) {
          problem.launch_view(stream, with_index);
        });
  }
  e.name = name + "tree_graph";
  register_graph(
      e,
      [](knn_screen_problem& problem) {
        problem.reserve_published();
        launch_published_view(problem.stream(), problem.published());
        return "part of rounds_3: the quadtree";
      },
      [](knn_screen_problem const& problem, cudaStream_t stream) { problem.launch_tree(stream); });
}

void register_all(entry const& e) {
  register_published(e, "published_graph", launch_fastknn);
  register_published(e, "auto_splats_graph", launch_auto_splats);
  register_farpoint(e, "until_exact_graph", 0);
  register_farpoint(e, "rounds_3_graph", 3);
  register_parts(e);
}

void register_rows(bool flush_l2, knn_screen_problem_store& problems) {
  auto const add = [&](knn_screen_row const& row) {
    register_all({"knn_screen/" + row.name() + "/", row, flush_l2, &problems});
  };
  for (knn_screen_row const& row : rows()) add(row);
  for (named_scan const& scan : problems.scans()) {
    knn_screen_row row{static_cast<farpoint::index_t>(scan.xyz.size() / 3), 1024, 1024, 8, 50};
    row.scan_name = scan.name.c_str();
    add(row);
  }
}

int run(arguments const& wished) {
  knn_screen_problem_store problems{read_scans(wished.cloud_paths)};
  register_rows(wished.flush_l2, problems);
  if (!wished.list_only) {
    add_common_context("knn_screen");
    add_cuda_context(wished.flush_l2);
  }
  return run_all();
}

}  // namespace
}  // namespace farpoint_bench

int main(int argc, char** argv) {
  return farpoint_bench::run_cuda_suite(argc, argv, farpoint_bench::run);
}

/// @file
/// knn() in screen space on the GPU against FastKNN and Auto Splats. See README.md.

#include "knn_screen/problem.cuh"
#include "support/contender.cuh"
#include "support/cuda_suite.cuh"

#include <benchmark/benchmark.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

namespace farpoint_bench {
namespace {

/// About 30,000, 150,000 and 500,000 visible points with the fewest, the usual and the most neighbors; one row has
/// all k from 3 to 16.
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

using knn_screen_contender = contender<knn_screen_problem, knn_screen_row>;

/// Registers a graph. `prepare(problem)` allocates, checks what launch(problem, stream) does, and returns the label.
template <class Prepare, class Launch>
void register_graph(knn_screen_contender c, char const* who, Prepare prepare, Launch launch) {
  c.name += who;
  register_contender(
      c, [](knn_screen_problem&) {},
      [c, prepare](benchmark::State& state, knn_screen_problem& problem, auto const&) {
        state.SetLabel(prepare(problem));
        state.counters["n"] = static_cast<double>(c.row.points);
        state.counters["k"] = c.row.k;
        state.counters["visible"] = static_cast<double>(problem.visible());
        return c.row.work(problem.visible());
      },
      launch);
}

std::string right_sets(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "right sets %.4f", share);
  return text;
}

void register_published(knn_screen_contender const& c, char const* who,
                        void (*launch)(cudaStream_t, knn_screen_published_args const&)) {
  register_graph(
      c, who,
      [launch](knn_screen_problem& problem) {
        problem.reserve_published();
        launch(problem.stream(), problem.published());
        return right_sets(problem.share_of_right_published_sets());
      },
      [launch](knn_screen_problem const& problem, cudaStream_t stream) { launch(stream, problem.published()); });
}

void register_farpoint(knn_screen_contender const& c, char const* who, knn_screen_problem::search how) {
  register_graph(
      c, who,
      [how](knn_screen_problem& problem) {
        problem.reserve(how);
        problem.verify(how);
        return "host_exec, bit by bit, " + right_sets(problem.share_of_right_sets(how));
      },
      [how](knn_screen_problem const& problem, cudaStream_t stream) { problem.launch(stream, how); });
}

void register_parts(knn_screen_contender const& c) {
  for (bool const with_index : {false, true}) {
    register_graph(
        c, with_index ? "view_and_index_graph" : "view_graph",
        [with_index](knn_screen_problem& problem) {
          problem.reserve({farpoint::until_exact});
          return std::string{"part of until_exact: projection, z-buffer, numbering"} + (with_index ? ", index" : "");
        },
        [with_index](knn_screen_problem const& problem, cudaStream_t stream) {
          problem.launch_view(stream, with_index);
        });
  }
  register_graph(
      c, "tree_graph",
      [](knn_screen_problem& problem) {
        problem.reserve_published();
        launch_published_view(problem.stream(), problem.published());
        return "part of rounds_3: the quadtree";
      },
      [](knn_screen_problem const& problem, cudaStream_t stream) { problem.launch_tree(stream); });
}

/// From points to the picture, and its stages one by one.
void register_frame(knn_screen_contender const& c) {
  struct stage {
    char const* name;
    char const* label;
    void (splat_frame::*launch)(cudaStream_t) const;
  };
  for (stage const& one :
       {stage{"frame_graph", "search, normals, splats; host_exec, bit by bit", &splat_frame::launch},
        stage{"frame_project_graph", "project(), of which the search has its own", &splat_frame::launch_project},
        stage{"frame_search_graph", "part of frame: projection, index and search", &splat_frame::launch_search},
        stage{"frame_normals_graph", "part of frame: normals and extents", &splat_frame::launch_normals},
        stage{"frame_splats_graph", "part of frame: the picture, in bytes", &splat_frame::launch_splats},
        stage{"frame_splat_lists_graph", "part of splats: which are in each tile", &splat_frame::launch_splat_lists}}) {
    register_graph(
        c, one.name,
        [label = one.label](knn_screen_problem& problem) {
          problem.reserve_frame();
          return std::string{label};
        },
        [launch = one.launch](knn_screen_problem const& problem, cudaStream_t stream) {
          (problem.frame().*launch)(stream);
        });
  }
}

void register_all(knn_screen_contender const& c) {
  register_published(c, "published_graph", launch_fastknn);
  register_published(c, "program_graph", launch_fastknn_program);
  register_published(c, "auto_splats_graph", launch_auto_splats);
  register_farpoint(c, "until_exact_graph", {farpoint::until_exact});
  register_farpoint(c, "rounds_3_graph", {3});
  register_farpoint(c, "rounds_3_area_1_graph", {3, 1});
  register_parts(c);
  register_frame(c);
}

void register_rows(bool flush_l2, knn_screen_problem_store& problems) {
  auto const add = [&](knn_screen_row const& row) {
    register_all({"knn_screen/" + row.name() + "/", row, row.calls, how::replayed, flush_l2, &problems});
  };
  for (knn_screen_row const& row : rows()) add(row);
  for (named_scan const& scan : problems.scans()) {
    knn_screen_row row{static_cast<farpoint::index_t>(scan.xyz.size() / 3), 1024, 1024, 8, 50};
    row.scan_name = scan.name.c_str();
    add(row);
  }
}

}  // namespace

int run_program(arguments const& args) {
  return run_suite_of("knn_screen", args, register_rows);
}

}  // namespace farpoint_bench

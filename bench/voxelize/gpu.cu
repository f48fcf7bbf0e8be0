/// @file
/// voxelize() on the GPU against the published pipeline, a sort and a plain hash table on the processor, in one run.
/// See README.md.

#include "support/cuda_context.cuh"
#include "support/failures.hpp"
#include "support/host_timing.hpp"
#include "support/run_cuda_suite.hpp"
#include "support/timing.cuh"
#include "voxelize/problem.cuh"

#include <benchmark/benchmark.h>

#include <deque>
#include <string>
#include <vector>

namespace farpoint_bench {
namespace {

constexpr farpoint::vec<float> detector_voxel{{0.075f, 0.075f, 0.2f}};

constexpr voxelize_row rows[] = {
    {1'000, spread::uniform, 500},
    {30'000, spread::uniform, 500},
    {1'000'000, spread::uniform, 200},
    {10'000'000, spread::uniform, 30},
    {30'000, spread::sweep, 500},
    {111'425, spread::sweep, 500},
    {271'156, spread::sweeps, 500},
    {300'000, spread::street, 500},
    {1'000'000, spread::sweep, 200},
    {200'000, spread::one_voxel, 200},
    {200'000, spread::voxels_64, 200},
    // A frame alone, and in buffers made for a thousand times as many points.
    {1'000, spread::uniform, 500, detector_voxel, 1'000, 10, 0, "exact"},
    {1'000, spread::uniform, 500, detector_voxel, 1'000'000, 10, 1'000'000, "room_1000000"},
};

/// Numbers that let a reader of the JSON tell the rows apart without parsing their names.
void count_row(benchmark::State& state, voxelize_row const& row, voxelize_answer const& answer) {
  voxelize_report const& report = answer.report;
  state.counters["n"] = static_cast<double>(row.points);
  state.counters["room"] = static_cast<double>(row.view_points());
  state.counters["voxel_size"] = static_cast<double>(row.voxel_size[0]);
  state.counters["max_points"] = static_cast<double>(row.max_points);
  state.counters["voxels"] = static_cast<double>(report.voxels);
  state.counters["dropped_voxels"] = static_cast<double>(report.dropped_voxels);
  state.counters["inside"] = static_cast<double>(row.points) - static_cast<double>(report.non_finite + report.outside);
}

/// Names of rows and contenders, whether they are replayed, and where the problems are.
struct entry {
  std::string name;
  voxelize_row row;
  how mode;
  bool flush_l2;
  voxelize_problem_store* problems;
};

/// Registers an entry: prepare(problem) once, verify(problem, enqueue), then time launch(problem, stream).
template <class Prepare, class Verify, class Launch>
void register_entry(entry const& e, farpoint::voxel_order order, char const* label, Prepare prepare, Verify verify,
                    Launch launch) {
  auto const body = [=](benchmark::State& state) {
    guarded(state, [&] {
      voxelize_problem& problem = (*e.problems)[e.row];
      prepare(problem);
      auto const enqueue = [&](cudaStream_t stream) { launch(problem, stream); };
      verify(problem, enqueue, e.name.c_str());
      voxelize_answer const& answer = problem.wanted(order);
      state.SetLabel(label != nullptr ? label : problem.checked_against());
      count_row(state, e.row, answer);
      time_row(state, e.mode, problem.stream(), e.row.work(answer.voxels), e.flush_l2, enqueue);
    });
  };
  benchmark::RegisterBenchmark(e.name.c_str(), body)
      ->UseManualTime()
      ->Iterations(e.row.calls)
      ->Unit(benchmark::kMillisecond);
}

/// Voxels told apart by the table alone.
struct by_table : farpoint::voxelize_selector {
  static constexpr farpoint::voxelize_numbering number(farpoint::voxelize_case const&) noexcept {
    return farpoint::voxelize_numbering::table;
  }
};

/// Points brought together by a sort.
struct by_sort : farpoint::voxelize_selector {
  static constexpr farpoint::voxelize_algorithm choose(farpoint::voxelize_case const&) noexcept {
    return farpoint::voxelize_algorithm::sort;
  }
};

template <class Selector = farpoint::voxelize_selector>
void register_farpoint(entry const& e, voxelize_wish const& wish) {
  register_entry(
      e, wish.order, nullptr, [wish](voxelize_problem& problem) { problem.reserve<Selector>(wish); },
      [wish](voxelize_problem& problem, auto const& enqueue, char const* who) { problem.verify(enqueue, wish, who); },
      [wish](voxelize_problem const& problem, cudaStream_t stream) {
        problem.launch_farpoint<Selector>(stream, wish);
      });
}

void register_sort(entry const& e) {
  register_entry(
      e, farpoint::voxel_order::first_occurrence, nullptr, [](voxelize_problem& problem) { problem.reserve_sort(); },
      [](voxelize_problem& problem, auto const& enqueue, char const* who) { problem.verify(enqueue, {}, who); },
      [](voxelize_problem const& problem, cudaStream_t stream) { problem.launch_sort(stream); });
}

void register_published(entry const& e) {
  bool const read_back = e.mode == how::launched;
  register_entry(
      e, farpoint::voxel_order::first_occurrence, "its order and its choice of points are undefined",
      [](voxelize_problem& problem) { problem.reserve_published(); },
      [](voxelize_problem& problem, auto const& enqueue, char const* who) { problem.verify_published(enqueue, who); },
      [read_back](voxelize_problem const& problem, cudaStream_t stream) {
        problem.launch_published(stream, read_back);
      });
}

/// One hash table on one thread of the processor: what a GPU has to be worth its while against.
void register_serial(entry const& e) {
  auto const body = [=](benchmark::State& state) {
    guarded(state, [&] {
      voxelize_problem& problem = (*e.problems)[e.row];
      voxelize_answer const& wanted = problem.wanted(farpoint::voxel_order::first_occurrence);
      serial_voxelizer voxelizer{e.row, farpoint::voxel_order::first_occurrence};
      voxelize_answer answer{e.row};
      time_blocking_calls(state, e.row.work(wanted.voxels), [&] { voxelizer.run(problem.points(), answer); });
      expect_equal(answer, wanted, e.name.c_str());
      state.SetLabel(problem.checked_against());
      count_row(state, e.row, wanted);
    });
  };
  // It takes milliseconds to seconds.
  benchmark::RegisterBenchmark(e.name.c_str(), body)
      ->UseManualTime()
      ->Iterations(e.row.points > 1'200'000 ? 2 : 10)
      ->Unit(benchmark::kMillisecond);
}

constexpr voxelize_wish with_report{farpoint::voxel_order::first_occurrence, true};
constexpr voxelize_wish in_grid_order{farpoint::voxel_order::grid, false};

/// The contenders of a row.
void register_all(voxelize_row const& row, bool flush_l2, voxelize_problem_store& problems) {
  std::string const name = "voxelize/" + row.name() + "/";
  auto const with = [&](char const* contender, how mode) {
    return entry{name + contender, row, mode, flush_l2, &problems};
  };
  register_published(with("published", how::launched));
  register_published(with("published_graph", how::replayed));
  register_serial(with("serial_hash", how::launched));
  register_sort(with("cub_sort", how::launched));
  register_sort(with("cub_sort_graph", how::replayed));
  register_farpoint(with("farpoint", how::launched), {});
  register_farpoint(with("graph", how::replayed), {});
  register_farpoint(with("report", how::launched), with_report);
  register_farpoint(with("report_graph", how::replayed), with_report);
  register_farpoint(with("grid_order", how::launched), in_grid_order);
  register_farpoint(with("grid_order_graph", how::replayed), in_grid_order);
  // What the default selector chooses from.
  register_farpoint<by_sort>(with("by_sort_graph", how::replayed), {});
  register_farpoint<by_table>(with("report_by_table_graph", how::replayed), with_report);
  register_farpoint<by_table>(with("grid_order_by_table_graph", how::replayed), in_grid_order);
  register_farpoint<by_sort>(with("grid_order_by_sort_graph", how::replayed), in_grid_order);
}

void register_rows(bool flush_l2, voxelize_problem_store& problems) {
  for (voxelize_row const& row : rows) register_all(row, flush_l2, problems);
  for (named_scan const& scan : problems.scans()) {
    voxelize_row row{static_cast<farpoint::index_t>(scan.xyz.size() / 3), spread::scan, 200};
    row.scan_name = scan.name.c_str();
    register_all(row, flush_l2, problems);
  }
}

/// Rows that differ in one thing: the voxels' size, the points that a voxel keeps, how the points are spread.
std::vector<voxelize_row> axes() {
  static std::deque<std::string> names;  // rows point at them
  std::vector<voxelize_row> all;
  for (float const size : {0.05f, 0.1f, 0.2f, 0.5f, 1.0f, 2.0f}) {
    voxelize_row row{271'156, spread::sweeps, 200};
    row.voxel_size = {{size, size, size}};
    row.axis = names.emplace_back("voxel_" + std::to_string(size).substr(0, 4)).c_str();
    all.push_back(row);
  }
  for (farpoint::index_t const most : {1, 5, 10, 32, 100}) {
    voxelize_row row{300'000, spread::street, 200};
    row.max_points = most;
    row.axis = names.emplace_back("most_" + std::to_string(most)).c_str();
    all.push_back(row);
  }
  for (spread const kind :
       {spread::uniform, spread::sweep, spread::sweeps, spread::street, spread::voxels_64, spread::one_voxel}) {
    all.push_back({200'000, kind, 200});
    all.back().axis = "spread";
  }
  return all;
}

void register_axes(bool flush_l2, voxelize_problem_store& problems) {
  for (voxelize_row const& row : axes()) {
    std::string const name = "axes/" + row.name() + "/";
    register_published({name + "published_graph", row, how::replayed, flush_l2, &problems});
    register_sort({name + "cub_sort_graph", row, how::replayed, flush_l2, &problems});
    register_farpoint({name + "graph", row, how::replayed, flush_l2, &problems}, {});
  }
}

int run(arguments const& wished) {
  voxelize_problem_store problems{read_scans(wished.cloud_paths)};
  register_rows(wished.flush_l2, problems);
  if (wants("axes", "FARPOINT_AXES")) register_axes(wished.flush_l2, problems);
  if (!wished.list_only) {
    add_common_context("voxelize");
    add_cuda_context(wished.flush_l2);
  }
  return run_all();
}

}  // namespace
}  // namespace farpoint_bench

int main(int argc, char** argv) {
  return farpoint_bench::run_cuda_suite(argc, argv, farpoint_bench::run);
}

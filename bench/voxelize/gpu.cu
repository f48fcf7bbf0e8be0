/// @file
/// voxelize() on the GPU against the published pipeline, a sort, and a plain hash table on the processor. See
/// README.md.

#include "support/contender.cuh"
#include "support/cuda_suite.cuh"
#include "support/host_timing.hpp"
#include "support/peer_row.cuh"
#include "voxelize/map.hpp"
#include "voxelize/problem.cuh"

#include <benchmark/benchmark.h>

#include <algorithm>
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
    // A frame in buffers of its size, and in buffers for a thousand times the points.
    {1'000, spread::uniform, 500, detector_voxel, 1'000, 10, 0, "exact"},
    {1'000, spread::uniform, 500, detector_voxel, 1'000'000, 10, 1'000'000, "room_1000000"},
};

/// Counters that identify the row in the JSON, so that readers need not parse names.
void count_row(benchmark::State& state, voxelize_row const& row, voxelize_report const& report) {
  state.counters["n"] = static_cast<double>(row.points);
  state.counters["room"] = static_cast<double>(row.view_points());
  state.counters["voxel_size"] = static_cast<double>(row.voxel_size[0]);
  state.counters["max_points"] = static_cast<double>(row.max_points);
  state.counters["voxels"] = static_cast<double>(report.voxels);
  state.counters["dropped_voxels"] = static_cast<double>(report.dropped_voxels);
  state.counters["inside"] = static_cast<double>(row.points) - static_cast<double>(report.non_finite + report.outside);
}

using voxelize_contender = contender<voxelize_problem, voxelize_row>;

/// Registers a contender whose output is defined to the bit.
template <class Prepare, class Launch>
void register_exact(voxelize_contender const& c, voxelize_options const& options, Prepare prepare, Launch launch) {
  register_contender(
      c, prepare,
      [c, options](benchmark::State& state, voxelize_problem& problem, auto const& enqueue) {
        problem.verify(enqueue, options, c.name.c_str());
        voxel_rows const& expected = problem.expected(options.order);
        state.SetLabel(problem.checked_against());
        count_row(state, c.row, expected.report);
        return c.row.work(expected.voxels);
      },
      launch);
}

/// Numbers voxels by the hash table alone.
struct by_table : farpoint::voxelize_selector {
  static constexpr farpoint::voxelize_numbering number(farpoint::voxelize_case const&) noexcept {
    return farpoint::voxelize_numbering::table;
  }
};

/// Numbers voxels, or counts dropped ones, by a bitmap where one works.
struct by_bitmap : farpoint::voxelize_selector {
  static constexpr farpoint::voxelize_numbering number(farpoint::voxelize_case const&) noexcept {
    return farpoint::voxelize_numbering::bitmap;
  }
};

/// Groups points by a sort.
struct by_sort : farpoint::voxelize_selector {
  static constexpr farpoint::voxelize_algorithm choose(farpoint::voxelize_case const&) noexcept {
    return farpoint::voxelize_algorithm::sort;
  }
};

template <class Selector = farpoint::voxelize_selector>
void register_farpoint(voxelize_contender const& c, voxelize_options const& options) {
  register_exact(
      c, options, [options](voxelize_problem& problem) { problem.reserve<Selector>(options); },
      [options](voxelize_problem const& problem, cudaStream_t stream) {
        problem.launch_farpoint<Selector>(stream, options);
      });
}

void register_sort(voxelize_contender const& c) {
  register_exact(
      c, {}, [](voxelize_problem& problem) { problem.reserve_sort(); },
      [](voxelize_problem const& problem, cudaStream_t stream) { problem.launch_sort(stream); });
}

void register_published(voxelize_contender const& c) {
  bool const read_back = c.mode == how::launched;
  register_contender(
      c, [](voxelize_problem& problem) { problem.reserve_published(); },
      [c](benchmark::State& state, voxelize_problem& problem, auto const& enqueue) {
        problem.verify_published(enqueue, c.name.c_str());
        voxel_rows const& expected = problem.expected(farpoint::voxel_order::first_occurrence);
        state.SetLabel("its order and its choice of points are undefined");
        count_row(state, c.row, expected.report);
        return c.row.work(expected.voxels);
      },
      [read_back](voxelize_problem const& problem, cudaStream_t stream) {
        problem.launch_published(stream, read_back);
      });
}

/// One hash table on one thread of the processor: what a GPU has to beat to be worth it.
void register_serial(voxelize_contender const& c) {
  // A call takes milliseconds to seconds.
  register_row(c.name, c.row.points > 1'200'000 ? 2 : 10, [c](benchmark::State& state) {
    voxelize_problem& problem = (*c.problems)[c.row];
    voxel_rows const& expected = problem.expected(farpoint::voxel_order::first_occurrence);
    serial_voxelizer voxelizer{c.row, farpoint::voxel_order::first_occurrence};
    voxel_rows got{c.row};
    time_blocking_calls(state, c.row.work(expected.voxels), [&] { voxelizer.run(problem.points(), got); });
    expect_equal(got, expected, c.name.c_str());
    state.SetLabel(problem.checked_against());
    count_row(state, c.row, expected.report);
  });
}

constexpr voxelize_options with_report{farpoint::voxel_order::first_occurrence, true};
constexpr voxelize_options in_grid_order{farpoint::voxel_order::grid, false};

/// Other libraries.
void register_voxelize_peers(voxelize_row const& row, bool flush_l2, voxelize_problem_store& problems) {
  if (row.ragged()) return;
  register_peers<device_voxelize>(
      "voxelize/" + row.name() + "/", voxelize_problem::peer_shape(row), std::min(row.calls, 20),
      [&problems, row, flush_l2](auto& state, auto const& peer) {
        voxelize_problem& problem = problems[row];
        voxel_rows const& right = problem.expected(farpoint::voxel_order::first_occurrence);
        time_peer(state, peer, problem.peer_input(), problem.stream(), row.work(right.voxels), flush_l2,
                  [&](device_voxelize const& call) {
                    count_row(state, row, right.report);
                    return peer_answer{problem.mistakes_of(call.voxels()), problem.checked_against()};
                  });
      });
}

/// The contenders of a row.
void register_all(voxelize_row const& row, bool flush_l2, voxelize_problem_store& problems) {
  auto const launched = [&](char const* who) {
    return voxelize_contender{"voxelize/" + row.name() + "/" + who, row, row.calls, how::launched, flush_l2, &problems};
  };
  auto const replayed = [&](char const* who) {
    voxelize_contender c = launched(who);
    c.mode = how::replayed;
    return c;
  };
  register_published(launched("published"));
  register_published(replayed("published_graph"));
  register_voxelize_peers(row, flush_l2, problems);
  register_serial(launched("serial_hash"));
  register_sort(launched("cub_sort"));
  register_sort(replayed("cub_sort_graph"));
  register_farpoint(launched("farpoint"), {});
  register_farpoint(replayed("graph"), {});
  register_farpoint(launched("report"), with_report);
  register_farpoint(replayed("report_graph"), with_report);
  register_farpoint(launched("grid_order"), in_grid_order);
  register_farpoint(replayed("grid_order_graph"), in_grid_order);
  // The alternatives of the default selector.
  register_farpoint<by_sort>(replayed("by_sort_graph"), {});
  register_farpoint<by_table>(replayed("report_by_table_graph"), with_report);
  register_farpoint<by_bitmap>(replayed("report_by_bitmap_graph"), with_report);
  register_farpoint<by_table>(replayed("grid_order_by_table_graph"), in_grid_order);
  register_farpoint<by_sort>(replayed("grid_order_by_sort_graph"), in_grid_order);
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
    auto const with = [&](char const* who) {
      return voxelize_contender{"axes/" + row.name() + "/" + who, row, row.calls, how::replayed, flush_l2, &problems};
    };
    register_published(with("published_graph"));
    register_sort(with("cub_sort_graph"));
    register_farpoint(with("graph"), {});
  }
}

}  // namespace

int run_program(arguments const& args) {
  voxelize_problem_store problems{read_scans(args.cloud_paths)};
  register_rows(args.flush_l2, problems);
  if (wants("axes", "FARPOINT_AXES")) register_axes(args.flush_l2, problems);
  register_voxel_map_rows(args.flush_l2);
  return run_cuda_suite("voxelize", args);
}

}  // namespace farpoint_bench

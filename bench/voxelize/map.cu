/// @file
/// Calls on a voxel map in the steady state of a drive: a scan comes in, and voxels go out. See README.md.

#include "voxelize/map.hpp"

#include "support/register_row.hpp"
#include "support/timing.cuh"

#include <farpoint/scale/voxel_map.cuh>

#include <benchmark/benchmark.h>

#include <array>
#include <stdexcept>
#include <vector>

namespace farpoint_bench {
namespace {

using farpoint::index_t;
using view = farpoint::point_view<float>;
using keep_params = farpoint::voxel_map_keep_params<float>;

/// Timed calls of a row.
enum class map_call { insert, keep_all, keep_box, keep_newest, restore };

/// A map of `voxels` voxels of 1 m, a thousand in each row of the grid, seen by 20 scans of 2 points a voxel. The room
/// is for one scan more.
class map_problem {
 public:
  static constexpr index_t scans = 20, row_voxels = 1000;

  explicit map_problem(index_t voxels)
      : scan_voxels_{voxels / scans},
        points_{points_of(scan_voxels_ * (scans + 1))},
        map_memory_{voxel_map_bytes(params())},
        snapshot_{map_memory_.size()},
        map_{params(), {map_memory_.data(), map_memory_.size()}},
        insert_memory_{voxel_map_insert_workspace_bytes(exec(stream_.get()), map_, scan(0))},
        keep_memory_{voxel_map_keep_workspace_bytes(exec(stream_.get()), map_.params)},
        report_{1},
        keep_report_{1} {
    check(voxel_map_clear(exec(stream_.get()), map_), "voxel_map_clear");
    for (index_t i = 0; i < scans; ++i) insert(stream_.get(), i);
    check(cudaMemcpyAsync(snapshot_.data(), map_memory_.data(), snapshot_.size(), cudaMemcpyDeviceToDevice,
                          stream_.get()),
          "cudaMemcpyAsync");
    header_ = farpoint::voxel_map_header::of(map_.params, read());
    if (header_.report.voxels != static_cast<unsigned long long>(voxels)) throw std::runtime_error{"wrong voxels"};
  }

  cudaStream_t stream() const { return stream_.get(); }
  index_t scan_points() const { return 2 * scan_voxels_; }
  index_t voxels() const { return scan_voxels_ * scans; }
  std::size_t map_bytes() const { return map_memory_.size(); }

  /// Puts the map back.
  void prepare(cudaStream_t on) const {
    check(cudaMemcpyAsync(map_memory_.data(), snapshot_.data(), snapshot_.size(), cudaMemcpyDeviceToDevice, on),
          "cudaMemcpyAsync");
  }

  void call(cudaStream_t on, map_call what) const {
    if (what == map_call::insert) return insert(on, scans);
    if (what == map_call::restore) return check(voxel_map_restore(exec(on), map_, header_), "voxel_map_restore");
    keep_params keep;
    keep.radius = 1e6f;
    keep.max_age = 1000;
    keep.max_voxels = what == map_call::keep_newest ? voxels() - scan_voxels_ : voxels();
    // The rows of the first scan, so that all other voxels move.
    if (what == map_call::keep_box) keep.box.low[1] = static_cast<float>(scan_voxels_ / row_voxels);
    check(voxel_map_keep(exec(on), map_, keep, {{}, keep_report_.data()}, {keep_memory_.data(), keep_memory_.size()}),
          "voxel_map_keep");
  }

  /// Throws unless the map has the voxels that it must have after the call.
  void verify(map_call what) const {
    auto const report = read();
    index_t expected = voxels();
    if (what == map_call::insert) expected += scan_voxels_;
    if (what == map_call::keep_box || what == map_call::keep_newest) expected -= scan_voxels_;
    bool right = report.voxels == static_cast<unsigned long long>(expected) && report.invalid_voxels == 0 &&
                 report.dropped_points == 0;
    if (what == map_call::keep_box) right = right && keep_report_.download()[0].outside > 0;
    if (what == map_call::keep_newest) right = right && keep_report_.download()[0].evicted > 0;
    if (!right) throw std::runtime_error{"the map has wrong voxels"};
  }

 private:
  static farpoint::cuda_exec exec(cudaStream_t on) { return farpoint::cuda_exec{on}; }

  farpoint::voxel_map_params<float> params() const {
    farpoint::voxel_map_params<float> params;
    params.grid = {{{0, 0, 0}}, {{1, 1, 1}}, {{1000, 100000, 4}}};
    params.capacity = scan_voxels_ * (scans + 1);
    params.parts.last_tile = true;
    params.hash_seed = 1;
    return params;
  }
  static std::vector<float> points_of(index_t voxels) {
    std::vector<float> points;
    for (index_t point = 0; point < 2 * voxels; ++point) {
      index_t const voxel = point / 2;
      float const inside = point % 2 == 0 ? 0.25f : 0.625f;
      points.push_back(static_cast<float>(voxel % row_voxels) + inside);
      points.push_back(static_cast<float>(voxel / row_voxels) + inside);
      points.push_back(inside);
    }
    return points;
  }
  farpoint::voxel_map_tile<view> scan(index_t number) const {
    farpoint::voxel_map_tile<view> tile;
    tile.points = view{points_.data() + number * scan_points() * 3, scan_points()};
    return tile;
  }
  void insert(cudaStream_t on, index_t number) const {
    check(voxel_map_insert(exec(on), map_, scan(number), {insert_memory_.data(), insert_memory_.size()}),
          "voxel_map_insert");
  }
  farpoint::voxel_map_report read() const {
    farpoint::voxel_map_output<float> output;
    output.report = report_.data();
    check(voxel_map_read(exec(stream_.get()), map_, output), "voxel_map_read");
    return report_.download()[0];
  }

  owned_stream stream_;
  index_t scan_voxels_;
  device_buffer<float> points_;
  device_buffer<unsigned char> map_memory_;
  device_buffer<unsigned char> snapshot_;
  farpoint::voxel_map<float> map_;
  device_buffer<unsigned char> insert_memory_;
  device_buffer<unsigned char> keep_memory_;
  device_buffer<farpoint::voxel_map_report> report_;
  device_buffer<farpoint::voxel_map_keep_report> keep_report_;
  farpoint::voxel_map_header header_;
};

void register_call(index_t voxels, char const* name, map_call what, bool flush_l2) {
  register_row("voxel_map/" + std::to_string(voxels) + "/" + name + "/graph", 200, [=](benchmark::State& state) {
    map_problem const problem{voxels};
    owned_graph const graph{problem.stream(), [&](cudaStream_t on) { problem.call(on, what); }};
    problem.prepare(problem.stream());
    graph.launch(problem.stream());
    problem.verify(what);
    state.SetLabel("number of voxels");
    state.counters["n"] = static_cast<double>(problem.scan_points());
    state.counters["voxels"] = static_cast<double>(voxels);
    state.counters["workspace_bytes"] = static_cast<double>(problem.map_bytes());
    // The map, read and written once; of an insertion the points and their voxels.
    auto const map_bytes = 2 * static_cast<double>(problem.map_bytes());
    auto const points = static_cast<double>(problem.scan_points());
    bool const is_insertion = what == map_call::insert;
    workload const work{is_insertion ? points : static_cast<double>(voxels), 0,
                        is_insertion ? 100 * points : map_bytes};
    time_prepared_calls(
        state, problem.stream(), work, flush_l2, [&](cudaStream_t on) { problem.prepare(on); },
        [&](cudaStream_t on) { graph.launch(on); });
  });
}

}  // namespace

void register_voxel_map_rows(bool flush_l2) {
  for (index_t const voxels : {20'000, 200'000, 1'000'000}) {
    register_call(voxels, "insert", map_call::insert, flush_l2);
    register_call(voxels, "keep_all", map_call::keep_all, flush_l2);
    register_call(voxels, "keep_box", map_call::keep_box, flush_l2);
    register_call(voxels, "keep_newest", map_call::keep_newest, flush_l2);
    register_call(voxels, "restore", map_call::restore, flush_l2);
  }
}

}  // namespace farpoint_bench

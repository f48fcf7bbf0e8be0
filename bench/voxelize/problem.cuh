/// @file
/// A row of voxelize on the GPU: its points, memory for the contenders, and the check of what they return. Needs nvcc.
#pragma once

#include "peers/external/device_peers.hpp"
#include "peers/voxelize_published.cuh"
#include "peers/voxelize_serial.hpp"
#include "peers/voxelize_sort.cuh"
#include "support/problem_store.hpp"

#include <farpoint/voxelize.cuh>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace farpoint_bench {

/// Options of farpoint's call in addition to coords, numbers of points and means.
struct voxelize_options {
  farpoint::voxel_order order = farpoint::voxel_order::first_occurrence;
  bool report = false;
};

class voxelize_problem {
 public:
  voxelize_problem(voxelize_row const& row, std::vector<float> const& scan)
      : row_{row},
        points_{row.make(scan)},
        records_{with_room(row, points_)},
        offsets_{std::vector<farpoint::index_t>{0, row.points}},
        coords_{static_cast<std::size_t>(3 * row.max_voxels)},
        counts_{static_cast<std::size_t>(row.max_voxels)},
        means_{static_cast<std::size_t>(5 * row.max_voxels)},
        voxels_{1},
        report_{1} {}

  std::vector<lidar_point> const& points() const noexcept { return points_; }
  cudaStream_t stream() const noexcept { return stream_.get(); }
  char const* checked_against() const noexcept {
    return small() ? "equals the reference" : "equals the serial hash table";
  }

  /// The voxels of the reference; where that takes tens of seconds, of the serial hash table, which is compared with
  /// the reference on every smaller row.
  voxel_rows const& expected(farpoint::voxel_order order) {
    std::optional<voxel_rows>& voxels = expected_[order == farpoint::voxel_order::grid ? 1 : 0];
    if (voxels) return *voxels;
    voxels = serial_voxels(row_, points_, order);
    if (small()) {
      voxel_rows const defined = expected_voxels(row_, points_, order);
      expect_equal(*voxels, defined, "the serial hash table");
      expect_equal(voxels->report, defined.report, "the serial hash table");
    }
    return *voxels;
  }

  /// Makes the workspace large enough for `Selector`.
  template <class Selector>
  void reserve(voxelize_options const& options) {
    std::size_t const bytes = farpoint::voxelize_workspace_bytes<Selector>(farpoint::cuda_exec{stream()}, clouds(),
                                                                           params(options), output(options));
    if (workspace_ != nullptr && workspace_->size() >= bytes) return;
    workspace_.reset();
    workspace_ = std::make_unique<device_buffer<unsigned char>>(bytes);
  }

  /// Enqueues farpoint::voxelize as `Selector` tunes it. Call reserve<Selector>() first.
  template <class Selector>
  void launch_farpoint(cudaStream_t stream, voxelize_options const& options) const {
    check(farpoint::voxelize<Selector>(farpoint::cuda_exec{stream}, clouds(), params(options), output(options),
                                       farpoint::bytes{workspace_->data(), workspace_->size()}),
          "farpoint::voxelize");
  }

  void reserve_published() {
    if (published_ == nullptr) published_ = std::make_unique<published_voxelizer>(row_);
  }
  void launch_published(cudaStream_t stream, bool read_back) const { published_->launch(stream, args(), read_back); }

  void reserve_sort() {
    if (sort_ == nullptr) sort_ = std::make_unique<sort_voxelizer>(row_);
  }
  void launch_sort(cudaStream_t stream) const { sort_->launch(stream, args(), voxels_.data()); }

  /// Runs a contender once; throws unless it returns what is expected. `launch(stream)` fills the outputs.
  template <class Launch>
  void verify(Launch&& launch, voxelize_options const& options, char const* who) {
    voxel_rows const& right = expected(options.order);
    poison();
    launch(stream());
    voxel_rows const got = download();
    expect_equal(got, right, who);
    if (options.report) expect_equal(report_.download()[0], right.report, who);
    for (std::size_t v = static_cast<std::size_t>(got.voxels); v < got.counts.size(); ++v) {
      if (got.counts[v] != -1) throw std::runtime_error{std::string{"MISMATCH, "} + who + ": wrote past the voxels"};
    }
  }

  /// Checks the defined part of the published pipeline's output: the number of voxels; if it drops no voxel, the voxels
  /// and their numbers of points; if it drops no point, the means up to rounding.
  template <class Launch>
  void verify_published(Launch&& launch, char const* who) {
    voxel_rows const& right = expected(farpoint::voxel_order::first_occurrence);
    poison();
    launch(stream());
    auto const met = static_cast<unsigned long long>(published_->voxels());
    if (met != right.report.voxels + right.report.dropped_voxels) {
      throw std::runtime_error{std::string{"MISMATCH, "} + who + ": " + std::to_string(met) + " voxels"};
    }
    if (right.report.dropped_voxels > 0) return;
    voxel_rows got = download();
    got.voxels = right.voxels;
    auto const a = rows_by_cell(got);
    auto const b = rows_by_cell(right);
    for (std::size_t v = 0; v < a.size(); ++v) expect_alike(got, a[v], right, b[v], who);
  }

  /// The points of a regular row, for other libraries.
  device_voxelize::input peer_input() const {
    device_voxelize::input in = peer_shape(row_);
    in.records = reinterpret_cast<float const*>(records_.data());
    return in;
  }
  /// peer_input() without the pointer.
  static device_voxelize::input peer_shape(voxelize_row const& row) {
    device_voxelize::input in{};
    in.points = static_cast<int>(row.points);
    in.max_voxels = static_cast<int>(row.max_voxels);
    in.max_points = static_cast<int>(row.max_points);
    for (int axis = 0; axis < 3; ++axis) {
      in.lower[axis] = range_lower[axis];
      in.upper[axis] = range_upper[axis];
      in.size[axis] = row.voxel_size[axis];
    }
    return in;
  }
  /// Number of voxels that are wrong. Checked is what verify_published() checks; the order is any.
  std::size_t mistakes_of(device_voxelize::answer const& answer) {
    voxel_rows const& right = expected(farpoint::voxel_order::first_occurrence);
    voxel_rows got;
    got.coords = answer.coords;
    got.counts = answer.counts;
    got.means = answer.means;
    got.voxels = static_cast<std::int32_t>(answer.counts.size());
    if (got.voxels != right.voxels) return 1;
    // Which voxels are dropped depends on the order.
    if (right.report.dropped_voxels > 0) return 0;
    auto const a = rows_by_cell(got);
    auto const b = rows_by_cell(right);
    std::size_t mistakes = 0;
    for (std::size_t v = 0; v < a.size(); ++v) mistakes += is_alike(got, a[v], right, b[v]) ? 0 : 1;
    return mistakes;
  }

 private:
  /// The reference takes some two seconds for a million voxels.
  bool small() const noexcept { return row_.points <= 1'200'000; }

  static std::vector<lidar_point> with_room(voxelize_row const& row, std::vector<lidar_point> points) {
    // Not in the cloud, but where a point would count.
    points.resize(static_cast<std::size_t>(row.view_points()), lidar_point{1, 1, 1, 1, 1});
    return points;
  }

  voxelize_clouds clouds() const { return view_of(row_, records_.data(), {offsets_.data(), offsets_.size()}); }
  farpoint::voxelize_params<float> params(voxelize_options const& options) const {
    return params_of(row_, records_.data(), options.order);
  }
  voxelize_args args() const {
    voxelize_args all = voxelize_args::of(row_, records_.data());
    all.coords = coords_.data();
    all.counts = counts_.data();
    all.means = means_.data();
    return all;
  }
  farpoint::voxelize_output<float> output(voxelize_options const& options) const {
    farpoint::voxelize_output<float> output;
    output.capacity = row_.max_voxels;
    output.coords = {coords_.data(), coords_.size()};
    output.points_per_voxel = farpoint::span<std::int32_t>{counts_.data(), counts_.size()};
    output.mean = farpoint::span<float>{means_.data(), means_.size()};
    output.voxel_count = farpoint::span<std::int32_t>{voxels_.data(), 1};
    if (options.report) output.report = report_.data();
    return output;
  }

  /// Overwrites the outputs, so that an unwritten output does not pass as the previous contender's.
  void poison() const {
    auto const fill = [this](auto const& buffer) {
      check(cudaMemsetAsync(buffer.data(), 0xff, buffer.size() * sizeof(*buffer.data()), stream()), "cudaMemsetAsync");
    };
    fill(coords_);
    fill(counts_);
    fill(means_);
    fill(voxels_);
    fill(report_);
  }

  voxel_rows download() const {
    voxel_rows got;
    got.coords = coords_.download();
    got.counts = counts_.download();
    got.means = means_.download();
    got.voxels = voxels_.download()[0];
    return got;
  }

  std::vector<std::pair<std::uint64_t, std::size_t>> rows_by_cell(voxel_rows const& voxels) const {
    std::vector<std::pair<std::uint64_t, std::size_t>> rows(static_cast<std::size_t>(voxels.voxels));
    for (std::size_t v = 0; v < rows.size(); ++v) {
      farpoint::vec<std::int32_t> const at{{voxels.coords[3 * v], voxels.coords[3 * v + 1], voxels.coords[3 * v + 2]}};
      rows[v] = {farpoint::cell_of(row_.grid(), at), v};
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  bool is_alike(voxel_rows const& got, std::pair<std::uint64_t, std::size_t> a, voxel_rows const& right,
                std::pair<std::uint64_t, std::size_t> b) const {
    bool alike = a.first == b.first && got.counts[a.second] == right.counts[b.second];
    bool const all_kept = right.counts[b.second] < row_.max_points;
    for (std::size_t f = 0; all_kept && f < 5; ++f) {
      // Sums of at most a hundred numbers below 100, in another order.
      alike = alike && std::fabs(got.means[5 * a.second + f] - right.means[5 * b.second + f]) < 1e-3f;
    }
    return alike;
  }

  void expect_alike(voxel_rows const& got, std::pair<std::uint64_t, std::size_t> a, voxel_rows const& right,
                    std::pair<std::uint64_t, std::size_t> b, char const* who) const {
    if (!is_alike(got, a, right, b)) {
      throw std::runtime_error{std::string{"MISMATCH, "} + who + ": voxel of cell " + std::to_string(b.first)};
    }
  }

  voxelize_row row_;
  std::vector<lidar_point> points_;
  std::optional<voxel_rows> expected_[2];
  owned_stream stream_;
  device_buffer<lidar_point> records_;
  device_buffer<farpoint::index_t> offsets_;
  device_buffer<std::int32_t> coords_;
  device_buffer<std::int32_t> counts_;
  device_buffer<float> means_;
  device_buffer<std::int32_t> voxels_;
  device_buffer<voxelize_report> report_;
  std::unique_ptr<device_buffer<unsigned char>> workspace_;
  std::unique_ptr<published_voxelizer> published_;
  std::unique_ptr<sort_voxelizer> sort_;
};

using voxelize_problem_store = problem_store<voxelize_problem, voxelize_row>;

}  // namespace farpoint_bench

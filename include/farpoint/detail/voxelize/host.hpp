/// @file
/// The host backend of voxelize(): phases that a team of threads goes through together.
#pragma once

#include <farpoint/detail/voxelize/check.hpp>
#include <farpoint/detail/voxelize/host_passes.hpp>
#include <farpoint/detail/voxelize/host_rows.hpp>
#include <farpoint/host/parallel_phases.hpp>
#include <farpoint/host/radix_sort.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The most points of a call: a voxel's number leaves room for a mark, and for a value that means none.
inline constexpr index_t max_host_voxel_points = 0x7ffffffe;

/// One call: phases that a team of threads goes through together. In each they claim units of work.
template <class Points>
class voxelize_host_task {
 public:
  using scalar = typename Points::scalar;

  voxelize_host_task(batch<Points> const& clouds, voxelize_params<scalar> const& params,
                     voxelize_output<scalar> const& output, voxelize_host_plan const& plan, bytes workspace) noexcept
      : clouds_{clouds},
        params_{params},
        output_{output},
        plan_{plan},
        memory_{plan.memory(workspace)},
        passes_{clouds, params, plan, memory_},
        rows_{clouds, params, output},
        cells_{params.grid.cells()},
        order_{memory_.order[0]} {}

  /// Units of the first phase.
  std::uint32_t begin() noexcept {
    phase_ = plan_.threads() > 1 ? phase::keys : phase::insert;
    return static_cast<std::uint32_t>(phase_ == phase::keys ? plan_.chunks() : plan_.parts());
  }

  /// Prepares the next phase, while no thread works. Returns the number of its units, 0 at the end.
  std::uint32_t next() noexcept {
    auto const chunks = static_cast<std::uint32_t>(plan_.chunks());
    auto const parts = static_cast<std::uint32_t>(plan_.parts());
    switch (phase_) {
      case phase::keys:
        passes_.divide_parts();
        phase_ = phase::insert;
        return parts;
      case phase::insert:
        phase_ = phase::count;
        if (params_.order == voxel_order::first_occurrence) return chunks;
        sort_voxels();
        return begin_scatter();
      case phase::count:
        voxel_count_ = passes_.divide_order();
        phase_ = phase::order;
        return chunks;
      case phase::order: return begin_scatter();
      case phase::scatter:
        phase_ = phase::rows;
        if (row_count_ > 0) return row_units();
        return 0;
      case phase::rows: return 0;
    }
    return 0;
  }

  void work(std::uint32_t unit) noexcept {
    auto const at = static_cast<int>(unit);
    switch (phase_) {
      case phase::keys: passes_.make_keys(at); break;
      case phase::insert: passes_.insert(at); break;
      case phase::count: passes_.count_first_points(at); break;
      case phase::order: passes_.write_order(at); break;
      case phase::scatter: scatter(at); break;
      case phase::rows: write_rows(unit); break;
    }
  }

  voxelize_report report() const noexcept {
    voxelize_report report = report_;
    report.non_finite = passes_.non_finite();
    report.outside = passes_.outside();
    return report;
  }

 private:
  enum class phase { keys, insert, count, order, scatter, rows };

  /// Puts the voxels into the order of the grid.
  void sort_voxels() noexcept {
    voxel_count_ = 0;
    passes_.for_each_voxel([this](std::uint32_t voxel) {
      memory_.sort_keys[0][voxel_count_] = memory_.voxels[voxel].key;
      memory_.order[0][voxel_count_++] = voxel;
    });
    int bits = 0;
    while (bits < 63 && cells_ * static_cast<std::uint64_t>(clouds_.size()) >> bits != 0) ++bits;
    using arrays = key_value_arrays<std::uint64_t, std::uint32_t>;
    arrays const from{memory_.sort_keys[0], memory_.order[0]};
    arrays const to{memory_.sort_keys[1], memory_.order[1]};
    order_ = host_radix_sort(from, to, voxel_count_, bits).values;
  }

  /// Gives the voxels that fit their rows.
  /// @return the units of the next phase
  std::uint32_t begin_scatter() noexcept {
    phase_ = phase::scatter;
    index_t cloud = -1;
    std::uint64_t cloud_end = 0;
    index_t taken = 0;
    index_t listed = 0;
    auto const begin_cloud = [&] {
      ++cloud;
      cloud_end += cells_;
      taken = 0;
      if (!output_.voxel_offsets.empty()) output_.voxel_offsets.set(cloud, row_count_);
    };
    if (!output_.list_offsets.empty()) output_.list_offsets.set(0, 0);
    for (index_t k = 0; k < voxel_count_; ++k) {
      std::uint32_t const number = order_[k];
      host_voxel const& voxel = memory_.voxels[number];
      while (voxel.key >= cloud_end) begin_cloud();
      bool const allowed = taken++ < params_.mode.max_voxels;
      if (!allowed || row_count_ >= output_.capacity) {
        ++report_.dropped_voxels;
        report_.over_capacity += allowed ? 1 : 0;
        report_.dropped_points += voxel.count;
        memory_.row_of[number] = voxelize_host_passes<Points>::no_voxel;
        continue;
      }
      if (voxel.count > params_.mode.max_points) {
        report_.surplus_points += voxel.count - static_cast<unsigned long long>(params_.mode.max_points);
      }
      memory_.row_of[number] = static_cast<std::uint32_t>(row_count_);
      memory_.list_at[number] = static_cast<std::uint32_t>(listed);
      listed += voxel.count;
      order_[row_count_++] = number;
      if (!output_.list_offsets.empty()) output_.list_offsets.set(row_count_, listed);
    }
    if (!output_.voxel_offsets.empty()) {
      while (cloud < clouds_.size()) begin_cloud();
    }
    if (!output_.voxel_count.empty()) output_.voxel_count.set(0, row_count_);
    report_.voxels = static_cast<unsigned long long>(row_count_);
    return static_cast<std::uint32_t>(plan_.parts() + plan_.chunks());
  }

  /// Units of the parts, then of the chunks.
  void scatter(int unit) noexcept {
    if (unit < plan_.parts()) {
      if (rows_.needs_lists()) passes_.scatter(unit);
    } else if (!output_.point_voxel.empty()) {
      passes_.write_point_voxels(unit - plan_.parts(), output_.point_voxel);
    }
  }

  std::uint32_t row_units() const noexcept {
    index_t const wanted = divide_up(row_count_, voxelize_host_tuning::rows_per_unit);
    return static_cast<std::uint32_t>(std::min<index_t>(wanted, parallel_phases::max_units));
  }

  void write_rows(std::uint32_t unit) noexcept {
    index_t const units = row_units();
    for (index_t row = row_count_ * unit / units; row < row_count_ * (unit + 1) / units; ++row) {
      std::uint32_t const number = order_[row];
      host_voxel const& voxel = memory_.voxels[number];
      std::uint32_t* points = nullptr;
      if (rows_.needs_lists()) {
        index_t const begin = memory_.list_at[number] - voxel.count;
        points = memory_.list + begin;
        for (index_t k = 0; k < voxel.count && !output_.list_points.empty(); ++k) {
          output_.list_points.set(begin + k, points[k]);
        }
      }
      rows_.write(row, voxel, points);
    }
  }

  batch<Points> const& clouds_;
  voxelize_params<scalar> const& params_;
  voxelize_output<scalar> const& output_;
  voxelize_host_plan const& plan_;
  voxelize_host_memory const memory_;
  voxelize_host_passes<Points> passes_;
  host_voxel_rows<Points> const rows_;
  std::uint64_t const cells_;
  std::uint32_t* order_;  ///< the voxels in their order; then the written voxels, by row

  phase phase_ = phase::insert;
  index_t voxel_count_ = 0;
  index_t row_count_ = 0;
  voxelize_report report_;
};

/// The outputs of a batch without points.
template <class Points, class Scalar>
void leave_no_voxels(batch<Points> const& clouds, voxelize_output<Scalar> const& output) noexcept {
  auto const fill = [](index_span const& part, index_t count, index_t value) {
    for (index_t i = 0; i < count && !part.empty(); ++i) part.set(i, value);
  };
  fill(output.voxel_count, 1, 0);
  fill(output.voxel_offsets, clouds.size() + 1, 0);
  fill(output.list_offsets, 1, 0);
  fill(output.point_voxel, clouds.points().size(), -1);
}

/// voxelize() for host_exec.
template <class Points>
result voxelize_host(host_exec exec, batch<Points> const& clouds,
                     voxelize_params<typename Points::scalar> const& params,
                     voxelize_output<typename Points::scalar> const& output, bytes workspace,
                     voxelize_host_tuning const& tuning = {}) noexcept {
  if (result const checked = check_threads(exec); !checked) return checked;
  if (result const checked = check_voxelize(clouds, params, output); !checked) return checked;
  if (clouds.points().size() > max_host_voxel_points)
    return reject("voxelize: host_exec takes fewer than 2^31 - 1 points");

  index_t const total = clouds.points().size();
  std::size_t const needed = voxelize_host_plan{exec, total, total, tuning}.workspace_size();
  if (result const checked = check_workspace(workspace, needed, FARPOINT_WORKSPACE_OF("voxelize")); !checked)
    return checked;

  if (index_t const bad = count_bad_offsets(clouds); bad > 0) {
    leave_no_voxels(clouds, output);
    if (output.report != nullptr) *output.report = {};
    if (output.report != nullptr) output.report->bad_offsets = static_cast<unsigned long long>(bad);
    return {};
  }
  index_t const last = clouds.size() - 1;
  index_t const frame = last < 0 ? 0 : clouds.begin_of(last) + clouds[last].size() - clouds.begin_of(0);
  voxelize_host_plan const plan{exec, total, frame, tuning};
  voxelize_host_task<Points> task{clouds, params, output, plan, workspace};
  parallel_phases phases{plan.threads(), task.begin()};
  run_team(exec.pool, plan.threads(), [&](int, int) {
    phases.join([&task](std::uint32_t unit) { task.work(unit); }, [&task] { return task.next(); });
  });
  if (output.report != nullptr) *output.report = task.report();
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// The steps of voxelize_shard(), each a loop over independent indices, for kernels and host threads alike.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/scale/stream/voxelize_layout.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// What all steps take.
template <class Exec, class Points>
struct voxelize_stream_args {
  using scalar = typename Points::scalar;

  Points cloud;
  voxelize_params<scalar> params;
  int ranks;
  shard_record<scalar> record;
  voxelize_stream_memory<Exec, scalar> memory;
  std::uint32_t const* owners;  ///< `[n]`: of the points in order
  std::uint32_t const* order;   ///< `[n]`: the points in order
  std::uint32_t sent = 0;       ///< records
  std::uint32_t received = 0;   ///< records
  index_t rows = 0;             ///< of the rank's voxels, at most

  /// Points that follow a record on its rank, and were not sent.
  FARPOINT_HD std::uint32_t more_of(std::uint64_t i) const noexcept {
    if (!record.has_more) return 0;
    return *reinterpret_cast<std::uint32_t const*>(memory.received + i * record.size() + record.more_at());
  }
  FARPOINT_HD bool is_voxel(index_t row) const noexcept { return row < static_cast<index_t>(memory.found->voxels); }
  /// Whether max_voxels allows this voxel of the rank, by its number.
  FARPOINT_HD bool allows(index_t row) const noexcept {
    return is_voxel(row) && memory.numbers[row] < params.mode.max_voxels;
  }
  /// The same, once it is known how many voxels are allowed.
  FARPOINT_HD bool drops(index_t row) const noexcept { return is_voxel(row) && row >= *memory.allowed; }
};

/// Notes where each point of the shard goes.
template <class Exec, class Points>
struct voxelize_choose_step {
  voxelize_stream_args<Exec, Points> args;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    auto const point = args.cloud[static_cast<index_t>(i)];
    auto const ranks = static_cast<std::uint32_t>(args.ranks);
    vec<std::int32_t> at{};
    std::uint32_t key = ranks + (is_finite(point) ? stays_outside : stays_non_finite);
    if (voxel_of(args.params.grid, point, at)) {
      key = owner_of(cell_of(args.params.grid, at), args.params.hash_seed, args.ranks);
    }
    args.memory.keys[0][i] = key;
    args.memory.points[0][i] = static_cast<std::uint32_t>(i);
    if (args.record.has_more) args.memory.more[i] = 0;
  }
};

/// Leaves at home what a voxel of the shard has too many of; its first point tells how many they are. Runs for the
/// entries of the lists.
template <class Exec, class Points>
struct voxelize_leave_step {
  voxelize_stream_args<Exec, Points> args;

  FARPOINT_HD void operator()(std::uint64_t k) const noexcept {
    auto const& memory = args.memory;
    auto const entry = static_cast<index_t>(k);
    if (entry >= memory.list_offsets[*memory.shard_voxels]) return;
    std::int32_t const point = memory.list_points[k];
    std::int32_t const voxel = memory.point_voxel[point];
    index_t const begin = memory.list_offsets[voxel];
    index_t const kept = begin + args.params.mode.max_points;
    index_t const end = memory.list_offsets[voxel + 1];
    if (entry >= kept) memory.keys[0][point] = static_cast<std::uint32_t>(args.ranks) + stays_surplus;
    if (entry == begin && end > kept) memory.more[point] = static_cast<std::uint32_t>(end - kept);
  }
};

/// Finds where each key begins among the points in order. Runs for one more than there are points.
template <class Exec, class Points>
struct voxelize_begin_step {
  voxelize_stream_args<Exec, Points> args;

  FARPOINT_HD void operator()(std::uint64_t j) const noexcept {
    auto const n = static_cast<std::uint64_t>(args.cloud.size());
    std::uint32_t const all = static_cast<std::uint32_t>(args.ranks) + voxelize_stays_kinds;
    std::uint32_t key = j == 0 ? 0 : args.owners[j - 1] + 1;
    std::uint32_t const last = j == n ? all : args.owners[j];
    for (; key <= last; ++key) args.memory.begins[key] = static_cast<std::uint32_t>(j);
  }
};

/// Writes a record. Runs for those that are sent.
template <class Exec, class Points>
struct voxelize_pack_step {
  voxelize_stream_args<Exec, Points> args;

  FARPOINT_HD void operator()(std::uint64_t j) const noexcept {
    using scalar = typename Points::scalar;
    std::uint32_t const i = args.order[j];
    unsigned char* const record = args.memory.sent + j * args.record.size();
    auto const point = args.cloud[index_t{i}];
    auto* const coordinates = reinterpret_cast<scalar*>(record);
    FARPOINT_UNROLL
    for (int axis = 0; axis < 3; ++axis) coordinates[axis] = point[axis];
    auto const& features = args.params.features;
    auto* const values = reinterpret_cast<float*>(coordinates + 3);
    auto const count = static_cast<int>(args.record.features);
    for (int f = 0; f < count; ++f) values[f] = features(index_t{i}, f);
    if (args.record.has_more) *reinterpret_cast<std::uint32_t*>(values + count) = args.memory.more[i];
  }
};

/// Finds the first record of each voxel. Runs for the records, as what follows.
template <class Exec, class Points>
struct voxelize_first_step {
  voxelize_stream_args<Exec, Points> args;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    std::int32_t const voxel = args.memory.voxels[i];
    if (voxel < 0) return;
    std::uint32_t* const first = args.memory.first + voxel;
    auto const own = static_cast<std::uint32_t>(i);
    // Nearly all come late.
    if (own < atomic_load(first)) atomic_min(first, own);
  }
};

template <class Exec, class Points>
struct voxelize_flag_step {
  voxelize_stream_args<Exec, Points> args;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    std::int32_t const voxel = args.memory.voxels[i];
    args.memory.is_first[i] = voxel >= 0 && args.memory.first[voxel] == static_cast<std::uint32_t>(i) ? 1 : 0;
  }
};

/// Puts what owners say of the records in the order of the points. Runs for the points.
template <class Exec, class Points>
struct voxelize_spread_step {
  voxelize_stream_args<Exec, Points> args;

  FARPOINT_HD void operator()(std::uint64_t j) const noexcept {
    args.memory.firsts[args.order[j]] = j < args.sent ? args.memory.is_new[j] : 0;
  }
};

/// Puts their numbers in the order of the records. Runs for those that are sent.
template <class Exec, class Points>
struct voxelize_give_step {
  voxelize_stream_args<Exec, Points> args;

  FARPOINT_HD void operator()(std::uint64_t j) const noexcept {
    args.memory.given[j] = static_cast<std::uint32_t>(args.memory.firsts[args.order[j]]);
  }
};

/// The number of the first voxel that a rank's points begin. Runs for the ranks.
template <class Exec, class Points>
struct voxelize_base_step {
  voxelize_stream_args<Exec, Points> args;

  FARPOINT_HD void operator()(std::uint64_t rank) const noexcept {
    auto const& own = args.memory.headers[rank];
    index_t base = 0;
    for (int r = 0; r < args.ranks; ++r) {
      auto const& other = args.memory.headers[r];
      if (other.points > 0 && other.first_index < own.first_index) base += args.memory.totals[r];
    }
    args.memory.bases[rank] = base;
  }
};

/// Numbers the voxels whose first point came from a rank. Runs for the records from that one.
template <class Exec, class Points>
struct voxelize_number_step {
  voxelize_stream_args<Exec, Points> args;
  std::uint32_t from;
  std::uint32_t begin;

  FARPOINT_HD void operator()(std::uint64_t k) const noexcept {
    std::uint64_t const i = begin + k;
    if (args.memory.is_first[i] == 0) return;
    args.memory.numbers[args.memory.voxels[i]] = args.memory.bases[from] + index_t{args.memory.taken[i]};
  }
};

/// Finds how many voxels of the rank max_voxels allows: their numbers ascend. Runs for one more than there are rows.
template <class Exec, class Points>
struct voxelize_allow_step {
  voxelize_stream_args<Exec, Points> args;

  FARPOINT_HD void operator()(std::uint64_t k) const noexcept {
    auto const row = static_cast<index_t>(k);
    if (row < args.rows) args.memory.first[row] = 0;
    bool const is_end = !args.allows(row) && (row == 0 || args.allows(row - 1));
    if (is_end) *args.memory.allowed = row;
  }
};

/// Counts the points that voxelize() has not, or elsewhere. Runs for the records.
template <class Exec, class Points>
struct voxelize_correct_step {
  voxelize_stream_args<Exec, Points> args;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    auto const& memory = args.memory;
    std::int32_t const voxel = memory.voxels[i];
    std::uint64_t points = args.more_of(i);
    bool const is_dropped = voxel < 0 || voxel >= *memory.allowed;
    if (voxel >= 0 && is_dropped) {
      atomic_add(memory.first + voxel, std::uint32_t{1});
      ++points;
    }
    if (points == 0) return;
    auto& to = is_dropped ? memory.corrections->dropped_points : memory.corrections->surplus_points;
    atomic_add(&to, points);
  }
};

/// What voxelize() took for a surplus in voxels that are dropped. Runs for the rows.
template <class Exec, class Points>
struct voxelize_uncount_step {
  voxelize_stream_args<Exec, Points> args;

  FARPOINT_HD void operator()(std::uint64_t row) const noexcept {
    if (!args.drops(static_cast<index_t>(row))) return;
    index_t const surplus = index_t{args.memory.first[row]} - args.params.mode.max_points;
    if (surplus <= 0) return;
    atomic_add(&args.memory.corrections->surplus_points, std::uint64_t{0} - static_cast<std::uint64_t>(surplus));
  }
};

/// This rank's report, and how many rows it has. Runs once.
template <class Exec, class Points>
struct voxelize_count_step {
  voxelize_stream_args<Exec, Points> args;
  index_span voxel_count;

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    auto const& memory = args.memory;
    auto const allowed = static_cast<unsigned long long>(*memory.allowed);
    voxelize_report report = *memory.found;
    report.dropped_voxels += report.voxels - allowed;
    report.voxels = allowed;
    report.dropped_points += memory.corrections->dropped_points;
    report.surplus_points += memory.corrections->surplus_points;
    memory.reports[args.ranks] = report;
    if (!voxel_count.empty()) voxel_count.set(0, *memory.allowed);
  }
};

/// Runs for the rows.
template <class Exec, class Points>
struct voxelize_copy_numbers_step {
  voxelize_stream_args<Exec, Points> args;
  index_t* numbers;

  FARPOINT_HD void operator()(std::uint64_t row) const noexcept {
    if (static_cast<index_t>(row) < *args.memory.allowed) numbers[row] = args.memory.numbers[row];
  }
};

/// Adds up the reports of all ranks. Runs once.
template <class Exec, class Points>
struct voxelize_add_reports_step {
  voxelize_stream_args<Exec, Points> args;
  unsigned long long outside;
  unsigned long long non_finite;
  voxelize_report* total;

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    voxelize_report sum;
    sum.outside = outside;
    sum.non_finite = non_finite;
    for (int r = 0; r < args.ranks; ++r) add_report(sum, args.memory.reports[r]);
    *total = sum;
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Steps of voxelize_shard(): loops over independent indices, for kernels and host threads.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/scale/stream/voxelize/layout.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Arguments of all steps.
template <class Exec, class Points>
struct voxelize_shard_args {
  using scalar = typename Points::scalar;

  Points cloud;
  voxelize_params<scalar> params;
  int ranks;
  std::uint32_t me;
  shard_record<scalar> record;
  voxelize_shard_memory<Exec> memory;
  index_t* numbers;  ///< numbers of the rows
  index_t rows;      ///< number of this rank's voxels; an upper bound until it is known

  FARPOINT_HD bool is_sent(std::uint32_t key) const noexcept { return key < static_cast<std::uint32_t>(ranks); }
  /// Record at a position of a key that is a rank.
  FARPOINT_HD unsigned char* record_at(std::uint32_t key, std::uint32_t place) const noexcept {
    unsigned char* const records = key == me ? memory.received : memory.sent;
    return records + std::uint64_t{place + memory.segments[key].record} * record.size();
  }
  FARPOINT_HD std::uint32_t flag_of(std::uint32_t key, std::uint32_t place) const noexcept {
    return place + memory.segments[key].flag;
  }
};

/// Computes the key of a point: its destination.
template <class Exec, class Points>
struct voxelize_choose_step {
  voxelize_shard_args<Exec, Points> args;

  FARPOINT_HD std::uint32_t operator()(std::uint32_t i) const noexcept {
    auto const point = args.cloud[index_t{i}];
    vec<std::int32_t> at{};
    if (voxel_of(args.params.grid, point, at)) {
      return owner_of(cell_of(args.params.grid, at), args.params.hash_seed, args.ranks);
    }
    return static_cast<std::uint32_t>(args.ranks) + (is_finite(point) ? stays_outside : stays_non_finite);
  }
};

/// Writes the first position of each key. Runs for one more than the keys.
template <class Exec, class Points>
struct voxelize_begin_step {
  voxelize_shard_args<Exec, Points> args;
  std::uint32_t* begins;

  FARPOINT_HD void operator()(std::uint64_t key) const noexcept {
    begins[key] = args.memory.partition.begin(static_cast<int>(key));
  }
};

/// Writes the record of a point that is sent. See stream_partition::move().
template <class Exec, class Points>
struct voxelize_pack_step {
  using scalar = typename Points::scalar;

  voxelize_shard_args<Exec, Points> args;

  FARPOINT_HD auto load(std::uint32_t i) const noexcept { return args.cloud[index_t{i}]; }

  FARPOINT_HD void operator()(std::uint32_t i, std::uint32_t key, std::uint32_t place,
                              vec<scalar> const& point) const noexcept {
    if (!args.is_sent(key)) return;
    auto* const coordinates = reinterpret_cast<scalar*>(args.record_at(key, place));
    FARPOINT_UNROLL
    for (int axis = 0; axis < 3; ++axis) coordinates[axis] = point[axis];
    auto* const values = reinterpret_cast<float*>(coordinates + 3);
    auto const count = static_cast<int>(args.record.features);
    for (int f = 0; f < count; ++f) values[f] = args.params.features(index_t{i}, f);
  }
};

/// Pads messages with non-finite records, which are in no voxel. Runs for max_padding records per rank.
template <class Exec, class Points>
struct voxelize_pad_step {
  voxelize_shard_args<Exec, Points> args;

  FARPOINT_HD void operator()(std::uint64_t k) const noexcept {
    auto const key = static_cast<std::uint32_t>(k) / std::uint32_t{max_padding};
    std::uint32_t const begin = args.memory.partition.begin(static_cast<int>(key));
    std::uint32_t const end = args.memory.partition.begin(static_cast<int>(key) + 1);
    std::uint32_t const all = rounded_up(end - begin, elements_together(args.record.size()));
    std::uint32_t const place = end + static_cast<std::uint32_t>(k) % std::uint32_t{max_padding};
    if (place >= begin + all) return;
    unsigned char* const record = args.record_at(key, place);
    for (std::size_t byte = 0; byte < args.record.size(); ++byte) record[byte] = 0xff;
  }
};

/// Marks the first record of each voxel. Runs for the rows that there is room for.
template <class Exec, class Points>
struct voxelize_mark_step {
  voxelize_shard_args<Exec, Points> args;

  FARPOINT_HD void operator()(std::uint64_t row) const noexcept {
    if (row >= args.memory.found->voxels) return;
    std::uint32_t const first = args.memory.notes.first_points[row];
    atomic_or(args.memory.is_first + first / 32, std::uint32_t{1} << (first % 32));
  }
};

/// Counts the flags of each word. Runs for all words that there is room for.
template <class Exec, class Points>
struct voxelize_rank_step {
  voxelize_shard_args<Exec, Points> args;
  std::uint64_t words;

  FARPOINT_HD void operator()(std::uint64_t word) const noexcept {
    auto const& flags = args.memory.flags;
    flags.ranks[word] = word < words ? static_cast<std::int32_t>(count_bits(flags.words[word])) : 0;
  }
};

/// Counts the voxels whose first point is on this rank, by owner. Runs for the ranks.
template <class Exec, class Points>
struct voxelize_firsts_step {
  voxelize_shard_args<Exec, Points> args;

  FARPOINT_HD void operator()(std::uint64_t rank) const noexcept {
    auto const& memory = args.memory;
    auto const key = static_cast<std::uint32_t>(rank);
    auto const flags_before = [&](int at) {
      return memory.flags.before(args.flag_of(key, memory.partition.begin(at)));
    };
    memory.flags_before[key] = flags_before(static_cast<int>(key));
    memory.firsts[key] = flags_before(static_cast<int>(key) + 1) - memory.flags_before[key];
  }
};

/// Numbers the voxels whose first point is on this rank, in the order of the points. See stream_partition::number().
template <class Exec, class Points>
struct voxelize_give_step {
  voxelize_shard_args<Exec, Points> args;

  FARPOINT_HD bool marks(std::uint32_t key, std::uint32_t place) const noexcept {
    return args.is_sent(key) && args.memory.flags.is_set(args.flag_of(key, place));
  }
  FARPOINT_HD std::uint32_t before(std::uint32_t key, std::uint32_t place) const noexcept {
    if (!args.is_sent(key)) return 0;
    return args.memory.flags.before(args.flag_of(key, place)) - args.memory.flags_before[key];
  }
  FARPOINT_HD void give(std::uint32_t key, std::uint32_t place, std::uint32_t number) const noexcept {
    reinterpret_cast<std::uint32_t*>(args.memory.sent)[args.memory.given[key] + before(key, place)] = number;
  }
};

/// Stores the numbers of the voxels whose first point is on one rank. Runs for these voxels.
template <class Exec, class Points>
struct voxelize_take_step {
  voxelize_shard_args<Exec, Points> args;
  std::uint64_t begin;  ///< offset of their numbers in the received ones
  index_t first_row;
  index_t base;

  FARPOINT_HD void operator()(std::uint64_t k) const noexcept {
    auto const* const taken = reinterpret_cast<std::uint32_t const*>(args.memory.received) + begin;
    args.numbers[first_row + static_cast<index_t>(k)] = base + index_t{taken[k]};
  }
};

/// Finds the number of voxels of this rank within max_voxels: their numbers ascend. Runs once.
template <class Exec, class Points>
struct voxelize_allow_step {
  voxelize_shard_args<Exec, Points> args;

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    index_t low = 0;
    index_t high = args.rows;
    bool const has_limit = args.params.mode.max_voxels != voxel_mode::unlimited;
    if (!has_limit) low = high;
    while (low < high) {
      index_t const middle = low + (high - low) / 2;
      if (args.numbers[middle] < args.params.mode.max_voxels) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    *args.memory.allowed = low;
    *args.memory.corrections = {};
  }
};

/// Counts the points of voxels that voxelize() has written and max_voxels drops. Runs for up to `step` strides of rows.
template <class Exec, class Points>
struct voxelize_correct_step {
  voxelize_shard_args<Exec, Points> args;
  index_t step;

  FARPOINT_HD void operator()(std::uint64_t first) const noexcept {
    auto const& memory = args.memory;
    std::uint64_t dropped = 0;
    std::uint64_t surplus = 0;
    for (index_t row = *memory.allowed + static_cast<index_t>(first); row < args.rows; row += step) {
      index_t const points = memory.notes.points[row];
      dropped += static_cast<std::uint64_t>(points);
      surplus += static_cast<std::uint64_t>(larger(points - args.params.mode.max_points, index_t{0}));
    }
    if (dropped == 0) return;
    atomic_add(&memory.corrections->dropped_points, dropped);
    if (surplus != 0) atomic_add(&memory.corrections->surplus_points, surplus);
  }
};

/// Writes this rank's report and number of rows. Runs once.
template <class Exec, class Points>
struct voxelize_count_step {
  voxelize_shard_args<Exec, Points> args;
  index_span voxel_count;

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    auto const& memory = args.memory;
    auto const allowed = static_cast<unsigned long long>(*memory.allowed);
    voxelize_report report = *memory.found;
    // The records have no non-finite points but the padding: non-finite points of the cloud are counted where they are.
    report.non_finite = 0;
    report.dropped_voxels += report.voxels - allowed;
    report.voxels = allowed;
    report.dropped_points += memory.corrections->dropped_points;
    report.surplus_points -= memory.corrections->surplus_points;
    // The voxels without a row come after the last row. If its number is the last or beyond, max_voxels drops them all.
    index_t const last = args.params.mode.max_voxels - 1;
    if (args.rows > 0 && args.numbers[args.rows - 1] >= last) report.over_capacity = 0;
    memory.reports[args.ranks] = report;
    if (!voxel_count.empty()) voxel_count.set(0, *memory.allowed);
  }
};

/// Adds up the reports of all ranks. Runs once.
template <class Exec, class Points>
struct voxelize_add_reports_step {
  voxelize_shard_args<Exec, Points> args;
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

/// @file
/// Steps of voxel_map_keep() and voxel_map_restore(). Each is a loop over independent indices, for kernels and host
/// threads.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/voxelize/map_layout.hpp>

#include <cstring>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Number of consecutive voxels per index in steps that count: one atomic addition for all of them.
inline constexpr index_t voxel_map_chunk = 32;

/// Digits of a tile's number, from the highest on: the oldest tile to keep is found digit by digit (radix selection).
inline constexpr int voxel_map_digit_bits = 4, voxel_map_digits = 32 / voxel_map_digit_bits;
inline constexpr int voxel_map_digit_values = 1 << voxel_map_digit_bits;

/// Counters of one call.
struct voxel_map_keep_state {
  std::uint64_t outside, expired, evicted, erased_points;
  std::uint32_t candidates;   ///< voxels that meet all conditions but max_voxels
  std::uint32_t oldest_tile;  ///< found digits of the last tile of the oldest voxels that are kept
  std::uint32_t oldest_kept;  ///< number of voxels to keep among the voxels with these digits
  std::uint32_t digits[voxel_map_digits][voxel_map_digit_values];  ///< candidates by digit of the last tile
};

enum class voxel_map_fate { kept, outside, expired, evicted };

/// Workspace of a call.
struct voxel_map_keep_scratch {
  voxel_map_keep_state* state = nullptr;
  /// `[rows + 1]`: 0 or 1 for each voxel, and then the exclusive sums.
  std::int32_t* ranks = nullptr;

  voxel_map_keep_scratch(workspace_cutter& cutter, index_t rows) noexcept
      : state{cutter.take<voxel_map_keep_state>(1)}, ranks{cutter.take<std::int32_t>(rows + 1)} {}
};

/// Arguments of the steps. Steps over voxels, or over chunks, run for the whole capacity.
template <class Scalar>
struct voxel_map_keep_args {
  voxel_map_params<Scalar> params;
  voxel_map_arrays<Scalar> map;
  voxel_map_keep_params<Scalar> keep;
  voxel_map_keep_output output;
  voxel_map_keep_scratch scratch;
  index_t rows = 0;  ///< number of ranks: the capacity, and at least 1

  FARPOINT_HD index_t voxels() const noexcept { return static_cast<index_t>(map.counters->voxels); }
  FARPOINT_HD bool is_bounded() const noexcept { return keep.max_voxels != keep.unlimited; }
  /// True if max_voxels erases voxels. Valid after the candidates are counted.
  FARPOINT_HD bool is_over_bound() const noexcept {
    return static_cast<index_t>(scratch.state->candidates) > keep.max_voxels;
  }

  // Valid after the last scan.
  FARPOINT_HD index_t kept() const noexcept { return scratch.ranks[rows]; }
  FARPOINT_HD bool is_kept(index_t voxel) const noexcept { return scratch.ranks[voxel + 1] != scratch.ranks[voxel]; }
  /// True if the voxel and all before it are kept, so that its row stays.
  FARPOINT_HD bool stays(index_t voxel) const noexcept { return scratch.ranks[voxel + 1] == voxel + 1; }
  FARPOINT_HD bool erases_none() const noexcept { return kept() == voxels(); }

  /// Tests all conditions but max_voxels.
  FARPOINT_HD voxel_map_fate fate_of(index_t voxel) const noexcept {
    if (!is_inside(map.cells[voxel])) return voxel_map_fate::outside;
    if (keep.max_age == keep.unlimited) return voxel_map_fate::kept;
    std::uint64_t const later =
        map.counters->tiles - smaller(map.counters->tiles, map.last_tiles[voxel] + std::uint64_t{1});
    return later <= static_cast<std::uint64_t>(keep.max_age) ? voxel_map_fate::kept : voxel_map_fate::expired;
  }

 private:
  FARPOINT_HD bool is_inside(std::uint64_t cell) const noexcept {
    vec<std::int32_t> const at = voxel_at(params.grid, cell);
    vec<double> position{}, center{};
    bool inside = true;
    bool has_origin = true;
    for (int axis = 0; axis < 3; ++axis) {
      auto const low_corner = static_cast<double>(params.grid.origin[axis]);
      position[axis] = fma_rn(at[axis] + 0.5, static_cast<double>(params.grid.size[axis]), low_corner);
      if (!keep.origin.empty()) {
        auto const origin = static_cast<double>(keep.origin[static_cast<std::size_t>(axis)]);
        has_origin = has_origin && is_finite_number(origin);
        position[axis] = sub_rn(position[axis], origin);
      }
      center[axis] = static_cast<double>(keep.center[axis]);
      auto const high = static_cast<double>(keep.box.high[axis]);
      inside = inside && position[axis] >= static_cast<double>(keep.box.low[axis]) &&
               (position[axis] < high || high == infinity<double>);
    }
    auto const radius = static_cast<double>(keep.radius);
    return !has_origin || (inside && distance2(position, center) <= mul_rn(radius, radius));
  }
};

/// Clears the counters of the call. One index.
template <class Scalar>
struct voxel_map_keep_start_step {
  voxel_map_keep_args<Scalar> args;

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    *args.scratch.state = {};
    args.scratch.state->oldest_kept = static_cast<std::uint32_t>(smaller(args.keep.max_voxels, voxel_map_max_voxels));
  }
};

/// Decides about each voxel: sets its rank to 1 if it is kept, and counts it otherwise. By chunks.
template <class Scalar>
struct voxel_map_decide_step {
  voxel_map_keep_args<Scalar> args;

  FARPOINT_HD void operator()(std::uint64_t chunk) const noexcept {
    index_t const begin = static_cast<index_t>(chunk) * voxel_map_chunk;
    index_t const end = smaller(begin + voxel_map_chunk, args.rows);
    std::uint64_t outside = 0, expired = 0, evicted = 0, points = 0;
    for (index_t voxel = begin; voxel < end; ++voxel) {
      auto& rank = args.scratch.ranks[voxel];
      if (voxel >= args.voxels()) {
        rank = 0;
        continue;
      }
      voxel_map_fate const fate = decide(voxel, rank);
      rank = fate == voxel_map_fate::kept ? 1 : 0;
      outside += fate == voxel_map_fate::outside ? 1 : 0;
      expired += fate == voxel_map_fate::expired ? 1 : 0;
      evicted += fate == voxel_map_fate::evicted ? 1 : 0;
      points += fate == voxel_map_fate::kept ? 0 : args.map.counts[voxel];
    }
    auto& state = *args.scratch.state;
    if (outside != 0) atomic_add(&state.outside, outside);
    if (expired != 0) atomic_add(&state.expired, expired);
    if (evicted != 0) atomic_add(&state.evicted, evicted);
    if (points != 0) atomic_add(&state.erased_points, points);
  }

 private:
  /// @param rank  number of voxels of the oldest tile before this one
  FARPOINT_HD voxel_map_fate decide(index_t voxel, std::int32_t rank) const noexcept {
    voxel_map_fate const fate = args.fate_of(voxel);
    if (fate != voxel_map_fate::kept || !args.is_bounded()) return fate;
    auto const& state = *args.scratch.state;
    std::uint32_t const tile = args.map.last_tiles[voxel];
    bool const is_young =
        tile > state.oldest_tile || (tile == state.oldest_tile && static_cast<std::uint32_t>(rank) < state.oldest_kept);
    return is_young ? voxel_map_fate::kept : voxel_map_fate::evicted;
  }
};

/// Words of the rows that one pass moves. Between its two steps the memory of the map's table holds them, a bucket for
/// each kept voxel: the table is rebuilt afterwards.
struct voxel_map_move {
  static constexpr int max_words = sizeof(hash_map_bucket) / 4;
  static_assert(voxel_map_table::bucket_slots <= 2, "farpoint: at load factor 0.5 there is a bucket for each voxel");

  unsigned char* words[max_words];  ///< each in the row of voxel 0
  std::size_t row_bytes[max_words];
  int count = 0;
};

/// Copies a word, whatever its type is. nvcc copies bytes one by one unless it knows their alignment.
FARPOINT_HD FARPOINT_ALWAYS_INLINE void copy_word(unsigned char* to, unsigned char const* from) noexcept {
  std::memcpy(__builtin_assume_aligned(to, 4), __builtin_assume_aligned(from, 4), 4);
}

/// Copies the words of the kept voxels whose rows change into the table. By voxels.
template <class Scalar>
struct voxel_map_take_step {
  voxel_map_keep_args<Scalar> args;
  voxel_map_move move;

  FARPOINT_HD void operator()(std::uint64_t index) const noexcept {
    auto const voxel = static_cast<index_t>(index);
    if (voxel >= args.voxels() || args.stays(voxel) || !args.is_kept(voxel)) return;
    auto* const table = reinterpret_cast<unsigned char*>(args.map.buckets + args.scratch.ranks[voxel]);
    for (int i = 0; i < move.count; ++i) copy_word(table + 4 * i, move.words[i] + index * move.row_bytes[i]);
  }
};

/// Copies the words from the table to their new rows. By voxels.
template <class Scalar>
struct voxel_map_put_step {
  voxel_map_keep_args<Scalar> args;
  voxel_map_move move;

  FARPOINT_HD void operator()(std::uint64_t index) const noexcept {
    auto const voxel = static_cast<index_t>(index);
    if (voxel >= args.kept() || args.stays(voxel)) return;
    auto const* const table = reinterpret_cast<unsigned char const*>(args.map.buckets + voxel);
    for (int i = 0; i < move.count; ++i) copy_word(move.words[i] + index * move.row_bytes[i], table + 4 * i);
  }
};

/// Writes the new number of a voxel. By voxels.
template <class Scalar>
struct voxel_map_new_numbers_step {
  voxel_map_keep_args<Scalar> args;

  FARPOINT_HD void operator()(std::uint64_t index) const noexcept {
    auto const voxel = static_cast<index_t>(index);
    if (voxel >= args.voxels()) return;
    args.output.new_numbers.set(voxel, args.is_kept(voxel) ? args.scratch.ranks[voxel] : -1);
  }
};

/// Clears the table, unless all voxels are kept. By 16-byte stores.
template <class Scalar>
struct voxel_map_clear_table_step {
  voxel_map_keep_args<Scalar> args;

  FARPOINT_HD void operator()(std::uint64_t index) const noexcept {
    if (args.erases_none()) return;
    auto const at = static_cast<index_t>(index);
    args.map.table(args.params.hash_seed).clear_part(at, at + 1);
  }
};

/// Inserts the cells of the kept voxels into the table, unless all voxels are kept. By voxels.
template <class Scalar>
struct voxel_map_fill_table_step {
  voxel_map_keep_args<Scalar> args;

  FARPOINT_HD void operator()(std::uint64_t index) const noexcept {
    if (args.erases_none() || static_cast<index_t>(index) >= args.kept()) return;
    args.map.table(args.params.hash_seed).insert(args.map.cells[index], static_cast<std::uint32_t>(index));
  }
};

/// Updates the counters of the map, after all steps that read them, and writes the report. One index.
template <class Scalar>
struct voxel_map_keep_finish_step {
  voxel_map_keep_args<Scalar> args;

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    auto const& state = *args.scratch.state;
    auto& counters = *args.map.counters;
    counters.voxels = static_cast<std::uint64_t>(args.kept());
    counters.erased_voxels += state.outside + state.expired + state.evicted;
    counters.erased_points += state.erased_points;
    if (args.output.report == nullptr) return;
    *args.output.report = {counters.voxels, state.outside, state.expired, state.evicted, state.erased_points};
  }
};

/// Sets the counters of a restored map. One index.
template <class Scalar>
struct voxel_map_restore_counters_step {
  voxel_map_arrays<Scalar> map;
  voxel_map_counters counters;

  FARPOINT_HD void operator()(std::uint64_t) const noexcept { *map.counters = counters; }
};

/// Inserts the cell of a restored voxel into the cleared table, and checks the voxel. By saved voxels.
template <class Scalar>
struct voxel_map_restore_step {
  voxel_map_params<Scalar> params;
  voxel_map_arrays<Scalar> map;

  FARPOINT_HD void operator()(std::uint64_t voxel) const noexcept {
    std::uint64_t const cell = map.cells[voxel];
    std::uint64_t const count = map.counts[voxel];
    bool is_valid = count != 0 && count <= static_cast<std::uint64_t>(params.mode.max_points);
    if (cell >= params.grid.cells()) {
      is_valid = false;
    } else {
      auto const number = static_cast<std::uint32_t>(voxel);
      bool const is_new = map.table(params.hash_seed).insert(cell, number).state == insert_result::inserted;
      is_valid = is_valid && is_new;
    }
    if (!is_valid) atomic_add(&map.counters->invalid_voxels, std::uint64_t{1});
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

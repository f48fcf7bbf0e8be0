/// @file
/// Steps of voxel_map_keep() that find the oldest voxels that are kept, by radix selection: digit by digit of the
/// number of their last tile, from the highest on.
#pragma once

#include <farpoint/detail/voxelize/map_keep_steps.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Counts the candidates for max_voxels, and sets their ranks to 1. By chunks.
template <class Scalar>
struct voxel_map_candidates_step {
  voxel_map_keep_args<Scalar> args;

  FARPOINT_HD void operator()(std::uint64_t chunk) const noexcept {
    index_t const begin = static_cast<index_t>(chunk) * voxel_map_chunk;
    index_t const end = smaller(begin + voxel_map_chunk, args.voxels());
    std::uint32_t candidates = 0;
    for (index_t voxel = begin; voxel < end; ++voxel) {
      bool const is_candidate = args.fate_of(voxel) == voxel_map_fate::kept;
      args.scratch.ranks[voxel] = is_candidate ? 1 : 0;
      candidates += is_candidate ? 1 : 0;
    }
    if (candidates != 0) atomic_add(&args.scratch.state->candidates, candidates);
  }
};

/// Counts the candidates that have the digits found so far, by their next digit. By chunks. Neighboring voxels are
/// often of one tile, so that a run of equal digits is one atomic addition.
template <class Scalar>
struct voxel_map_count_digits_step {
  voxel_map_keep_args<Scalar> args;
  int digit;  ///< 0 is the highest

  FARPOINT_HD void operator()(std::uint64_t chunk) const noexcept {
    if (!args.is_over_bound()) return;
    auto& state = *args.scratch.state;
    index_t const begin = static_cast<index_t>(chunk) * voxel_map_chunk;
    index_t const end = smaller(begin + voxel_map_chunk, args.voxels());
    int const shift = 32 - voxel_map_digit_bits * (digit + 1);
    std::uint32_t run = 0;
    std::uint32_t run_digit = 0;
    for (index_t voxel = begin; voxel < end; ++voxel) {
      if (args.scratch.ranks[voxel] == 0) continue;
      std::uint32_t const rest = args.map.last_tiles[voxel] >> shift;
      if (rest / voxel_map_digit_values != state.oldest_tile) continue;
      std::uint32_t const value = rest % voxel_map_digit_values;
      if (value != run_digit && run != 0) {
        atomic_add(&state.digits[digit][run_digit], run);
        run = 0;
      }
      run_digit = value;
      ++run;
    }
    if (run != 0) atomic_add(&state.digits[digit][run_digit], run);
  }
};

/// Finds the next digit of the oldest tile to keep. One index.
template <class Scalar>
struct voxel_map_choose_digit_step {
  voxel_map_keep_args<Scalar> args;
  int digit;

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    auto& state = *args.scratch.state;
    if (!args.is_over_bound()) {
      state.oldest_kept = state.candidates;
      return;
    }
    std::uint32_t value = voxel_map_digit_values - 1;
    for (; value > 0 && state.digits[digit][value] < state.oldest_kept; --value) {
      state.oldest_kept -= state.digits[digit][value];
    }
    state.oldest_tile = state.oldest_tile * voxel_map_digit_values + value;
  }
};

/// Sets the ranks of the candidates of the oldest tile to 1, and all others to 0. By voxels.
template <class Scalar>
struct voxel_map_oldest_step {
  voxel_map_keep_args<Scalar> args;

  FARPOINT_HD void operator()(std::uint64_t index) const noexcept {
    auto const voxel = static_cast<index_t>(index);
    auto& rank = args.scratch.ranks[voxel];
    bool const is_candidate = voxel < args.voxels() && rank != 0;
    rank = is_candidate && args.map.last_tiles[voxel] == args.scratch.state->oldest_tile ? 1 : 0;
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

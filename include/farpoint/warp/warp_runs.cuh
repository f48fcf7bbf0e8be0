/// @file
/// Runs of equal words in the lanes of a warp.
#pragma once

#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE

/// The run of neighboring lanes with the same word that the calling lane is in. The run's lowest lane can act for all
/// of it: one atomic operation a run in place of one a lane.
///
/// A LiDAR's points come in the order of its beams, so neighbors often share a voxel, and all lanes do where a voxel
/// is crowded. Equal words with others between them are different runs: __match_any_sync() would bring them together,
/// and takes longer than the atomic operations that it saves. Cost: a shuffle and a ballot; no shared memory.
struct warp_run {
  int leader;          ///< the lowest lane of the run
  int rank;            ///< of the calling lane in the run; 0 for the leader
  std::uint32_t size;  ///< lanes in the run

  /// All lanes of the warp call it. Words are compared with !=, so a NaN is a run of its own.
  /// @tparam Word  4 or 8 bytes, as __shfl_up_sync() takes
  template <class Word>
  __device__ static warp_run of(Word word) noexcept {
    Word const before = __shfl_up_sync(~0u, word, 1);
    int const lane = cuda_warp::lane();
    unsigned const starts = cuda_warp::ballot(lane == 0 || word != before);
    warp_run run{};
    run.leader = 31 - __clz(static_cast<int>(starts & (~0u >> (31 - lane))));
    run.rank = lane - run.leader;
    unsigned const later = run.leader == 31 ? 0 : starts >> (run.leader + 1);
    run.size = later == 0 ? static_cast<std::uint32_t>(32 - run.leader)
                          : static_cast<std::uint32_t>(__ffs(static_cast<int>(later)));
    return run;
  }

  __device__ bool leads() const noexcept { return rank == 0; }

  /// The bits of all lanes of the run, or'ed together; right in the leader's lane only. All lanes of the warp call it.
  __device__ std::uint64_t bits_of_all(std::uint64_t bits) const noexcept {
#pragma unroll
    for (int step = 1; step < cuda_warp::lanes; step *= 2) {
      std::uint64_t const other = __shfl_down_sync(~0u, bits, step);
      if (static_cast<std::uint32_t>(rank + step) < size) bits |= other;
    }
    return bits;
  }
};

FARPOINT_END_NAMESPACE

/// @file
/// The parts of a phase of building BVHs.
#pragma once

#include <farpoint/grid/grid_phases.cuh>
#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The part of a phase that would be a block's, if all blocks of the grid ran at once.
template <int Threads>
class bvh_share {
 public:
  __device__ explicit bvh_share(unsigned number) noexcept : number_{number} {}

  __device__ static unsigned count() noexcept { return gridDim.x; }
  __device__ unsigned number() const noexcept { return number_; }

  /// The calling thread's number among the threads of all shares.
  __device__ std::uint32_t thread() const noexcept { return number_ * Threads + threadIdx.x; }
  __device__ static std::uint32_t threads() noexcept { return count() * Threads; }

  /// The share's part of `size`, in whole warps.
  struct range {
    std::uint32_t begin;
    std::uint32_t end;
  };
  __device__ range part_of(std::uint32_t size) const noexcept {
    constexpr std::uint32_t lanes = cuda_warp::lanes;
    std::uint32_t const each = (size / lanes / count() + 1) * lanes;
    std::uint64_t const begin = std::uint64_t{number_} * each;
    if (begin >= size) return {size, size};
    return {static_cast<std::uint32_t>(begin), size - begin < each ? size : static_cast<std::uint32_t>(begin) + each};
  }

 private:
  unsigned number_;
};

/// Runs a phase: `work(share)` for each share, and `finish()` after one or more shares of a block.
template <int Threads, class Work, class Finish>
__device__ void run_shares(grid_phases& phases, Work const& work, Finish const& finish) noexcept {
  phases.run(
      bvh_share<Threads>::count(), [&](unsigned number) { work(bvh_share<Threads>{number}); }, finish);
}
template <int Threads, class Work>
__device__ void run_shares(grid_phases& phases, Work const& work) noexcept {
  run_shares<Threads>(phases, work, [] {});
}

}  // namespace detail
FARPOINT_END_NAMESPACE

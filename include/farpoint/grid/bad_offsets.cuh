/// @file
/// Counts the invalid offsets of a ragged batch before other kernels use them.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/tuning/loops.hpp>
#include <farpoint/warp/count_in_report.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

struct bad_offsets_args {
  span<index_t const> offsets;
  index_t size;                  ///< number of points of the view
  unsigned* total;               ///< added to; may be null
  unsigned long long* reported;  ///< added to; may be null
};

/// Kernel with one thread per offset.
template <int BlockSize>
__global__ void __launch_bounds__(BlockSize) bad_offsets_kernel(bad_offsets_args const args) {
  index_t const i = index_t{blockIdx.x} * BlockSize + threadIdx.x;
  bool const is_bad = i < static_cast<index_t>(args.offsets.size()) && is_bad_offset(args.offsets, i, args.size);
  if (!is_bad) return;
  if (args.total != nullptr) atomicAdd(args.total, 1u);
  count_in_report(args.reported, 1);
}

/// Enqueues the counting of invalid offsets; does nothing if both counters are null.
template <class Points>
FARPOINT_HIDDEN void count_bad_offsets(kernel_launcher& launcher, batch<Points> const& clouds, unsigned* total,
                                       unsigned long long* reported) noexcept {
  if ((total == nullptr && reported == nullptr) || !clouds.is_ragged() || clouds.size() == 0) return;
  launcher.launch_for(static_cast<index_t>(clouds.offsets().size()), loop_block_size,
                      bad_offsets_kernel<loop_block_size>,
                      bad_offsets_args{clouds.offsets(), clouds.points().size(), total, reported});
}

}  // namespace detail
FARPOINT_END_NAMESPACE

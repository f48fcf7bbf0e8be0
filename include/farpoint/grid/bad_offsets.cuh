/// @file
/// Looks at the offsets of a ragged batch before other kernels go by them.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/tuning/loops.hpp>
#include <farpoint/warp/count_in_report.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

struct bad_offsets_args {
  span<index_t const> offsets;
  index_t size;                  ///< points of the view
  unsigned const* known;         ///< wrong offsets that were found before, which are added; may be null
  unsigned* total;               ///< added to; may be null
  unsigned long long* reported;  ///< added to; may be null
};

/// A thread an offset.
template <int BlockSize>
__global__ void __launch_bounds__(BlockSize) bad_offsets_kernel(bad_offsets_args const args) {
  index_t const i = index_t{blockIdx.x} * BlockSize + threadIdx.x;
  bool const is_bad = i < static_cast<index_t>(args.offsets.size()) && is_bad_offset(args.offsets, i, args.size);
  unsigned const count = (is_bad ? 1 : 0) + (i == 0 && args.known != nullptr ? *args.known : 0);
  if (count == 0) return;
  if (args.total != nullptr) atomicAdd(args.total, count);
  count_in_report(args.reported, count);
}

/// Enqueues the counting of wrong offsets; nothing where nobody wants to know.
template <class Points>
FARPOINT_HIDDEN void count_bad_offsets(kernel_launcher& launcher, batch<Points> const& clouds, unsigned const* known,
                                       unsigned* total, unsigned long long* reported) noexcept {
  bool const has_offsets = clouds.is_ragged() && clouds.size() > 0;
  if ((total == nullptr && reported == nullptr) || (!has_offsets && known == nullptr)) return;
  auto const offsets = has_offsets ? clouds.offsets() : span<index_t const>{};
  launcher.launch_for(larger(static_cast<index_t>(offsets.size()), index_t{1}), loop_block_size,
                      bad_offsets_kernel<loop_block_size>,
                      bad_offsets_args{offsets, clouds.points().size(), known, total, reported});
}

}  // namespace detail
FARPOINT_END_NAMESPACE

// The kernels of radix_sort() with its default tuning are compiled in kernels/radix_sort.cu only, not in every test of
// what sorts.
#pragma once

#include <farpoint/grid/radix_sort.cuh>

// `how` is `extern template` or `template`.
#define RADIX_SORT_KERNELS(how)                                                                         \
  how cudaError_t farpoint::radix_sort<farpoint::radix_sort_selector>(farpoint::radix_sort_args const&, \
                                                                      cudaStream_t) noexcept;

RADIX_SORT_KERNELS(extern template)

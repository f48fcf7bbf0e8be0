/// @file
#pragma once

#include <farpoint/types/fps.hpp>

#include <cuda_runtime.h>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Adds to one counter of the report, if there is one.
__device__ inline void fps_count(fps_report* report, unsigned long long fps_report::*counter,
                                 unsigned amount) noexcept {
  if (report != nullptr && amount != 0) atomicAdd(&(report->*counter), static_cast<unsigned long long>(amount));
}

}  // namespace detail
FARPOINT_END_NAMESPACE

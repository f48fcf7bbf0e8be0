/// @file
/// Names a call on the time line of a profiler.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/config.hpp>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define FARPOINT_HAS_NVTX 1
#else
#define FARPOINT_HAS_NVTX 0
#endif

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// An NVTX range from here to the end of the scope: the time that a call takes on the host. Costs a few nanoseconds
/// without a profiler, and nothing if the CUDA toolkit has no NVTX.
class profile_range {
 public:
  explicit profile_range([[maybe_unused]] char const* name) noexcept {
#if FARPOINT_HAS_NVTX
    nvtxRangePushA(name);
#endif
  }
  profile_range(profile_range const&) = delete;
  profile_range& operator=(profile_range const&) = delete;
  ~profile_range() {
#if FARPOINT_HAS_NVTX
    nvtxRangePop();
#endif
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

#undef FARPOINT_HAS_NVTX

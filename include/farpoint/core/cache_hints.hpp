/// @file
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Loads what is looked at once: on a device it is the first to leave the cache.
template <class T>
FARPOINT_HD FARPOINT_ALWAYS_INLINE T load_once(T const* from) noexcept {
#if defined(__CUDA_ARCH__)
  return __ldcs(from);
#else
  return *from;
#endif
}

/// Stores what the caller does not look at again, likewise.
template <class T>
FARPOINT_HD FARPOINT_ALWAYS_INLINE void store_once(T* to, T value) noexcept {
#if defined(__CUDA_ARCH__)
  __stcs(to, value);
#else
  *to = value;
#endif
}

}  // namespace detail
FARPOINT_END_NAMESPACE

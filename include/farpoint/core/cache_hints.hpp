/// @file
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Loads data that is used once: on a device it is the first to be evicted from the cache.
template <class T>
FARPOINT_HD FARPOINT_ALWAYS_INLINE T load_once(T const* from) noexcept {
#if defined(__CUDA_ARCH__)
  return __ldcs(from);
#else
  return *from;
#endif
}

/// Stores data that the caller does not read again, with the same hint.
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

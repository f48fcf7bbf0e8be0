/// @file
/// The only header with compiler switches.
#pragma once

#define FARPOINT_VERSION_MAJOR 0
#define FARPOINT_VERSION_MINOR 1
#define FARPOINT_VERSION_PATCH 0

#if defined(__CUDACC__)
#define FARPOINT_HD __host__ __device__
#else
#define FARPOINT_HD
#endif

#if defined(__GNUC__)
#define FARPOINT_HIDDEN __attribute__((visibility("hidden")))
#define FARPOINT_ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define FARPOINT_HIDDEN
#define FARPOINT_ALWAYS_INLINE inline
#endif

// Asks the device compiler to unroll the loop that follows: an array indexed by a run-time value leaves the registers.
#if defined(__CUDA_ARCH__)
#define FARPOINT_UNROLL _Pragma("unroll")
#else
#define FARPOINT_UNROLL
#endif

// The inline namespace keeps two versions of the headers apart in one process.
#define FARPOINT_BEGIN_NAMESPACE \
  namespace farpoint {           \
  inline namespace v0 {
#define FARPOINT_END_NAMESPACE \
  }                            \
  }

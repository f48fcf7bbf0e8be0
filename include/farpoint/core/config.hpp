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

// One of two expressions, in a FARPOINT_HD function.
#if defined(__CUDA_ARCH__)
#define FARPOINT_DEVICE_OR_HOST(device, host) device
#else
#define FARPOINT_DEVICE_OR_HOST(device, host) host
#endif

#if defined(__GNUC__)
#define FARPOINT_HIDDEN __attribute__((visibility("hidden")))
#define FARPOINT_ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define FARPOINT_HIDDEN
#define FARPOINT_ALWAYS_INLINE inline
#endif

// Asks the compiler to unroll the loop that follows: on a device, an array indexed by a run-time value leaves the
// registers; on the host, g++ does not do it at -O2 by itself.
#if defined(__CUDA_ARCH__)
#define FARPOINT_UNROLL _Pragma("unroll")
#elif defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define FARPOINT_UNROLL _Pragma("GCC unroll 16")
#else
#define FARPOINT_UNROLL
#endif

// Before a FARPOINT_HD template that calls what its user passes it, which may be for the host or for the device only.
#if defined(__NVCC__)
#define FARPOINT_CALLS_BACK _Pragma("nv_exec_check_disable")
#else
#define FARPOINT_CALLS_BACK
#endif

// Asks a processor for memory that will be needed soon.
#if defined(__GNUC__)
#define FARPOINT_PREFETCH(address) __builtin_prefetch(address)
#else
#define FARPOINT_PREFETCH(address) static_cast<void>(address)
#endif

// Our templates for a user's type of an unnamed namespace, such as a selector, are seen by nobody else anyway: nvcc
// warns that FARPOINT_HIDDEN says so too.
#if defined(__NVCC__) && defined(__CUDACC__)
#define FARPOINT_BEGIN_QUIET _Pragma("nv_diagnostic push") _Pragma("nv_diag_suppress 1407")
#define FARPOINT_END_QUIET _Pragma("nv_diagnostic pop")
#else
#define FARPOINT_BEGIN_QUIET
#define FARPOINT_END_QUIET
#endif

// The inline namespace keeps two versions of the headers apart in one process.
#define FARPOINT_BEGIN_NAMESPACE \
  FARPOINT_BEGIN_QUIET           \
  namespace farpoint {           \
  inline namespace v0 {
#define FARPOINT_END_NAMESPACE \
  }                            \
  }                            \
  FARPOINT_END_QUIET

/// @file
/// Version and macros that hide differences between compilers: function attributes, pragmas, the namespace.
#pragma once

#define FARPOINT_VERSION_MAJOR 0
#define FARPOINT_VERSION_MINOR 1
#define FARPOINT_VERSION_PATCH 0

#if defined(__CUDACC__)
#define FARPOINT_HD __host__ __device__
#else
#define FARPOINT_HD
#endif

// Selects one of two expressions in a FARPOINT_HD function.
#if defined(__CUDA_ARCH__)
#define FARPOINT_DEVICE_OR_HOST(device, host) device
#else
#define FARPOINT_DEVICE_OR_HOST(device, host) host
#endif

// Result bits must not depend on the caller's compiler flags. Hence farpoint's functions are compiled without the
// options that let a compiler assume the absence of NaNs or reorder arithmetic. With g++ the macro __GCC_IEC_559 is 0
// if such options are in effect; otherwise no pragmas are needed. Under the pragmas g++ does not inline functions of
// other options unless forced. So with these options FARPOINT_ALWAYS_INLINE is only a hint, the caller's code keeps the
// caller's options, and functions that need inlining for speed use FARPOINT_FLATTEN.
#if defined(__clang__)
#define FARPOINT_BEGIN_STRICT_MATH _Pragma("float_control(push)") _Pragma("float_control(precise, on)")
#define FARPOINT_END_STRICT_MATH _Pragma("float_control(pop)")
#elif defined(__GNUC__) && defined(__GCC_IEC_559) && __GCC_IEC_559 == 0
#define FARPOINT_FAST_MATH 1
#define FARPOINT_BEGIN_STRICT_MATH                                                                                 \
  _Pragma("GCC push_options") _Pragma(                                                                             \
      "GCC optimize(\"no-unsafe-math-optimizations,no-finite-math-only,no-associative-math,no-reciprocal-math\")") \
      _Pragma("GCC optimize(\"signed-zeros,trapping-math,fp-contract=off\")")
#define FARPOINT_END_STRICT_MATH _Pragma("GCC pop_options")
#else
#define FARPOINT_BEGIN_STRICT_MATH
#define FARPOINT_END_STRICT_MATH
#endif

// Result of a builtin such as __builtin_fma(), of type float or double. clang++ 14 applies the caller's options to such
// a call despite the pragma, unless the call is the operand of a conversion. The conversion used here is exact and
// free.
#if defined(__clang__)
#define FARPOINT_OF_BUILTIN(call) static_cast<decltype(call)>(static_cast<long double>(call))
#else
#define FARPOINT_OF_BUILTIN(call) (call)
#endif

#if defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2)
#error "farpoint: this target computes floats in higher precision, which changes results; add -msse2 -mfpmath=sse"
#endif

// Attribute of kernel code whose primitives are a template parameter: nvcc compiles it for the device only, a C++
// compiler for tests that run it on a CPU.
#if defined(__CUDACC__)
#define FARPOINT_DEVICE __device__
#else
#define FARPOINT_DEVICE
#endif

#if defined(__GNUC__)
#define FARPOINT_HIDDEN [[gnu::visibility("hidden")]]
#else
#define FARPOINT_HIDDEN
#endif
// FARPOINT_FEW_INLINE is for tests, whose build time is mostly inlining: it leaves the decision to the compiler.
#if defined(FARPOINT_FEW_INLINE)
#define FARPOINT_ALWAYS_INLINE inline
#define FARPOINT_FLATTEN
#elif defined(__GNUC__) && (!defined(FARPOINT_FAST_MATH) || defined(__CUDA_ARCH__))
#define FARPOINT_ALWAYS_INLINE inline __attribute__((always_inline))
#define FARPOINT_FLATTEN
#elif defined(__GNUC__)
#define FARPOINT_ALWAYS_INLINE inline
#define FARPOINT_FLATTEN __attribute__((flatten))
#else
#define FARPOINT_ALWAYS_INLINE inline
#define FARPOINT_FLATTEN
#endif
// For functions that do much work per call: it prevents a copy in each template that calls them.
#if defined(__GNUC__)
#define FARPOINT_NO_INLINE __attribute__((noinline))
#else
#define FARPOINT_NO_INLINE
#endif

// Unrolls the next loop. On a device, an array indexed by a run-time value would leave the registers; on the host, g++
// does not unroll at -O2.
#if defined(__CUDA_ARCH__)
#define FARPOINT_UNROLL _Pragma("unroll")
#elif defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define FARPOINT_UNROLL _Pragma("GCC unroll 16")
#else
#define FARPOINT_UNROLL
#endif

// Keeps nvcc from unrolling the next loop: unrolled loops fill the instruction cache.
#if defined(__CUDA_ARCH__)
#define FARPOINT_KEEP_LOOP _Pragma("unroll 1")
#else
#define FARPOINT_KEEP_LOOP
#endif

// Leaves the next loop to the vectorizer of a host compiler: g++ would otherwise unroll up to 16 iterations.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define FARPOINT_VECTOR_LOOP _Pragma("GCC unroll 1")
#else
#define FARPOINT_VECTOR_LOOP
#endif

// Precedes a FARPOINT_HD template that calls a user's callable, which may be for the host or for the device only.
#if defined(__NVCC__)
#define FARPOINT_CALLS_BACK _Pragma("nv_exec_check_disable")
#else
#define FARPOINT_CALLS_BACK
#endif

// Prefetches the cache line at an address.
#if defined(__GNUC__)
#define FARPOINT_PREFETCH(address) __builtin_prefetch(address)
#else
#define FARPOINT_PREFETCH(address) static_cast<void>(address)
#endif

// Silences nvcc's warnings that FARPOINT_HIDDEN is redundant on templates instantiated for types of an unnamed
// namespace, such as a user's selector.
#if defined(__NVCC__) && defined(__CUDACC__)
#define FARPOINT_BEGIN_QUIET _Pragma("nv_diagnostic push") _Pragma("nv_diag_suppress 161,1407,1675")
#define FARPOINT_END_QUIET _Pragma("nv_diagnostic pop")
#else
#define FARPOINT_BEGIN_QUIET
#define FARPOINT_END_QUIET
#endif

// FARPOINT_ALLOW_FTZ, defined before the include, permits kernels compiled with -ftz=true, which flush subnormal floats
// to zero.
#if defined(FARPOINT_ALLOW_FTZ)
#define FARPOINT_INLINE_NAMESPACE v0_1_ftz
#else
#define FARPOINT_INLINE_NAMESPACE v0_1
#endif

// Inline namespace that separates, within one process, versions of the headers and builds with different results.
#define FARPOINT_BEGIN_NAMESPACE \
  FARPOINT_BEGIN_QUIET           \
  FARPOINT_BEGIN_STRICT_MATH     \
  namespace farpoint {           \
  inline namespace FARPOINT_INLINE_NAMESPACE {
#define FARPOINT_END_NAMESPACE \
  }                            \
  }                            \
  FARPOINT_END_STRICT_MATH     \
  FARPOINT_END_QUIET

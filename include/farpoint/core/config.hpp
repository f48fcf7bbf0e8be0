/// @file
/// The version, and macros that hide differences between compilers: decorations of functions, pragmas, the namespace.
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

// The same bits with every flag of the caller: farpoint's functions are compiled without the options that let a
// compiler assume that there are no NaNs, or calculate something else than what is written. g++ says by a macro whether
// there are such options at all; where there are none, nothing is switched. It inlines no function of other options
// unless it must, so that there FARPOINT_ALWAYS_INLINE is a wish only, code of the caller's options stays the caller's,
// and what has to be inlined for its speed asks for it by FARPOINT_FLATTEN.
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

// The result of a builtin such as __builtin_fma(), of type float or double. clang++ 14 gives its call the caller's
// options, whatever the pragma says, unless it stands inside of a conversion. This one is exact, and costs nothing.
#if defined(__clang__)
#define FARPOINT_OF_BUILTIN(call) static_cast<decltype(call)>(static_cast<long double>(call))
#else
#define FARPOINT_OF_BUILTIN(call) (call)
#endif

#if defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2)
#error "farpoint: this target computes floats in higher precision, which changes results; add -msse2 -mfpmath=sse"
#endif

// Kernel code whose primitives are a template parameter: nvcc compiles it for the device only, and a C++ compiler for
// tests that run it on a CPU.
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
// FARPOINT_FEW_INLINE, for tests, which take longest over what is inlined, leaves it to the compiler.
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
// For functions that do much work in a call: each of the templates that call them would bring a copy of its own.
#if defined(__GNUC__)
#define FARPOINT_NO_INLINE __attribute__((noinline))
#else
#define FARPOINT_NO_INLINE
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

// Asks nvcc to keep the loop that follows rolled up: unrolled loops fill the instruction cache.
#if defined(__CUDA_ARCH__)
#define FARPOINT_KEEP_LOOP _Pragma("unroll 1")
#else
#define FARPOINT_KEEP_LOOP
#endif

// Asks a host compiler to leave the loop that follows to its vectoriser: g++ would rather unroll up to 16 iterations.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define FARPOINT_VECTOR_LOOP _Pragma("GCC unroll 1")
#else
#define FARPOINT_VECTOR_LOOP
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
#define FARPOINT_BEGIN_QUIET _Pragma("nv_diagnostic push") _Pragma("nv_diag_suppress 161,1407,1675")
#define FARPOINT_END_QUIET _Pragma("nv_diagnostic pop")
#else
#define FARPOINT_BEGIN_QUIET
#define FARPOINT_END_QUIET
#endif

// Before the include: kernels may be compiled with -ftz=true, and then take subnormal floats for zero.
#if defined(FARPOINT_ALLOW_FTZ)
#define FARPOINT_INLINE_NAMESPACE v0_1_ftz
#else
#define FARPOINT_INLINE_NAMESPACE v0_1
#endif

// The inline namespace keeps apart, in one process, two versions of the headers and what answers differently.
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

/// @file
/// Compiles a function for several x86-64 instruction sets and picks one at run time.
#pragma once

#include <farpoint/core/config.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

// Why: std::fma is a library call unless the target has the instruction, and a header may not ask its users for flags.

template <class Work, class Result, class... Arguments>
Result run_portable(Arguments... arguments) noexcept {
  return Work::run(arguments...);
}

// FARPOINT_ISA, for tests that run where they are built, names the one target to compile for. With
// FARPOINT_NO_ISA_DISPATCH that is the caller's.
#if defined(FARPOINT_ISA)
template <class Work, class Result, class... Arguments>
FARPOINT_FLATTEN __attribute__((target(FARPOINT_ISA))) Result run_here(Arguments... arguments) noexcept {
  return Work::run(arguments...);
}
#endif

#if defined(__GNUC__) && defined(__x86_64__) && !defined(FARPOINT_ISA) && !defined(FARPOINT_NO_ISA_DISPATCH)
#define FARPOINT_DISPATCHES 1
#endif

// What the caller's flags ask for anyway is not compiled a second time.
#if defined(FARPOINT_DISPATCHES) && !(defined(__AVX2__) && defined(__FMA__))
#define FARPOINT_DISPATCHES_TO_AVX2 1
template <class Work, class Result, class... Arguments>
FARPOINT_FLATTEN __attribute__((target("avx2,fma"))) Result run_avx2(Arguments... arguments) noexcept {
  return Work::run(arguments...);
}
#endif

// AVX512VL is asked for, too: without it GCC moves a scalar into registers 16 to 31, and back, by instructions on whole
// zmm registers, and puts no vzeroupper behind them. Intel's processors then take some hundred cycles for each SSE
// instruction that follows, in the caller's code as well.
#if defined(FARPOINT_DISPATCHES) && !(defined(__AVX512VL__) && defined(__FMA__))
#define FARPOINT_DISPATCHES_TO_AVX512 1
template <class Work, class Result, class... Arguments>
FARPOINT_FLATTEN __attribute__((target("avx512f,avx512vl,fma"))) Result run_avx512(Arguments... arguments) noexcept {
  return Work::run(arguments...);
}
#endif

/// Sets `function` to `Work::run`, compiled for the best target that this processor has: AVX-512, AVX2 with FMA, or
/// what the caller's flags ask for. The bits of the result are the same in each.
///
/// `Work::run(arguments...)` is a static function that must be inlined together with all that it calls: what is not
/// inlined is compiled for the caller's target only. Cost: a look at the processor's features; call it once for many
/// calls of the function. Other processors and compilers get the portable one.
template <class Work, class Result, class... Arguments>
void isa_dispatch(Result (*&function)(Arguments...) noexcept) noexcept {
#if defined(FARPOINT_ISA)
  function = run_here<Work, Result, Arguments...>;
#else
  function = run_portable<Work, Result, Arguments...>;
#endif
#if defined(FARPOINT_DISPATCHES_TO_AVX2)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) function = run_avx2<Work, Result, Arguments...>;
#endif
#if defined(FARPOINT_DISPATCHES_TO_AVX512)
  if (__builtin_cpu_supports("avx512vl")) function = run_avx512<Work, Result, Arguments...>;
#endif
}

}  // namespace detail
FARPOINT_END_NAMESPACE

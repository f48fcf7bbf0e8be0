/// @file
/// Compiles a function for several x86-64 instruction sets and picks one at run time.
#pragma once

#include <farpoint/core/config.hpp>

#include <type_traits>

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

#if defined(FARPOINT_DISPATCHES)
// Calls the function in code for one target, and clears the upper halves of the vector registers: where they are left
// in use, Intel's processors take some hundred cycles for each SSE instruction that follows, in the caller's code as
// well. GCC clears them by itself from -O2 on only, and not where it moves a scalar by an instruction on a zmm
// register.
#define FARPOINT_RUN_CLEANLY                        \
  if constexpr (std::is_void_v<Result>) {           \
    Work::run(arguments...);                        \
    __builtin_ia32_vzeroupper();                    \
  } else {                                          \
    Result const outcome = Work::run(arguments...); \
    __builtin_ia32_vzeroupper();                    \
    return outcome;                                 \
  }
#endif

// What the caller's flags ask for anyway is not compiled a second time.
#if defined(FARPOINT_DISPATCHES) && !(defined(__AVX2__) && defined(__FMA__))
#define FARPOINT_DISPATCHES_TO_AVX2 1
template <class Work, class Result, class... Arguments>
FARPOINT_FLATTEN __attribute__((target("avx2,fma"))) Result run_avx2(Arguments... arguments) noexcept {
  FARPOINT_RUN_CLEANLY
}
#endif

// AVX512VL is asked for, too: without it GCC moves a scalar into registers 16 to 31, and back, by instructions on whole
// zmm registers.
#if defined(FARPOINT_DISPATCHES) && !(defined(__AVX512VL__) && defined(__FMA__))
#define FARPOINT_DISPATCHES_TO_AVX512 1
template <class Work, class Result, class... Arguments>
FARPOINT_FLATTEN __attribute__((target("avx512f,avx512vl,fma"))) Result run_avx512(Arguments... arguments) noexcept {
  FARPOINT_RUN_CLEANLY
}
#endif
#undef FARPOINT_RUN_CLEANLY

/// Sets `function` to `Work::run`, compiled for the best target that this processor has: AVX-512, AVX2 with FMA, or
/// what the caller's flags ask for. The bits of the result are the same in each.
///
/// `Work::run(arguments...)` is a static function that must be inlined together with all that it calls: what is not
/// inlined is compiled for the caller's target only. Cost: a look at the processor's features; call it once for many
/// calls of the function. Other processors and compilers get the portable one.
template <class Work, class Result, class... Arguments>
void isa_dispatch(Result (*&function)(Arguments...) noexcept) noexcept {
  static_assert(sizeof(std::conditional_t<std::is_void_v<Result>, char, Result>) <= 16,
                "farpoint: a larger result would be copied by vector instructions after their registers are cleared");
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

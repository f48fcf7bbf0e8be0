/// @file
/// Run-time dispatch: compiles a function for several x86-64 instruction sets and selects one.
#pragma once

#include <farpoint/core/config.hpp>

#include <type_traits>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

// Rationale: std::fma is a library call unless the target has the instruction, and a header cannot require compiler
// flags.

template <class Work, class Result, class... Arguments>
Result run_portable(Arguments... arguments) noexcept {
  return Work::run(arguments...);
}

// FARPOINT_ISA names the only target to compile for, in tests that run where they are built. With
// FARPOINT_NO_ISA_DISPATCH the only target is the caller's.
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
// Calls the function in code for one target, then clears the upper halves of the vector registers. If they stay in use,
// Intel processors lose some hundred cycles on each following SSE instruction, also in the caller's code. GCC clears
// them only at -O2 and above, and misses scalars that it moves by an instruction on a zmm register.
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

// Targets that the caller's flags include are not compiled a second time.
#if defined(FARPOINT_DISPATCHES) && !(defined(__AVX2__) && defined(__FMA__))
#define FARPOINT_DISPATCHES_TO_AVX2 1
template <class Work, class Result, class... Arguments>
FARPOINT_FLATTEN __attribute__((target("avx2,fma"))) Result run_avx2(Arguments... arguments) noexcept {
  FARPOINT_RUN_CLEANLY
}
#endif

// AVX512VL is required, too: without it GCC moves scalars to and from registers 16 to 31 by instructions on whole zmm
// registers.
#if defined(FARPOINT_DISPATCHES) && !(defined(__AVX512VL__) && defined(__FMA__))
#define FARPOINT_DISPATCHES_TO_AVX512 1
template <class Work, class Result, class... Arguments>
FARPOINT_FLATTEN __attribute__((target("avx512f,avx512vl,fma"))) Result run_avx512(Arguments... arguments) noexcept {
  FARPOINT_RUN_CLEANLY
}
#endif
#undef FARPOINT_RUN_CLEANLY

/// Sets `function` to `Work::run`, compiled for the best target that this processor has: AVX-512, AVX2 with FMA, or the
/// caller's target. The result has the same bits in each.
///
/// `Work::run(arguments...)` is a static function that must be inlined together with all its callees: a callee that is
/// not inlined is compiled for the caller's target only. Cost: one query of the processor's features; call it once for
/// many calls of the function. Other processors and compilers get the portable version.
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
/// Returns the function, whose type is Work::function.
template <class Work>
typename Work::function isa_dispatch() noexcept {
  typename Work::function chosen = nullptr;
  isa_dispatch<Work>(chosen);
  return chosen;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

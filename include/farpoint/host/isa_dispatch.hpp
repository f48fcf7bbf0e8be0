/// @file
#pragma once

#include <farpoint/core/config.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

// std::fma is a library call unless the target has the instruction, and a header may not ask its users for flags. So
// `Work::run`, which must be inlined with all that it calls, is compiled once per target, and chosen at run time. The
// bits are the same in each.

template <class Work, class Result, class... Arguments>
Result run_portable(Arguments... arguments) noexcept {
  return Work::run(arguments...);
}

#if defined(__GNUC__) && defined(__x86_64__)
template <class Work, class Result, class... Arguments>
__attribute__((target("avx2,fma"))) Result run_avx2(Arguments... arguments) noexcept {
  return Work::run(arguments...);
}

template <class Work, class Result, class... Arguments>
__attribute__((target("avx512f,fma"))) Result run_avx512(Arguments... arguments) noexcept {
  return Work::run(arguments...);
}
#endif

/// `Work::run` for the best target that this processor has, as a pointer to a function of this type.
template <class Work, class Result, class... Arguments>
void isa_dispatch(Result (*&function)(Arguments...) noexcept) noexcept {
  function = run_portable<Work, Result, Arguments...>;
#if defined(__GNUC__) && defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    function = run_avx512<Work, Result, Arguments...>;
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    function = run_avx2<Work, Result, Arguments...>;
  }
#endif
}

}  // namespace detail
FARPOINT_END_NAMESPACE

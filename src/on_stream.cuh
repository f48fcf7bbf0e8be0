// Macros that define the calls of on_stream.hpp by the functions of a header.
#pragma once

#include "on_stream.hpp"

FARPOINT_BEGIN_NAMESPACE
namespace library {

/// Functions of the header for F. A .cu file specializes these templates by the macros below.
template <function F>
struct header_run;
template <function F>
struct header_size;
template <function F>
struct header_bound;

template <function F, class... Args>
result run_on_stream<F, Args...>::call(cuda_exec exec, Args const&... args) noexcept {
  return header_run<F>::call(exec, args...);
}
template <function F, class... Args>
std::size_t size_on_stream<F, Args...>::call(cuda_exec exec, Args const&... args) noexcept {
  return header_size<F>::call(exec, args...);
}
template <function F, class Points, class... Limits>
result bound_on_stream<F, Points, Limits...>::call(cuda_exec exec, std::size_t& bound,
                                                   Limits const&... limits) noexcept {
  return header_bound<F>::template call<Points>(exec, bound, limits...);
}

}  // namespace library
FARPOINT_END_NAMESPACE

/// Makes calls of the function `name` run `function_of_header`.
#define FARPOINT_RUN_ON_STREAM(name, function_of_header)               \
  template <>                                                          \
  struct header_run<function::name> {                                  \
    template <class... Args>                                           \
    static result call(cuda_exec exec, Args const&... args) noexcept { \
      return function_of_header(exec, args...);                        \
    }                                                                  \
  };

/// Makes `size_of_header` compute the workspace of the function `name`.
#define FARPOINT_SIZE_ON_STREAM(name, size_of_header)                       \
  template <>                                                               \
  struct header_size<function::name> {                                      \
    template <class... Args>                                                \
    static std::size_t call(cuda_exec exec, Args const&... args) noexcept { \
      return size_of_header(exec, args...);                                 \
    }                                                                       \
  };

/// Defines the call, its workspace, and the bound of its workspaces.
#define FARPOINT_ON_STREAM(name, function_of_header, size_of_header, bound_of_header)          \
  FARPOINT_RUN_ON_STREAM(name, function_of_header)                                             \
  FARPOINT_SIZE_ON_STREAM(name, size_of_header)                                                \
  template <>                                                                                  \
  struct header_bound<function::name> {                                                        \
    template <class Points, class... Limits>                                                   \
    static result call(cuda_exec exec, std::size_t& bound, Limits const&... limits) noexcept { \
      return bound_of_header<Points>(exec, limits..., bound);                                  \
    }                                                                                          \
  };

/// Compiles a call of calls.hpp.
#define FARPOINT_COMPILE(kind, name, ...) template struct kind##_on_stream<function::name, __VA_ARGS__>;

// Defines on_stream by the functions of a header.
#pragma once

#include "stream_table.hpp"

/// on_stream<function::name>::run() calls `call`.
#define FARPOINT_RUN_ON_STREAM(name, call)                                              \
  template <>                                                                           \
  template <class... Args>                                                              \
  result on_stream<function::name>::run(cuda_exec exec, Args const&... args) noexcept { \
    return call(exec, args...);                                                         \
  }

/// workspace_bytes() calls `size`.
#define FARPOINT_SIZE_ON_STREAM(name, size)                                                              \
  template <>                                                                                            \
  template <class... Args>                                                                               \
  std::size_t on_stream<function::name>::workspace_bytes(cuda_exec exec, Args const&... args) noexcept { \
    return size(exec, args...);                                                                          \
  }

/// workspace_bound() calls `bound`.
#define FARPOINT_BOUND_ON_STREAM(name, bound)                                                                \
  template <>                                                                                                \
  template <class Points, class... Limits>                                                                   \
  result on_stream<function::name>::workspace_bound(cuda_exec exec, Points const&, std::size_t* const& most, \
                                                    Limits const&... limits) noexcept {                      \
    return bound<Points>(exec, limits..., *most);                                                            \
  }

/// All three.
#define FARPOINT_ON_STREAM(name, call, size, bound) \
  FARPOINT_RUN_ON_STREAM(name, call)                \
  FARPOINT_SIZE_ON_STREAM(name, size)               \
  FARPOINT_BOUND_ON_STREAM(name, bound)

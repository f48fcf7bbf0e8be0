// Defines on_stream: what calls the headers' functions.
#pragma once

#include "on_stream.hpp"

/// on_stream<name_function>::run() calls `function`, and workspace_bytes() calls `size`.
#define FARPOINT_ON_STREAM(name, function, size)                                                          \
  template <>                                                                                             \
  template <class... Args>                                                                                \
  result on_stream<name##_function>::run(cuda_exec exec, Args const&... args) noexcept {                  \
    return function(exec, args...);                                                                       \
  }                                                                                                       \
  template <>                                                                                             \
  template <class... Args>                                                                                \
  std::size_t on_stream<name##_function>::workspace_bytes(cuda_exec exec, Args const&... args) noexcept { \
    return size(exec, args...);                                                                           \
  }

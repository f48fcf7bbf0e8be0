/// @file
#pragma once

#include <farpoint/core/config.hpp>

// Declared as in <cuda_runtime_api.h>, so that a file without CUDA's headers can name a stream.
struct CUstream_st;
using cudaStream_t = CUstream_st*;

FARPOINT_BEGIN_NAMESPACE

/// Execution that enqueues a call on the caller's stream; never synchronizes or allocates, and may be captured in a
/// graph.
///
/// Memory is device memory of the stream's device, which must be the current device; in debug builds (without NDEBUG),
/// and if FARPOINT_CHECK_POINTERS is 1, calls reject other memory (core/check_pointers.cuh). A stream is never
/// defaulted: pass `cuda_exec{cudaStream_t{}}` for the legacy default stream. Converts implicitly from a cudaStream_t
/// (and so from rmm::cuda_stream_view) and from any type whose `get()` returns one (cuda::stream_ref), without
/// including their headers.
///
/// The stream may belong to a green context; a call then uses only the multiprocessors of that context.
///
/// The calls are declared in the .cuh headers, for nvcc, and in the compiled library (farpoint/runtime.hpp), for every
/// C++ compiler.
struct cuda_exec {
  cudaStream_t stream;

  /// Maximum number of multiprocessors for blocks of a call that wait for each other; 0 or less for all multiprocessors
  /// of the stream. With a limit, a call starts as soon as that number is free, even if other work occupies the rest
  /// indefinitely. The limit changes the speed, not the result. It is not a partition: blocks that wait for no other
  /// block run on any multiprocessor. docs/beside_other_work.md lists what each call waits for.
  int multiprocessors = 0;

  constexpr cuda_exec(cudaStream_t s, int max_multiprocessors = 0) noexcept
      : stream{s}, multiprocessors{max_multiprocessors} {}

  template <class Stream, class = decltype(cudaStream_t{static_cast<Stream const*>(nullptr)->get()})>
  constexpr cuda_exec(Stream const& s, int max_multiprocessors = 0) noexcept
      : stream{s.get()}, multiprocessors{max_multiprocessors} {}
};

FARPOINT_END_NAMESPACE

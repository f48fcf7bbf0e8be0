/// @file
#pragma once

#include <farpoint/core/config.hpp>

// As <cuda_runtime_api.h> declares it, so that a file without CUDA's headers can name a stream.
struct CUstream_st;
using cudaStream_t = CUstream_st*;

FARPOINT_BEGIN_NAMESPACE

/// Enqueues a call on the caller's stream: it never synchronises or allocates, and may be captured in a graph.
///
/// Memory is device memory of the stream's device, which must be the current one: in debug builds (without NDEBUG), and
/// where FARPOINT_CHECK_POINTERS is 1, calls refuse other memory (core/check_pointers.cuh). A stream is never
/// defaulted: pass `cuda_exec{cudaStream_t{}}` for the legacy default stream. Built implicitly from a cudaStream_t (and
/// so from rmm::cuda_stream_view) and from everything whose `get()` returns one (cuda::stream_ref), without their
/// headers.
///
/// The stream may be one of a green context, whose multiprocessors are then all that a call counts on.
///
/// The calls themselves are in the .cuh headers, for nvcc, and in the compiled library (farpoint/runtime.hpp), for
/// every C++ compiler.
struct cuda_exec {
  cudaStream_t stream;

  /// Most multiprocessors that blocks of a call which wait for one another may take together; 0 or less for all that
  /// the stream has. With a limit, a call runs as soon as so many are free, whoever keeps the others, for however long.
  /// It changes the speed and no bit of an answer. It is no partition: blocks that wait for nobody run wherever there
  /// is room. docs/beside_other_work.md says what each call waits for.
  int multiprocessors = 0;

  constexpr cuda_exec(cudaStream_t s, int most_multiprocessors = 0) noexcept
      : stream{s}, multiprocessors{most_multiprocessors} {}

  template <class Stream, class = decltype(cudaStream_t{static_cast<Stream const*>(nullptr)->get()})>
  constexpr cuda_exec(Stream const& s, int most_multiprocessors = 0) noexcept
      : stream{s.get()}, multiprocessors{most_multiprocessors} {}
};

FARPOINT_END_NAMESPACE

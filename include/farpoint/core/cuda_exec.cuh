/// @file
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/config.hpp>

#include <cuda_runtime_api.h>

FARPOINT_BEGIN_NAMESPACE

/// Enqueues a call on the caller's stream: it never synchronises or allocates, and may be captured in a graph.
///
/// Memory is device memory of the stream's device, which must be the current one: in debug builds (without NDEBUG), and
/// where FARPOINT_CHECK_POINTERS is 1, calls refuse other memory (core/check_pointers.cuh). A stream is never
/// defaulted: pass `cuda_exec{cudaStream_t{}}` for the legacy default stream. Built implicitly from a cudaStream_t (and
/// so from rmm::cuda_stream_view) and from everything whose `get()` returns one (cuda::stream_ref), without their
/// headers.
struct cuda_exec {
  cudaStream_t stream;

  constexpr cuda_exec(cudaStream_t s) noexcept : stream{s} {}

  template <class Stream, class = decltype(cudaStream_t{static_cast<Stream const*>(nullptr)->get()})>
  constexpr cuda_exec(Stream const& s) noexcept : stream{s.get()} {}
};

FARPOINT_END_NAMESPACE

/// @file
/// A loop over independent indices on the host. grid/for_each_index.cuh runs the same body in a kernel.
#pragma once

#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/core/types.hpp>
#include <farpoint/host/thread_team.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE

/// Calls `body(i)` for each i of `[0, count)`, in any order, and returns when all have returned. Memory that one call
/// writes must not be read or written by another. `body` is called with a std::uint64_t and must not throw. (In a
/// kernel the type may be std::uint32_t.)
/// @param exec   threads to use; blocks until done
/// @param count  number of indices
/// @param body   called with each
/// @param work   how many values a call of the body moves, about: threads are started where there is enough for them
/// @return ok
template <class Body>
result for_each_index(host_exec exec, index_t count, Body const& body, index_t work = 1) noexcept {
  // To start a thread takes as long as to move 65,536 values.
  index_t const worth = 1 + count / 65536 * work + count % 65536 * work / 65536;
  run_team(exec.pool, static_cast<int>(std::min<index_t>(resolve_threads(exec.threads), worth)),
           [&](int rank, int threads) {
             index_t const end = count * (rank + 1) / threads;
             for (index_t i = count * rank / threads; i < end; ++i) body(static_cast<std::uint64_t>(i));
           });
  return {};
}

FARPOINT_END_NAMESPACE

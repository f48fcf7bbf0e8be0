/// @file
#pragma once

#include <farpoint/core/config.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Runs a call on the CPU with `threads` threads, including the calling one; the call blocks until it is done.
///
/// 0 means one thread per core; 1,024 are the most. Memory is host memory. The answer never depends on the number of
/// threads. A call starts its helper threads and joins them; if the system refuses one, it continues with fewer. So it
/// does if the calls of a process that run at the same time would have more than four helpers for each core, or 64 if
/// that is more. With one thread a call allocates nothing.
struct host_exec {
  int threads = 0;
};

FARPOINT_END_NAMESPACE

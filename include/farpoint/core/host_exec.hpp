/// @file
#pragma once

#include <farpoint/core/config.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Runs a call on the CPU with `threads` threads, including the calling one; the call blocks until it is done.
///
/// 0 means one thread per core. Memory is host memory. The answer never depends on the number of threads. A call starts
/// its helper threads and joins them; if the system refuses one, it continues with fewer. With one thread a call
/// allocates nothing.
struct host_exec {
  int threads = 0;
};

FARPOINT_END_NAMESPACE

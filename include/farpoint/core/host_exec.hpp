/// @file
#pragma once

#include <farpoint/core/config.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Runs a call on this machine's processor, to the end, on `threads` threads (the calling one among them).
///
/// 0 means one thread per core. Memory is host memory. The answer never depends on the number of threads. A call starts
/// its helper threads and joins them; when the system refuses one, the call goes on with fewer. With one thread a call
/// allocates nothing.
struct host_exec {
  int threads = 0;
};

FARPOINT_END_NAMESPACE

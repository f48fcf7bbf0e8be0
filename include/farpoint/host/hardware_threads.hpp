/// @file
/// How many threads the machine runs at once.
#pragma once

#include <farpoint/core/config.hpp>

#include <thread>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Threads that the machine runs at once; 0 where the system does not tell. Thread-safe.
///
/// The system is asked once in a process: on Linux it reads a file for every answer, which takes longer than the work
/// of a call on a small cloud.
inline unsigned hardware_threads() noexcept {
  static unsigned const threads = std::thread::hardware_concurrency();
  return threads;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// How many threads the machine runs at once.
#pragma once

#include <farpoint/core/config.hpp>

#include <thread>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Number of threads that the machine runs at once; 0 where the system does not report it. Thread-safe.
///
/// The number is queried once per process: on Linux each query reads a file, which takes longer than the work of a call
/// on a small cloud.
inline unsigned hardware_threads() noexcept {
  static unsigned const threads = std::thread::hardware_concurrency();
  return threads;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

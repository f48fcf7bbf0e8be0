/// @file
#pragma once

#include <farpoint/core/config.hpp>

#include <atomic>
#include <thread>
#include <vector>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Number of threads that a host_exec asks for.
inline int resolve_threads(int wanted) noexcept {
  if (wanted > 0) return wanted;
  unsigned const cores = std::thread::hardware_concurrency();
  return cores == 0 ? 1 : static_cast<int>(cores);
}

/// Runs `work(rank, size)` once on each of at most `wanted` threads, the calling thread being rank 0, and joins them.
///
/// The system may refuse a thread; the work then runs on fewer, never on none, and is told how many they are.
template <class Work>
void run_team(int wanted, Work const& work) noexcept {
  if (wanted <= 1) {
    work(0, 1);
    return;
  }
  std::atomic<int> size{0};
  std::vector<std::thread> helpers;
  auto const start = [&] {
    helpers.reserve(static_cast<std::size_t>(wanted - 1));
    for (int rank = 1; rank < wanted; ++rank) {
      helpers.emplace_back([&work, &size, rank] {
        int members = 0;
        while ((members = size.load(std::memory_order_acquire)) == 0) std::this_thread::yield();
        work(rank, members);
      });
    }
  };
#if defined(__cpp_exceptions)
  try {
    start();
  } catch (...) {
    // std::bad_alloc or std::system_error: go on with the threads that did start.
  }
#else
  start();
#endif
  int const members = static_cast<int>(helpers.size()) + 1;
  size.store(members, std::memory_order_release);
  work(0, members);
  for (auto& helper : helpers) helper.join();
}

}  // namespace detail
FARPOINT_END_NAMESPACE

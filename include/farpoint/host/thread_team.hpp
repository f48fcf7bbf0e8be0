/// @file
/// Runs a function on several host threads at once.
#pragma once

#include <farpoint/core/float_environment.hpp>

#include <atomic>
#include <thread>
#include <vector>

FARPOINT_BEGIN_NAMESPACE

/// Number of threads that a host_exec asks for: `wanted`, or one for each core of the machine if that is 0 or less.
inline int resolve_threads(int wanted) noexcept {
  if (wanted > 0) return wanted;
  unsigned const cores = std::thread::hardware_concurrency();
  return cores == 0 ? 1 : static_cast<int>(cores);
}

/// Calls `work(rank, size)` once on each of `size` threads, 0 <= rank < size, and returns when all have returned. The
/// calling thread is rank 0.
///
/// `size` is `wanted`, or less where the system refuses memory or a thread; never 0. All members know `size` before
/// they begin, so a barrier of `size` members is safe. What was written before the call is visible to all, and what
/// they wrote is visible after it. `work` must not throw: that ends the program. Two calls may run at the same time.
///
/// Members work in the default floating-point environment: to nearest, with subnormal numbers.
///
/// Starts its threads and joins them: some tens of microseconds for each. So it is for work of a millisecond and more.
/// Without exceptions (-fno-exceptions) a refused thread ends the program.
/// @tparam Thread  std::thread, or a stand-in for tests
template <class Thread = std::thread, class Work>
void run_team(int wanted, Work const& work) noexcept {
  // The threads that it starts inherit it.
  detail::default_float_environment const environment;
  if (wanted <= 1) {
    work(0, 1);
    return;
  }
  // 0 until it is known how many did start.
  std::atomic<int> size{0};
  std::vector<Thread> helpers;
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

FARPOINT_END_NAMESPACE

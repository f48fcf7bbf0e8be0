/// @file
/// Runs a function on several host threads at once.
#pragma once

#include <farpoint/core/float_environment.hpp>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

FARPOINT_BEGIN_NAMESPACE

/// Most threads of a team.
inline constexpr int most_team_threads = 1024;

/// Number of threads that a host_exec asks for: `wanted`, or one for each core of the machine if that is 0 or less; at
/// most most_team_threads.
inline int resolve_threads(int wanted) noexcept {
  if (wanted > 0) return wanted < most_team_threads ? wanted : most_team_threads;
  unsigned const cores = std::thread::hardware_concurrency();
  return cores == 0 ? 1 : static_cast<int>(cores);
}

namespace FARPOINT_HIDDEN detail {

/// Threads that the teams of this process have started and not joined yet, so that many callers who each ask for many
/// threads do not bring a machine down. Thread-safe.
class helper_threads {
 public:
  /// At most so many at a time: four for each core, but 64 on small machines.
  static int most() noexcept { return std::max(64, 4 * resolve_threads(0)); }

  /// @return how many of `wanted` may be started; pass it to leave() when they have been joined
  static int enter(int wanted) noexcept {
    int const limit = most();
    int before = count_.load(std::memory_order_relaxed);
    int granted = 0;
    do {
      granted = std::min(wanted, std::max(0, limit - before));
    } while (!count_.compare_exchange_weak(before, before + granted, std::memory_order_relaxed));
    return granted;
  }
  static void leave(int granted) noexcept { count_.fetch_sub(granted, std::memory_order_relaxed); }

 private:
  inline static std::atomic<int> count_{0};
};

}  // namespace detail

/// Calls `work(rank, size)` once on each of `size` threads, 0 <= rank < size, and returns when all have returned. The
/// calling thread is rank 0.
///
/// `size` is `wanted`, or less where the system refuses memory or a thread, or where the teams of other callers have as
/// many threads as all of a process may have (four for each core, or 64 if that is more); never 0. All members know
/// `size` before they begin, so a barrier of `size` members is safe. What was written before the call is visible to
/// all, and what they wrote is visible after it. `work` must not throw: that ends the program. Two calls may run at the
/// same time.
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
  int const granted = detail::helper_threads::enter(std::min(wanted, most_team_threads) - 1);
  // 0 until it is known how many did start.
  std::atomic<int> size{0};
  std::vector<Thread> helpers;
  auto const start = [&] {
    helpers.reserve(static_cast<std::size_t>(granted));
    for (int rank = 1; rank <= granted; ++rank) {
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
  detail::helper_threads::leave(granted);
}

FARPOINT_END_NAMESPACE

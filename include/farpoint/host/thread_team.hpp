/// @file
/// Runs a function on several host threads at once.
#pragma once

#include <farpoint/host/float_environment.hpp>
#include <farpoint/host/hardware_threads.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

FARPOINT_BEGIN_NAMESPACE

/// Most threads of a team.
inline constexpr int most_team_threads = 1024;

/// Number of threads that a host_exec asks for: `wanted`, or one for each core of the machine if that is 0 or less; at
/// most most_team_threads.
inline int resolve_threads(int wanted) noexcept {
  if (wanted > 0) return wanted < most_team_threads ? wanted : most_team_threads;
  unsigned const cores = detail::hardware_threads();
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

/// Refers to what a team works on, so that what starts the threads is compiled once, not for each function.
class team_work {
 public:
  template <class Work>
  explicit team_work(Work const& work) noexcept
      : work_{&work}, call_{[](void const* on, int rank, int size) { (*static_cast<Work const*>(on))(rank, size); }} {}

  void operator()(int rank, int size) const { call_(work_, rank, size); }

 private:
  void const* work_;
  void (*call_)(void const*, int, int);
};

/// Calls `work(rank, size)` once on each of `size` threads, of which the calling thread is rank 0, and returns when all
/// have returned. `size` is `wanted`, or less where the system refuses memory or a thread; all know it before they
/// begin. Where it would be less than `least`, `work` is not called at all.
///
/// Threads work in the default floating-point environment.
/// @param wanted  at least 1
/// @return whether `work` was called
template <class Thread>
bool run_threads(int wanted, int least, team_work const& work) noexcept {
  // The threads that it starts inherit it.
  default_float_environment const environment;
  constexpr int undecided = -1;
  std::atomic<int> size{undecided};  // 0: nobody works
  std::vector<Thread> helpers;
  auto const start = [&] {
    helpers.reserve(static_cast<std::size_t>(wanted - 1));
    for (int rank = 1; rank < wanted; ++rank) {
      helpers.emplace_back([&work, &size, rank] {
        int members = undecided;
        while ((members = size.load(std::memory_order_acquire)) == undecided) std::this_thread::yield();
        if (members != 0) work(rank, members);
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
  int const started = static_cast<int>(helpers.size()) + 1;
  int const members = started < least ? 0 : started;
  size.store(members, std::memory_order_release);
  if (members != 0) work(0, members);
  for (auto& helper : helpers) helper.join();
  return members != 0;
}

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
  int const granted = detail::helper_threads::enter(std::clamp(wanted, 1, most_team_threads) - 1);
  // An object, whatever `work` is: a function, too.
  auto const call = [&work](int rank, int size) { work(rank, size); };
  detail::run_threads<Thread>(granted + 1, 1, detail::team_work{call});
  detail::helper_threads::leave(granted);
}

FARPOINT_END_NAMESPACE

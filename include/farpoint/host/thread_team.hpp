/// @file
/// Runs a function on several host threads at once.
#pragma once

#include <farpoint/core/host_exec.hpp>
#include <farpoint/host/float_environment.hpp>
#include <farpoint/host/hardware_threads.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

FARPOINT_BEGIN_NAMESPACE

/// Maximum number of threads in a team.
inline constexpr int max_team_threads = 1024;

/// Number of threads for a host_exec: `wanted`, or one per core of the machine if that is 0 or less; at most
/// max_team_threads.
inline int resolve_threads(int wanted) noexcept {
  if (wanted > 0) return wanted < max_team_threads ? wanted : max_team_threads;
  unsigned const cores = detail::hardware_threads();
  return cores == 0 ? 1 : static_cast<int>(cores);
}

namespace FARPOINT_HIDDEN detail {

/// Counts the threads that the teams of this process have started and not yet joined, and limits them, so that many
/// concurrent callers do not overload a machine. Thread-safe.
class helper_threads {
 public:
  /// Limit on the number of threads: four per core, at least 64.
  static int most() noexcept { return std::max(64, 4 * resolve_threads(0)); }

  /// Reserves threads. @return number of threads that may be started, at most `wanted`; pass it to leave() after
  /// joining
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

/// Type-erased reference to a team's function, so that the code that starts threads is compiled once and not per
/// function.
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

/// Calls `work(rank, size)` once on each of `size` threads, the calling thread being rank 0, and returns after all have
/// returned. `size` is `wanted`, or less if the system refuses memory or a thread; it is fixed before any member
/// begins. If it would be less than `least`, `work` is not called.
///
/// Threads run in the default floating-point environment.
/// @param wanted  at least 1
/// @return true if `work` was called
template <class Thread>
bool run_threads(int wanted, int least, team_work const& work) noexcept {
  // Started threads inherit this environment.
  default_float_environment const environment;
  constexpr int undecided = -1;
  std::atomic<int> size{undecided};  // 0: no thread calls work
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
    // std::bad_alloc or std::system_error: continue with the threads that did start.
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

/// Calls `work(rank, size)` once for each rank, by tasks of the caller's pool. Each task takes the next rank; the
/// calling thread takes those that are left.
inline void run_tasks(host_pool const& pool, int size, team_work const& work) noexcept {
  struct ranks {
    team_work const& work;
    int size;
    std::atomic<int> next{0};

    bool run_one() noexcept {
      int rank = next.load(std::memory_order_relaxed);
      do {
        if (rank >= size) return false;
      } while (!next.compare_exchange_weak(rank, rank + 1, std::memory_order_relaxed));
      default_float_environment const environment;
      work(rank, size);
      return true;
    }
  } team{work, size};
  auto const run = [&] {
    pool.run(
        pool.context, size, [](void* argument) { static_cast<ranks*>(argument)->run_one(); }, &team);
  };
  if (size > 1) {
#if defined(__cpp_exceptions)
    try {
      run();
    } catch (...) {
      // The pool has no memory or thread: continue without it.
    }
#else
    run();
#endif
  }
  while (team.run_one()) {
  }
}

}  // namespace detail

/// Calls `work(rank, size)` once on each of `size` threads, 0 <= rank < size, and returns after all have returned. The
/// calling thread is rank 0.
///
/// `size` is `wanted`, or less if the system refuses memory or a thread, or if the teams of all callers together would
/// exceed the process's limit (four threads per core, at least 64); never 0. All members know `size` before they begin,
/// so a barrier of `size` members is safe. Writes before the call are visible to all members, and their writes are
/// visible after it. `work` must not throw: an exception ends the program. Calls may run concurrently.
///
/// Members run in the default floating-point environment: rounding to nearest, with subnormal numbers.
///
/// Starts and joins its threads, which takes some tens of microseconds per thread: meant for work of a millisecond or
/// more. Without exceptions (-fno-exceptions) a refused thread ends the program.
/// @tparam Thread  std::thread, or a substitute in tests
template <class Thread = std::thread, class Work>
void run_team(int wanted, Work const& work) noexcept {
  int const granted = detail::helper_threads::enter(std::clamp(wanted, 1, max_team_threads) - 1);
  // Wraps `work`, which may be a function, in an object.
  auto const call = [&work](int rank, int size) { work(rank, size); };
  detail::run_threads<Thread>(granted + 1, 1, detail::team_work{call});
  detail::helper_threads::leave(granted);
}

/// run_team() by the tasks of a pool, or by threads if the pool has no function. With a pool `size` is `wanted`, from 1
/// to max_team_threads; rank 0 may be another thread. Members may run one after another, so a barrier is not safe;
/// parallel_phases is.
/// @param pool    see host_exec
/// @param wanted  number of members, at most
/// @param work    `work(rank, size)`
template <class Work>
void run_team(host_pool const& pool, int wanted, Work const& work) noexcept {
  if (pool.run == nullptr) return run_team(wanted, work);
  auto const call = [&work](int rank, int size) { work(rank, size); };
  detail::run_tasks(pool, std::clamp(wanted, 1, max_team_threads), detail::team_work{call});
}

FARPOINT_END_NAMESPACE

/// @file
#pragma once

#include <farpoint/core/config.hpp>

#include <atomic>

FARPOINT_BEGIN_NAMESPACE

/// Ends a call on the CPU before it is done: by request() from another thread, or by a callback of the calling thread.
///
/// fps(), all searches of neighbors and build_point_bvh() check it between units of their work, mostly within
/// milliseconds; other calls ignore it. A call that it ends may return ok: check requested() after the call, whose
/// outputs and report are then unspecified. An index whose building was ended must not be searched. The arguments and
/// the workspace may be used again. One object is for one call at a time.
class host_stop {
 public:
  /// Returns true to end the call. Runs on the thread that made the call, before each of its units of work; with a
  /// host_pool, on the thread of the first task that began.
  using callback = bool (*)(host_stop&);

  explicit host_stop(callback wanted = nullptr) noexcept : wanted_{wanted} {}

  /// Ends the call; from any thread.
  void request() noexcept { requested_.store(true, std::memory_order_relaxed); }
  /// True once the call is to end.
  bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }
  /// Runs the callback unless the end was requested before. Returns requested().
  bool poll() noexcept {
    if (wanted_ != nullptr && !requested() && wanted_(*this)) request();
    return requested();
  }

 private:
  callback wanted_;
  std::atomic<bool> requested_{false};
};

/// The caller's thread pool, by a pointer to a function; does not own it.
///
/// A call that would start threads calls `run(context, tasks, task, argument)` instead, once for each parallel part. It
/// calls `task(argument)` `tasks` times, on any threads, the calling one too, and returns when these calls have
/// returned. Tasks may run at the same time or one after another: no task waits for one that has not begun. A task that
/// has begun must get processor time until it returns, as on a thread of its own. If `run` makes fewer calls or throws,
/// with no task still running, the calling thread does the rest. `run` may be called from several threads at once if
/// calls are. A call made by a task of the same pool needs a `run` whose thread takes part, or it may wait forever.
struct host_pool {
  void (*run)(void* context, int tasks, void (*task)(void* argument), void* argument) = nullptr;
  void* context = nullptr;

  /// Pool of a callable that outlives the calls: `callable(tasks, task)` makes `tasks` calls of `task()`, as above.
  template <class Callable>
  static host_pool of(Callable& callable) noexcept {
    return {[](void* on, int tasks, void (*task)(void*), void* argument) {
              (*static_cast<Callable*>(on))(tasks, [task, argument] { task(argument); });
            },
            &callable};
  }
};

/// Runs a call on the CPU with `threads` threads, including the calling one; the call blocks until it is done.
///
/// 0 means one thread per core; 1,024 are the most. Memory is host memory. The answer never depends on the number of
/// threads. A call starts its helper threads and joins them; if the system refuses one, it continues with fewer. So it
/// does if the calls of a process that run at the same time would have more than four helpers for each core, or 64 if
/// that is more. With one thread a call allocates nothing. With a pool it starts no threads: `threads` is then the
/// maximum number of tasks.
struct host_exec {
  int threads = 0;
  host_stop* stop = nullptr;  ///< null: the call runs to its end
  host_pool pool = {};        ///< without a function: the call starts its own threads
};

FARPOINT_END_NAMESPACE

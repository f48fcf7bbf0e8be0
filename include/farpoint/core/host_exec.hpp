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
  /// Returns true to end the call. Runs on the thread that made the call, before each of its units of work.
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

/// Runs a call on the CPU with `threads` threads, including the calling one; the call blocks until it is done.
///
/// 0 means one thread per core; 1,024 are the most. Memory is host memory. The answer never depends on the number of
/// threads. A call starts its helper threads and joins them; if the system refuses one, it continues with fewer. So it
/// does if the calls of a process that run at the same time would have more than four helpers for each core, or 64 if
/// that is more. With one thread a call allocates nothing.
struct host_exec {
  int threads = 0;
  host_stop* stop = nullptr;  ///< null: the call runs to its end
};

FARPOINT_END_NAMESPACE

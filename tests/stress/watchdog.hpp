// A thread that ends the program if a step takes longer than its limit, so that a test that hangs fails.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace farpoint_stress {

class watchdog {
 public:
  using clock = std::chrono::steady_clock;

  /// @param last_words  `last_words(step)` is called before the program ends with exit code 3
  explicit watchdog(std::function<void(std::string const&)> last_words)
      : last_words_{std::move(last_words)}, thread_{[this] { watch(); }} {}
  watchdog(watchdog const&) = delete;
  watchdog& operator=(watchdog const&) = delete;
  ~watchdog() {
    {
      std::lock_guard const lock{mutex_};
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  /// Starts a step: within `seconds` the next step must start, or the watchdog must be destroyed.
  void expect(std::string step, double seconds) {
    std::lock_guard const lock{mutex_};
    step_ = std::move(step);
    deadline_ = clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>{seconds});
    changed_.notify_all();
  }

 private:
  void watch() {
    std::unique_lock lock{mutex_};
    while (!ends_) {
      changed_.wait_until(lock, deadline_);
      if (ends_ || clock::now() < deadline_) continue;
      last_words_(step_);
      std::fflush(nullptr);
      // exit() would run destructors, which wait for a kernel that never ends.
      std::_Exit(3);
    }
  }

  std::function<void(std::string const&)> last_words_;
  std::mutex mutex_;
  std::condition_variable changed_;
  clock::time_point deadline_ = clock::now() + std::chrono::hours{1};
  std::string step_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace farpoint_stress

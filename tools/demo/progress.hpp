// Shows what a program is waiting for.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace farpoint_tools {

/// While a step exists, a terminal on stderr shows its name and how long it has taken; nothing in its first second, and
/// nothing elsewhere.
class progress_step {
 public:
  explicit progress_step(std::string name);
  ~progress_step();
  progress_step(progress_step const&) = delete;
  progress_step& operator=(progress_step const&) = delete;

 private:
  void report_until_done();

  std::string name_;
  std::chrono::steady_clock::time_point start_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread reporter_;  // last: it uses the others
};

/// Runs `work` as a step.
template <class Work>
auto with_progress(std::string name, Work&& work) {
  progress_step const step{std::move(name)};
  return std::forward<Work>(work)();
}

}  // namespace farpoint_tools

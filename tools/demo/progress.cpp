#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace farpoint_tools {

progress_step::progress_step(std::string name)
    : name_{std::move(name)}, start_{std::chrono::steady_clock::now()}, reporter_{[this] { report_until_done(); }} {}

progress_step::~progress_step() {
  {
    std::lock_guard const lock{mutex_};
    done_ = true;
  }
  changed_.notify_one();
  reporter_.join();
}

void progress_step::report_until_done() {
  auto const finished = [this] { return done_; };
  std::unique_lock lock{mutex_};
  if (changed_.wait_until(lock, start_ + std::chrono::seconds{1}, finished)) return;
  // Progress is shown on terminals only.
  if (isatty(STDERR_FILENO) != 1) return;
  do {
    std::chrono::duration<double> const passed = std::chrono::steady_clock::now() - start_;
    fmt::print(stderr, "\r{} ... {:.1f} s", name_, passed.count());
    std::fflush(stderr);
  } while (!changed_.wait_for(lock, std::chrono::milliseconds{200}, finished));
  // Gone, so that what is printed next has the line for itself.
  fmt::print(stderr, "\r\033[K");
}

}  // namespace farpoint_tools

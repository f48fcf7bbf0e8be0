#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace farpoint_demo {

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
  bool const terminal = isatty(STDERR_FILENO) == 1;
  auto const line = [this] {
    std::chrono::duration<double> const passed = std::chrono::steady_clock::now() - start_;
    return fmt::format("{} ... {:.1f} s", name_, passed.count());
  };
  // Overwrites the old line, which is never longer than the new one.
  auto const show = [&](char const* end) { fmt::print(stderr, "{}{}{}", terminal ? "\r" : "", line(), end); };

  std::unique_lock lock{mutex_};
  auto const finished = [this] { return done_; };
  auto next = start_ + std::chrono::seconds{1};
  if (changed_.wait_until(lock, next, finished)) return;
  do {
    show(terminal ? "" : "\n");
    std::fflush(stderr);
    next += terminal ? std::chrono::milliseconds{200} : std::chrono::seconds{10};
  } while (!changed_.wait_until(lock, next, finished));
  show(", done\n");
}

}  // namespace farpoint_demo

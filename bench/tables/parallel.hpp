// Independent parts of some work, on several threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <future>
#include <vector>

namespace farpoint_tools {

/// Calls work(part) for each part below `parts`, on `threads` threads (the calling one among them), in any order.
template <class Work>
void for_each_part(std::size_t parts, int threads, Work const& work) {
  std::atomic<std::size_t> next{0};
  auto const help = [&] {
    for (std::size_t part = 0; (part = next.fetch_add(1, std::memory_order_relaxed)) < parts;) work(part);
  };
  std::vector<std::future<void>> helpers;
  for (int thread = 1; thread < threads; ++thread) helpers.push_back(std::async(std::launch::async, help));
  help();
  for (auto& helper : helpers) helper.get();
}

/// Calls work(i) for each i below `count`.
template <class Work>
void for_each_index(std::size_t count, int threads, Work const& work) {
  constexpr std::size_t part_size = 4096;
  for_each_part((count + part_size - 1) / part_size, threads, [&](std::size_t part) {
    for (std::size_t i = part * part_size; i < count && i < (part + 1) * part_size; ++i) work(i);
  });
}

}  // namespace farpoint_tools

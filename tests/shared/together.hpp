// Threads that start together, so that they meet.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

namespace farpoint_tests {

/// Runs `work(rank)` on threads that wait for one another before they begin, and joins them.
template <class Work>
void together(int threads, Work const& work) {
  std::atomic<int> waiting{threads};
  std::vector<std::thread> team;
  for (int rank = 0; rank < threads; ++rank) {
    team.emplace_back([&, rank] {
      --waiting;
      while (waiting.load() > 0) std::this_thread::yield();
      work(rank);
    });
  }
  for (auto& thread : team) thread.join();
}

}  // namespace farpoint_tests

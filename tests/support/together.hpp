// Threads that begin at the same time, so that their calls overlap.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace farpoint_tests {

/// Runs `work(rank)` on threads that wait for one another before they begin, and joins them. Rethrows the exception of
/// the lowest rank that threw one, so that a failed check ends its test case, not the process.
template <class Work>
void together(int threads, Work const& work) {
  std::atomic<int> waiting{threads};
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(threads));
  std::vector<std::thread> team;
  for (int rank = 0; rank < threads; ++rank) {
    team.emplace_back([&, rank] {
      --waiting;
      while (waiting.load() > 0) std::this_thread::yield();
      try {
        work(rank);
      } catch (...) {
        thrown[static_cast<std::size_t>(rank)] = std::current_exception();
      }
    });
  }
  for (auto& thread : team) thread.join();
  for (auto const& each : thrown) {
    if (each) std::rethrow_exception(each);
  }
}

}  // namespace farpoint_tests

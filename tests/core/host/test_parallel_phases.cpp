// parallel_phases on one thread and on many, with phases of every size. ThreadSanitizer builds run it too.
#include <farpoint/host/parallel_phases.hpp>
#include <farpoint/host/thread_team.hpp>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/random.hpp"
#include "../../support/test_scale.hpp"

using namespace farpoint_tests;
using farpoint::parallel_phases;
using farpoint::run_team;

namespace {

/// Runs phases of the given sizes. In each, every unit must run once, in the phase that `next` has set, with everything
/// that the phase before wrote in sight.
void check_phases(int threads, std::vector<std::uint32_t> const& units) {
  CAPTURE(threads, units.size());
  std::size_t phase = 0;
  // Not atomic: only the order that parallel_phases keeps protects them.
  std::vector<std::vector<std::uint32_t>> runs(units.size());
  if (!units.empty()) runs[0].assign(units[0], 0);
  std::atomic<int> working{0};
  std::atomic<int> wrong{0};
  std::uint64_t total = 0;
  parallel_phases phases{threads, units.empty() ? 0 : units[0]};
  run_team(threads, [&](int, int) {
    phases.join(
        [&](std::uint32_t unit) {
          ++working;
          if (phase >= units.size() || unit >= units[phase]) {
            ++wrong;
          } else {
            ++runs[phase][unit];
            // The last unit of the phase before must have run, and its write must be visible.
            if (phase > 0 && runs[phase - 1].back() != 1) ++wrong;
          }
          --working;
        },
        [&] {
          if (working.load() != 0) ++wrong;
          total += units[phase];
          ++phase;
          if (phase == units.size()) return std::uint32_t{0};
          runs[phase].assign(units[phase], 0);
          return units[phase];
        });
  });
  CHECK(wrong == 0);
  CHECK(phase == units.size());
  std::uint64_t expected = 0;
  bool all_once = true;
  for (std::size_t p = 0; p < units.size(); ++p) {
    expected += units[p];
    all_once = all_once && runs[p] == std::vector<std::uint32_t>(units[p], 1);
  }
  CHECK(all_once);
  CHECK(total == expected);
}

}  // namespace

TEST_CASE("parallel_phases: no units, one unit, as many as threads, and the most", "[threads]") {
  for (int const threads : {1, 2, 3, 8}) {
    check_phases(threads, {});
    check_phases(threads, {1});
    check_phases(threads, {1, 1, 1, 1, 1, 1});
    check_phases(threads, {static_cast<std::uint32_t>(threads), static_cast<std::uint32_t>(threads) + 1, 1, 100});
    check_phases(threads, {parallel_phases::max_units, 1, parallel_phases::max_units});
  }
}

TEST_CASE("parallel_phases: many phases of random sizes", "[threads]") {
  for (std::uint64_t seed = 1; seed <= rounds(20); ++seed) {
    CAPTURE(seed);
    random_source random{seed};
    std::vector<std::uint32_t> units;
    for (int i = 0; i < 300; ++i)
      units.push_back(static_cast<std::uint32_t>(1 + random.below(random.below(9) == 0 ? 200 : 4)));
    check_phases(1 + static_cast<int>(random.below(6)), units);
  }
}

TEST_CASE("parallel_phases: a thread that is late, and one that comes after the end", "[threads]") {
  constexpr std::uint32_t units = 5;
  std::vector<int> runs(units, 0);
  int phases_done = 0;
  parallel_phases phases{3, units};
  auto const work = [&](std::uint32_t unit) { ++runs[unit]; };
  auto const next = [&]() -> std::uint32_t { return ++phases_done < 4 ? units : 0; };
  run_team(3, [&](int rank, int) {
    if (rank == 2) std::this_thread::sleep_for(std::chrono::milliseconds{30});
    phases.join(work, next);
  });
  phases.join(work, next);
  CHECK(phases_done == 4);
  CHECK(runs == std::vector<int>(units, 4));
}

TEST_CASE("parallel_phases: nobody waits for a thread without a unit", "[threads]") {
  // One unit of a phase lasts until the others of the phase are done: they must go on without it.
  std::atomic<std::uint32_t> done{0};
  constexpr std::uint32_t units = 40;
  parallel_phases phases{2, units};
  run_team(2, [&](int, int size) {
    phases.join(
        [&](std::uint32_t unit) {
          while (unit == 0 && size > 1 && done.load() < units - 1) std::this_thread::yield();
          ++done;
        },
        [] { return std::uint32_t{0}; });
  });
  CHECK(done == units);
}

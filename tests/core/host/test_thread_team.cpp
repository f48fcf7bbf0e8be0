// run_team(), spin_barrier and host_block on host threads, also where the system refuses some. ThreadSanitizer builds
// run it too.
#include <farpoint/host/spin_barrier.hpp>
#include <farpoint/host/thread_team.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/host_block.hpp"
#include "../../support/test_scale.hpp"
#include "../../support/together.hpp"

using namespace farpoint_tests;
using farpoint::resolve_threads;
using farpoint::run_team;
using farpoint::spin_barrier;

namespace {

/// A thread that the system refuses to start once `allowed` have been started.
class refused_thread {
 public:
  static inline int allowed = 0;
  static inline bool no_memory = false;

  template <class Work>
  explicit refused_thread(Work&& work) {
    if (allowed == 0 && no_memory) throw std::bad_alloc{};
    if (allowed == 0) throw std::system_error{std::make_error_code(std::errc::resource_unavailable_try_again)};
    --allowed;
    thread_ = std::thread{std::forward<Work>(work)};
  }
  void join() { thread_.join(); }

 private:
  std::thread thread_;
};

/// Runs a team and checks that each rank ran once, that all ranks got the same size, and that their writes are visible.
template <class Thread>
int check_team(int wanted) {
  auto const most = static_cast<std::size_t>(wanted > 0 ? wanted : 1);
  std::vector<int> calls(most, 0);
  std::vector<int> sizes(most, 0);
  std::thread::id first{};
  run_team<Thread>(wanted, [&](int rank, int size) {
    ++calls[static_cast<std::size_t>(rank)];
    sizes[static_cast<std::size_t>(rank)] = size;
    if (rank == 0) first = std::this_thread::get_id();
  });
  int const size = sizes[0];
  CAPTURE(wanted, size);
  REQUIRE(size >= 1);
  REQUIRE(size <= static_cast<int>(most));
  CHECK(first == std::this_thread::get_id());
  for (std::size_t rank = 0; rank < most; ++rank) {
    bool const is_member = static_cast<int>(rank) < size;
    CHECK(calls[rank] == (is_member ? 1 : 0));
    CHECK(sizes[rank] == (is_member ? size : 0));
  }
  return size;
}

}  // namespace

TEST_CASE("resolve_threads: a number of threads, or one for each core", "[threads]") {
  CHECK(resolve_threads(1) == 1);
  CHECK(resolve_threads(77) == 77);
  CHECK(resolve_threads(0) == static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
  CHECK(resolve_threads(-5) == resolve_threads(0));
  CHECK(resolve_threads(std::numeric_limits<int>::max()) == farpoint::max_team_threads);
}

TEST_CASE("run_team: every rank runs once", "[threads]") {
  for (int const wanted : {-3, 0, 1, 2, 3, 4, 7, 16, 33}) {
    CHECK(check_team<std::thread>(wanted) == (wanted > 1 ? wanted : 1));
  }
}

TEST_CASE("run_team: a refused thread means fewer threads", "[threads]") {
  for (bool const no_memory : {false, true}) {
    for (int const wanted : {2, 3, 8}) {
      for (int allowed = 0; allowed < wanted; ++allowed) {
        refused_thread::allowed = allowed;
        refused_thread::no_memory = no_memory;
        CHECK(check_team<refused_thread>(wanted) == allowed + 1);
      }
    }
  }
}

TEST_CASE("run_team: a barrier of all members is safe when threads were refused", "[threads]") {
  refused_thread::no_memory = false;
  for (int allowed = 0; allowed < 5; ++allowed) {
    refused_thread::allowed = allowed;
    std::atomic<int> waiting{0};
    run_team<refused_thread>(6, [&](int, int size) {
      ++waiting;
      while (waiting.load() < size) std::this_thread::yield();
    });
    CHECK(waiting == allowed + 1);
  }
}

TEST_CASE("run_team: many callers share a number of threads", "[threads]") {
  constexpr int callers = 64;
  int const limit = farpoint::detail::helper_threads::most();
  std::atomic<int> running{0}, most{0}, wrong{0};
  auto const work = [&](int rank, int size) {
    // The callers are threads of the test.
    int const now = rank == 0 ? 0 : ++running;
    int before = most.load();
    while (before < now && !most.compare_exchange_weak(before, now)) {
    }
    if (rank >= size || size > callers) ++wrong;
    std::this_thread::yield();
    if (rank != 0) --running;
  };
  together(callers, [&](int) {
    for (int call = 0; call < 5; ++call) run_team(callers, work);
  });
  CHECK(wrong == 0);
  CHECK(most <= limit);
  // All have been given back.
  CHECK(farpoint::detail::helper_threads::enter(limit + 1) == limit);
  CHECK(check_team<std::thread>(4) == 1);
  farpoint::detail::helper_threads::leave(limit);
  CHECK(check_team<std::thread>(4) == 4);
}

TEST_CASE("run_team: teams within teams and beside each other", "[threads]") {
  std::atomic<int> calls{0};
  run_team(3, [&](int, int) { run_team(4, [&](int, int) { ++calls; }); });
  CHECK(calls == 12);
}

TEST_CASE("spin_barrier: what was written before it is seen after it", "[threads]") {
  for (int const members : {1, 2, 3, 8}) {
    constexpr int phases = 200;
    spin_barrier barrier{members};
    std::vector<int> values(static_cast<std::size_t>(members), 0);
    std::atomic<int> wrong{0};
    run_team(members, [&](int rank, int size) {
      for (int phase = 1; phase <= phases; ++phase) {
        values[static_cast<std::size_t>(rank)] = phase * 100 + rank;
        barrier.arrive_and_wait();
        for (int other = 0; other < size; ++other) {
          if (values[static_cast<std::size_t>(other)] != phase * 100 + other) ++wrong;
        }
        barrier.arrive_and_wait();
      }
    });
    CAPTURE(members);
    CHECK(wrong == 0);
  }
}

TEST_CASE("host_block: shuffles, reductions and barriers of short last warps", "[threads][block]") {
  auto const check = [](auto size, auto lanes) {
    constexpr int threads = decltype(size)::value;
    constexpr int warp_lanes = decltype(lanes)::value;
    using block_type = host_block<threads, warp_lanes>;
    std::vector<int> wrong(threads, 0);
    std::vector<int> written(threads, 0);
    block_type::run([&](block_type const& block) {
      int const rank = block.rank();
      int const first = rank / warp_lanes * warp_lanes;
      int const end = first + warp_lanes < threads ? first + warp_lanes : threads;
      auto& mine = wrong[static_cast<std::size_t>(rank)];
      for (int lane = 0; lane < end - first; ++lane) mine += block.shuffle(rank * 3, lane) != (first + lane) * 3;
      mine += block.reduce_max(static_cast<std::uint32_t>(rank)) != static_cast<std::uint32_t>(end - 1);
      mine += block.reduce_min(static_cast<std::uint32_t>(rank)) != static_cast<std::uint32_t>(first);
      written[static_cast<std::size_t>(rank)] = rank + 1;
      block.sync();
      mine += written[static_cast<std::size_t>((rank + 1) % threads)] != (rank + 1) % threads + 1;
    });
    CAPTURE(threads, warp_lanes);
    CHECK(wrong == std::vector<int>(threads, 0));
  };
  using std::integral_constant;
  check(integral_constant<int, 1>{}, integral_constant<int, 32>{});
  check(integral_constant<int, 31>{}, integral_constant<int, 32>{});
  check(integral_constant<int, 33>{}, integral_constant<int, 32>{});
  check(integral_constant<int, 13>{}, integral_constant<int, 4>{});
}

TEST_CASE("host_block: a refused thread is an exception, and nothing has run", "[threads][block]") {
  refused_thread::no_memory = false;
  for (int allowed = 0; allowed < 4; ++allowed) {
    refused_thread::allowed = allowed;
    std::atomic<int> calls{0};
    auto const work = [&](host_block<5> const& block) {
      ++calls;
      block.sync();
    };
    CHECK_THROWS_AS(host_block<5>::run<refused_thread>(work), std::system_error);
    CHECK(calls == 0);
  }
  refused_thread::allowed = 4;
  std::atomic<int> calls{0};
  host_block<5>::run<refused_thread>([&](host_block<5> const& block) {
    ++calls;
    block.sync();
  });
  CHECK(calls == 5);
}

TEST_CASE("together(): what threads throw ends the case, not the process", "[threads]") {
  std::atomic<int> ended{0};
  auto const work = [&](int rank) {
    ++ended;
    if (rank > 0) throw std::runtime_error{"rank " + std::to_string(rank)};
  };
  CHECK_THROWS_WITH(together(4, work), "rank 1");
  CHECK(ended == 4);
}

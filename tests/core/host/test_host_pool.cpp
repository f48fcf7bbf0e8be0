// Calls on the caller's thread pool: tasks at once, one after another, too few, too many, thrown and nested.
// ThreadSanitizer builds run it too.
#include <farpoint/estimate_normals.hpp>
#include <farpoint/fps.hpp>
#include <farpoint/gather.hpp>
#include <farpoint/host/parallel_phases.hpp>
#include <farpoint/host/thread_team.hpp>
#include <farpoint/interpolate.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/subset/crop_box.hpp>
#include <farpoint/voxelize.hpp>

#include <array>
#include <atomic>
#include <cfenv>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <new>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/clouds.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;
using farpoint::host_pool;

namespace {

/// Threads that take functions from a queue.
class worker_pool {
 public:
  /// @param rounding  rounding direction of the workers, of <cfenv>
  explicit worker_pool(int workers, int rounding = FE_TONEAREST) {
    for (int i = 0; i < workers; ++i) {
      workers_.emplace_back([this, rounding] {
        std::fesetround(rounding);
        while (run_one(true)) {
        }
      });
    }
  }
  worker_pool(worker_pool const&) = delete;
  worker_pool& operator=(worker_pool const&) = delete;
  ~worker_pool() {
    {
      std::lock_guard const lock{mutex_};
      is_over_ = true;
    }
    changed_.notify_all();
    for (auto& worker : workers_) worker.join();
  }

  /// Makes `tasks` calls of `task` on the workers.
  /// @param takes_part  the calling thread runs queued functions while it waits
  template <class Task>
  void run(int tasks, Task const& task, bool takes_part) {
    int left = tasks;
    {
      std::lock_guard const lock{mutex_};
      for (int i = 0; i < tasks; ++i) {
        queue_.emplace_back([this, task, &left] {
          task();
          std::lock_guard const done{mutex_};
          --left;
          changed_.notify_all();
        });
      }
    }
    changed_.notify_all();
    while (takes_part && run_one(false)) {
    }
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&left] { return left == 0; });
  }

 private:
  /// Runs the first function of the queue. @return false if there is none
  bool run_one(bool waits) {
    std::unique_lock lock{mutex_};
    if (waits) changed_.wait(lock, [this] { return is_over_ || !queue_.empty(); });
    if (queue_.empty()) return false;
    auto const first = queue_.front();
    queue_.pop_front();
    lock.unlock();
    first();
    return true;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool is_over_ = false;
  std::vector<std::thread> workers_;
};

using points_of_float = std::vector<std::array<float, 3>>;

points_of_float points_of(shape which, std::size_t n, std::uint64_t seed) {
  points_of_float points;
  for (auto const& p : make_cloud(which, n, seed)) {
    points.push_back({static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
  }
  return points;
}

/// Results of calls of all kinds.
auto answers(points_of_float const& points, points_of_float const& queries, host_exec exec) {
  auto picks = farpoint::fps(points, 100, {}, exec);
  auto found = farpoint::knn(points, 5, exec);
  auto of_queries = farpoint::knn(points, queries, 40, exec);
  auto const built = farpoint::build_point_bvh(points, exec);
  auto by_index = farpoint::knn(built.index, queries, 3, exec);
  auto rows = farpoint::radius_rows(points, queries, {0.05}, exec);
  auto normals = farpoint::estimate_normals(points, {}, exec);
  auto thin = farpoint::downsample(points, 0.05, exec);
  std::vector<float> const features(points.size(), 2.5f);
  auto mixed = farpoint::interpolate(points, features, queries, 1, exec);
  auto gathered = farpoint::gather(points, found.indices, 1, exec);
  auto inside = farpoint::crop_box(points, {{{0, 0, 0}}, {{0.5f, 0.5f, 0.5f}}}, exec);
  return std::make_tuple(picks.indices, picks.distances, found.indices, found.distances, of_queries.indices,
                         by_index.indices, rows.indices, normals.normals, thin, mixed, gathered, inside);
}

}  // namespace

TEST_CASE("host_pool: every rank runs once, however a pool runs its tasks", "[threads]") {
  for (int const calls_of_task : {0, 1, 4, 5, 9}) {
    for (bool const throws : {false, true}) {
      CAPTURE(calls_of_task, throws);
      int runs = 0;
      auto callable = [&](int tasks, auto task) {
        ++runs;
        CHECK(tasks == 5);
        for (int i = 0; i < calls_of_task; ++i) task();
        if (throws) throw std::bad_alloc{};
      };
      std::vector<int> calls(5, 0);
      farpoint::run_team(host_pool::of(callable), 5, [&](int rank, int size) {
        CHECK(size == 5);
        ++calls[static_cast<std::size_t>(rank)];
      });
      CHECK(calls == std::vector<int>(5, 1));
      CHECK(runs == 1);
    }
  }
}

TEST_CASE("host_pool: one task stays on the calling thread, and without a function there are threads", "[threads]") {
  auto callable = [](int, auto) { FAIL("a pool that is not needed"); };
  std::thread::id first{};
  farpoint::run_team(host_pool::of(callable), 1, [&](int, int) { first = std::this_thread::get_id(); });
  CHECK(first == std::this_thread::get_id());
  std::atomic<int> calls{0};
  farpoint::run_team(host_pool{}, 3, [&](int, int) { ++calls; });
  CHECK(calls == 3);
  points_of_float const points(1000);
  CHECK(farpoint::fps(points, 1, {}, host_exec{1, nullptr, host_pool::of(callable)}).indices.size() == 1);
}

TEST_CASE("host_pool: phases need no task that has not begun", "[threads]") {
  auto one_by_one = [](int tasks, auto task) {
    for (int i = 0; i < tasks; ++i) task();
  };
  farpoint::parallel_phases phases{4, 10};
  int left = 3;
  std::vector<int> units;
  farpoint::run_team(host_pool::of(one_by_one), 4, [&](int, int) {
    phases.join([&](std::uint32_t unit) { units.push_back(static_cast<int>(unit)); },
                [&]() -> std::uint32_t { return --left > 0 ? 10 : 0; });
  });
  CHECK(units.size() == 30);
}

TEST_CASE("host_pool: results have the bits of one thread", "[threads]") {
  auto const points = points_of(shape::cube, 30000, 1);
  auto const queries = points_of(shape::clusters, 20000, 2);
  auto const expected = answers(points, queries, host_exec{1});

  worker_pool workers{3};
  worker_pool upward{2, FE_UPWARD};
  std::atomic<int> runs{0};
  auto on_workers = [&](int tasks, auto task) { ++runs, workers.run(tasks, task, false); };
  auto with_caller = [&](int tasks, auto task) { ++runs, workers.run(tasks, task, true); };
  auto rounded_upward = [&](int tasks, auto task) { ++runs, upward.run(tasks, task, false); };
  auto one_by_one = [&](int tasks, auto task) {
    for (++runs; tasks > 0; --tasks) task();
  };
  auto never = [&](int, auto) { ++runs; };
  auto check = [&](host_pool pool) {
    runs = 0;
    for (int const threads : {2, 5}) {
      CAPTURE(threads);
      CHECK(answers(points, queries, host_exec{threads, nullptr, pool}) == expected);
    }
    CHECK(runs >= 12);
  };
  check(host_pool::of(on_workers));
  check(host_pool::of(with_caller));
  check(host_pool::of(rounded_upward));
  check(host_pool::of(one_by_one));
  check(host_pool::of(never));
}

TEST_CASE("host_pool: calls by tasks of the same pool, and from several threads", "[threads]") {
  auto const points = points_of(shape::cube, 20000, 3);
  auto const expected = farpoint::knn(points, 4, host_exec{1}).indices;
  worker_pool workers{2};
  auto callable = [&](int tasks, auto task) { workers.run(tasks, task, true); };
  host_exec const exec{3, nullptr, host_pool::of(callable)};
  std::atomic<int> equal{0};
  farpoint::run_team(exec.pool, 4, [&](int, int) {
    if (farpoint::knn(points, 4, exec).indices == expected) ++equal;
  });
  CHECK(equal == 4);
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      if (farpoint::knn(points, 4, exec).indices == expected) ++equal;
    });
  }
  for (auto& caller : callers) caller.join();
  CHECK(equal == 8);
}

TEST_CASE("host_pool: calls that are refused, and calls that are ended", "[threads]") {
  auto const points = points_of(shape::cube, 20000, 4);
  worker_pool workers{2};
  auto callable = [&](int tasks, auto task) { workers.run(tasks, task, false); };
  CHECK_THROWS_AS(farpoint::knn(points, 0, host_exec{3, nullptr, host_pool::of(callable)}), std::invalid_argument);
  CHECK_THROWS_AS(farpoint::fps(points, 3, {}, host_exec{-1, nullptr, host_pool::of(callable)}), std::invalid_argument);
  farpoint::host_stop stop{[](farpoint::host_stop&) { return true; }};
  static_cast<void>(farpoint::knn(points, 4, host_exec{3, &stop, host_pool::of(callable)}));
  CHECK(stop.requested());
}

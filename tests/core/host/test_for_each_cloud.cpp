// for_each_cloud(): every cloud once, large ones by the team, small ones by one thread. ThreadSanitizer builds run it
// too.
#include <farpoint/host/for_each_cloud.hpp>

#include <algorithm>
#include <atomic>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/random.hpp"
#include "../../support/test_scale.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;
using farpoint::index_t;
using farpoint::detail::for_each_cloud;
using farpoint::detail::for_each_cloud_plan;
using farpoint::detail::for_each_cloud_tuning;
using farpoint::detail::host_sequence;

namespace {

/// Counts the events of each cloud. Counters are not atomic where for_each_cloud() must keep threads from racing.
struct cloud_log {
  explicit cloud_log(index_t clouds)
      : begun(static_cast<std::size_t>(clouds), 0),
        by_team(begun.size(), 0),
        units_done(begun),
        phases(begun),
        wrong(0) {}
  std::vector<int> begun;
  std::vector<int> by_team;
  std::vector<int> units_done;
  std::vector<int> phases;
  std::atomic<int> wrong;
};

/// A job of three phases: size + 1 units at most, 1, and 3.
class logged_job {
 public:
  logged_job(cloud_log& log, std::vector<index_t> const& sizes, int rank) : log_{&log}, sizes_{&sizes}, rank_{rank} {}

  std::uint32_t begin(index_t b) noexcept {
    b_ = static_cast<std::size_t>(b);
    ++log_->begun[b_];
    log_->by_team[b_] = rank_ < 0 ? 1 : 0;
    phase_ = 0;
    return start_phase();
  }
  void work(int rank, std::uint32_t unit) noexcept {
    if (rank_ >= 0 && rank != rank_) ++log_->wrong;
    if (unit >= done_.size()) {
      ++log_->wrong;
      return;
    }
    ++done_[unit];
  }
  std::uint32_t next() noexcept {
    for (int const times : done_) {
      if (times != 1) ++log_->wrong;
      log_->units_done[b_] += times;
    }
    ++log_->phases[b_];
    return ++phase_ == 3 ? 0 : start_phase();
  }

 private:
  std::uint32_t start_phase() noexcept {
    auto const units = phase_ == 0 ? std::min<index_t>((*sizes_)[b_] + 1, 50) : phase_ == 1 ? 1 : 3;
    done_.assign(static_cast<std::size_t>(units), 0);
    return static_cast<std::uint32_t>(units);
  }

  cloud_log* log_;
  std::vector<index_t> const* sizes_;
  int rank_;
  std::size_t b_ = 0;
  int phase_ = 0;
  std::vector<int> done_;
};

for_each_cloud_plan plan_for(int threads, std::vector<index_t> const& sizes, for_each_cloud_tuning const& tuning) {
  index_t points = 0;
  index_t largest = 0;
  for (index_t const size : sizes) {
    points += size;
    largest = std::max(largest, size);
  }
  return {host_exec{threads}, static_cast<index_t>(sizes.size()), points, largest, 1e12, tuning};
}

void check_clouds(int threads, std::vector<index_t> const& sizes, index_t team_from) {
  CAPTURE(threads, sizes, team_from);
  auto const plan = plan_for(threads, sizes, {1, team_from});
  cloud_log log{static_cast<index_t>(sizes.size())};
  auto const size_of = [&](index_t b) { return sizes[static_cast<std::size_t>(b)]; };
  for_each_cloud(plan, static_cast<index_t>(sizes.size()), size_of, [&](int rank) {
    return logged_job{log, sizes, rank};
  });
  CHECK(log.wrong == 0);
  for (std::size_t b = 0; b < sizes.size(); ++b) {
    CAPTURE(b);
    CHECK(log.begun[b] == 1);
    CHECK(log.phases[b] == 3);
    CHECK(log.units_done[b] == std::min<index_t>(sizes[b] + 1, 50) + 1 + 3);
    CHECK(log.by_team[b] == (sizes[b] > plan.share_limit() ? 1 : 0));
  }
}

}  // namespace

TEST_CASE("for_each_cloud: no cloud, empty clouds, small and large ones", "[threads]") {
  for (int const threads : {1, 2, 5}) {
    check_clouds(threads, {}, 10);
    check_clouds(threads, {0}, 0);
    check_clouds(threads, {0, 0, 0}, 10);
    check_clouds(threads, {1000}, 10);
    check_clouds(threads, {1000, 3, 2000, 0, 9, 10, 11}, 10);
    check_clouds(threads, std::vector<index_t>(40, 7), 10);
    check_clouds(threads, std::vector<index_t>(40, 7), 0);
  }
}

TEST_CASE("for_each_cloud: random clouds", "[threads]") {
  for (std::uint64_t seed = 1; seed <= rounds(60); ++seed) {
    CAPTURE(seed);
    random_source random{seed};
    std::vector<index_t> sizes;
    for (auto left = random.below(30); left > 0; --left) sizes.push_back(random.below(random.below(4) == 0 ? 500 : 20));
    check_clouds(1 + static_cast<int>(random.below(6)), sizes, random.below(40));
  }
}

TEST_CASE("for_each_cloud: threads go with the work and with the clouds", "[threads]") {
  auto const threads = [](int wanted, index_t clouds, index_t largest, double work) {
    return for_each_cloud_plan{host_exec{wanted}, clouds, clouds * largest, largest, work, {100, 1000}}.threads();
  };
  CHECK(threads(8, 100, 10, 1e9) == 8);
  CHECK(threads(8, 100, 10, 0) == 1);
  CHECK(threads(8, 100, 10, 250) == 3);
  CHECK(threads(8, 3, 10, 1e9) == 3);    // small clouds: no more threads than clouds
  CHECK(threads(8, 1, 5000, 1e9) == 8);  // a large one is shared
  CHECK(threads(8, 0, 0, 1e9) == 1);
  CHECK(threads(1, 100, 10000, 1e9) == 1);
}

TEST_CASE("host_sequence: the second job follows the first, on the same cloud", "[threads]") {
  std::vector<index_t> const sizes{4, 90};
  cloud_log first{2}, second{2};
  for (int const threads : {1, 3}) {
    for_each_cloud(
        plan_for(threads, sizes, {1, 10}), 2, [&](index_t b) { return sizes[static_cast<std::size_t>(b)]; },
        [&](int rank) {
          return host_sequence<logged_job, logged_job>{{first, sizes, rank}, {second, sizes, rank}};
        });
  }
  CHECK(first.wrong == 0);
  CHECK(second.wrong == 0);
  CHECK(first.phases == std::vector<int>{6, 6});
  CHECK(second.phases == std::vector<int>{6, 6});
}

namespace {

/// A job of one phase of 50 units for each cloud, which requests the stop in the unit `last` of all.
struct stopping_job {
  std::atomic<int>& done;
  farpoint::host_stop& stop;
  int last;

  std::uint32_t begin(index_t) noexcept { return 50; }
  void work(int, std::uint32_t) noexcept {
    if (++done == last) stop.request();
  }
  std::uint32_t next() noexcept { return 0; }
};

}  // namespace

TEST_CASE("a stop that is requested ends the clouds, large or small", "[for_each_cloud]") {
  int const threads = GENERATE(1, 4);
  index_t const limit = GENERATE(0, 1'000'000);  // all clouds are for the team, or none is
  for_each_cloud_tuning tuning;
  tuning.worth_a_thread = 1;
  tuning.team_from_points = limit;
  farpoint::host_stop stop;
  std::atomic<int> done{0};
  auto const run = [&](int last) {
    for_each_cloud_plan const plan{host_exec{threads, &stop}, 20, 2000, 100, 1e9, tuning};
    for_each_cloud(
        plan, 20, [](index_t) { return index_t{100}; },
        [&](int) {
          return stopping_job{done, stop, last};
        });
  };
  run(-1);
  CHECK(done == 20 * 50);
  CHECK_FALSE(stop.requested());
  done = 0;
  run(7);
  CHECK(stop.requested());
  CHECK(done >= 7);
  CHECK(done < 7 + threads);
  done = 0;
  run(-1);  // what was stopped stays so: a second pass would read what the first has not written
  CHECK(done == 0);
}

TEST_CASE("the calling thread asks whether to stop", "[for_each_cloud]") {
  struct counting_stop : farpoint::host_stop {
    counting_stop() noexcept
        : host_stop{[](host_stop& self) { return --static_cast<counting_stop&>(self).left == 0; }} {}
    int left = 30;
  };
  for (index_t const limit : {index_t{0}, index_t{1'000'000}}) {
    counting_stop stop;
    std::atomic<int> done{0};
    for_each_cloud_tuning tuning;
    tuning.team_from_points = limit;
    for_each_cloud_plan const plan{host_exec{1, &stop}, 20, 2000, 100, 1e9, tuning};
    for_each_cloud(
        plan, 20, [](index_t) { return index_t{100}; },
        [&](int) {
          return stopping_job{done, stop, -1};
        });
    CHECK(stop.requested());
    CHECK(done > 0);
    CHECK(done < 30);
    CHECK(stop.left == 0);
    CHECK(stop.poll());
    CHECK(stop.left == 0);  // asked no more
  }
}

// fps() by local maxima without a GPU: the rule, applied by threads that do not wait for each other, with mutations
// that must be detected; and the kernels' source, run by fibers.
#include <atomic>
#include <climits>
#include <thread>

#include "../../support/catch.hpp"
#include "../maxima_by_fibers.hpp"

using namespace farpoint_tests;
using namespace farpoint::detail;

namespace {

// The rule alone. Each thread owns some candidates and reads keys and samples of other threads at any time.

/// Rule of the kernels.
struct exact_rule {
  template <class Ball>
  static bool blocks(Ball const& other, fps_key other_key, Ball const& mine, fps_key my_key) {
    return fps_blocks(other, other_key, mine, my_key);
  }
  template <class Point, class Ball>
  static float lowered(float distance, Point const& point, Ball const& sample) {
    return fps_lowered(distance, point, sample);
  }
};
/// Mutation: a sample lowers distances outside its ball, too.
struct ball_not_limited : exact_rule {
  template <class Point, class Ball>
  static float lowered(float distance, Point const& point, Ball const& sample) {
    return std::min(distance, farpoint::distance2(point, sample.center));
  }
};
/// Mutation: candidates at equal distances do not block each other.
struct no_tie_rule : exact_rule {
  template <class Ball>
  static bool blocks(Ball const& other, fps_key, Ball const& mine, fps_key) {
    return farpoint::distance2(other.center, mine.center) < mine.radius2 && other.radius2 > mine.radius2;
  }
};
struct smaller_ball : exact_rule {
  template <class Ball>
  static bool blocks(Ball const& other, fps_key other_key, Ball const& mine, fps_key my_key) {
    return farpoint::distance2(other.center, mine.center) < 0.9f * mine.radius2 && other_key > my_key;
  }
};

using sample_list = std::vector<std::pair<float, std::uint32_t>>;

/// Samples all points of a cloud of finite points.
template <class Rule>
class asynchronous_sampler {
 public:
  using point = farpoint::vec<float, 3>;

  explicit asynchronous_sampler(std::vector<point> const& points)
      : points_{points}, keys_(points.size()), samples_(points.size()) {
    for (std::uint32_t i = 0; i < points.size(); ++i) keys_[i] = fps_key_of(not_yet_measured<float>, i);
    publish({points[0], not_yet_measured<float>}, 0);
  }

  sample_list run(int threads, std::uint64_t seed) {
    std::vector<std::thread> team;
    for (int t = 0; t < threads; ++t) team.emplace_back([this, t, threads, seed] { work(t, threads, seed); });
    for (auto& thread : team) thread.join();
    sample_list list;
    for (std::size_t s = 0; s < points_.size(); ++s) {
      list.emplace_back(samples_[s].ball.radius2, samples_[s].index);
    }
    std::sort(list.begin() + 1, list.end(), [](auto const& a, auto const& b) {
      return a.first > b.first || (a.first == b.first && a.second < b.second);
    });
    return list;
  }

 private:
  using ball_type = fps_ball<3>;
  struct sample {
    fps_ball<3> ball;
    std::uint32_t index = 0;
    std::atomic<bool> is_there{false};
  };

  /// Publishes the sample before it clears the key, so that a thread that no longer sees the candidate sees the sample.
  void publish(ball_type const& b, std::uint32_t index) {
    sample& to = samples_[taken_++];
    to.ball = b;
    to.index = index;
    to.is_there.store(true, std::memory_order_release);
    keys_[index].store(0, std::memory_order_release);
  }

  void work(int thread, int threads, std::uint64_t seed) {
    random_source random{seed * 64 + static_cast<std::uint64_t>(thread)};
    std::vector<std::uint32_t> own;
    std::vector<float> distance(points_.size(), not_yet_measured<float>);
    for (std::uint32_t i = 1; i < points_.size(); ++i) {
      if (static_cast<int>(i) % threads == thread) own.push_back(i);
    }
    std::vector<bool> done(points_.size());
    std::vector<fps_key> seen(points_.size());
    while (!own.empty()) {
      // Keys first, which may be stale; then all published samples.
      for (std::size_t i = 0; i < points_.size(); ++i) seen[i] = keys_[i].load(std::memory_order_acquire);
      for (std::size_t s = 0; s < points_.size(); ++s) {
        if (done[s] || !samples_[s].is_there.load(std::memory_order_acquire)) continue;
        done[s] = true;
        for (auto const i : own) distance[i] = Rule::lowered(distance[i], points_[i], samples_[s].ball);
      }
      std::vector<std::uint32_t> rest;
      for (auto const i : own) {
        // Distances of the thread's own candidates are current. A candidate may be accepted later than possible.
        ball_type const mine{points_[i], distance[i]};
        fps_key const key = fps_key_of(distance[i], i);
        bool blocked = random.below(4) == 0;
        for (std::uint32_t j = 0; j < points_.size() && !blocked; ++j) {
          if (j == i || seen[j] == 0) continue;
          blocked = Rule::blocks(ball_type{points_[j], fps_distance_of(seen[j])}, seen[j], mine, key);
        }
        if (blocked) {
          if (random.below(2) == 0) keys_[i].store(key, std::memory_order_release);
          rest.push_back(i);
        } else {
          publish(mine, i);
        }
      }
      own = rest;
      if (random.below(8) == 0) std::this_thread::yield();
    }
  }

  std::vector<point> const& points_;
  std::vector<std::atomic<fps_key>> keys_;
  std::vector<sample> samples_;
  std::atomic<std::size_t> taken_{0};
};

std::vector<farpoint::vec<float, 3>> small_cloud(random_source& random) {
  auto const n = static_cast<std::size_t>(1 + random.below(80));
  auto const kind = random.below(5);
  std::vector<farpoint::vec<float, 3>> points(n);
  for (auto& p : points) {
    for (int axis = 0; axis < 3; ++axis) {
      auto const value = static_cast<float>(random.uniform());
      p[axis] = kind == 0   ? value
                : kind == 1 ? std::floor(3 * value)
                : kind == 2 ? std::floor(6 * value)
                : kind == 3 ? std::floor(5 * value) * 1e30f
                            : (value - 0.5f) * 1e-22f;
    }
  }
  return points;
}

sample_list serial_loop(std::vector<farpoint::vec<float, 3>> const& points) {
  std::vector<float> distance(points.size(), not_yet_measured<float>);
  sample_list list;
  std::size_t next = 0;
  while (list.size() < points.size()) {
    list.emplace_back(distance[next], static_cast<std::uint32_t>(next));
    std::size_t const sample = next;
    distance[sample] = no_candidate<float>;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (distance[i] >= 0) distance[i] = std::min(distance[i], farpoint::distance2(points[i], points[sample]));
      if (distance[i] > distance[next]) next = i;
    }
    if (distance[next] < 0) break;
    // Ties: the lowest index.
    next = static_cast<std::size_t>(std::find(distance.begin(), distance.end(), distance[next]) - distance.begin());
  }
  return list;
}

/// Counts the clouds, of `count`, whose samples differ from the serial loop's.
template <class Rule>
int count_different(std::uint64_t count) {
  int different = 0;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    random_source random{seed};
    auto const points = small_cloud(random);
    int const threads = 1 + static_cast<int>(random.below(3));
    bool const same = asynchronous_sampler<Rule>{points}.run(threads, seed) == serial_loop(points);
    if (!same && different == 0) UNSCOPED_INFO("seed " << seed);
    different += !same;
  }
  return different;
}

}  // namespace

TEST_CASE("fps by local maxima: exact for threads that do not wait for each other", "[fps][local_maxima]") {
  CHECK(count_different<exact_rule>(600) == 0);
}

NUMBERS_TEST_CASE("fps by local maxima: a weaker rule is caught", "[fps][local_maxima][numbers]") {
  CHECK(count_different<ball_not_limited>(200) > 0);
  CHECK(count_different<no_tie_rule>(200) > 0);
  CHECK(count_different<smaller_ball>(200) > 0);
}

ONE_THREAD_TEST_CASE("fps by local maxima, fibers: equals the serial loop on every shape",
                     "[fps][local_maxima][one_thread]") {
  for (shape const which : all_shapes) {
    for (std::size_t const n : {1u, 33u, 150u}) {
      for (index_t const m : {static_cast<index_t>(n / 4 + 1), static_cast<index_t>(n + 3)}) {
        CAPTURE(static_cast<int>(which), n, m);
        check_teams(fps_problem<float>{make_cloud(which, n, n), m}, static_cast<unsigned>(n + 1));
      }
    }
  }
}

ONE_THREAD_TEST_CASE("fps by local maxima, fibers: many random problems", "[fps][local_maxima][one_thread]") {
  for (std::uint64_t seed = 0; seed < rounds(30); ++seed) {
    random_source random{seed};
    auto const n = static_cast<std::size_t>(random.below(200));
    auto const which = all_shapes[random.below(static_cast<std::int64_t>(std::size(all_shapes)))];
    fps_problem<float> problem{make_cloud(which, n, seed), random.below(static_cast<std::int64_t>(n) + 20)};
    problem.first = n == 0 ? 0 : random.below(static_cast<std::int64_t>(n));
    if (random.below(3) == 0 && n > 0) {
      for (int i = 0; i < 5; ++i) problem.chosen.push_back(random.below(static_cast<std::int64_t>(n) + 1) - 1);
    }
    if (random.below(3) == 0) problem.stop_below = static_cast<double>(random.uniform());
    CAPTURE(seed, n, static_cast<int>(which));
    check_all_teams(problem, static_cast<unsigned>(seed));
  }
}

ONE_THREAD_TEST_CASE("fps by local maxima, fibers: whatever a selector asks for, the answer is the same",
                     "[fps][local_maxima][one_thread]") {
  constexpr int hostile[] = {INT_MIN, -1000000, -1, 0, 1, 2, 31, 32, 33, 48, 255, 256, 65536, INT_MAX};
  random_source random{8};
  auto const any = [&] { return hostile[random.below(static_cast<std::int64_t>(std::size(hostile)))]; };
  // Enough points for more candidates than a block lists, in the shapes of the kernels.
  for (std::uint64_t seed = 0; seed < rounds(8); ++seed) {
    auto const which = all_shapes[random.below(static_cast<std::int64_t>(std::size(all_shapes)))];
    fps_problem<float> problem{make_cloud(which, static_cast<std::size_t>(300 + random.below(300)), seed), 60};
    auto const expected = reference_answer(problem);
    int const wanted = any();
    int const listed = any();
    int const singles = any();
    unsigned const blocks = 2;
    auto const lengths = local_maxima_lengths::of(wanted, listed, singles);
    CAPTURE(seed, static_cast<int>(which), wanted, listed, singles);
    auto const order = static_cast<unsigned>(seed);
    auto const check = [&](auto const& answer) {
      INFO(difference(answer, expected));
      CHECK(same_answer(answer, expected));
    };
    check(solve_by_fibers<local_maxima_config<3, 64, 5, false>>(problem, blocks, order, lengths));
    check(solve_by_fibers<local_maxima_config<3, 64, 5, true>>(problem, blocks, order, lengths));
    check(solve_by_fibers<local_maxima_chunk_config<3, 64, 1>>(problem, blocks, order, lengths));
    check(solve_by_fibers<local_maxima_config<3, 128, 5, false>>(problem, 1, order, lengths));
  }
}

ONE_THREAD_TEST_CASE("fps by local maxima, fibers: rounds of one sample, before others or alone",
                     "[fps][local_maxima][one_thread]") {
  for (shape const which : all_shapes) {
    fps_problem<float> problem{make_cloud(which, 60, 11), 30};
    for (index_t const first : {0, 57}) {
      // All points, or samples that end at a distance, before or after lists begin.
      problem.first = first;
      problem.samples = first == 0 ? 70 : 30;
      problem.stop_below = first == 0 ? 0 : 0.2;
      if (first == 0) problem.chosen = {5, 9};
      CAPTURE(static_cast<int>(which), first);
      for (unsigned k = 1; k < std::size(some_singles); ++k) check_all_teams(problem, 2 * k);
      problem.chosen.clear();
    }
  }
}

ONE_THREAD_TEST_CASE("fps by local maxima, fibers: no samples", "[fps][local_maxima][one_thread]") {
  check_all_teams(fps_problem<float>{make_cloud(shape::non_finite, 65, 1), 0}, 1);
}

ONE_THREAD_TEST_CASE("fps by local maxima, fibers: points of one and two dimensions",
                     "[fps][local_maxima][one_thread]") {
  for (shape const which : {shape::cube, shape::lattice, shape::duplicates}) {
    CAPTURE(static_cast<int>(which));
    check_all_teams(fps_problem<float, 1>{make_points<1>(which, 90, 3), 40}, 7);
    check_all_teams(fps_problem<float, 2>{make_points<2>(which, 110, 4), 60}, 8);
  }
}

ONE_THREAD_TEST_CASE("fps by local maxima, fibers: more chunks in memory than a warp has lanes",
                     "[fps][local_maxima][one_thread]") {
  for (shape const which : {shape::cube, shape::duplicates}) {
    fps_problem<float> problem{make_cloud(which, 1500, 5), 60};
    problem.chosen = {3, 1400, 1499};
    auto const expected = reference_answer(problem);
    check_team<odd_chunk_config<3, 32, 1>>("memory", problem, expected, 1, 3);
    check_team<odd_shared_chunk_config<3, 32, 1>>("shared memory", problem, expected, 1, 3);
  }
}

ONE_THREAD_TEST_CASE("fps by local maxima, fibers: chosen points of many batches are never sampled",
                     "[fps][local_maxima][one_thread]") {
  for (std::uint64_t seed = 0; seed < rounds(12); ++seed) {
    random_source random{seed + 100};
    auto const which = all_shapes[random.below(static_cast<std::int64_t>(std::size(all_shapes)))];
    std::size_t const each = 1 + static_cast<std::size_t>(random.below(60));
    fps_problem<float> problem{make_cloud(which, 3 * each, seed), static_cast<index_t>(each + 2)};
    problem.offsets = {0, static_cast<index_t>(each), static_cast<index_t>(each), static_cast<index_t>(3 * each)};
    // More chosen points than points: some repeated, some out of range; in a few problems all points of a cloud.
    auto const count = random.below(300);
    index_t const most = seed % 3 == 0 ? 2 : static_cast<index_t>(each) + 3;
    for (std::int64_t i = 0; i < 3 * count; ++i) problem.chosen.push_back(random.below(most + 3) - 3);
    CAPTURE(seed, each, count, static_cast<int>(which));
    check_all_teams(problem, static_cast<unsigned>(seed));
  }
}

ONE_THREAD_TEST_CASE("fps by local maxima, fibers: every point is chosen, or none that is finite",
                     "[fps][local_maxima][one_thread]") {
  for (shape const which : {shape::cube, shape::duplicates, shape::non_finite}) {
    fps_problem<float> problem{make_cloud(which, 130, 2), 20};
    problem.chosen.resize(130);
    std::iota(problem.chosen.rbegin(), problem.chosen.rend(), index_t{0});
    check_all_teams(problem, 5);
    // The other points may be sampled, even at the same coordinates.
    problem.chosen.resize(70);
    check_all_teams(problem, 6);
    problem.chosen.assign(70, -1);
    check_all_teams(problem, 7);
  }
}

ONE_THREAD_TEST_CASE("fps by local maxima, fibers: what is out of range is counted, of empty clouds too",
                     "[fps][local_maxima][one_thread]") {
  fps_problem<float> problem{make_cloud(shape::cube, 60, 5), 9};
  problem.offsets = {0, 0, 25, 25, 60};
  problem.chosen = {-2, 3, 99, -1, -1, 4, 25, 0};
  check_all_teams(problem, 3);
  problem.chosen.clear();
  problem.firsts = {0, 30, -1, 7};
  check_all_teams(problem, 4);
}

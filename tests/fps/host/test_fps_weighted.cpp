// fps_weighted() on host_exec against a serial loop, and the rule by which its samples are local maxima.
#include <farpoint/fps.hpp>

#include "../../support/catch.hpp"
#include "../../support/host_array.hpp"
#include "../../support/test_scale.hpp"
#include "../fps_weighted_problem.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;
using farpoint::status;
using view = weighted_problem::view;

namespace {

weighted_answer sample(weighted_problem const& problem, int threads) {
  weighted_answer found{problem.clouds.clouds(), problem.params.samples};
  auto const clouds = problem.batch_at(problem.clouds.points.data(), problem.clouds.point_offsets.data());
  auto params = problem.params;
  params.firsts = problem.firsts;
  params.chosen = problem.chosen;
  params.sample_counts = problem.sample_counts;
  host_array<unsigned char> const workspace{fps_weighted_workspace_bytes(host_exec{threads}, clouds)};
  std::size_t bound = 0;
  REQUIRE(
      farpoint::fps_weighted_workspace_bound<view>(host_exec{threads}, {clouds.points().size(), clouds.size()}, bound));
  CHECK(workspace.size() <= bound);
  farpoint::bytes const memory{workspace.data(), workspace.size()};
  REQUIRE(farpoint::fps_weighted(host_exec{threads}, clouds, problem.weights, params,
                                 {found.indices, found.distances, found.counts, found.report.data()}, memory));
  CHECK(workspace.intact());
  return found;
}

/// A cloud that is sampled by the rule of docs/design/fps.md, any allowed samples at a time.
struct maxima_by_weight {
  std::vector<std::array<float, 3>> points;
  std::vector<float> weights;
  bool keeps_order = true;   ///< rule 1: who would fall behind a sample keeps it from being accepted
  bool limits_balls = true;  ///< rule 2: a sample lowers only what falls behind it
  bool breaks_ties = true;

  farpoint::vec<float, 3> at(std::size_t i) const { return {{points[i][0], points[i][1], points[i][2]}}; }
  bool is_better(float a, std::size_t i, float b, std::size_t j) const {
    return a > b || (breaks_ties && a == b && i < j);
  }
  bool blocks(std::vector<float> const& d, std::size_t r, std::size_t q) const {
    if (!is_better(weights[r] * d[r], r, weights[q] * d[q], q)) return false;
    float const between = farpoint::distance2(at(r), at(q));
    return between < d[q] || (keeps_order && is_better(weights[q] * d[q], q, weights[r] * between, r));
  }

  std::vector<std::size_t> run(random_source& random) const {
    std::size_t const n = points.size();
    std::vector<float> d(n, std::numeric_limits<float>::infinity());
    std::vector<bool> left(n, true);
    std::vector<std::pair<float, std::size_t>> accepted;
    auto const lower = [&](std::size_t s, float score) {
      for (std::size_t p = 0; p < n; ++p) {
        float const to = farpoint::distance2(at(p), at(s));
        bool const may = !limits_balls || is_better(score, s, weights[p] * to, p);
        if (left[p] && may && to < d[p]) d[p] = to;
      }
    };
    left[0] = false;
    lower(0, std::numeric_limits<float>::infinity());
    for (std::size_t done = 1; done < n;) {
      std::vector<std::size_t> allowed;
      for (std::size_t q = 0; q < n; ++q) {
        bool is_allowed = left[q];
        for (std::size_t r = 0; is_allowed && r < n; ++r) is_allowed = !left[r] || !blocks(d, r, q);
        if (is_allowed) allowed.push_back(q);
      }
      if (allowed.empty()) return {};
      std::size_t const from = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(allowed.size())));
      std::vector<std::pair<float, std::size_t>> taken;
      for (std::size_t k = 0; k < allowed.size(); ++k) {
        if (k == from || random.below(2) == 0) taken.emplace_back(weights[allowed[k]] * d[allowed[k]], allowed[k]);
      }
      for (auto const& sample : taken) left[sample.second] = false;
      for (auto const& sample : taken) lower(sample.second, sample.first);
      accepted.insert(accepted.end(), taken.begin(), taken.end());
      done += taken.size();
    }
    std::sort(accepted.begin(), accepted.end(), [](auto const& a, auto const& b) {
      return a.first > b.first || (a.first == b.first && a.second < b.second);
    });
    std::vector<std::size_t> order{0};
    for (auto const& sample : accepted) order.push_back(sample.second);
    return order;
  }
};

/// Returns for how many of `clouds` clouds the order differs from the serial loop's.
int differences(maxima_by_weight rule, std::uint64_t clouds) {
  int different = 0;
  for (std::uint64_t seed = 0; seed < clouds; ++seed) {
    random_source random{seed};
    weighted_problem problem;
    auto const n = static_cast<index_t>(2 + random.below(40));
    bool const lattice = random.below(2) == 0;
    for (index_t i = 0; i < n; ++i) {
      std::array<float, 3> p{};
      for (float& x : p) x = lattice ? static_cast<float>(random.below(4)) : random.uniform();
      problem.clouds.points.push_back(p);
      problem.weights.push_back(random_weight(random, lattice ? 1 : 2));
    }
    problem.clouds.point_offsets = {0, n};
    problem.params.samples = n;
    rule.points = problem.clouds.points;
    rule.weights = problem.weights;
    auto const order = rule.run(random);
    auto const expected = weighted_oracle(problem).indices;
    bool const same = order.size() == expected.size() &&
                      std::equal(order.begin(), order.end(), expected.begin(),
                                 [](std::size_t a, std::int32_t b) { return static_cast<std::int32_t>(a) == b; });
    if (!same) ++different;
  }
  return different;
}

}  // namespace

TEST_CASE("fps_weighted: the serial loop's answer, whatever clouds and weights are", "[fps][host]") {
  for (std::uint64_t seed = 0; seed < rounds(160); ++seed) {
    auto const problem = random_weighted_problem(seed);
    CAPTURE(seed, problem.clouds.points.size(), problem.params.samples, problem.params.stop_below);
    auto const expected = weighted_oracle(problem);
    CHECK(sample(problem, 1) == expected);
    CHECK(sample(problem, 3) == expected);
  }
}

TEST_CASE("fps_weighted: wrong offsets are counted, whatever is asked for", "[fps][host]") {
  for (index_t const samples : {0, 5}) {
    auto const problem = weighted_problem_with_bad_offsets(samples);
    auto const expected = weighted_oracle(problem);
    CHECK(expected.report[0].bad_offsets == 2);
    CHECK(sample(problem, 1) == expected);
  }
}

TEST_CASE("fps_weighted: an answer that is known", "[fps][host]") {
  weighted_problem problem;
  problem.clouds.points = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {10, 0, 0}};
  problem.clouds.point_offsets = {0, 4};
  problem.weights = {1, 1, 100, 1};
  problem.params.samples = 4;
  auto const found = sample(problem, 1);
  // 100 * 4 beats 1 * 100; then 64, and 1.
  CHECK(found.indices == std::vector<std::int32_t>{0, 2, 3, 1});
  CHECK(found.distances == std::vector<float>{std::numeric_limits<float>::infinity(), 4, 64, 1});
  problem.params.stop_below = 1.5;
  CHECK(sample(problem, 1).indices == std::vector<std::int32_t>{0, 2, 3, -1});
  problem.weights = {0, -1, std::numeric_limits<float>::quiet_NaN(), 0};
  auto const none = sample(problem, 1);
  CHECK(none.counts[0] == 0);
  CHECK(none.report[0].non_finite == 2);
}

TEST_CASE("fps_weighted: local maxima by weight are the serial loop's samples, in any order of acceptance",
          "[fps][host]") {
  CHECK(differences({}, 400) == 0);
  // Every part of the rule is needed.
  maxima_by_weight broken;
  broken.keeps_order = false;
  CHECK(differences(broken, 400) > 0);
  broken = {};
  broken.limits_balls = false;
  CHECK(differences(broken, 400) > 0);
  broken = {};
  broken.breaks_ties = false;
  CHECK(differences(broken, 400) > 0);
}

TEST_CASE("fps_weighted: arguments are checked at the door", "[fps][host]") {
  std::vector<std::array<float, 3>> const points(5);
  std::vector<float> const weights(5, 1.0f);
  farpoint::batch<view> const clouds{farpoint::view_points(points)};
  std::vector<std::int32_t> indices(3, 77);
  farpoint::host_scratch const workspace{fps_weighted_workspace_bytes(host_exec{1}, clouds)};
  farpoint::fps_params params;
  params.samples = 3;
  auto const call = [&](farpoint::span<float const> given, farpoint::bytes memory) {
    return farpoint::fps_weighted(host_exec{1}, clouds, given, params, {indices}, memory).code;
  };
  farpoint::span<float const> const all{weights.data(), weights.size()};
  CHECK(call(all.first(4), workspace) == status::bad_argument);
  CHECK(call({nullptr, 5}, workspace) == status::bad_argument);
  CHECK(call(all, workspace.get().first(workspace.size() - 1)) == status::workspace_too_small);
  params.stop_below = std::numeric_limits<double>::quiet_NaN();
  CHECK(call(all, workspace) == status::bad_argument);
  CHECK(indices == std::vector<std::int32_t>(3, 77));
  params.stop_below = 0;
  CHECK(call(all, workspace) == status::ok);
  CHECK(indices == std::vector<std::int32_t>{0, 1, 2});
}

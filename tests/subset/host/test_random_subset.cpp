// random_subset() on host threads: its definition by other code, and whether it is as random as it says.
#include <map>
#include <numeric>

#include "../../support/check_on_host.hpp"
#include "../random_subset_problem.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;
using farpoint::random_subset;
using farpoint::status;

namespace {

/// Chi-square of counts that should be equal, as a number of standard deviations from its mean (Wilson and Hilferty
/// 1931).
double deviations(std::vector<int> const& counts, int draws) {
  double const expected = double(draws) / double(counts.size());
  double sum = 0;
  for (int const count : counts) sum += (count - expected) * (count - expected) / expected;
  double const freedom = double(counts.size()) - 1;
  double const cube_root = std::cbrt(sum / freedom);
  return (cube_root - (1 - 2 / (9 * freedom))) / std::sqrt(2 / (9 * freedom));
}

/// Counts, over seeds, of the sets of `samples` of `points`, or of their orders.
double deviations_of_draws(int points, int samples, bool ordered, int sets, int draws) {
  std::map<std::vector<std::int32_t>, int> found;
  for (int seed = 0; seed < draws; ++seed) {
    auto drawn = random_subset(points, samples, static_cast<std::uint64_t>(seed));
    if (!ordered) std::sort(drawn.begin(), drawn.end());
    ++found[drawn];
  }
  std::vector<int> counts;
  for (auto const& one : found) counts.push_back(one.second);
  counts.resize(static_cast<std::size_t>(sets), 0);
  CHECK(found.size() <= counts.size());
  return deviations(counts, draws);
}

}  // namespace

TEST_CASE("random_subset: its definition, for batches of all kinds", "[random_subset]") {
  for_random_subsets([](auto const& problem) { check_on_host(problem); });
}

TEST_CASE("random_subset: the same numbers for ever", "[random_subset]") {
  CHECK(random_subset(10, 10, 1) == std::vector<std::int32_t>{2, 9, 6, 3, 1, 5, 0, 7, 4, 8});
  CHECK(random_subset(1000000, 4, 42) == std::vector<std::int32_t>{58662, 563914, 625634, 408854});
}

TEST_CASE("random_subset: all points are a permutation, and fewer are its beginning", "[random_subset]") {
  for (index_t points = 0; points < 300; ++points) {
    auto all = random_subset(points, points + 5, 17);
    auto const some = random_subset(points, points / 3, 17);
    REQUIRE(static_cast<index_t>(all.size()) == points);
    CHECK(std::equal(some.begin(), some.end(), all.begin()));
    std::sort(all.begin(), all.end());
    std::vector<std::int32_t> indices(all.size());
    std::iota(indices.begin(), indices.end(), 0);
    CHECK(all == indices);
  }
  auto all = random_subset(1000000, 1000000, 3);
  std::sort(all.begin(), all.end());
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
  CHECK(all.front() == 0);
  CHECK(all.back() == 999999);
}

TEST_CASE("random_subset: each set is equally likely, and each order", "[random_subset]") {
  // In these few independent tests 4 deviations are improbable; the seeds are fixed.
  CHECK(std::fabs(deviations_of_draws(5, 2, false, 10, 20000)) < 4);
  CHECK(std::fabs(deviations_of_draws(10, 3, false, 120, 60000)) < 4);
  CHECK(std::fabs(deviations_of_draws(16, 2, false, 120, 60000)) < 4);
  CHECK(std::fabs(deviations_of_draws(17, 1, false, 17, 20000)) < 4);
  CHECK(std::fabs(deviations_of_draws(33, 2, false, 528, 60000)) < 4);
  CHECK(std::fabs(deviations_of_draws(2, 2, true, 2, 20000)) < 4);
  CHECK(std::fabs(deviations_of_draws(4, 4, true, 24, 40000)) < 4);
  CHECK(std::fabs(deviations_of_draws(5, 5, true, 120, 60000)) < 4);
  CHECK(std::fabs(deviations_of_draws(1000, 1, false, 1000, 100000)) < 4);
}

TEST_CASE("random_subset: a draw from a large cloud is spread evenly, in any part of its order", "[random_subset]") {
  auto const drawn = random_subset(1000003, 200000, 11);
  for (std::size_t const begin : {std::size_t{0}, std::size_t{100000}}) {
    std::vector<int> counts(100, 0);
    for (std::size_t i = begin; i < begin + 100000; ++i) ++counts[static_cast<std::size_t>(drawn[i] / 10001)];
    CHECK(std::fabs(deviations(counts, 100000)) < 4);
    std::vector<int> residues(64, 0);
    for (std::size_t i = begin; i < begin + 100000; ++i) ++residues[static_cast<std::size_t>(drawn[i] % 64)];
    CHECK(std::fabs(deviations(residues, 100000)) < 4);
  }
}

TEST_CASE("random_subset: clouds of one size are drawn from differently", "[random_subset]") {
  random_subset_problem<> problem;
  problem.points = 3000;
  problem.samples = 100;
  problem.seed = 5;
  problem.clouds = 3;
  call_memory<host_space> memory;
  REQUIRE(problem.run(host_exec{1}, memory));
  auto const bytes = memory.outputs()[0];
  std::vector<std::int32_t> drawn(300);
  std::memcpy(drawn.data(), bytes.data(), bytes.size());
  std::vector<std::int32_t> const first(drawn.begin(), drawn.begin() + 100);
  CHECK(first != std::vector<std::int32_t>(drawn.begin() + 100, drawn.begin() + 200));
  CHECK(first != random_subset(1000, 100, 6));
  CHECK(first == random_subset(1000, 100, 5));
  CHECK(first == random_subset(std::vector<std::array<float, 3>>(1000), 100, 5));
}

TEST_CASE("random_subset: bad arguments are refused, and nothing is written", "[random_subset]") {
  using view_type = farpoint::point_view<float>;
  float const nothing = 0;
  auto const cloud = [&](index_t points, index_t clouds = 1) {
    return farpoint::batch<view_type>::regular(view_type{&nothing, points, 0}, clouds);
  };
  std::vector<std::int32_t> indices(10, -7);
  std::vector<index_t> offsets(2, -7);
  farpoint::random_subset_report report;
  report.bad_offsets = 7;
  farpoint::random_subset_output const output{indices, offsets, &report};
  auto const code = [&](auto const& clouds, index_t samples, farpoint::random_subset_output const& to,
                        int threads = 1) { return random_subset(host_exec{threads}, clouds, samples, 1, to).code; };
  CHECK(code(cloud(10), -1, output) == status::bad_argument);
  CHECK(code(cloud(10), 11, output) == status::bad_argument);
  CHECK(code(cloud(10), 5, output, -1) == status::bad_argument);
  CHECK(code(cloud(-1), 5, output) == status::bad_argument);
  CHECK(code(cloud(10, 3), 1, output) == status::bad_argument);
  CHECK(code(cloud(10, 2), 1, output) == status::bad_argument);
  CHECK(code(cloud(10), 5, {indices, {}, &report}) == status::bad_argument);
  CHECK(code(cloud(index_t{1} << 31), 5, output) == status::bad_argument);
  CHECK(code(cloud((index_t{1} << 48) + 1), 5, output) == status::bad_argument);
  CHECK(code(cloud(10), std::numeric_limits<index_t>::max(), output) == status::bad_argument);
  CHECK(indices == std::vector<std::int32_t>(10, -7));
  CHECK(offsets == std::vector<index_t>(2, -7));
  CHECK(report.bad_offsets == 7);
  CHECK_THROWS_AS(random_subset(10, -1, 1), std::invalid_argument);
  CHECK_THROWS_AS(random_subset(-1, 1, 1), std::invalid_argument);
  CHECK_THROWS_AS(random_subset(index_t{1} << 31, 1, 1), std::invalid_argument);
  CHECK(random_subset(0, 5, 1).empty());
  CHECK(random_subset(5, 0, 1).empty());
}

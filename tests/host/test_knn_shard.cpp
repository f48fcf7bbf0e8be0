// knn_shard() with ranks that are threads: the rows of one call for the whole cloud; and no rank hangs.
#include <farpoint/reference/knn.hpp>
#include <farpoint/scale/knn_shard.hpp>
#include <farpoint/scale/thread_communicator.hpp>

#include "../catch.hpp"
#include "../shared/clouds.hpp"
#include "../shared/for_each_seed.hpp"
#include "../shared/host_array.hpp"
#include "../shared/together.hpp"

using namespace farpoint_tests;
using farpoint::exact;
using farpoint::index_t;
using farpoint::status;

namespace {

template <class Coord>
using packed_points = std::vector<std::array<Coord, 3>>;

template <class Coord>
packed_points<Coord> packed(xyz_cloud const& cloud) {
  packed_points<Coord> points;
  for (auto const& p : cloud) {
    points.push_back({static_cast<Coord>(p[0]), static_cast<Coord>(p[1]), static_cast<Coord>(p[2])});
  }
  return points;
}

template <class Coord>
farpoint::point_view<Coord> view_of(packed_points<Coord> const& points) {
  return {reinterpret_cast<Coord const*>(points.data()), static_cast<index_t>(points.size()), 3 * sizeof(Coord)};
}

/// A cloud in parts, and the queries of each rank: its own points, or others.
template <class Coord>
struct knn_shard_problem {
  packed_points<Coord> cloud;
  std::vector<index_t> cuts;  ///< `[ranks + 1]`
  bool self = true;
  packed_points<Coord> others;  ///< shared out in the same proportions
  index_t k = 1;
  exact method;
  index_t first_index = 0;
  int threads = 1;

  std::size_t ranks() const { return cuts.size() - 1; }
  packed_points<Coord> part(std::size_t rank) const {
    return {cloud.begin() + cuts[rank], cloud.begin() + cuts[rank + 1]};
  }
  packed_points<Coord> queries(std::size_t rank) const {
    if (self) return part(rank);
    auto const size = static_cast<std::ptrdiff_t>(others.size());
    auto const count = static_cast<std::ptrdiff_t>(ranks());
    auto const r = static_cast<std::ptrdiff_t>(rank);
    return {others.begin() + size * r / count, others.begin() + size * (r + 1) / count};
  }
};

template <class Coord>
struct knn_shard_answer {
  farpoint::result outcome;
  std::vector<index_t> indices;
  std::vector<Coord> distances;
  farpoint::knn_report report;
  index_t exchanged = -1;
};

/// @param capacity  `[ranks]`; -1: the rank makes no call
template <class Coord>
std::vector<knn_shard_answer<Coord>> run_knn_ranks(knn_shard_problem<Coord> const& problem,
                                                   std::vector<index_t> const& capacity,
                                                   std::chrono::milliseconds timeout = std::chrono::minutes{1}) {
  std::vector<knn_shard_answer<Coord>> answers(problem.ranks());
  farpoint::thread_ranks group{static_cast<int>(problem.ranks()), timeout};
  together(static_cast<int>(problem.ranks()), [&](int number) {
    auto const rank = static_cast<std::size_t>(number);
    if (capacity[rank] < 0) return;
    auto const mine = problem.part(rank);
    auto const queries = problem.queries(rank);
    farpoint::shard<farpoint::point_view<Coord>> const part{view_of(mine), problem.first_index + problem.cuts[rank]};
    auto const size = queries.size() * static_cast<std::size_t>(problem.k);
    host_array<index_t> const indices{size};
    host_array<Coord> const distances{size};
    auto& answer = answers[rank];
    farpoint::knn_shard_output<Coord> output;
    output.indices = {indices.data(), size};
    output.distances = {distances.data(), size};
    output.exchanged_capacity = capacity[rank];
    output.exchanged = &answer.exchanged;
    output.report = &answer.report;
    farpoint::host_exec const exec{problem.threads};
    farpoint::thread_communicator communicator{group, number};
    std::size_t const needed = knn_shard_workspace_bytes(exec, communicator.ranks(), part, view_of(queries),
                                                         problem.method, problem.k, output);
    host_array<unsigned char> const workspace{needed};
    answer.outcome = knn_shard(exec, communicator, part, view_of(queries), problem.method, problem.k, output,
                               {workspace.data(), needed});
    if (!workspace.intact() || !indices.intact() || !distances.intact()) {
      answer.outcome = {status::bad_argument, -1, "test: memory was overrun"};
    }
    answer.indices = indices.download();
    answer.distances = distances.download();
  });
  return answers;
}

template <class Coord>
std::vector<index_t> room_for_all(knn_shard_problem<Coord> const& problem) {
  auto const all = problem.self ? problem.cloud.size() : problem.others.size();
  return std::vector<index_t>(problem.ranks(), static_cast<index_t>(all * problem.ranks()));
}

template <class Coord>
void check_knn_shards(knn_shard_problem<Coord> const& problem) {
  packed_points<Coord> const& queries = problem.self ? problem.cloud : problem.others;
  auto const size = queries.size() * static_cast<std::size_t>(problem.k);
  std::vector<index_t> indices(size);
  std::vector<Coord> distances(size);
  farpoint::knn_report report;
  REQUIRE(farpoint::reference::knn(farpoint::batch{view_of(problem.cloud)}, farpoint::batch{view_of(queries)},
                                   problem.method, problem.k,
                                   farpoint::knn_output<Coord>{indices, distances, {}, &report}));
  for (index_t& index : indices) index += index < 0 ? 0 : problem.first_index;

  std::vector<index_t> seen;
  std::vector<Coord> seen_distances;
  for (auto const& answer : run_knn_ranks(problem, room_for_all(problem))) {
    INFO(answer.outcome.reason);
    REQUIRE(answer.outcome);
    CHECK(answer.report.non_finite_points == report.non_finite_points);
    CHECK(answer.report.non_finite_queries == report.non_finite_queries);
    seen.insert(seen.end(), answer.indices.begin(), answer.indices.end());
    seen_distances.insert(seen_distances.end(), answer.distances.begin(), answer.distances.end());
  }
  CHECK(seen == indices);
  // Neither NaN nor -0 is a distance.
  CHECK(seen_distances == distances);
}

template <class Coord>
knn_shard_problem<Coord> random_knn_shard_problem(std::uint64_t seed) {
  random_source random{seed};
  auto const which = all_shapes[random.below(static_cast<std::int64_t>(std::size(all_shapes)))];
  auto cloud = make_cloud(which, static_cast<std::size_t>(random.below(400)), seed);
  // Parts that are compact, or not.
  if (random.below(2) == 0) {
    std::stable_sort(cloud.begin(), cloud.end(), [](xyz const& a, xyz const& b) { return a[0] < b[0]; });
  }
  knn_shard_problem<Coord> problem;
  problem.cloud = packed<Coord>(cloud);
  auto const n = static_cast<index_t>(cloud.size());
  problem.cuts = {0, n};
  for (auto more = random.below(4); more > 0; --more) problem.cuts.push_back(random.below(n + 1));
  std::sort(problem.cuts.begin(), problem.cuts.end());
  problem.self = random.below(2) == 0;
  if (!problem.self) {
    problem.others = packed<Coord>(make_cloud(which, static_cast<std::size_t>(random.below(200)), seed + 1));
  }
  index_t const ks[] = {1, 2, 5, 16, 64, 100};
  problem.k = ks[random.below(6)];
  problem.method.exclude_self = problem.self && random.below(2) == 0;
  if (random.below(3) == 0) problem.method.max_radius = static_cast<double>(random.uniform()) * 0.3;
  index_t const firsts[] = {0, 9, (index_t{1} << 32) - 50};
  problem.first_index = firsts[random.below(3)];
  problem.threads = random.below(4) == 0 ? 2 : 1;
  return problem;
}

}  // namespace

TEST_CASE("knn_shard: random problems on 1 to 4 ranks give what one call gives", "[knn][shard]") {
  for_each_seed(200, [](std::uint64_t seed) { check_knn_shards(random_knn_shard_problem<float>(seed)); });
}

SCALAR_TEST_CASE("knn_shard: double coordinates", "[knn][shard][scalar]") {
  for_each_seed(60, [](std::uint64_t seed) { check_knn_shards(random_knn_shard_problem<double>(seed)); });
}

TEST_CASE("knn_shard: ties go to the lowest index, whichever rank has it", "[knn][shard]") {
  knn_shard_problem<float> problem;
  problem.cloud = packed<float>(make_cloud(shape::all_equal, 40, 1));
  problem.cuts = {0, 3, 3, 20, 40};
  problem.k = 7;
  check_knn_shards(problem);
  problem.cloud = packed<float>(make_cloud(shape::overflowing, 300, 1));
  problem.cuts = {0, 100, 200, 299, 300};
  check_knn_shards(problem);
}

TEST_CASE("knn_shard: parts far from one another exchange nothing", "[knn][shard]") {
  knn_shard_problem<float> problem;
  for (int i = 0; i < 90; ++i) {
    problem.cloud.push_back({static_cast<float>(i / 30) * 1000, static_cast<float>(i % 30), 0});
  }
  problem.cuts = {0, 30, 60, 90};
  problem.k = 5;
  for (auto const& answer : run_knn_ranks(problem, {0, 0, 0})) {
    CHECK(answer.outcome);
    CHECK(answer.exchanged == 0);
  }
  check_knn_shards(problem);
}

TEST_CASE("knn_shard: what one rank may not do, all ranks return from", "[knn][shard]") {
  auto problem = random_knn_shard_problem<float>(0);
  problem.cloud = packed<float>(make_cloud(shape::cube, 200, 1));
  problem.cuts = {0, 50, 120, 200};
  problem.self = true;
  problem.k = 4;
  problem.method = {};
  auto const outcomes = [&problem](std::vector<index_t> const& capacity, std::chrono::milliseconds timeout) {
    std::vector<status> codes;
    for (auto const& answer : run_knn_ranks(problem, capacity, timeout)) codes.push_back(answer.outcome.code);
    return codes;
  };
  auto const long_enough = std::chrono::minutes{1};
  auto capacity = room_for_all(problem);
  auto const needed = run_knn_ranks(problem, capacity)[1].exchanged;
  REQUIRE(needed > 0);
  capacity[1] = needed;
  CHECK(outcomes(capacity, long_enough) == std::vector<status>(3, status::ok));
  capacity[1] = needed - 1;
  CHECK(outcomes(capacity, long_enough) == std::vector<status>(3, status::workspace_too_small));
  capacity[1] = (index_t{1} << 30) + 1;
  CHECK(outcomes(capacity, long_enough) == std::vector<status>(3, status::bad_argument));
  capacity[1] = -1;
  CHECK(outcomes(capacity, std::chrono::milliseconds{50}) ==
        std::vector<status>{status::communication_failure, status::ok, status::communication_failure});
  problem.k = 0;
  CHECK(outcomes(room_for_all(problem), long_enough) == std::vector<status>(3, status::bad_argument));
  problem.k = 1;
  problem.method.max_radius = -1;
  CHECK(outcomes(room_for_all(problem), long_enough) == std::vector<status>(3, status::bad_argument));
}

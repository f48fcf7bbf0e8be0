// fps() of clouds that are not sampled alike: samples of each, and first points that are drawn, on host_exec.
#include <farpoint/detail/fps/cut_rows.hpp>
#include <farpoint/fps.hpp>
#include <farpoint/reference/fps.hpp>

#include <set>
#include <string>

#include "../../search/index_problem.hpp"
#include "../../support/catch.hpp"
#include "../../support/host_array.hpp"
#include "../../support/test_scale.hpp"

using namespace farpoint_tests;
using farpoint::batch;
using farpoint::fps_params;
using view = index_problem::view;

namespace {

struct picks {
  std::vector<std::int64_t> indices;
  std::vector<float> distances;
  std::vector<std::int32_t> counts;
  farpoint::fps_report report;

  picks(index_t clouds, index_t samples)
      : indices(static_cast<std::size_t>(clouds * samples), 77),
        distances(indices.size(), 77),
        counts(static_cast<std::size_t>(clouds), 77) {}
  farpoint::fps_output<float> output() { return {indices, distances, counts, &report}; }
};

picks sample(batch<view> const& clouds, fps_params const& params, int threads) {
  picks found{clouds.size(), params.samples};
  farpoint::host_scratch const workspace{fps_workspace_bytes(host_exec{threads}, clouds, params)};
  REQUIRE(farpoint::fps(host_exec{threads}, clouds, params, found.output(), workspace));
  return found;
}

bool same(picks const& a, picks const& b) {
  return a.indices == b.indices && a.distances == b.distances && a.counts == b.counts &&
         std::memcmp(&a.report, &b.report, sizeof a.report) == 0;
}

}  // namespace

TEST_CASE("fps: samples of each cloud are the first of those of all, and then padding", "[fps][host]") {
  for (std::uint64_t seed = 0; seed < rounds(40); ++seed) {
    auto const problem = random_index_problem(seed, 1500);
    auto const clouds = index_problem::batch_of(problem.points.data(), problem.points.size(),
                                                problem.point_offsets.data(), problem.clouds());
    random_source random{seed};
    fps_params params;
    params.samples = random.below(200);
    params.random_first = seed % 2 == 0;
    params.seed = seed;
    CAPTURE(seed, params.samples, clouds.size());
    picks expected = sample(clouds, params, 1);
    std::vector<std::int32_t> wanted;
    for (index_t b = 0; b < clouds.size(); ++b) {
      wanted.push_back(static_cast<std::int32_t>(random.below(params.samples + 20) - 5));
      auto const most = std::min<index_t>(std::max<index_t>(wanted.back(), 0), params.samples);
      for (index_t slot = most; slot < params.samples; ++slot) {
        expected.indices[static_cast<std::size_t>(b * params.samples + slot)] = -1;
        expected.distances[static_cast<std::size_t>(b * params.samples + slot)] = -1;
      }
      auto& count = expected.counts[static_cast<std::size_t>(b)];
      count = std::min(count, static_cast<std::int32_t>(most));
    }
    params.sample_counts = wanted;
    CHECK(same(sample(clouds, params, 1), expected));
    CHECK(same(sample(clouds, params, 3), expected));
    picks defined{clouds.size(), params.samples};
    REQUIRE(farpoint::reference::fps(clouds, params, defined.output()));
    CHECK(same(defined, expected));

    // A call on a stream takes all samples of every cloud, then cuts the rows.
    fps_params all = params;
    all.sample_counts = {};
    picks cut = sample(clouds, all, 1);
    farpoint::detail::fps_cut_rows<view> const cut_rows{{clouds, params, cut.output()}};
    for (std::uint32_t i = 0; i < cut.indices.size(); ++i) cut_rows(i);
    if (params.samples > 0) CHECK(same(cut, expected));
  }
}

TEST_CASE("fps: first points that are drawn from a seed", "[fps][host]") {
  std::vector<std::array<float, 3>> points(40 * 100);
  random_source random{9};
  for (auto& p : points) p = {random.uniform(), random.uniform(), random.uniform()};
  auto const clouds = batch<view>::regular(farpoint::view_points(points), 40);
  fps_params params;
  params.samples = 3;
  params.random_first = true;
  std::set<std::int64_t> firsts;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    params.seed = seed;
    auto const found = sample(clouds, params, 1);
    for (std::size_t b = 0; b < 40; ++b) firsts.insert(found.indices[3 * b]);
    CHECK(same(found, sample(clouds, params, 2)));
  }
  // 2,000 draws out of 100.
  CHECK(firsts.size() == 100);
  CHECK(*firsts.begin() == 0);
  CHECK(*firsts.rbegin() == 99);

  // A given first point takes precedence over a drawn one. A drawn point must be finite.
  std::vector<std::int32_t> const given(40, 7);
  params.firsts = given;
  auto const found = sample(clouds, params, 1);
  for (std::size_t b = 0; b < 40; ++b) CHECK(found.indices[3 * b] == 7);
  params.firsts = {};
  for (auto& p : points) p[0] = std::numeric_limits<float>::quiet_NaN();
  points[17][0] = 1;
  CHECK(sample(clouds, params, 1).indices[0] == 17);
  CHECK(sample(clouds, params, 1).counts[1] == 0);
}

TEST_CASE("fps: numbers of samples for another number of clouds are refused", "[fps][host]") {
  std::vector<std::array<float, 3>> const points(10);
  batch<view> const cloud{farpoint::view_points(points)};
  std::vector<std::int32_t> const two{1, 2};
  fps_params params;
  params.samples = 2;
  params.sample_counts = two;
  picks found{1, 2};
  auto const refused = farpoint::fps(host_exec{1}, cloud, params, found.output(), {});
  CHECK(refused.code == farpoint::status::bad_argument);
  CHECK(std::string{refused.reason} == "fps: params.sample_counts needs one entry per cloud");
}

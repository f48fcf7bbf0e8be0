// gather() within the clouds of a batch, on host_exec.
#include <farpoint/fps.hpp>
#include <farpoint/gather.hpp>

#include <string>

#include "../../support/catch.hpp"
#include "../../support/host_array.hpp"
#include "../../support/test_scale.hpp"
#include "../gather_problem.hpp"

using namespace farpoint_tests;
using farpoint::feature_rows;

namespace {

template <class Value>
void check_on_host(gather_problem const& problem, int threads) {
  gather_case<Value> const expected{problem};
  host_array<Value> const features{expected.values};
  host_array<Value> const output{expected.output.size()};
  farpoint::gather_report report{77, 77};
  auto const from = problem.rows_of<Value const>(problem.features, {features.data(), expected.values.size()},
                                                 problem.features.offsets);
  auto const to =
      problem.rows_of<Value>(problem.output, {output.data(), expected.output.size()}, problem.output.offsets);
  auto const outcome = farpoint::gather(host_exec{threads}, from, problem.indices, to, &report);
  INFO(outcome.reason);
  REQUIRE(outcome);
  CHECK(report.out_of_range == expected.report.out_of_range);
  CHECK(report.bad_offsets == expected.report.bad_offsets);
  CHECK(output.download() == expected.output);
  CHECK(output.intact());
}

}  // namespace

TEST_CASE("gather: indices of fps() count within the clouds of a batch", "[gather][host]") {
  constexpr index_t clouds = 4;
  constexpr index_t n = 50;
  constexpr index_t samples = 7;
  random_source random{1};
  std::vector<std::array<float, 3>> points(clouds * n);
  for (auto& p : points) p = {random.uniform(), random.uniform(), random.uniform()};
  auto const view = farpoint::view_points(points);
  auto const batch = farpoint::batch<std::decay_t<decltype(view)>>::regular(view, clouds);
  farpoint::fps_params params;
  params.samples = samples;
  std::vector<std::int32_t> picks(clouds * samples);
  farpoint::fps_output<> output{picks};
  host_workspace const workspace{farpoint::fps_workspace_bytes(host_exec{1}, batch, params)};
  REQUIRE(farpoint::fps(host_exec{1}, batch, params, output, workspace.get()));

  std::vector<std::array<float, 3>> sampled(picks.size());
  REQUIRE(farpoint::gather(host_exec{1}, feature_rows<std::array<float, 3> const>::regular(points, clouds, 1), picks,
                           feature_rows<std::array<float, 3>>::regular(sampled, clouds, 1)));
  bool right = true;
  for (std::size_t i = 0; i < picks.size(); ++i) {
    right = right && sampled[i] == points[i / samples * n + static_cast<std::size_t>(picks[i])];
  }
  CHECK(right);
}

TEST_CASE("gather: rows and channels in any order, regular and ragged clouds", "[gather][host]") {
  for (std::uint64_t seed = 0; seed < rounds(300); ++seed) {
    auto const problem = random_gather_problem(seed);
    CAPTURE(seed);
    check_on_host<float>(problem, 1);
    check_on_host<unsigned char>(problem, 3);
  }
  // Enough rows for several threads.
  auto problem = random_gather_problem(1, 30000);
  problem.features.layout = problem.output.layout = rows_layout::channels_first;
  check_on_host<float>(problem, 3);
}

TEST_CASE("gather: rows of long double keep every digit", "[gather][host]") {
  constexpr std::size_t rows = 300;
  std::vector<long double> values;
  for (std::size_t i = 0; i < 2 * rows; ++i) values.push_back(1 / (3 + static_cast<long double>(i)));
  random_source random{7};
  std::vector<std::int32_t> picks;
  for (int i = 0; i < 1000; ++i) picks.push_back(static_cast<std::int32_t>(random.below(rows + 1)) - 1);
  auto const found = farpoint::gather(values, picks, 2);
  REQUIRE(found.size() == 2 * picks.size());
  bool right = true;
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::int32_t const row = picks[i / 2];
    right = right && found[i] == (row < 0 ? 0 : values[2 * static_cast<std::size_t>(row) + i % 2]);
  }
  CHECK(right);
}

TEST_CASE("gather: what cannot be meant is refused by a sentence", "[gather][host]") {
  std::vector<float> const features(60);
  std::vector<float> out(24);
  std::vector<index_t> const offsets{0, 2, 5};
  span<float const> const from{features};
  span<float> const to{out};
  using in = feature_rows<float const>;
  using rows = feature_rows<float>;
  auto const said = [&](in const& source, std::size_t indices, rows const& target) {
    std::vector<std::int32_t> const wanted(indices);
    return std::string{farpoint::gather(host_exec{1}, source, wanted, target).reason};
  };
  CHECK(said(in::regular(from, 4, 3), 8, rows::regular(to, 4, 3)).empty());
  CHECK(said(in::regular(from, 4, 3), 8, rows::regular(to, 2, 3)) ==
        "gather: features and output have different numbers of clouds");
  CHECK(said(in::regular(from, 4, 3), 8, rows::regular(to, 4, 2)) ==
        "gather: features and output have different numbers of channels");
  CHECK(said(in::regular(from, 4, 0), 8, rows::regular(to, 4, 0)) == "gather: channels is not positive");
  CHECK(said(in::regular(from, 8, 3), 8, rows::regular(to, 8, 3)) ==
        "gather: features are not as many whole rows for each cloud");
  CHECK(said(in::regular(from, 5, 3), 8, rows::regular(to, 5, 3)) ==
        "gather: output is not as many whole rows for each cloud");
  CHECK(said(in::regular(from, -4, 3), 8, rows::regular(to, -4, 3)) == "gather: the number of clouds is negative");
  for (std::size_t const indices : {0, 7, 9, 16}) {
    CHECK(said(in::regular(from, 4, 3), indices, rows::regular(to, 4, 3)) ==
          "gather: output does not have a row for each index");
  }
  CHECK(said(in::ragged(from, offsets, 3), 8, rows::ragged(to, offsets, 3, 0)) ==
        "gather: the rows for each unit of offsets are not positive");
  CHECK(said(in::ragged(from, offsets, 3), 8, rows::ragged(to, offsets, 3, 3)) ==
        "gather: output is not as many whole rows for each cloud");
  CHECK(said(in::strided(from, 2, 11, 3, {30, 3, 1}), 8, rows::regular(to, 2, 3)) ==
        "gather: features are fewer than clouds x rows x channels");
  CHECK(said(in::strided(from, 2, 11, 3, {30, -3, 1}), 8, rows::regular(to, 2, 3)) == "gather: a stride is negative");
  CHECK(said(in::regular(from, 2, 3), 8, rows::strided(to, 2, 4, 3, {12, 2, 1})) ==
        "gather: rows of output share values");
  CHECK(said(in::regular(from, 2, 3), 8, rows::strided(to, 2, 4, 3, {0, 3, 1})) ==
        "gather: rows of output share values");
  CHECK(said(in::regular(from, 2, 3), 8, rows::strided(to, 2, 4, 3, {12, 3, INT64_MAX})) ==
        "gather: output is smaller than clouds x rows x channels");
  // One row for all clouds, and rows that overlap, may be read.
  CHECK(said(in::strided(from, 2, 1, 3, {0, 0, 1}), 8, rows::regular(to, 2, 3)).empty());
  CHECK(said(in::strided(from, 2, 20, 3, {10, 1, 2}), 8, rows::regular(to, 2, 3)).empty());
  CHECK(said(in::regular({}, 0, 3), 0, rows::regular({}, 0, 3)).empty());
  CHECK(said(in::regular({}, 4, 3), 0, rows::regular({}, 4, 3)).empty());
}

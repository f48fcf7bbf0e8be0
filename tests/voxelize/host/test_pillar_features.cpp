// pillar_features() on host_exec, against what its comment says.
#include "../../support/catch.hpp"
#include "../pillar_call.hpp"

using namespace farpoint_tests;
using farpoint::float16;
using farpoint::host_exec;
using farpoint::index_t;
using farpoint::pillar_centers;
using farpoint::voxel_columns;

namespace {

template <class T>
std::vector<T> values_of(std::vector<unsigned char> const& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// The parts of the outputs, in the order of pillar_problem::run().
struct pillars {
  std::vector<std::int32_t> coords;
  std::vector<float> gathered, centroid;
  std::size_t count;
  std::vector<unsigned char> counts, output;
};

template <class Count, class Value>
pillars run(pillar_problem const& problem, int threads) {
  call_memory<host_space> memory;
  farpoint::result const outcome = problem.run<Count, Value>(host_exec{threads}, memory);
  INFO(outcome.reason);
  REQUIRE(outcome);
  REQUIRE(memory.intact());
  auto const parts = memory.outputs();
  return {values_of<std::int32_t>(parts[0]),
          values_of<float>(parts[2]),
          values_of<float>(parts[3]),
          static_cast<std::size_t>(values_of<std::int32_t>(parts[4])[0]),
          parts[1],
          parts[5]};
}

/// Returns added column `c` for the point in slot `place` of a voxel's row.
float added(pillar_problem const& problem, pillars const& of, std::size_t row, std::size_t place, int c) {
  auto const axis = static_cast<std::size_t>(c % 3);
  float const x = of.gathered[place * 5 + axis];
  if (c < 3) return x - of.centroid[row * 3 + axis];
  auto const& grid = problem.params.grid;
  bool const numbered = problem.columns == voxel_columns::batch_xyz || problem.columns == voxel_columns::batch_zyx;
  bool const backwards = problem.columns == voxel_columns::zyx || problem.columns == voxel_columns::batch_zyx;
  std::size_t const each = numbered ? 4 : 3;
  auto const cell = of.coords[row * each + each - 3 + (backwards ? 2 - axis : axis)];
  int const a = static_cast<int>(axis);
  float volatile const product = static_cast<float>(cell) * grid.size[a];
  float volatile const half = grid.size[a] / 2;
  float volatile const first = half + grid.origin[a];
  float volatile const center = product + first;
  return x - center;
}

}  // namespace

TEST_CASE("pillar features, host: offsets to the mean and to the center", "[voxelize][host]") {
  for (int turn = 0; turn < 8; ++turn) {
    pillar_problem problem{turn % 2 == 0 ? 9 : 1};
    problem.columns = static_cast<voxel_columns>(turn / 2);
    problem.centers = turn % 3 == 0 ? pillar_centers::xy : pillar_centers::xyz;
    CAPTURE(turn);
    auto const of = run<std::int32_t, float>(problem, 1);
    REQUIRE(of.count > 100);
    REQUIRE(of.count < problem.rows());
    auto const counts = values_of<std::int32_t>(of.counts);
    auto const actual = values_of<float>(of.output);
    std::size_t const columns = 5 + static_cast<std::size_t>(pillar_columns(problem.centers));
    auto expected = actual;
    std::memset(expected.data(), poison, expected.size() * sizeof(float));
    for (std::size_t row = 0; row < of.count; ++row) {
      for (std::size_t k = 0; k < problem.kept(); ++k) {
        std::size_t const place = row * problem.kept() + k;
        bool const is_kept = k < static_cast<std::size_t>(counts[row]);
        for (std::size_t c = 0; c < columns; ++c) {
          float const value =
              c < 5 ? of.gathered[place * 5 + c] : added(problem, of, row, place, static_cast<int>(c - 5));
          expected[place * columns + c] = is_kept ? value : 0.0f;
        }
      }
    }
    CHECK(std::memcmp(actual.data(), expected.data(), actual.size() * sizeof(float)) == 0);

    auto const by_team = run<float, float>(problem, 3);
    CHECK(by_team.output == of.output);
    CHECK(values_of<float>(by_team.counts)[0] == static_cast<float>(counts[0]));
    auto const half = values_of<float16>(run<std::int32_t, float16>(problem, 1).output);
    CHECK(half[columns - 1].bits == farpoint::to_float16(actual[columns - 1]).bits);
  }
}

TEST_CASE("pillar features, host: what is refused", "[voxelize][host]") {
  pillar_problem const problem{4};
  std::vector<float> values(5 * 4 * 11);
  std::vector<std::int32_t> coords(9), counts(3), count{1};
  auto params = problem.params;
  params.features = farpoint::feature_view::packed(values.data(), 1, 5);
  farpoint::voxelize_output<float> voxels;
  voxels.capacity = 3;
  voxels.coords = coords;
  voxels.points_per_voxel = counts;
  voxels.gathered = values;
  voxels.centroid = values;
  voxels.voxel_count = count;
  auto const refused = [&](farpoint::voxelize_params<float> const& asked,
                           farpoint::voxelize_output<float> const& given) {
    auto const outcome = pillar_features(host_exec{1}, asked, given, pillar_centers::xyz, values);
    return outcome.code == farpoint::status::bad_argument;
  };
  CHECK_FALSE(refused(params, voxels));
  auto dynamic = params;
  dynamic.mode = farpoint::dynamic{};
  CHECK(refused(dynamic, voxels));
  auto two = params;
  two.features = farpoint::feature_view::packed(values.data(), 1, 2);
  CHECK(refused(two, voxels));
  auto larger = voxels;
  larger.capacity = 6;
  CHECK(refused(params, larger));
  auto without = voxels;
  without.voxel_count = {};
  CHECK(refused(params, without));
  without = voxels;
  without.centroid = {};
  CHECK(refused(params, without));
  farpoint::voxelize_output<float> const nothing;
  CHECK_FALSE(refused(params, nothing));
}

// normals_from_neighbors() on host_exec, against estimate_normals() and plain sums in double precision.
#include <farpoint/estimate_normals.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/splat/normals_from_neighbors.hpp>

#include "../../splat/splat_problem.hpp"
#include "../../support/catch.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;
using farpoint::index_t;
using farpoint::status;

namespace {

struct answer {
  std::vector<float> normals, curvatures, tangents, extents;
};

answer run(neighbor_normals_problem<float> const& problem, int threads) {
  farpoint::result outcome;
  auto const parts = run_on_host(problem, threads, outcome);
  INFO(outcome.reason);
  REQUIRE(outcome);
  return {array_of<float>(parts[0]), array_of<float>(parts[1]), array_of<float>(parts[2]), array_of<float>(parts[3])};
}

/// The rows of an exact search of a cloud among itself.
neighbor_normals_problem<float> rows_of_cloud(xyz_cloud const& cloud, index_t k) {
  neighbor_normals_problem<float> problem;
  problem.points = records_of<float>(cloud);
  problem.k = k;
  problem.indices.resize(cloud.size() * static_cast<std::size_t>(k));
  farpoint::batch const points{farpoint::point_view<float>{problem.points.data(), problem.size(), 4 * sizeof(float)}};
  farpoint::host_scratch const workspace{farpoint::knn_workspace_bytes(host_exec{1}, points, farpoint::knn_params{k})};
  farpoint::knn_output<float> const output{problem.indices};
  REQUIRE(farpoint::knn(host_exec{1}, points, farpoint::knn_params{k}, output, workspace));
  return problem;
}

double root_mean_square_along(neighbor_normals_problem<float> const& problem, std::size_t row,
                              double const (&axis)[3]) {
  auto const k = static_cast<std::size_t>(problem.k);
  double sum = 0;
  for (std::size_t j = 0; j < k; ++j) {
    auto const q = 4 * static_cast<std::size_t>(problem.indices[row * k + j]);
    double along = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      along += axis[a] * (double{problem.points[q + a]} - double{problem.points[4 * row + a]});
    }
    sum += along * along;
  }
  return std::sqrt(sum / static_cast<double>(k));
}

bool same_bits(std::vector<float> const& a, std::vector<float> const& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

}  // namespace

TEST_CASE("normals_from_neighbors, host: the bits of estimate_normals()", "[normals][host]") {
  for (shape const which : all_shapes) {
    for (index_t const k : {3, 8, 16}) {
      CAPTURE(static_cast<int>(which), k);
      auto problem = rows_of_cloud(make_cloud(which, 500, 3), k);
      problem.params.viewpoint = {{1, 5, -2}};
      farpoint::batch const points{
          farpoint::point_view<float>{problem.points.data(), problem.size(), 4 * sizeof(float)}};
      farpoint::normals_params params;
      params.k = k;
      params.viewpoint = problem.params.viewpoint;
      std::vector<float> normals(3 * problem.rows());
      std::vector<float> curvatures(problem.rows());
      farpoint::host_scratch const workspace{estimate_normals_workspace_bytes(host_exec{1}, points, params)};
      REQUIRE(estimate_normals(host_exec{1}, points, params, {normals, curvatures}, workspace));
      auto const found = run(problem, 1);
      CHECK(same_bits(found.normals, normals));
      CHECK(same_bits(found.curvatures, curvatures));
      auto const by_team = run(problem, 3);
      CHECK(same_bits(by_team.extents, found.extents));
      CHECK(same_bits(by_team.tangents, found.tangents));
    }
  }
}

TEST_CASE("normals_from_neighbors, host: tangents and extents are those of the neighbors", "[normals][host]") {
  auto const problem = rows_of_cloud(make_cloud(shape::cube, 2000, 8), 12);
  auto const found = run(problem, 1);
  random_source random{4};
  for (std::size_t row = 0; row < problem.rows(); ++row) {
    double n[3], t[3], across[3];
    for (std::size_t a = 0; a < 3; ++a) {
      n[a] = found.normals[3 * row + a];
      t[a] = found.tangents[3 * row + a];
    }
    for (std::size_t a = 0; a < 3; ++a) across[a] = n[(a + 1) % 3] * t[(a + 2) % 3] - n[(a + 2) % 3] * t[(a + 1) % 3];
    CAPTURE(row);
    CHECK(std::fabs(t[0] * t[0] + t[1] * t[1] + t[2] * t[2] - 1) < 1e-5);
    CHECK(std::fabs(t[0] * n[0] + t[1] * n[1] + t[2] * n[2]) < 1e-5);
    CHECK(std::fabs(found.extents[2 * row] - 2 * root_mean_square_along(problem, row, t)) < 1e-5);
    CHECK(std::fabs(found.extents[2 * row + 1] - 2 * root_mean_square_along(problem, row, across)) < 1e-5);
  }
}

TEST_CASE("normals_from_neighbors, host: the disc that neighbors fill has its radius", "[normals][host]") {
  neighbor_normals_problem<float> problem;
  problem.points = {0, 0, 1, 0};
  problem.k = 400;
  for (int i = 0; i < 400; ++i) {
    double const radius = 0.5 * std::sqrt((i + 0.5) / 400);
    problem.points.insert(problem.points.end(), {static_cast<float>(radius * std::cos(2.4 * i)),
                                                 static_cast<float>(radius * std::sin(2.4 * i)), 1, 0});
    problem.indices.push_back(1 + i);
  }
  auto const found = run(problem, 1);
  CHECK(std::fabs(found.extents[0] - 0.5f) < 0.01f);
  CHECK(std::fabs(found.extents[1] - 0.5f) < 0.01f);
  CHECK(std::fabs(found.normals[2] + 1) < 1e-5f);  // towards the origin
  problem.params.extent = 0.5;
  CHECK(std::fabs(run(problem, 1).extents[1] - 0.125f) < 0.003f);
}

TEST_CASE("normals_from_neighbors, host: rows without a plane", "[normals][host]") {
  neighbor_normals_problem<float> problem;
  float const far = 3e38f;
  problem.points = {0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 0, far, far, 0, 0, -far, 0, far, 0};
  problem.k = 4;
  problem.whose = {0, 0, 0, 0, 7, -2, 4};
  problem.indices = {
      0, 1, 2,  -1,  // on a line
      0, 1, -1, 3,   // two, and what follows the end does not count
      9, 1, 2,  3,   // ends at once
      0, 0, 0,  0,   // at one point
      0, 1, 2,  3,   // of no point
      0, 1, 2,  3,   // of no point
      0, 3, 4,  5,   // overflows
  };
  auto const found = run(problem, 1);
  for (float const n : found.normals) CHECK(n == 0);
  for (float const t : found.tangents) CHECK(t == 0);
  for (float const c : found.curvatures) CHECK(c == 0);
  CHECK(found.extents[0] == 2 * std::sqrt(5.0f / 3));
  CHECK(found.extents[1] == found.extents[0]);
  CHECK(found.extents[2] == 2 * std::sqrt(0.5f));
  for (std::size_t i = 4; i < found.extents.size(); ++i) CHECK(found.extents[i] == 0);
}

TEST_CASE("normals_from_neighbors, host: rows of anything, and rows that are not there", "[normals][host]") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    auto const problem = random_neighbor_rows<float>(seed, all_shapes[seed % std::size(all_shapes)]);
    auto const found = run(problem, 1 + static_cast<int>(seed % 3));
    index_t const there = problem.count.empty() ? static_cast<index_t>(problem.rows()) : problem.count[0];
    for (std::size_t row = 0; row < problem.rows(); ++row) {
      std::uint32_t bits;
      std::memcpy(&bits, &found.extents[2 * row], sizeof bits);
      CHECK((bits == 0xa5a5a5a5u) == (static_cast<index_t>(row) >= there));
      if (static_cast<index_t>(row) >= there) continue;
      double length = 0;
      for (std::size_t a = 0; a < 3; ++a) length += double{found.normals[3 * row + a]} * found.normals[3 * row + a];
      CHECK((length == 0 || std::fabs(length - 1) < 1e-5));
      CHECK(found.extents[2 * row] >= 0);
    }
  }
}

TEST_CASE("normals_from_neighbors, host: what is refused", "[normals][host]") {
  std::vector<float> const xyz(9);
  std::vector<std::int32_t> const indices(12);
  std::vector<std::int32_t> const whose(4);
  std::vector<float> values(12);
  farpoint::batch const points{farpoint::point_view<float>{xyz.data(), 3}};
  auto const code = [&](farpoint::neighbor_rows const& rows, farpoint::neighbor_normals_output<float> const& output,
                        double extent = 2) {
    farpoint::neighbor_normals_params params;
    params.extent = extent;
    return normals_from_neighbors(host_exec{1}, points, rows, params, output).code;
  };
  CHECK(code({indices, 3, whose}, {values}) == status::ok);
  CHECK(code({indices, 4}, {values}) == status::ok);
  CHECK(code({indices, 3}, {values}) == status::bad_argument);  // four rows of three points
  CHECK(code({indices, 0, whose}, {values}) == status::bad_argument);
  CHECK(code({indices, 1025, whose}, {values}) == status::bad_argument);
  CHECK(code({indices, 5, whose}, {values}) == status::bad_argument);
  CHECK(code({indices, 2, whose}, {values}) == status::bad_argument);  // six rows
  CHECK(code({indices, 3, whose}, {{values.data(), 11}}) == status::bad_argument);
  CHECK(code({indices, 3, whose}, {{}, {values.data(), 3}}) == status::bad_argument);
  CHECK(code({indices, 3, whose}, {{}, {}, {values.data(), 11}}) == status::bad_argument);
  CHECK(code({indices, 3, whose}, {{}, {}, {}, {values.data(), 7}}) == status::bad_argument);
  CHECK(code({indices, 3, whose}, {values}, -1) == status::bad_argument);
  CHECK(code({indices, 3, whose}, {values}, std::nan("")) == status::bad_argument);
}

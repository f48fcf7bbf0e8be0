// project() on host_exec, against a list of what every point does.
#include <farpoint/splat/project.hpp>

#include <map>
#include <utility>

#include "../../splat/splat_problem.hpp"
#include "../../support/catch.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;
using farpoint::index_t;
using farpoint::pinhole_camera;
using farpoint::project_report;
using farpoint::status;
using farpoint::zbuffer_point;
using farpoint::zbuffer_ref;

namespace {

/// Nearest depth and its index by pixel, and the report of points that are not drawn, found point by point.
template <class Coord>
struct drawn_by_list {
  std::map<index_t, std::pair<float, index_t>> pixels;
  project_report report;

  explicit drawn_by_list(project_problem<Coord> const& problem) {
    auto const& camera = problem.camera;
    index_t const first = problem.offsets.empty() ? 0 : problem.offsets[0];
    index_t const last = problem.offsets.empty() ? problem.size() : problem.offsets[1];
    for (index_t i = first; i < last; ++i) {
      auto const* const p = problem.points.data() + 4 * i;
      using scalar = typename project_problem<Coord>::scalar;
      farpoint::vec<scalar> const point{
          {static_cast<scalar>(p[0]), static_cast<scalar>(p[1]), static_cast<scalar>(p[2])}};
      if (!(std::isfinite(point[0]) && std::isfinite(point[1]) && std::isfinite(point[2]))) {
        ++report.non_finite_points;
        continue;
      }
      farpoint::camera_pixel<scalar> pixel;
      if (!camera.project(point, pixel)) {
        ++report.unseen_points;
        continue;
      }
      std::pair<float, index_t> const mine{static_cast<float>(pixel.depth), i - first};
      auto const found = pixels.emplace(index_t{pixel.y} * camera.width + pixel.x, mine).first;
      found->second = std::min(found->second, mine);
    }
  }
};

template <class Coord>
void check_project(project_problem<Coord> const& problem, int threads) {
  farpoint::result outcome;
  auto const parts = run_on_host(problem, threads, outcome);
  INFO(outcome.reason);
  REQUIRE(outcome);
  auto words = array_of<std::uint64_t>(parts[0]);
  auto const counted = array_of<project_report>(parts[1])[0];
  drawn_by_list<Coord> const expected{problem};
  CHECK(counted.non_finite_points == expected.report.non_finite_points);
  CHECK(counted.unseen_points == expected.report.unseen_points);
  CHECK(counted.bad_offsets == 0);
  zbuffer_ref const zbuffer{{words.data(), words.size()}, problem.camera.width, problem.camera.height};
  std::size_t wrong = 0;
  for (index_t pixel = 0; pixel < zbuffer.size(); ++pixel) {
    zbuffer_point const seen = zbuffer.front(pixel);
    auto const found = expected.pixels.find(pixel);
    bool const right = found == expected.pixels.end()
                           ? !seen.exists()
                           : seen.depth == found->second.first && seen.index == found->second.second;
    wrong += right ? 0 : 1;
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("project, host: the nearest point of each pixel, and of equals the first", "[project][host]") {
  for (shape const which : all_shapes) {
    for (std::size_t const n : {0u, 1u, 300u, 20000u}) {
      for (auto const& [width, height] : {std::pair{1, 1}, {7, 3}, {61, 47}}) {
        CAPTURE(static_cast<int>(which), n, width, height);
        project_problem<float> problem{
            records_of<float>(make_cloud(which, n, n)), camera_of_splats<float>(width, height), {}};
        check_project(problem, 1);
        check_project(problem, 3);
        if (n == 300) problem.offsets = {17, 250};
        check_project(problem, 2);
      }
    }
  }
}

TEST_CASE("project, host: doubles, whose depths are rounded", "[project][host]") {
  auto records = records_of<double>(make_cloud(shape::cube, 4000, 5));
  // Three depths that round to one float: the first point is in front, although it is farther away.
  for (double const z : {0.1 + 1e-12, 0.1, 0.1 - 1e-12}) records.insert(records.end(), {0.0, 0.0, z - 2.0, 0.0});
  check_project(project_problem<double>{records, camera_of_splats<double>(33, 21), {}}, 2);
}

TEST_CASE("project, host: points on borders of pixels and of the image, and behind the camera", "[project][host]") {
  pinhole_camera<float> camera;
  camera.width = 4;
  camera.height = 2;
  camera.focal = {{1, 1}};
  camera.near_depth = 0.5f;
  camera.far_depth = 8;
  float const infinity = std::numeric_limits<float>::infinity();
  project_problem<float> const problem{{0, 0, 1,
                                        0,  // the corner of pixel (0, 0)
                                        1, 1, 1,
                                        0,  // the corner of (1, 1)
                                        3, 0, 2,
                                        0,  // in (1, 0)
                                        2, 0, 1,
                                        0,  // (2, 0)
                                        4, 0, 1,
                                        0,  // on the right border: not seen
                                        0, 2, 1,
                                        0,  // on the lower border
                                        0, 0, 0.5f,
                                        0,  // at the near depth
                                        0, 0, -1,
                                        0,  // behind
                                        0, 0, 8,
                                        0,  // hidden
                                        0, 0, 9,
                                        0,  // too far
                                        0, 0, infinity,
                                        0,  // not finite
                                        0, 0, std::nanf(""),
                                        0, 4, 0,
                                        2, 0,  // equally near as the fourth in its pixel? No: deeper
                                        1, 1, 1,
                                        0},  // the twin of the second
                                       camera,
                                       {}};
  check_project(problem, 1);
  drawn_by_list<float> const drawn{problem};
  CHECK(drawn.pixels.size() == 4);
  CHECK(drawn.pixels.at(5) == std::pair<float, index_t>{1.0f, 1});
  CHECK(drawn.report.non_finite_points == 2);
  CHECK(drawn.report.unseen_points == 5);
}

TEST_CASE("project, host: wrong offsets draw nothing", "[project][host]") {
  project_problem<float> problem{records_of<float>(make_cloud(shape::cube, 100, 2)), camera_of_splats<float>(8, 8), {}};
  for (auto const& offsets : {std::vector<index_t>{60, 40}, {0, 101}, {-1, 50}}) {
    problem.offsets = offsets;
    farpoint::result outcome;
    auto const parts = run_on_host(problem, 1, outcome);
    REQUIRE(outcome);
    for (std::uint64_t const word : array_of<std::uint64_t>(parts[0])) CHECK(word == zbuffer_ref::clear_value);
    auto const report = array_of<project_report>(parts[1])[0];
    CHECK(report.bad_offsets > 0);
    CHECK(report.unseen_points + report.non_finite_points == 0);
  }
}

TEST_CASE("project, host: what is refused", "[project][host]") {
  std::vector<float> const xyz(9);
  farpoint::batch const points{farpoint::point_view<float>{xyz.data(), 3}};
  auto const camera = camera_of_splats<float>(4, 3);
  std::vector<std::uint64_t> words(12, 7);
  zbuffer_ref const zbuffer{words, 4, 3};
  auto const code = [&](auto const& cloud, pinhole_camera<float> const& by, zbuffer_ref const& to, int threads = 1) {
    return project(host_exec{threads}, cloud, by, to).code;
  };
  auto wide = camera;
  wide.width = 8193;
  auto flat = camera;
  flat.height = 0;
  CHECK(code(points, wide, {words, 8193, 3}) == status::bad_argument);
  CHECK(code(points, flat, {words, 4, 0}) == status::bad_argument);
  CHECK(code(points, camera, {words, 3, 4}) == status::bad_argument);
  CHECK(code(points, camera, {{}, 4, 3}) == status::bad_argument);
  CHECK(code(points, camera, zbuffer, -1) == status::bad_argument);
  auto const three = farpoint::batch<farpoint::point_view<float>>::regular({xyz.data(), 3}, 3);
  CHECK(code(three, camera, zbuffer) == status::bad_argument);
  CHECK(std::count(words.begin(), words.end(), 7u) == 12);
  CHECK(code(points, camera, zbuffer) == status::ok);
}

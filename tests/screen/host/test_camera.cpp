// Cameras against formulas in higher precision, and at their borders. The device runs the same source.
#include <farpoint/geometry/camera.hpp>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "../../support/catch.hpp"
#include "../../support/random.hpp"

using namespace farpoint_tests;
using farpoint::angle_of;
using farpoint::camera_pixel;
using farpoint::half_turn;
using farpoint::index_t;
using farpoint::organized_camera;
using farpoint::organized_depth;
using farpoint::pinhole_camera;
using farpoint::spherical_camera;
using farpoint::vec;

namespace {

using exact = long double;

constexpr exact pi = 3.14159265358979323846264338327950288L;

template <class Scalar>
constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity();
template <class Scalar>
constexpr Scalar no_number = std::numeric_limits<Scalar>::quiet_NaN();
template <class Scalar>
constexpr Scalar huge = std::numeric_limits<Scalar>::max();

/// Error bounds that the headers document, in radians.
template <class Scalar>
constexpr exact angle_bound = std::is_same_v<Scalar, float> ? 2.5e-7L : 4.5e-16L;
template <class Scalar>
constexpr exact angle_ratio_bound = std::is_same_v<Scalar, float> ? 1.6e-7L : 3.5e-16L;
template <class Scalar>
constexpr exact spherical_bound = std::is_same_v<Scalar, float> ? 1.5e-6L : 3e-15L;

template <class Scalar>
Scalar after(Scalar value) {
  return std::nextafter(value, infinity<Scalar>);
}
template <class Scalar>
Scalar before(Scalar value) {
  return std::nextafter(value, -infinity<Scalar>);
}

/// Returns a number that is uniform in [-size, size], with all 53 bits of a double.
template <class Scalar>
Scalar within(random_source& random, double size) {
  return static_cast<Scalar>((static_cast<double>(random.next() >> 11) * 0x1p-52 - 1) * size);
}

/// Returns a point with coordinates in [-size, size].
template <class Scalar>
vec<Scalar> any_point(random_source& random, double size) {
  return {{within<Scalar>(random, size), within<Scalar>(random, size), within<Scalar>(random, size)}};
}

template <class Scalar>
vec<Scalar> point_near(random_source& random) {
  return any_point<Scalar>(random, 6);
}

/// Returns a point at a distance of any order of magnitude, often close to an axis: this covers all quarter turns and
/// the seam.
template <class Scalar>
vec<Scalar> point_around(random_source& random) {
  auto point = any_point<Scalar>(random, std::exp(within<double>(random, 20)));
  if (random.below(4) == 0) point[static_cast<int>(random.below(2))] *= Scalar(1e-6);
  return point;
}

std::int32_t any_of(random_source& random, std::array<std::int32_t, 4> const& sizes) {
  return sizes[static_cast<std::size_t>(random.below(4))];
}

template <class Camera>
bool sees(Camera const& camera, vec<typename Camera::scalar> const& point, index_t index = 0) {
  camera_pixel<typename Camera::scalar> pixel{-7, -8, -9};
  bool const visible = camera.project(point, pixel, index);
  if (visible) {
    CHECK((pixel.x >= 0 && pixel.x < camera.width));
    CHECK((pixel.y >= 0 && pixel.y < camera.height));
    CHECK((pixel.depth > 0 && pixel.depth > camera.near_depth && pixel.depth <= camera.far_depth));
    CHECK(std::isfinite(pixel.depth));
  } else {
    CHECK((pixel.x == -7 && pixel.y == -8 && pixel.depth == -9));
  }
  return visible;
}

template <class Camera>
camera_pixel<typename Camera::scalar> pixel_of(Camera const& camera, vec<typename Camera::scalar> const& point,
                                               index_t index = 0) {
  camera_pixel<typename Camera::scalar> pixel{};
  CHECK(camera.project(point, pixel, index));
  return pixel;
}

/// Returns true if `cell` is the floor of a number within `error` of the first argument.
bool is_floor(exact place, exact error, std::int32_t cell) {
  return std::floor(place - error) <= cell && cell <= std::floor(place + error);
}

/// Checks that the camera sees neither points with a NaN or an infinite coordinate nor the origin.
template <class Camera>
void check_invisible_anywhere(Camera camera) {
  using scalar = typename Camera::scalar;
  for (scalar const bad : {no_number<scalar>, infinity<scalar>, -infinity<scalar>}) {
    for (int axis = 0; axis < 3; ++axis) {
      vec<scalar> point{{1, scalar(0.1), 1}};
      CHECK(sees(camera, point));
      point[axis] = bad;
      CHECK_FALSE(sees(camera, point));
      camera.near_depth = -infinity<scalar>;
      CHECK_FALSE(sees(camera, point));
      camera.near_depth = 0;
    }
  }
  CHECK_FALSE(sees(camera, {{0, 0, 0}}));
  CHECK_FALSE(sees(camera, {{0, 0, -scalar(0)}}));
  for (scalar const bound : {no_number<scalar>, infinity<scalar>}) {
    Camera other = camera;
    other.near_depth = bound;
    CHECK_FALSE(sees(other, {{1, scalar(0.1), 1}}));
  }
  for (scalar const bound : {no_number<scalar>, scalar(-1), scalar(0)}) {
    Camera other = camera;
    other.far_depth = bound;
    CHECK_FALSE(sees(other, {{1, scalar(0.1), 1}}));
  }
  for (std::int32_t const size : {0, -1, std::numeric_limits<std::int32_t>::min()}) {
    Camera other = camera;
    other.width = size;
    CHECK_FALSE(sees(other, {{1, scalar(0.1), 1}}));
    other = camera;
    other.height = size;
    CHECK_FALSE(sees(other, {{1, scalar(0.1), 1}}));
  }
}

template <class Scalar>
void check_depth_borders(Scalar nearest, Scalar farthest) {
  pinhole_camera<Scalar> camera{};
  camera.width = camera.height = 1;
  camera.center = {{Scalar(0.5), Scalar(0.5)}};
  camera.near_depth = nearest;
  camera.far_depth = farthest;
  organized_camera<Scalar> const flat{1, 1, organized_depth::z, nearest, farthest};
  organized_camera<Scalar> const round{1, 1, organized_depth::range, nearest, farthest};
  auto const seen = [&](Scalar depth) {
    bool const by_pinhole = sees(camera, {{0, 0, depth}});
    CHECK(sees(flat, {{0, 0, depth}}) == by_pinhole);
    CHECK(sees(round, {{0, 0, depth}}) == by_pinhole);
    return by_pinhole;
  };
  CHECK_FALSE(seen(before(nearest)));
  CHECK_FALSE(seen(nearest));
  CHECK(seen(after(nearest)));
  CHECK(seen(before(farthest)));
  CHECK(seen(farthest));
  CHECK_FALSE(seen(after(farthest)));
}

/// Sets a random rotation about three axes, rounded to Scalar.
template <class Scalar>
void rotate(random_source& random, pinhole_camera<Scalar>& camera) {
  double rows[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int axis = 0; axis < 3; ++axis) {
    double const angle = within<double>(random, 3.2);
    int const i = (axis + 1) % 3;
    int const j = (axis + 2) % 3;
    for (auto& row : rows) {
      double const a = row[i];
      double const b = row[j];
      row[i] = std::cos(angle) * a - std::sin(angle) * b;
      row[j] = std::sin(angle) * a + std::cos(angle) * b;
    }
  }
  for (int row = 0; row < 3; ++row) {
    for (int axis = 0; axis < 3; ++axis) camera.rotation[row][axis] = static_cast<Scalar>(rows[row][axis]);
  }
}

/// Makes a random camera with images of one pixel or more, rotated, and translated by up to 4 m.
template <class Scalar>
pinhole_camera<Scalar> any_pinhole(random_source& random) {
  pinhole_camera<Scalar> camera{};
  camera.width = any_of(random, {1, 640, 1920, 8192});
  camera.height = any_of(random, {1, 480, 1080, 8192});
  camera.focal = {{static_cast<Scalar>(100 + within<double>(random, 90)), static_cast<Scalar>(camera.height)}};
  camera.center = {{within<Scalar>(random, 1000), static_cast<Scalar>(camera.height) / 2}};
  camera.near_depth = Scalar(0.25);
  camera.far_depth = 9;
  rotate(random, camera);
  for (int axis = 0; axis < 3; ++axis) camera.translation[axis] = within<Scalar>(random, 4);
  return camera;
}

/// Makes a random camera with images of one pixel or more, and 0.1 to 1.1 rad between top and bottom.
template <class Scalar>
spherical_camera<Scalar> any_spherical(random_source& random) {
  spherical_camera<Scalar> camera{};
  camera.width = any_of(random, {1, 1024, 2048, 8192});
  camera.height = any_of(random, {1, 32, 128, 8192});
  camera.top = within<Scalar>(random, 0.5) + Scalar(0.5);
  camera.bottom = camera.top - Scalar(0.1) - (within<Scalar>(random, 1) + 1) / 2;
  return camera;
}

template <class Scalar>
void check_angle(Scalar y, Scalar x) {
  exact const expected = std::atan2(exact{y}, exact{x});
  exact const error = std::fabs(exact{angle_of(y, x)} - expected);
  exact const tiny = std::numeric_limits<Scalar>::min();
  if (!(error < angle_bound<Scalar>) || !(error <= angle_ratio_bound<Scalar> * std::fabs(expected) + tiny)) {
    FAIL("y " << y << ", x " << x << ", off by " << static_cast<double>(error));
  }
}

/// Projects in higher precision, and fails if the camera differs by more than rounding can explain.
/// @return true if the camera sees the point
template <class Scalar>
bool check_formula(pinhole_camera<Scalar> const& camera, vec<Scalar> const& point, int round) {
  exact view[3];
  for (int row = 0; row < 3; ++row) {
    view[row] = camera.translation[row];
    for (int axis = 0; axis < 3; ++axis) view[row] += exact{camera.rotation[row][axis]} * exact{point[axis]};
  }
  exact const unit = std::numeric_limits<Scalar>::epsilon();
  exact const view_error = 3 * 16 * unit;  // three roundings of sums below 16
  camera_pixel<Scalar> pixel{};
  bool const seen = camera.project(point, pixel);
  bool possible = view[2] > 0.25L - view_error && view[2] <= 9 + view_error;
  bool certain = view[2] > 0.25L + view_error && view[2] <= 9 - view_error;
  std::int32_t const sizes[] = {camera.width, camera.height};
  std::int32_t const cells[] = {pixel.x, pixel.y};
  for (int axis = 0; axis < 2 && view[2] > view_error; ++axis) {
    exact const slope = view[axis] / view[2];
    exact const place = exact{camera.focal[axis]} * slope + exact{camera.center[axis]};
    exact const slope_error = view_error / view[2] * (1 + std::fabs(slope)) * 2 + std::fabs(slope) * unit;
    exact const error = exact{camera.focal[axis]} * slope_error + std::fabs(place) * unit;
    possible = possible && place >= -error && place < sizes[axis] + error;
    certain = certain && place >= error && place < sizes[axis] - error;
    if (seen && !is_floor(place, error, cells[axis])) FAIL("round " << round << ", axis " << axis);
  }
  if ((seen && !possible) || (!seen && certain)) FAIL("round " << round << ", visible " << seen);
  if (seen && std::fabs(pixel.depth - view[2]) > view_error) FAIL("round " << round << ", depth");
  if (seen && pixel.depth != camera.to_view(point)[2]) FAIL("round " << round << ", to_view");
  return seen;
}

template <class Scalar>
bool check_formula(spherical_camera<Scalar> const& camera, vec<Scalar> const& point, int round) {
  exact const unit = std::numeric_limits<Scalar>::epsilon();
  exact const x = point[0], y = point[1], z = point[2];
  exact const range = std::sqrt(x * x + y * y + z * z);
  exact const elevation = std::asin(z / range);
  exact const row_size = (exact{camera.top} - exact{camera.bottom}) / camera.height;
  exact const row = (camera.top - elevation) / row_size;
  exact const column_size = 2 * pi / camera.width;
  exact const column = (pi - std::atan2(y, x)) / column_size;
  exact const row_error = spherical_bound<Scalar> / row_size + camera.height * 4 * unit;
  exact const column_error = spherical_bound<Scalar> / column_size;

  camera_pixel<Scalar> pixel{};
  bool const seen = camera.project(point, pixel);
  if (seen ? row < -row_error || row >= camera.height + row_error
           : row >= row_error && row < camera.height - row_error) {
    FAIL("round " << round << ", visible " << seen);
  }
  if (!seen) return false;
  if (!is_floor(row, row_error, pixel.y)) FAIL("round " << round << ", row");
  if (!is_floor(column, column_error, pixel.x)) FAIL("round " << round << ", column");
  if (std::fabs(pixel.depth - range) > 2 * unit * range) FAIL("round " << round << ", range");
  return true;
}

/// @return number of rounds in which the camera sees the point
template <class AnyCamera, class AnyPoint>
int check_rounds(std::uint64_t seed, int rounds, AnyCamera const& camera_of, AnyPoint const& point_of) {
  random_source random{seed};
  int visible = 0;
  for (int round = 0; round < rounds; ++round) {
    auto const camera = camera_of(random);
    auto const point = point_of(random);
    visible += check_formula(camera, point, round);
  }
  return visible;
}

}  // namespace

TEMPLATE_TEST_CASE("angle_of stays within its bound of atan2 and asin", "[spatial][camera]", float, double) {
  using scalar = TestType;
  random_source random{1};
  for (int round = 0; round < 300000; ++round) {
    scalar const x = within<scalar>(random, 1);
    scalar const y = within<scalar>(random, std::exp(within<double>(random, 12)));
    check_angle(y, x);
    // Around the diagonals, where the ratio turns over.
    scalar const near_x = x * (1 + within<scalar>(random, 1e-6));
    check_angle(near_x, x);
    check_angle(-near_x, x);
    // Mirrored exactly, so that a range image has no bias.
    if (x != 0 && y != 0 && angle_of(-y, x) != -angle_of(y, x)) FAIL("y " << y << ", x " << x);
    // angle_of() as an elevation, against asin().
    scalar const height = within<scalar>(random, 1);
    exact const level = std::sqrt((1 - exact{height}) * (1 + exact{height}));
    exact const error = std::fabs(exact{angle_of(height, static_cast<scalar>(level))} - std::asin(exact{height}));
    if (error > 2 * angle_bound<scalar>) FAIL("height " << height);
  }
}

TEMPLATE_TEST_CASE("angle_of takes hostile input", "[spatial][camera]", float, double) {
  using scalar = TestType;
  scalar const tiny = std::numeric_limits<scalar>::denorm_min();
  scalar const values[] = {tiny, std::numeric_limits<scalar>::min(), scalar(1), huge<scalar> / 2, huge<scalar>};
  for (scalar const y : values) {
    for (scalar const x : values) {
      for (int signs = 0; signs < 4; ++signs) check_angle(signs & 1 ? -y : y, signs & 2 ? -x : x);
    }
    CHECK(angle_of(y, scalar(0)) == half_turn<scalar> / 2);
    CHECK(angle_of(-y, scalar(0)) == -half_turn<scalar> / 2);
    CHECK(angle_of(scalar(0), -y) == half_turn<scalar>);
    CHECK(angle_of(-scalar(0), -y) == half_turn<scalar>);
    CHECK(angle_of(-tiny, -y) < 0);
    for (scalar const zero : {scalar(0), -scalar(0)}) {
      CHECK(angle_of(zero, y) == 0);
      CHECK_FALSE(std::signbit(angle_of(zero, y)));
      CHECK_FALSE(std::signbit(angle_of(zero, zero)));
      CHECK(angle_of(zero, -zero) == 0);
    }
    CHECK(std::isnan(angle_of(y, no_number<scalar>)));
    CHECK(std::isnan(angle_of(no_number<scalar>, y)));
  }
  CHECK(std::isnan(angle_of(no_number<scalar>, scalar(0))));
  CHECK(std::isnan(angle_of(scalar(0), no_number<scalar>)));
  CHECK(std::isnan(angle_of(infinity<scalar>, infinity<scalar>)));
}

TEMPLATE_TEST_CASE("pinhole_camera equals the formula in higher precision", "[spatial][camera]", float, double) {
  CHECK(check_rounds(3, 60000, any_pinhole<TestType>, point_near<TestType>) > 2000);
}

TEMPLATE_TEST_CASE("pinhole_camera at the borders of its image", "[spatial][camera]", float, double) {
  using scalar = TestType;
  for (std::int32_t const size : {1, 2, 1080, 8192}) {
    CAPTURE(size);
    auto const width = static_cast<scalar>(size);
    pinhole_camera<scalar> camera{};
    camera.width = camera.height = size;
    // With focal lengths of 1 and depth 1, the image coordinate is the point's coordinate.
    camera.focal = {{1, 1}};
    for (int axis = 0; axis < 2; ++axis) {
      auto const at = [&](scalar place) {
        vec<scalar> point{{scalar(0.5), scalar(0.5), 1}};
        point[axis] = place;
        if (!sees(camera, point)) return -1;
        auto const pixel = pixel_of(camera, point);
        return axis == 0 ? pixel.x : pixel.y;
      };
      CHECK(at(0) == 0);
      CHECK(at(-scalar(0)) == 0);
      CHECK(at(before(scalar(0))) == -1);
      CHECK(at(after(scalar(0))) == 0);
      CHECK(at(scalar(-0.5)) == -1);
      CHECK(at(before(width)) == size - 1);
      CHECK(at(width) == -1);
      CHECK(at(after(width)) == -1);
      for (std::int32_t cell = 1; cell < size; cell += 1 + size / 50) {
        CHECK(at(static_cast<scalar>(cell)) == cell);
        CHECK(at(before(static_cast<scalar>(cell))) == cell - 1);
      }
      for (scalar const far_off : {scalar(2147483520.0), scalar(2147483648.0), scalar(1e30), huge<scalar>}) {
        CHECK(at(far_off) == -1);
        CHECK(at(-far_off) == -1);
      }
    }
    // The image coordinate rounds up to the exclusive bound: before(size) / 2 + size / 2 is half a step below it.
    camera.center[0] = width / 2;
    CHECK_FALSE(sees(camera, {{before(width / 2), scalar(0.5), 1}}));
    CHECK(sees(camera, {{before(before(before(width / 2))), scalar(0.5), 1}}));
  }
}

TEMPLATE_TEST_CASE("pinhole_camera: numbers that overflow on the way", "[spatial][camera]", float, double) {
  using scalar = TestType;
  pinhole_camera<scalar> camera{};
  camera.width = camera.height = std::numeric_limits<std::int32_t>::max();
  camera.focal = {{huge<scalar>, huge<scalar>}};
  CHECK_FALSE(sees(camera, {{huge<scalar>, 1, std::numeric_limits<scalar>::denorm_min()}}));
  CHECK(sees(camera, {{0, 0, huge<scalar>}}));
  CHECK(sees(camera, {{0, 0, std::numeric_limits<scalar>::denorm_min()}}));
  // Depths whose computation overflows to infinity, to -infinity and to NaN.
  camera.rotation[2] = {{4, 0, 1}};
  CHECK_FALSE(sees(camera, {{huge<scalar>, 0, 1}}));
  CHECK_FALSE(sees(camera, {{-huge<scalar>, 0, 1}}));
  camera.rotation[2] = {{-4, 4, 1}};
  CHECK_FALSE(sees(camera, {{huge<scalar>, huge<scalar>, 1}}));
  camera.rotation[2] = {{0, 0, no_number<scalar>}};
  CHECK_FALSE(sees(camera, {{0, 0, 1}}));
}

TEMPLATE_TEST_CASE("spherical_camera equals the formula in higher precision", "[spatial][camera]", float, double) {
  CHECK(check_rounds(5, 100000, any_spherical<TestType>, point_around<TestType>) > 20000);
}

TEMPLATE_TEST_CASE("spherical_camera at the borders of its image", "[spatial][camera]", float, double) {
  using scalar = TestType;
  for (std::int32_t const size : {1, 2, 4, 1024, 8192}) {
    CAPTURE(size);
    spherical_camera<scalar> const camera{scalar(0.75), scalar(-0.25), size, size};
    auto const column = [&](scalar x, scalar y) { return pixel_of(camera, {{x, y, 0}}).x; };
    CHECK(column(-1, 0) == 0);
    CHECK(column(-1, -scalar(0)) == 0);
    CHECK(column(-1, std::numeric_limits<scalar>::denorm_min()) == 0);
    CHECK(column(-1, -std::numeric_limits<scalar>::denorm_min()) == size - 1);
    CHECK(column(-1, scalar(-1e-30)) == size - 1);
    CHECK(column(1, 0) == size / 2);
    CHECK(column(0, 1) == size / 4);
    CHECK(column(0, -1) == size * 3 / 4);
    CHECK(pixel_of(camera, {{1, 0, 0}}).y == size * 3 / 4);
    auto const row = [&](double elevation) {
      vec<scalar> const point{{static_cast<scalar>(std::cos(elevation)), 0, static_cast<scalar>(std::sin(elevation))}};
      return sees(camera, point) ? pixel_of(camera, point).y : -1;
    };
    CHECK(row(0.75 + 1e-5) == -1);
    CHECK(row(0.75 - 1e-5) == 0);
    CHECK(row(-0.25 + 1e-5) == size - 1);
    CHECK(row(-0.25 - 1e-5) == -1);
  }
  // Exact borders: straight ahead is elevation 0, straight up and down the poles.
  CHECK(sees(spherical_camera<scalar>{0, -1, 8, 8}, {{1, 0, 0}}));
  CHECK_FALSE(sees(spherical_camera<scalar>{1, 0, 8, 8}, {{1, 0, 0}}));
  scalar const pole = half_turn<scalar> / 2;
  spherical_camera<scalar> const all_round{pole, scalar(-1.6), 8, 8};
  CHECK(pixel_of(all_round, {{0, 0, 3}}).y == 0);
  CHECK(pixel_of(all_round, {{0, 0, -3}}).y == 7);
  CHECK(pixel_of(all_round, {{0, 0, -3}}).depth == 3);
  CHECK_FALSE(sees(spherical_camera<scalar>{pole, -pole, 8, 8}, {{0, 0, -3}}));
  // No field of view.
  CHECK_FALSE(sees(spherical_camera<scalar>{0, 0, 8, 8}, {{1, 0, 0}}));
  CHECK_FALSE(sees(spherical_camera<scalar>{no_number<scalar>, 0, 8, 8}, {{1, 0, 0}}));
  CHECK_FALSE(sees(spherical_camera<scalar>{1, -1, 8, 8}, {{huge<scalar>, 0, 0}}));
  CHECK_FALSE(sees(spherical_camera<scalar>{1, -1, 8, 8}, {{std::numeric_limits<scalar>::min(), 0, 0}}));
  CHECK(sees(spherical_camera<scalar>{1, -1, std::numeric_limits<std::int32_t>::max(), 8}, {{-1, scalar(-1e-30), 0}}));
}

TEMPLATE_TEST_CASE("spherical_camera at its nearest and farthest range", "[spatial][camera]", float, double) {
  using scalar = TestType;
  spherical_camera<scalar> camera{1, -1, 16, 16, 2, 5};
  CHECK_FALSE(sees(camera, {{2, 0, 0}}));
  CHECK(sees(camera, {{0, after(scalar(2)), 0}}));
  CHECK(sees(camera, {{3, 0, -4}}));
  CHECK_FALSE(sees(camera, {{after(scalar(5)), 0, 0}}));
}

TEST_CASE("organized_camera is the identity", "[spatial][camera]") {
  for (std::int32_t const width : {1, 7, 8192}) {
    for (std::int32_t const height : {1, 5, 8192}) {
      CAPTURE(width, height);
      organized_camera<float> const camera{width, height};
      index_t const count = index_t{width} * height;
      for (index_t index = 0; index < count; index += 1 + count / 97) {
        auto const pixel = pixel_of(camera, {{3, 0, -4}}, index);
        CHECK(index_t{pixel.y} * width + pixel.x == index);
        CHECK(pixel.depth == 5);
      }
      CHECK(sees(camera, {{1, 1, 1}}, count - 1));
      for (index_t const outside :
           {count, count + 1, index_t{-1}, std::numeric_limits<index_t>::max(), std::numeric_limits<index_t>::min()}) {
        CHECK_FALSE(sees(camera, {{1, 1, 1}}, outside));
      }
    }
  }
  organized_camera<double> const flat{4, 4, organized_depth::z};
  CHECK(pixel_of(flat, {{3, 0, 4}}, 9).depth == 4);
  CHECK_FALSE(sees(flat, {{3, 0, -4}}, 9));
}

TEST_CASE("cameras do not see what is not finite, nor without an image", "[spatial][camera]") {
  pinhole_camera<float> narrow{{{100, 100}}, {{0, 0}}};
  pinhole_camera<double> wide{{{100, 100}}, {{0, 0}}};
  narrow.width = narrow.height = wide.width = wide.height = 128;
  check_invisible_anywhere(narrow);
  check_invisible_anywhere(wide);
  check_invisible_anywhere(spherical_camera<float>{1.5f, -1.5f, 64, 64});
  check_invisible_anywhere(spherical_camera<double>{1.5, -1.5, 64, 64});
  for (auto const kind : {organized_depth::range, organized_depth::z}) {
    check_invisible_anywhere(organized_camera<float>{64, 64, kind});
    check_invisible_anywhere(organized_camera<double>{64, 64, kind});
  }
}

TEST_CASE("the near end is exclusive and the far end inclusive", "[spatial][camera]") {
  check_depth_borders<float>(0.1f, 100.3f);
  check_depth_borders<double>(0.1, 100.3);
  check_depth_borders<float>(1, 2);
}

TEST_CASE("cameras are trivially copyable", "[spatial][camera]") {
  CHECK(std::is_trivially_copyable_v<pinhole_camera<float>>);
  CHECK(std::is_trivially_copyable_v<spherical_camera<double>>);
  CHECK(std::is_trivially_copyable_v<organized_camera<float>>);
}

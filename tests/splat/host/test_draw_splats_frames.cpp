// Splats of a closed surface on host_exec: a camera that flies around it sees no hole.
#include <farpoint/knn_screen.hpp>
#include <farpoint/splat/draw_splats.hpp>
#include <farpoint/splat/normals_from_neighbors.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/random.hpp"
#include "../vectors.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;
using farpoint::pinhole_camera;

namespace {

/// A ring: a closed surface with a hole through it, that hides parts of itself.
constexpr double ring_radius = 1, tube_radius = 0.4;

std::vector<std::array<float, 3>> ring_points(std::size_t count) {
  random_source random{5};
  std::vector<std::array<float, 3>> points;
  while (points.size() < count) {
    double const around = 6.283185307179586 * static_cast<double>(random.uniform());
    double const angle = 6.283185307179586 * static_cast<double>(random.uniform());
    double const level = ring_radius + tube_radius * std::cos(angle);
    // The inner side has less surface than the outer one.
    if (static_cast<double>(random.uniform()) * (ring_radius + tube_radius) > level) continue;
    points.push_back({static_cast<float>(level * std::cos(around)), static_cast<float>(level * std::sin(around)),
                      static_cast<float>(tube_radius * std::sin(angle))});
  }
  return points;
}

/// The depth at which a line of sight meets the ring with a tube `thickness` times as thick; +inf if it misses the
/// ring.
double ring_depth(pinhole_camera<float> const& camera, int x, int y, double thickness) {
  xyz const sight{(x + 0.5 - double{camera.center[0]}) / double{camera.focal[0]},
                  (y + 0.5 - double{camera.center[1]}) / double{camera.focal[1]}, 1};
  double const length = std::sqrt(dot(sight, sight));
  for (double depth = 1; depth < 5;) {
    xyz view = scaled(depth, sight);
    for (std::size_t row = 0; row < 3; ++row) view[row] -= double{camera.translation[static_cast<int>(row)]};
    xyz place{};
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t a = 0; a < 3; ++a) {
        place[a] += double{camera.rotation[row][static_cast<int>(a)]} * view[row];
      }
    }
    double const level = std::sqrt(place[0] * place[0] + place[1] * place[1]) - ring_radius;
    double const distance = std::sqrt(level * level + place[2] * place[2]) - thickness * tube_radius;
    if (distance < 1e-3) return depth;
    depth += distance / length;
  }
  return std::numeric_limits<double>::infinity();
}

/// A camera at a distance of 3.2 m, which circles the ring and moves up and down.
pinhole_camera<float> camera_of_frame(int frame, int size) {
  double const turn = 0.0628318 * frame;
  double const up = 0.9 * std::sin(0.19 * frame);
  xyz const ahead{-std::cos(up) * std::cos(turn), -std::cos(up) * std::sin(turn), -std::sin(up)};
  xyz const right{-std::sin(turn), std::cos(turn), 0};
  xyz const down = cross(ahead, right);
  pinhole_camera<float> camera;
  camera.width = camera.height = size;
  camera.focal = {{static_cast<float>(size), static_cast<float>(size)}};
  camera.center = {{0.5f * static_cast<float>(size), 0.5f * static_cast<float>(size)}};
  for (int axis = 0; axis < 3; ++axis) {
    auto const a = static_cast<std::size_t>(axis);
    camera.rotation[0][axis] = static_cast<float>(right[a]);
    camera.rotation[1][axis] = static_cast<float>(down[a]);
    camera.rotation[2][axis] = static_cast<float>(ahead[a]);
  }
  camera.translation = {{0, 0, 3.2f}};
  return camera;
}

}  // namespace

TEST_CASE("draw_splats, host: 100 frames around a closed surface have no hole", "[splats][host]") {
#if defined(FARPOINT_TESTS_WITHOUT_SLOW)
  constexpr int frames = 5;
#else
  constexpr int frames = 100;
#endif
  constexpr int size = 40;
  constexpr int k = 8;
  auto const points = ring_points(20'000);
  farpoint::batch const cloud{farpoint::view_points(points)};
  std::size_t looked = 0;
  std::size_t holes = 0;
  std::size_t astray = 0;
  for (int frame = 0; frame < frames; ++frame) {
    auto const searched = camera_of_frame(frame, size);
    auto const found = farpoint::knn(points, farpoint::screen_space{searched, k});
    std::vector<float> normals(3 * found.visible.size()), tangents(normals.size()), extents(2 * found.visible.size());
    REQUIRE(normals_from_neighbors(host_exec{2}, cloud, {found.indices, k, found.visible}, {},
                                   {normals, {}, tangents, extents}));
    auto const drawn = camera_of_frame(frame, 2 * size);
    farpoint::splat_view<float> splats{extents};
    splats.normals = normals;
    splats.tangents = tangents;
    splats.points = found.visible;
    farpoint::draw_splats_params params;
    params.most_extent = 0.2;
    farpoint::splat_image image;
    std::vector<float> depths(4 * size * size);
    image.depths = depths;
    farpoint::host_scratch const workspace{draw_splats_workspace_bytes(host_exec{2}, splats, drawn, params)};
    REQUIRE(draw_splats(host_exec{2}, cloud, splats, drawn, params, image, workspace));
    for (int y = 0; y < 2 * size; ++y) {
      for (int x = 0; x < 2 * size; ++x) {
        double const expected = ring_depth(drawn, x, y, 0.9);
        double const depth = double{depths[static_cast<std::size_t>(2 * size * y + x)]};
        astray += depth < ring_depth(drawn, x, y, 1.1) - 0.1 * tube_radius ? 1 : 0;
        if (std::isinf(expected)) continue;
        ++looked;
        holes += depth > expected + tube_radius ? 1 : 0;
      }
    }
  }
  CHECK(looked > 1000 * frames);
  CHECK(holes == 0);
  // Nor do many stand out beyond it, or float before it: splats are a third of the tube's radius.
  CHECK(astray < looked / 16);
}

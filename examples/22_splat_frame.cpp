// A cloud drawn as a closed surface: what a camera sees, neighbors, normals and extents, and the picture.
#include <farpoint/knn_screen.hpp>
#include <farpoint/splat/draw_splats.hpp>
#include <farpoint/splat/normals_from_neighbors.hpp>
#include <farpoint/splat/project.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

/// A ball of a radius of 1 m, 3 m ahead, as a spiral of points from pole to pole.
std::vector<std::array<float, 3>> make_ball(int count) {
  std::vector<std::array<float, 3>> points;
  for (int i = 0; i < count; ++i) {
    float const up = 1 - 2 * (static_cast<float>(i) + 0.5F) / static_cast<float>(count);
    float const level = std::sqrt(1 - up * up);
    float const turn = 2.3999632F * static_cast<float>(i);
    points.push_back({level * std::cos(turn), up, 3 + level * std::sin(turn)});
  }
  return points;
}

bool succeeded(farpoint::result const& outcome) {
  if (!outcome) std::fprintf(stderr, "%s\n", outcome.reason);
  return static_cast<bool>(outcome);
}

bool write_picture(char const* name, std::vector<std::uint8_t> const& bytes, int width, int height) {
  std::FILE* const file = std::fopen(name, "wb");
  if (file == nullptr) return false;
  std::fprintf(file, "P6 %d %d 255\n", width, height);
  bool const written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return std::fclose(file) == 0 && written;
}

}  // namespace

int main() {
  constexpr int width = 160;
  constexpr int height = 120;
  constexpr int k = 8;
  auto const points = make_ball(100'000);
  farpoint::batch const cloud{farpoint::view_points(points)};
  farpoint::pinhole_camera<float> camera;  // at the origin, looking along z
  camera.width = width;
  camera.height = height;
  camera.focal = {{150, 150}};
  camera.center = {{80, 60}};
  farpoint::host_exec const exec{};

  std::vector<std::uint64_t> words(width * height);
  farpoint::zbuffer_ref const zbuffer{words, width, height};
  if (!succeeded(project(exec, cloud, camera, zbuffer))) return 1;
  farpoint::zbuffer_point const middle = zbuffer.front(zbuffer.pixel_at(width / 2, height / 2));

  auto const found = farpoint::knn(points, farpoint::screen_space{camera, k});

  //! [normals]
  std::vector<float> normals(3 * found.visible.size());
  std::vector<float> tangents(3 * found.visible.size());
  std::vector<float> extents(2 * found.visible.size());
  farpoint::neighbor_rows const rows{found.indices, k, found.visible};
  if (!succeeded(normals_from_neighbors(exec, cloud, rows, {}, {normals, {}, tangents, extents}))) return 1;
  //! [normals]

  farpoint::splat_view<float> splats{extents};
  splats.normals = normals;
  splats.tangents = tangents;
  splats.points = found.visible;
  farpoint::draw_splats_params const params;
  std::vector<std::uint8_t> bytes(3 * width * height);  // red, green, blue
  std::vector<float> depths(width * height);
  farpoint::splat_image image;
  image.bytes = bytes;
  image.depths = depths;
  farpoint::host_scratch const workspace{draw_splats_workspace_bytes(exec, splats, camera, params)};
  if (!succeeded(draw_splats(exec, cloud, splats, camera, params, image, workspace))) return 1;
  if (!write_picture("splat_frame.ppm", bytes, width, height)) return 1;

  // Every line of sight that meets the ball well within its rim shows it.
  int holes = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      float const across = (static_cast<float>(x) + 0.5F - 80) / 150;
      float const down = (static_cast<float>(y) + 0.5F - 60) / 150;
      bool const meets_ball = across * across + down * down < 0.12F;  // 0.125: the rim
      holes += meets_ball && !(depths[static_cast<std::size_t>(y * width + x)] < 3.1F) ? 1 : 0;
    }
  }

  // Normals of a ball point away from its center; at the rim, neighbors behind it are not seen.
  std::size_t near = 0;
  for (std::size_t i = 0; i < found.visible.size(); ++i) {
    auto const& p = points[static_cast<std::size_t>(found.visible[i])];
    float const outward = normals[3 * i] * p[0] + normals[3 * i + 1] * p[1] + normals[3 * i + 2] * (p[2] - 3);
    near += outward > 0.99F ? 1 : 0;
  }
  std::printf("%zu visible points, the middle one %.2f m away, %zu with a normal within 8 degrees\n",
              found.visible.size(), static_cast<double>(middle.depth), near);
  std::printf("splat_frame.ppm has %d pixels of holes\n", holes);
  return std::fabs(middle.depth - 2) < 0.01F && near * 10 > found.visible.size() * 9 && holes == 0 ? 0 : 1;
}

// Neighbors among what a camera sees: points behind a wall take no part. As in splatting a point cloud, or for normals
// of a depth image. <farpoint/knn_screen.cuh> does the same on a stream.
#include <farpoint/knn_screen.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

int main() {
  // Two walls, 200 x 150 points each. The near one, 2 m away, hides the left half of the far one, 4 m away.
  std::vector<std::array<float, 3>> points;
  constexpr int near_wall = 200 * 150;
  for (float const depth : {2.0f, 4.0f}) {
    for (int i = 0; i < near_wall; ++i) {
      float const across = static_cast<float>(i % 200) / 200;       // 0 to 1
      float const down = static_cast<float>(i / 200) / 150 - 0.5f;  // -0.5 to 0.5
      float const x = depth == 2 ? across - 1 : 4 * across - 2;     // the near wall from -1 to 0
      points.push_back({x, 3 * down, depth});
    }
  }

  farpoint::pinhole_camera<float> camera;  // at the origin, looking along z
  camera.width = 80;
  camera.height = 60;
  camera.focal = {{80, 80}};
  camera.center = {{40, 30}};
  constexpr int k = 6;
  auto const found = farpoint::knn(points, farpoint::screen_space{camera, k});
  // found.visible [rows]: the points that have a pixel to themselves; found.indices [rows, k]: their neighbors

  int hidden = 0;
  int of_the_near_wall = 0;
  for (std::size_t row = 0; row < found.visible.size(); ++row) {
    std::int32_t const point = found.visible[row];
    bool const is_near = point < near_wall;
    bool const is_left = found.pixels[row] % camera.width < camera.width / 2;
    hidden += is_left && !is_near ? 1 : 0;
    of_the_near_wall += is_near ? 1 : 0;

    std::int32_t const* const list = found.indices.data() + row * k;
    if (list[0] != point || !std::is_sorted(found.distances.data() + row * k, found.distances.data() + (row + 1) * k)) {
      return 1;
    }
    for (int j = 0; j < k; ++j) {
      // Neighbors are visible points. The distance between the walls is 2 m: no neighbor is on the other wall.
      if (!std::binary_search(found.visible.begin(), found.visible.end(), list[j])) return 1;
      if ((list[j] < near_wall) != is_near) return 1;
    }
  }
  std::printf("%zu of %zu points are visible, %d of them on the near wall\n", found.visible.size(), points.size(),
              of_the_near_wall);
  return hidden == 0 && of_the_near_wall == 40 * 60 ? 0 : 1;
}

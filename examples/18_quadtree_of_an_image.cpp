// Queries of parts of an image: a quadtree over the pixels of a range image or a z-buffer that have a point.
#include <farpoint/quadtree.hpp>
#include <farpoint/spatial/quadtree.hpp>

#include <cstdio>
#include <vector>

int main() {
  // A range image of 640 x 480 pixels: every seventh has a point, and a pedestrian, 5 m away, stands before the rest.
  std::vector<farpoint::quadtree_point> points;
  for (int pixel = 0; pixel < 640 * 480; pixel += 7) {
    int const x = pixel % 640;
    int const y = pixel / 640;
    bool const pedestrian = x >= 300 && x < 340 && y >= 200 && y < 300;
    points.push_back({static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y), pedestrian ? 5.0f : 20.0f,
                      static_cast<std::uint32_t>(pixel)});
  }

  auto const n = static_cast<farpoint::index_t>(points.size());
  farpoint::host_scratch const memory{farpoint::quadtree_bytes(640, 480, n)};
  farpoint::quadtree_ref tree;
  farpoint::result const outcome = build_quadtree(farpoint::host_exec{}, 640, 480, points, memory, tree);
  if (!outcome) {
    std::fprintf(stderr, "%s\n", outcome.reason);
    return 1;
  }

  // Points within a window, in time proportional to their number; and the nearest depth of a node, without visiting
  // its points.
  int inside = 0;
  int of_the_pedestrian = 0;
  farpoint::pixel_box const window{{{290, 190}}, {{349, 309}}};
  tree.for_each_in_box(window, [&](std::uint32_t position) {
    ++inside;
    of_the_pedestrian += tree.depth(position) == 5 ? 1 : 0;
  });
  float const nearest = tree.depth_range(tree.root()).low;

  int expected = 0;
  int expected_near = 0;
  for (farpoint::quadtree_point const& p : points) {
    bool const is_inside = p.x >= 290 && p.x <= 349 && p.y >= 190 && p.y <= 309;
    expected += is_inside ? 1 : 0;
    expected_near += p.depth == 5 ? 1 : 0;
  }
  std::printf("%d points in the window, %d of them %g m away\n", inside, of_the_pedestrian,
              static_cast<double>(nearest));
  return inside == expected && of_the_pedestrian == expected_near && nearest == 5 ? 0 : 1;
}

#include "cubes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace farpoint_tools {

namespace {

using quad = std::array<screen_point, 4>;

struct face {
  std::array<std::array<int, 3>, 4> corners;  // counter-clockwise from outside; 1 is the far end of an edge
  double shade;
};

constexpr face faces[] = {{{{{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}}, 0},      // top
                          {{{{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {0, 1, 0}}}, 0.3},    // -x
                          {{{{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {1, 0, 1}}}, 0.3},    // +x
                          {{{{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}}}, 0.5},    // -y
                          {{{{0, 1, 0}, {0, 1, 1}, {1, 1, 1}, {1, 1, 0}}}, 0.5},    // +y
                          {{{{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}}}, 0.65}};  // bottom

// Twice the area of a triangle; negative where its corners run counter-clockwise: y points down.
double cross(screen_point const& a, screen_point const& b, double x, double y) {
  return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

double length(screen_point const& a, screen_point const& b) {
  return std::hypot(b.x - a.x, b.y - a.y);
}

class cube_painter {
 public:
  cube_painter(image& canvas, panel const& where, view const& looking, rgb shadow)
      : canvas_{canvas},
        where_{where},
        view_{looking},
        shadow_{shadow},
        nearness_(static_cast<std::size_t>(where.width) * static_cast<std::size_t>(where.height),
                  -std::numeric_limits<double>::infinity()) {}

  void draw(cube const& box) {
    for (face const& side : faces) {
      if (auto const seen = project(box, side)) fill(*seen, mix(box.color, shadow_, side.shade));
    }
  }

 private:
  // Nothing if the face is turned away or not entirely in front of the camera.
  std::optional<quad> project(cube const& box, face const& side) const {
    quad seen{};
    for (std::size_t i = 0; i < 4; ++i) {
      point3 corner = box.low;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (side.corners[i][axis] != 0) corner[axis] += box.size[axis];
      }
      auto const at = view_.project(corner);
      if (!at || !std::isfinite(at->x) || !std::isfinite(at->y)) return std::nullopt;
      seen[i] = *at;
    }
    if (cross(seen[0], seen[1], seen[2].x, seen[2].y) >= 0) return std::nullopt;
    return seen;
  }

  // Larger is nearer; linear in the pixels over a plane.
  double nearness(screen_point const& at) const { return view_.has_perspective() ? 1 / at.depth : -at.depth; }

  void fill(quad const& seen, rgb color) {
    auto const [left, right] =
        std::minmax_element(seen.begin(), seen.end(), [](auto const& a, auto const& b) { return a.x < b.x; });
    auto const [top, bottom] =
        std::minmax_element(seen.begin(), seen.end(), [](auto const& a, auto const& b) { return a.y < b.y; });
    double const right_end = where_.x + where_.width - 1;
    double const bottom_end = where_.y + where_.height - 1;
    if (left->x > right_end || right->x < where_.x || top->y > bottom_end || bottom->y < where_.y) return;
    int const x_begin = static_cast<int>(std::floor(std::max<double>(where_.x, left->x)));
    int const x_end = static_cast<int>(std::ceil(std::min(right_end, right->x)));
    int const y_begin = static_cast<int>(std::floor(std::max<double>(where_.y, top->y)));
    int const y_end = static_cast<int>(std::ceil(std::min(bottom_end, bottom->y)));

    // The plane through three of the corners, seen as a height over the pixels.
    double const area = cross(seen[0], seen[1], seen[2].x, seen[2].y);
    double const at_0 = nearness(seen[0]);
    double const to_1 = nearness(seen[1]) - at_0;
    double const to_2 = nearness(seen[2]) - at_0;
    double const longest = std::max(length(seen[0], seen[1]), length(seen[1], seen[2]));
    bool const outlined = std::fabs(area) > longest * smallest_outlined;
    rgb const edge = mix(color, shadow_, 0.45);
    for (int y = y_begin; y <= y_end; ++y) {
      for (int x = x_begin; x <= x_end; ++x) {
        double inside = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < 4; ++i) {
          auto const& a = seen[i];
          auto const& b = seen[(i + 1) % 4];
          inside = std::min(inside, -cross(a, b, x, y) / std::max(length(a, b), 1e-9));
        }
        // Half a pixel wider than the face, to leave no cracks between neighbors.
        if (inside < -0.5) continue;
        double const share_1 = cross(seen[2], seen[0], x, y) / area;
        double const share_2 = cross(seen[0], seen[1], x, y) / area;
        put(x, y, at_0 + share_1 * to_1 + share_2 * to_2, outlined && inside < 0.9 ? edge : color);
      }
    }
  }

  void put(int x, int y, double near, rgb color) {
    auto& nearest = nearness_[static_cast<std::size_t>(y - where_.y) * static_cast<std::size_t>(where_.width) +
                              static_cast<std::size_t>(x - where_.x)];
    if (near <= nearest) return;
    nearest = near;
    canvas_.at(x, y) = color;
  }

  static constexpr double smallest_outlined = 7;  // pixels

  image& canvas_;
  panel where_;
  view const& view_;
  rgb shadow_;
  std::vector<double> nearness_;  // nearness of the front-most face of each pixel
};

}  // namespace

void draw_cubes(image& canvas, panel const& where, view const& looking, std::vector<cube> const& cubes, rgb shadow) {
  cube_painter painter{canvas, where, looking, shadow};
  for (cube const& box : cubes) painter.draw(box);
}

}  // namespace farpoint_tools

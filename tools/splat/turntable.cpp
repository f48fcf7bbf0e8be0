#include "turntable.hpp"

#include <algorithm>

namespace farpoint_tools {

namespace {

constexpr double radians = 3.14159265358979323846 / 180;
constexpr double stray = 0.01;  // share of points at an end of an axis that may be strays

farpoint::vec<float> to_float(vec3 const& a) {
  return {{static_cast<float>(a[0]), static_cast<float>(a[1]), static_cast<float>(a[2])}};
}

// The axes of the cloud that become x, y and z; a turn, not a reflection.
struct upright_axes {
  std::size_t axis[3];
  double sign[3];
};

upright_axes axes_for(up_axis up) {
  switch (up) {
    case up_axis::plus_x: return {{1, 2, 0}, {1, 1, 1}};
    case up_axis::minus_x: return {{2, 1, 0}, {1, 1, -1}};
    case up_axis::plus_y: return {{2, 0, 1}, {1, 1, 1}};
    case up_axis::minus_y: return {{0, 2, 1}, {1, 1, -1}};
    case up_axis::minus_z: return {{1, 0, 2}, {1, 1, -1}};
    case up_axis::plus_z: break;
  }
  return {{0, 1, 2}, {1, 1, 1}};
}

}  // namespace

std::vector<point3> set_upright(std::vector<point3> const& points, up_axis up) {
  auto const axes = axes_for(up);
  vec3 middle{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<double> values;
    for (auto const& point : points) {
      if (is_finite(point)) values.push_back(point[axis]);
    }
    middle[axis] = robust_extent(values, stray).middle();
  }
  std::vector<point3> upright(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      auto const from = axes.axis[axis];
      upright[i][axis] = static_cast<float>(axes.sign[axis] * (points[i][from] - middle[from]));
    }
  }
  return upright;
}

turntable::turntable(std::vector<point3> const& points, double elevation) : elevation_{elevation * radians} {
  std::vector<double> distances;
  for (auto const& point : points) {
    if (is_finite(point)) distances.push_back(length(to_vec3(point)));
  }
  // A cloud whose points coincide has no size.
  reach_ = std::max(robust_extent(distances, stray).high, 1e-6);
}

camera turntable::at(double azimuth, int width, int height) const {
  constexpr double distance = 3;  // in reaches
  double const turn = azimuth * radians;
  vec3 const ahead{-std::cos(elevation_) * std::cos(turn), -std::cos(elevation_) * std::sin(turn),
                   -std::sin(elevation_)};
  vec3 const right{-std::sin(turn), std::cos(turn), 0};

  camera looking;
  looking.width = width;
  looking.height = height;
  // A ball of the reach just fits: its border is seen at asin(1 / distance).
  auto const focal = static_cast<float>(0.48 * std::min(width, height) * std::sqrt(distance * distance - 1));
  looking.focal = {{focal, focal}};
  looking.center = {{0.5F * static_cast<float>(width), 0.5F * static_cast<float>(height)}};
  looking.rotation[0] = to_float(right);
  looking.rotation[1] = to_float(cross(ahead, right));
  looking.rotation[2] = to_float(ahead);
  looking.translation = to_float({0, 0, distance * reach_});
  looking.near_depth = static_cast<float>(0.1 * reach_);
  return looking;
}

camera enlarged(camera const& small, int factor) {
  camera large = small;
  large.width *= factor;
  large.height *= factor;
  for (int axis = 0; axis < 2; ++axis) {
    large.focal[axis] *= static_cast<float>(factor);
    large.center[axis] *= static_cast<float>(factor);
  }
  return large;
}

vec3 eye_of(camera const& looking) {
  vec3 eye{};
  for (int row = 0; row < 3; ++row) {
    for (int axis = 0; axis < 3; ++axis) {
      eye[static_cast<std::size_t>(axis)] -= double{looking.rotation[row][axis]} * double{looking.translation[row]};
    }
  }
  return eye;
}

}  // namespace farpoint_tools

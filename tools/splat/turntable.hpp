// Cameras around a cloud, as if it stood on a turntable.
#pragma once

#include <farpoint/geometry/camera.hpp>

#include <vector>

#include "vector3.hpp"
#include "view.hpp"

namespace farpoint_tools {

using camera = farpoint::pinhole_camera<float>;

/// Axis of a cloud's coordinates that points up.
enum class up_axis { plus_x, minus_x, plus_y, minus_y, plus_z, minus_z };

/// The cloud with z up and the middle of most of its points at the origin, where floats are finest.
std::vector<point3> set_upright(std::vector<point3> const& points, up_axis up);

class turntable {
 public:
  /// @param points     around the origin, z up
  /// @param elevation  of the cameras (degrees), below 90
  turntable(std::vector<point3> const& points, double elevation);

  /// The view from an azimuth (degrees): most of the cloud fits into an image of width x height pixels.
  camera at(double azimuth, int width, int height) const;

  /// The distance (m) from the origin within which all but strays lie.
  double reach() const { return reach_; }

 private:
  double reach_;
  double elevation_;  // radians
};

/// Camera with the view of `small` and an image `factor` times as wide and high.
camera enlarged(camera const& small, int factor);

/// Position of the camera (m).
vec3 eye_of(camera const& looking);

}  // namespace farpoint_tools

// Cameras of the tests.
#pragma once

#include <farpoint/geometry/camera.hpp>

namespace farpoint_tests {

/// Looks along z at the cube [0, 1)^3 from 1 m in front of it; the cube's front fills most of the image.
template <class Scalar>
farpoint::pinhole_camera<Scalar> camera_at_cube(int width, int height) {
  farpoint::pinhole_camera<Scalar> camera;
  camera.width = width;
  camera.height = height;
  auto const size = static_cast<Scalar>(width < height ? width : height);
  camera.focal = {{size, size}};
  camera.center = {{static_cast<Scalar>(width) / 2, static_cast<Scalar>(height) / 2}};
  camera.translation = {{Scalar(-0.5), Scalar(-0.5), 1}};
  return camera;
}

/// Sees all around from the origin.
template <class Scalar>
farpoint::spherical_camera<Scalar> camera_all_around(int width, int height) {
  farpoint::spherical_camera<Scalar> camera;
  camera.width = width;
  camera.height = height;
  camera.top = Scalar(1.6);
  camera.bottom = Scalar(-1.6);
  return camera;
}

}  // namespace farpoint_tests

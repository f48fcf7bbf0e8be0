// Splats: small discs that together are the surface, and the picture that they make.
#pragma once

#include <limits>
#include <vector>

#include "normals.hpp"

namespace farpoint_demo {

/// A disc, in the frame of the camera (x right, y down, z ahead).
struct splat {
  vec3 center;
  vec3 normal;    ///< of length 1
  double radius;  ///< metres
  double error;   ///< of the normal (degrees)
};

/// One for each visible point whose normal does not point away.
/// @param fitted   to the visible points
/// @param errors   of the normals (degrees); none: 0
/// @param largest  the largest radius (m), unless that is less than some times the median
std::vector<splat> make_splats(std::vector<point3> const& cloud, view_search const& seen, surface const& fitted,
                               std::vector<float> const& errors, camera const& looking, double largest);

/// What each pixel shows, `[height, width]`.
struct frame {
  static constexpr float nothing = std::numeric_limits<float>::infinity();

  camera looking;
  std::vector<float> depths;    ///< of the nearest splat (m); `nothing` where there is none
  std::vector<point3> normals;  ///< of length 1, in the frame of the camera
  std::vector<float> errors;    ///< degrees

  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(looking.width) + static_cast<std::size_t>(x);
  }
};

/// A line of sight goes through each pixel's centre. Splats that it meets no more than half their radius behind the
/// nearest are one surface: their normals are blended, with less weight farther from the splat's centre.
/// The same bytes for every number of threads.
frame draw_splats(std::vector<splat> const& splats, camera const& looking, int threads);

}  // namespace farpoint_demo

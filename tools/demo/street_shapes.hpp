// Shapes that a ray of the simulated LiDAR can hit.
#pragma once

#include <array>
#include <vector>

namespace farpoint_tools {

using vec3 = std::array<double, 3>;

/// From `origin` along `direction`, of length 1.
struct ray {
  vec3 origin;
  vec3 direction;
};

/// Upright box, turned by an angle about the vertical through its center.
struct box {
  vec3 center;
  vec3 half;
  double cos_yaw = 1;
  double sin_yaw = 0;
};

/// Upright cylinder, without ends: rays come from the side.
struct cylinder {
  double x, y, radius, bottom, top;
};

/// Sphere; of leaves when `density` (hits per meter) is not 0: rays enter it, and may pass through.
struct sphere {
  vec3 center;
  double radius;
  double density = 0;
};

struct street {
  double ground = 0;
  double curb_y = 0;  ///< the sidewalks begin at this distance from the middle,
  double curb = 0;    ///< and are this much higher
  std::vector<box> boxes;
  std::vector<cylinder> cylinders;
  std::vector<sphere> spheres;
};

/// Distance to the first hit, infinity without one. `chance` in [0, 1) decides how far a ray gets into leaves.
double cast(street const& scene, ray const& beam, double chance);

}  // namespace farpoint_tools

// The view of a cloud: where each point falls on a panel of the picture.
#pragma once

#include <array>
#include <optional>
#include <vector>

namespace farpoint_tools {

using point3 = std::array<float, 3>;

/// A panel, or the part of it to fill with the cloud; pixels.
struct panel {
  int x, y, width, height;
};

/// The range of most of some values: a few strays do not stretch it.
struct extent {
  double low = 0;
  double high = 0;

  double middle() const { return (low + high) / 2; }
  double size() const { return high - low; }
};

/// From the share `tail` of the values to the share 1 - `tail`; {0, 0} of nothing. Reorders `values`.
extent robust_extent(std::vector<double>& values, double tail);

/// 1, 2 or 5 times a power of ten, at most `largest` (> 0).
double round_length(double largest);

/// True if all coordinates are finite.
bool is_finite(point3 const& point);

/// A point on the picture.
struct screen_point {
  double x, y;   ///< pixels
  double depth;  ///< smaller is nearer to the eye
  double scale;  ///< pixels per meter there
};

/// A linear map of the cloud, seen from infinitely far or from a camera.
class view {
 public:
  /// From above, x to the right and y up.
  static view from_above(std::vector<point3> const& cloud, panel const& where);
  /// From above and behind, along the longest side of the cloud.
  static view in_perspective(std::vector<point3> const& cloud, panel const& where);

  /// Nothing for a point that is not finite or lies behind the camera.
  std::optional<screen_point> project(point3 const& point) const;

  /// False: depth does not change the size of things.
  bool has_perspective() const { return perspective_; }

 private:
  // Sets scale and shift so that most of the cloud fills the panel.
  void fit(std::vector<point3> const& cloud, panel const& where, double tail, double slack);
  std::optional<screen_point> project_unfitted(point3 const& point) const;

  std::array<double, 3> eye_ = {};
  std::array<double, 3> right_ = {1, 0, 0};
  std::array<double, 3> up_ = {0, 1, 0};
  std::array<double, 3> forward_ = {0, 0, -1};
  bool perspective_ = false;
  double nearest_ = 0;  // meters before the camera
  double scale_ = 1;
  double shift_x_ = 0;
  double shift_y_ = 0;
};

}  // namespace farpoint_tools

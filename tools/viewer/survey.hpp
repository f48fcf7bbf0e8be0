/// @file
/// First pass over a scene, before its points are written: counts, ranges, and a box around most points.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "visualize.hpp"

namespace farpoint_viewer {

using position = std::array<double, 3>;

/// Range of values, `low` to `high`. The color scale covers `shown_low` to `shown_high`, which contains most values.
struct value_range {
  double low = 0, high = 0;
  double shown_low = 0, shown_high = 0;
};

/// How the values of an attribute are written.
enum class value_code {
  integers,    ///< as differences
  steps,       ///< 16 bits on the attribute's range
  directions,  ///< two times 16 bits on an octahedron
  colors,      ///< three bytes
};

struct attribute_survey {
  value_code code = value_code::integers;
  value_range range;  ///< range of attribute_kind::number
  bool wide = false;  ///< true if the integers need more than 32 bits
};

struct cloud_survey {
  std::size_t drawn = 0;
  position low{}, high{};  ///< a box around most points
  value_range height;
  std::vector<attribute_survey> attributes;
};

/// Where the page's coordinates have their origin and their steps: p = origin + scale * q, with the multiples q of
/// 2^-bits.
struct frame {
  position origin{};
  double scale = 1;  ///< a power of two
  int bits = 24;

  /// q of the coordinate `value` along `axis`, not rounded.
  double normalized(double value, std::size_t axis) const { return (value - origin[axis]) / scale; }
};

/// Integers that have a code of their own lie within +-largest_integer.
constexpr double largest_integer = 0x1p50;

/// Whether a point is drawn.
bool is_drawn(position const& point, frame const& where);
position point_at(cloud const& of, std::size_t index);

/// The clouds of a scene, moment after moment.
std::vector<cloud const*> all_clouds(scene const& content);

/// The frame of a scene, from samples of its points.
frame choose_frame(scene const& content);
/// Scans each point of a cloud and its attributes once.
cloud_survey survey(cloud const& of, frame const& where, up_axis up);

/// The unit vector of `up`.
position up_vector(up_axis up);

}  // namespace farpoint_viewer

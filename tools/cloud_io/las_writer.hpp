// Writes ASPRS LAS; coordinates become integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cloud.hpp"

namespace farpoint_tools {

/// A coordinate of an axis is `whole * scale + offset`, with `whole` of 32 bits.
struct las_grid {
  double scale = 1;
  double offset = 0;

  /// Nearest integer; only for coordinates that the grid reaches.
  std::int32_t nearest(double coordinate) const;
  double value(std::int32_t whole) const { return static_cast<double>(whole) * scale + offset; }
  /// True if the grid has this coordinate to the bit.
  bool has(double coordinate) const;
};

/// The grid for an axis of a cloud of finite points. A grid that represents every coordinate to the bit is preferred,
/// in this order: the grid of cloud::las, a power of ten from 1 m to 1 um without an offset or with one near the middle
/// of the cloud, a power of two. Otherwise it is such a power of ten whose coordinates differ in the last bits only, or
/// coordinates round to multiples of the smallest power of ten whose integers span the cloud.
las_grid grid_of(cloud const& of, std::size_t axis);

/// The bytes of a LAS file: version 1.2 with point format 0 to 3, or 1.4 with 6 to 8 where a value needs it.
///
/// A column of a LAS value's name becomes that value if all its numbers fit: whole, and in the value's range. Colors
/// of type uint8 are multiplied by 257, as 65535 is LAS's white. Other columns become extra values of their own type.
/// @throws cloud_error  if a point is not finite, or there are too many extra values
std::string encode_las(cloud const& from);

/// The bytes of the LAZ file that has what encode_las() writes.
/// @throws cloud_error  also in a build without LASzip
std::string encode_laz(cloud const& from);

}  // namespace farpoint_tools

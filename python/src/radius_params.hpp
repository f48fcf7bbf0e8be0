/// @file
/// Parameters of radius() from arguments of Python.
#pragma once

#include <farpoint/types/radius.hpp>

namespace farpoint_python {

inline farpoint::radius_params radius_params_of(double radius, bool nearest, bool exclude_self, bool exclusive,
                                                farpoint::index_t max = 0) {
  farpoint::radius_params params;
  params.radius = radius;
  params.max_neighbors = max;
  params.order = nearest ? farpoint::radius_order::nearest : farpoint::radius_order::index;
  params.exclude_self = exclude_self;
  params.exclusive = exclusive;
  return params;
}

}  // namespace farpoint_python

// Limits that differ between backends, for limit_tests.inc.
#pragma once

#include <farpoint/core/batch.hpp>

#include <string>

namespace farpoint_tests {

using farpoint::index_t;

/// Limits that differ between backends, and their sentences.
struct backend_limits {
  index_t fps_points;  ///< of a cloud
  char const* fps_sentence;
  index_t voxelize_points;
  char const* voxelize_sentence;
  index_t bvh_points;  ///< of all clouds
  index_t bvh_clouds;
  char const* bvh_sentence;
  index_t queries;
  char const* queries_sentence;
};

}  // namespace farpoint_tests

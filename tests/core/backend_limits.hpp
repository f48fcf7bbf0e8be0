// Limits of calls, and how they are checked.
#pragma once

#include <farpoint/core/batch.hpp>

#include <string>

#include "../support/catch.hpp"

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

using limit_view = farpoint::point_view<float>;
using limit_batch = farpoint::batch<limit_view>;

inline limit_view limit_points(index_t count) {
  static float const point[3] = {};
  return {point, count, 0};
}
inline limit_batch one_cloud(index_t points) {
  return limit_batch{limit_points(points)};
}

/// Checks the limit of `call(count)`, and that more is refused with a sentence.
template <class Call>
void check_limit(index_t most, std::string const& sentence, Call const& call, index_t more = 1) {
  CAPTURE(most, sentence);
  farpoint::result const at_limit = call(most);
  CHECK_FALSE(at_limit);
  CHECK(at_limit.reason != sentence);
  farpoint::result const above = call(most + more);
  CHECK(above.code == farpoint::status::bad_argument);
  CHECK(above.reason == sentence);
}

}  // namespace farpoint_tests

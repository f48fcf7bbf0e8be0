// Host calls by a team of threads, whatever the size of a cloud.
#pragma once

#include <farpoint/host/for_each_cloud.hpp>

namespace farpoint_tests {

/// Small clouds by a team of threads, as large ones are.
inline farpoint::detail::for_each_cloud_tuning team_tuning() {
  farpoint::detail::for_each_cloud_tuning tuning;
  tuning.worth_a_thread = 1e-3;
  tuning.team_from_points = 1;
  return tuning;
}

}  // namespace farpoint_tests

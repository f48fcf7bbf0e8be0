// A user's consumer, for host and device: how far each point is from the mean of its neighbors.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/search/for_each_neighborhood.hpp>

#include <limits>
#include <vector>

#if defined(__CUDACC__)
#define USER_CODE __host__ __device__
#else
#define USER_CODE
#endif

namespace user {

constexpr int neighbors = 6;

struct distance_to_mean {
  farpoint::point_view<float> points;
  float* squared;  ///< `[points]`
  float* counts;   ///< `[points]`

  USER_CODE void operator()(farpoint::neighborhood_query<float> const& query,
                            farpoint::neighborhood<float, neighbors> const& list) const {
    float sum[3] = {0, 0, 0};
    list.for_each([&](std::uint32_t index, float) {
      for (int axis = 0; axis < 3; ++axis) sum[axis] = farpoint::add_rn(sum[axis], points[index][axis]);
    });
    auto const count = static_cast<float>(list.size());
    float distance2 = 0;
    for (int axis = 0; axis < 3; ++axis) {
      float const away = farpoint::fma_rn(-count, query.at[axis], sum[axis]);
      distance2 = farpoint::fma_rn(away, away, distance2);
    }
    squared[query.row] = distance2;
    counts[query.row] = count;
  }
  USER_CODE void leave_empty(farpoint::index_t row) const {
    squared[row] = 0;
    counts[row] = -1;
  }
};

/// Points of a lattice with gaps, so that distances tie, and two points that are not finite.
inline std::vector<float> coordinates() {
  std::vector<float> all;
  for (int i = 0; i < 3000; ++i) {
    for (int const step : {1, 17, 289}) all.push_back(static_cast<float>(i * i % 1013 / step % 17));
  }
  all[33] = std::numeric_limits<float>::quiet_NaN();
  all[99] = std::numeric_limits<float>::infinity();
  return all;
}

/// Answers on the host.
inline farpoint::result answer(farpoint::point_view<float> const& points, float* squared, float* counts) {
  farpoint::batch const cloud{points};
  farpoint::host_exec const exec{2};
  farpoint::neighborhood_params params;
  params.exclude_self = true;
  farpoint::host_scratch const workspace{knn_workspace_bytes(exec, cloud, params.with_k(neighbors))};
  return farpoint::for_each_neighborhood<neighbors>(exec, cloud, params, distance_to_mean{points, squared, counts},
                                                    workspace);
}

}  // namespace user

// Points of a cloud that are visible in a view, and the nearest neighbors of each.
#pragma once

#include <farpoint/types/knn_screen.hpp>

#include <cstdint>
#include <vector>

#include "turntable.hpp"

namespace farpoint_tools {

/// A row of neighbors for each of some points.
struct neighbor_rows {
  std::size_t k = 0;
  std::vector<std::int32_t> indices;  ///< `[points, k]`: in the cloud, the nearest first; -1 where there are fewer
  std::vector<float> distances;       ///< `[points, k]`: squared (m^2); +inf where there are fewer

  std::int32_t const* row(std::size_t i) const { return indices.data() + i * k; }
};

struct view_search {
  std::vector<std::int32_t> visible;  ///< indices in the cloud of the front-most points of the pixels, ascending
  neighbor_rows neighbors;            ///< neighbors among the visible points; a point is its own neighbor
};

/// The neighbors that the visible points have in the whole cloud, themselves included.
neighbor_rows search_cloud(std::vector<point3> const& cloud, std::vector<std::int32_t> const& visible, int k,
                           int threads);

/// Normals of the visible points by such rows, towards the eye; (0, 0, 0) where neighbors span no plane.
std::vector<point3> normals_of(std::vector<point3> const& cloud, std::vector<std::int32_t> const& visible,
                               neighbor_rows const& neighbors, vec3 const& eye, int threads);

/// The share of rows that are equal, to the last neighbor.
double share_of_equal_rows(neighbor_rows const& a, neighbor_rows const& b);

}  // namespace farpoint_tools

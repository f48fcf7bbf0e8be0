// One view's search and fit together, on the host or on a GPU.
#pragma once

#include <farpoint/runtime.hpp>

#include "normals.hpp"

namespace farpoint_demo {

/// What a camera sees of a cloud, and the surface there.
struct surface_view {
  camera looking;
  view_search seen;
  surface fitted;
  farpoint::runtime::run_info info;  ///< where this was done, and the time that search and fit took
};

/// search_view() and fit_surface().
/// @param cloud  at least one point
surface_view view_on_host(std::vector<point3> const& cloud, camera const& looking, int k, int rounds, int threads);

/// The same bits, from the current GPU; there must be one (farpoint::runtime::cuda_available()). Throws
/// std::exceptions.
surface_view view_on_cuda(std::vector<point3> const& cloud, camera const& looking, int k, int rounds);

/// True if both have the same visible points, neighbours, distances, normals and radii, to the bit.
bool equal_bits(surface_view const& a, surface_view const& b);

}  // namespace farpoint_demo

// The program's commands. Each returns the exit code, or throws.
#pragma once

#include <farpoint/geometry/voxel_grid.hpp>

#include <vector>

#include "demo_wish.hpp"
#include "options.hpp"
#include "session.hpp"
#include "splat_wish.hpp"

namespace farpoint_tools {

int run_info_command(common_wish const& wish);
int run_fps(common_wish const& common, fps_wish const& wish);
int run_voxelize(common_wish const& common, voxelize_wish const& wish);
int run_knn(common_wish const& common, search_wish const& wish);
int run_normals(common_wish const& common, normals_wish const& wish);
int run_bench(common_wish const& common);
int run_demo(demo_wish const& wish);
int run_splat(splat_wish const& wish);

/// What a command makes of one cloud; times are told under `prefix`.
outcome sample(cloud const& input, common_wish const& common, fps_wish const& wish, std::string const& prefix = {});
outcome voxelize(cloud const& input, common_wish const& common, voxelize_wish const& wish,
                 farpoint::voxel_grid<float> const& grid, std::string const& prefix = {});
outcome find_neighbours(cloud const& input, common_wish const& common, search_wish const& wish,
                        std::string const& prefix = {});
outcome find_normals(cloud const& input, common_wish const& common, normals_wish const& wish,
                     std::string const& prefix = {});

/// The grid of voxels that has every point of a range, whose upper corner belongs to it only if `closed`. Its corner is
/// the range's; the number of voxels is rounded up, as the arithmetic of voxel_of() has it.
/// @throws usage_error  if a size or a range is not positive, or an axis would have 2^31 voxels or more
farpoint::voxel_grid<float> grid_of_range(farpoint::vec<float> const& lower, farpoint::vec<float> const& upper,
                                          farpoint::vec<float> const& size, bool closed);

}  // namespace farpoint_tools

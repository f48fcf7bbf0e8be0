// The program's commands. Each returns the exit code, or throws.
#pragma once

#include <vector>

#include "demo_wish.hpp"
#include "options.hpp"
#include "session.hpp"
#include "splat_wish.hpp"
#include "voxel_space.hpp"

namespace farpoint_tools {

int run_info_command(common_wish const& wish);
int run_fps(common_wish const& common, fps_wish const& wish);
int run_voxelize(common_wish const& common, voxelize_wish const& wish);
int run_knn(common_wish const& common, search_wish const& wish);
int run_normals(common_wish const& common, normals_wish const& wish);
int run_convert(common_wish const& common);
int run_clean(common_wish const& common, clean_wish const& wish);
int run_crop(common_wish const& common, crop_wish const& wish);
int run_merge(common_wish const& common, merge_wish const& wish);
int run_sample(common_wish const& common, sample_wish const& wish);
int run_bench(common_wish const& given);
int run_demo(demo_wish const& wish);
int run_splat(splat_wish const& wish);

/// Result of a command for one cloud; names of its times begin with `prefix`.
outcome sample(cloud const& input, common_wish const& common, fps_wish const& wish, std::string const& prefix = {});
outcome voxelize(cloud const& input, common_wish const& common, voxelize_wish const& wish, voxel_space const& where,
                 std::string const& prefix = {});
outcome find_neighbors(cloud const& input, common_wish const& common, search_wish const& wish,
                       std::string const& prefix = {});
outcome find_normals(cloud const& input, common_wish const& common, normals_wish const& wish,
                     std::string const& prefix = {});

}  // namespace farpoint_tools

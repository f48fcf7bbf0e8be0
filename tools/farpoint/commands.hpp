// The program's commands. Each returns the exit code, or throws.
#pragma once

#include <vector>

#include "demo_options.hpp"
#include "options.hpp"
#include "session.hpp"
#include "splat_options.hpp"
#include "voxel_space.hpp"

namespace farpoint_tools {

int run_info_command(common_options const& options);
int run_fps(common_options const& common, fps_options const& options);
int run_voxelize(common_options const& common, voxelize_options const& options);
int run_knn(common_options const& common, search_options const& options);
int run_normals(common_options const& common, normals_options const& options);
int run_convert(common_options const& common);
int run_clean(common_options const& common, clean_options const& options);
int run_crop(common_options const& common, crop_options const& options);
int run_merge(common_options const& common, merge_options const& options);
int run_sample(common_options const& common, sample_options const& options);
int run_bench(common_options const& given);
int run_demo(demo_options const& options);
int run_splat(splat_options const& options);

/// Result of a command for one cloud; names of its times begin with `prefix`.
outcome sample(cloud const& input, common_options const& common, fps_options const& options,
               std::string const& prefix = {});
outcome voxelize(cloud const& input, common_options const& common, voxelize_options const& options,
                 voxel_space const& where, std::string const& prefix = {});
outcome find_neighbors(cloud const& input, common_options const& common, search_options const& options,
                       std::string const& prefix = {});
outcome find_normals(cloud const& input, common_options const& common, normals_options const& options,
                     std::string const& prefix = {});

}  // namespace farpoint_tools

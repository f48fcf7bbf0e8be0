// voxelize() and pillar_features() of its result, on the arrays of a call_memory.
#pragma once

#include <farpoint/pillar_features.hpp>
#include <farpoint/voxelize.hpp>

#include "../support/call_memory.hpp"
#include "../support/clouds.hpp"

namespace farpoint_tests {

/// Two clouds of points of five features.
struct pillar_problem {
  farpoint::voxelize_params<float> params;
  farpoint::voxel_columns columns = farpoint::voxel_columns::xyz;
  farpoint::pillar_centers centers = farpoint::pillar_centers::xyz;
  std::vector<float> points;  ///< `[n, 5]`
  farpoint::index_t capacity = 300;

  explicit pillar_problem(farpoint::index_t max_points) {
    params.grid = farpoint::voxel_grid<float>::from_range({{0.1f, 0, 0}}, {{0.9f, 1, 1}}, {{0.07f, 0.09f, 0.3f}});
    params.mode = farpoint::hard{120, max_points};
    random_source random{7};
    for (int i = 0; i < 5 * 2000; ++i) points.push_back(random.uniform());
  }
  std::size_t rows() const { return static_cast<std::size_t>(capacity); }
  std::size_t kept() const { return static_cast<std::size_t>(params.mode.max_points); }

  /// @tparam Count  int or float
  /// @tparam Value  float or float16
  template <class Count, class Value, class Exec, class Memory>
  farpoint::result run(Exec exec, Memory& memory) const {
    auto const records = memory.input(points);
    auto const n = static_cast<farpoint::index_t>(points.size() / 5);
    auto asked = params;
    asked.features = farpoint::feature_view::packed(records.data(), n, 5);
    auto const clouds = farpoint::batch<farpoint::point_view<float>>::regular({records.data(), n, 20}, 2);

    farpoint::voxelize_output<float> voxels;
    voxels.capacity = capacity;
    voxels.columns = columns;
    voxels.coords = memory.template output<std::int32_t>(rows() * static_cast<std::size_t>(column_count(columns)));
    voxels.points_per_voxel = memory.template output<Count>(rows());
    voxels.gathered = memory.template output<float>(rows() * kept() * 5);
    voxels.centroid = memory.template output<float>(rows() * 3);
    voxels.voxel_count = memory.template output<std::int32_t>(1);
    auto const workspace = memory.scratch(voxelize_workspace_bytes(exec, clouds, asked, voxels));
    farpoint::result const voxelized = voxelize(exec, clouds, asked, voxels, workspace);
    if (!voxelized) return voxelized;
    auto const columns_out = static_cast<std::size_t>(5 + pillar_columns(centers));
    auto const output = memory.template output<Value>(rows() * kept() * columns_out);
    return pillar_features(exec, asked, voxels, centers, output);
  }
};

}  // namespace farpoint_tests

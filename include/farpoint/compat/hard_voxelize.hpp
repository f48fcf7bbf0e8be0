/// @file
/// Voxelization with the arguments and results of mmcv and spconv, and of the launchers of CUDA-CenterPoint.
#pragma once

#include <farpoint/compat/execution.hpp>
#include <farpoint/voxelize.hpp>

#include <cmath>

FARPOINT_BEGIN_NAMESPACE
namespace compat {
namespace FARPOINT_HIDDEN detail {

/// Outputs of a published voxelizer.
struct voxel_arrays {
  float* voxels;   ///< `[max_voxels, max_points, features]`
  int* coors;      ///< `[max_voxels, columns]`
  int* counts;     ///< `[max_voxels]`
  int* voxel_num;  ///< `[1]`
};

/// Input and parameters of a published voxelizer.
struct voxelizer {
  float const* points;  ///< `[count, features]`; x, y, z are the first three
  index_t count;
  int features;
  voxel_grid<float> grid;
  hard limits;
  voxel_columns columns = voxel_columns::zyx;

  voxelize_params<float> params() const noexcept {
    voxelize_params<float> asked;
    asked.grid = grid;
    asked.mode = limits;
    asked.features = feature_view::packed(points_or_none(points), count, features);
    return asked;
  }
  batch<point_view<float>> cloud() const noexcept {
    return batch<point_view<float>>{
        point_view<float>{points_or_none(points), count, index_t{sizeof(float)} * features}};
  }

  /// Views of the outputs at the given addresses. The workspace size depends on which outputs are requested.
  voxelize_output<float> output(voxel_arrays const& arrays) const noexcept {
    auto const rows = static_cast<std::size_t>(limits.max_voxels);
    voxelize_output<float> to;
    to.capacity = limits.max_voxels;
    to.columns = columns;
    to.gathered = span<float>{arrays.voxels, rows * static_cast<std::size_t>(limits.max_points * features)};
    to.coords = {arrays.coors, rows * static_cast<std::size_t>(column_count(columns))};
    to.points_per_voxel = span<int>{arrays.counts, rows};
    to.voxel_count = span<int>{arrays.voxel_num, 1};
    return to;
  }

  template <class Exec>
  std::size_t bytes(Exec exec) const noexcept {
    return voxelize_workspace_bytes(exec, cloud(), params(), output({}));
  }
  launcher_array<float const> all_points() const noexcept { return {points, count * features}; }
  result check() const noexcept {
    if (result const checked = check_sizes(count, limits.max_voxels, limits.max_points); !checked) return checked;
    bool const fits = features >= 3 && features <= feature_view::max_count;
    return fits ? result{} : farpoint::detail::reject("a point has fewer than 3 or more than 64 features");
  }

  /// Checks the arguments, then voxelizes.
  /// @param exec  cudaStream_t, cuda_exec or host_exec
  template <class Exec>
  result run(Exec exec, voxel_arrays const& to, farpoint::bytes workspace) const noexcept {
    if (result const checked = check(); !checked) return checked;
    index_t const rows = limits.max_voxels;
    result const checked =
        check_arrays(exec, workspace, all_points(), launcher_array{to.voxels, rows * limits.max_points * features},
                     launcher_array{to.coors, rows * column_count(columns)}, launcher_array{to.counts, rows},
                     launcher_array{to.voxel_num, 1});
    if (!checked) return checked;
    return voxelize(execution_of(exec), cloud(), params(), output(to), workspace);
  }
};

/// Number of voxels along an axis, rounded to the nearest as in mmcv.
inline std::int32_t published_dim(float lower, float upper, float size) noexcept {
  float const voxels = std::round((upper - lower) / size);
  return voxels >= 1 && voxels < 2147483648.0f ? static_cast<std::int32_t>(voxels) : 0;
}

inline voxel_grid<float> published_grid(float const* voxel_size, float const* coors_range) noexcept {
  voxel_grid<float> grid;
  for (int axis = 0; axis < 3; ++axis) {
    grid.origin[axis] = coors_range[axis];
    grid.size[axis] = voxel_size[axis];
    grid.dims[axis] = published_dim(coors_range[axis], coors_range[axis + 3], voxel_size[axis]);
  }
  return grid;
}

/// Writes the voxel coordinates of a point, z first; -1, -1, -1 if it has none.
struct write_voxel_of {
  point_view<float> points;
  voxel_grid<float> grid;
  int* coors;

  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    vec<std::int32_t> voxel{};
    bool const inside = voxel_of(grid, points[static_cast<index_t>(i)], voxel);
    for (int axis = 0; axis < 3; ++axis) coors[i * 3 + static_cast<Number>(axis)] = inside ? voxel[2 - axis] : -1;
  }
};

/// Writes the mean of one feature over the points of one voxel.
struct mean_of_voxel {
  float const* voxels;  ///< `[voxels, max_points, features]`
  unsigned int const* counts;
  unsigned int const* voxel_num;
  index_t max_points;
  index_t features;
  float16* means;  ///< `[voxels, features]`

  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    auto const at = place_of(i, features);
    if (at.row >= index_t{*voxel_num}) return;
    index_t const count = farpoint::detail::smaller(index_t{counts[at.row]}, max_points);
    float const* const first = voxels + at.row * max_points * features + at.column;
    float sum = first[0];
    for (index_t k = 1; k < count; ++k) sum = add_rn(sum, first[k * features]);
    means[i] = to_float16(div_rn(sum, static_cast<float>(count)));
  }
};

}  // namespace detail

/// Sizes and limits of a hard voxelization.
struct hard_voxelize_sizes {
  int num_points;
  int num_features;  ///< 3 to 64; x, y, z are the first three
  int max_points;    ///< maximum number of points per voxel
  int max_voxels;
};

/// Returns the size in bytes of the workspace of hard_voxelize(); 256-byte aligned memory.
template <class Exec>
std::size_t hard_voxelize_workspace_bytes(Exec exec, hard_voxelize_sizes sizes, float const* voxel_size,
                                          float const* coors_range) noexcept {
  detail::voxelizer const cloud{nullptr,
                                sizes.num_points,
                                sizes.num_features,
                                detail::published_grid(voxel_size, coors_range),
                                {sizes.max_voxels, sizes.max_points}};
  return cloud.check() ? cloud.bytes(detail::execution_of(exec)) : 0;
}

/// Hard voxelization as in mmcv's deterministic hard_voxelize, in spconv's CPU path and in CenterPoint's configuration.
/// Voxels are ordered by their first points, and a voxel keeps its first `max_points` points. The output has the same
/// bits as there for finite points; non-finite points are left out.
///
/// Rows past the number of voxels are not written; unused point slots of a voxel are zeros. mmcv copies the number of
/// voxels to the host, whereas here it stays in the memory of the execution.
///
/// @param sizes                 sizes of the cloud, and the limits
/// @param points                `[num_points, num_features]`
/// @param voxels                `[max_voxels, max_points, num_features]`
/// @param coors                 `[max_voxels, 3]`: z, y, x
/// @param num_points_per_voxel  `[max_voxels]`
/// @param voxel_num             `[1]`
/// @param voxel_size            `[3]`: x, y, z (m), host memory
/// @param coors_range           `[6]`: lower and upper x, y, z (m), host memory; the number of voxels along an axis is
///                              rounded to the nearest integer
/// @param exec                  a cudaStream_t or cuda_exec, with compat/hard_voxelize.cuh, and device memory; or a
///                              host_exec and host memory
/// @param workspace             at least hard_voxelize_workspace_bytes() bytes, 256-byte aligned
/// @return ok | bad_argument | workspace_too_small | cuda_failure
template <class Exec>
result hard_voxelize(hard_voxelize_sizes sizes, float const* points, float* voxels, int* coors,
                     int* num_points_per_voxel, int* voxel_num, float const* voxel_size, float const* coors_range,
                     Exec exec, bytes workspace) noexcept {
  detail::voxelizer const cloud{points,
                                sizes.num_points,
                                sizes.num_features,
                                detail::published_grid(voxel_size, coors_range),
                                {sizes.max_voxels, sizes.max_points}};
  return cloud.run(exec, {voxels, coors, num_points_per_voxel, voxel_num}, workspace);
}

/// Computes the voxel of each point, z first, as mmcv's dynamic_voxelize does; -1, -1, -1 for a non-finite point or one
/// out of range. mmcv's kernel leaves some of these three unchanged, its CPU path writes all.
///
/// @param num_points,num_features  number of points, and of features per point (3 to 64)
/// @param points                   `[num_points, num_features]`
/// @param coors                    `[num_points, 3]`
/// @param voxel_size               see hard_voxelize()
/// @param coors_range              see hard_voxelize()
/// @param exec                     see hard_voxelize()
/// @return ok | bad_argument | cuda_failure
template <class Exec>
result dynamic_voxelize(int num_points, int num_features, float const* points, int* coors, float const* voxel_size,
                        float const* coors_range, Exec exec) noexcept {
  auto const on = detail::execution_of(exec);
  detail::voxelizer const cloud{
      points, num_points, num_features, detail::published_grid(voxel_size, coors_range), {1, 1}};
  if (result const checked = cloud.check(); !checked) return checked;
  result const checked =
      detail::check_arrays(exec, {}, cloud.all_points(), detail::launcher_array{coors, index_t{num_points} * 3});
  if (!checked) return checked;
  return for_each_index(on, num_points, detail::write_voxel_of{cloud.cloud().points(), cloud.grid, coors}, 3);
}

namespace FARPOINT_HIDDEN detail {

/// Voxelizer with the input and parameters of voxelizationLaunch().
inline voxelizer center_point_voxelizer(float const* points, std::size_t points_size, vec<float> const& lower,
                                        vec<float> const& upper, vec<float> const& size, int grid_y_size,
                                        int grid_x_size, int feature_num, hard limits) noexcept {
  auto const dim_z = static_cast<std::int32_t>(std::ceil((upper[2] - lower[2]) / size[2]));
  return {points, static_cast<index_t>(points_size), feature_num, {lower, size, {{grid_x_size, grid_y_size, dim_z}}},
          limits, voxel_columns::batch_zyx};
}

}  // namespace detail

/// Returns the size in bytes of the workspace of voxelizationLaunch(); 256-byte aligned memory.
template <class Exec>
std::size_t voxelization_workspace_bytes(Exec exec, std::size_t points_size, int grid_z_size, int grid_y_size,
                                         int grid_x_size, int feature_num, int max_voxels,
                                         int max_points_voxel) noexcept {
  vec<float> const one{{1, 1, 1}};
  vec<float> const upper{{1, 1, static_cast<float>(grid_z_size)}};
  auto const cloud = detail::center_point_voxelizer(nullptr, points_size, {}, upper, one, grid_y_size, grid_x_size,
                                                    feature_num, {max_voxels, max_points_voxel});
  return cloud.check() ? cloud.bytes(detail::execution_of(exec)) : 0;
}

/// voxelizationLaunch() of CUDA-CenterPoint. The original numbers voxels and points by atomics, differently in every
/// run; this function orders both by point, so the result is always the same.
///
/// Other differences:
/// - Counts are at most max_points_voxel; the original clamps them only in featureExtractionLaunch().
/// - A non-finite point, or a point that rounding moves beyond the grid, is outside.
/// - Rows past the number of voxels are not written, and no array needs clearing before the call.
///
/// @param points                   `[points_size, feature_num]`; x, y, z are the first three
/// @param points_size              number of points
/// @param min_x_range,max_x_range,min_y_range,max_y_range,min_z_range,max_z_range  meters
/// @param voxel_x_size,voxel_y_size,voxel_z_size  meters
/// @param grid_y_size,grid_x_size  number of voxels along y and x; along z it follows from the range, rounded up
/// @param feature_num,max_voxels,max_points_voxel  sizes
/// @param hash_table               neither read nor written: `workspace` replaces it
/// @param num_points_per_voxel     `[max_voxels]`
/// @param voxel_features           `[max_voxels, max_points_voxel, feature_num]`
/// @param voxel_indices            `[max_voxels, 4]`: 0, z, y, x
/// @param real_voxel_num           `[1]`: number of voxels, at most max_voxels
/// @param exec                     see hard_voxelize()
/// @param workspace                at least voxelization_workspace_bytes() bytes, 256-byte aligned
/// @return ok | bad_argument | workspace_too_small | cuda_failure
template <class Exec>
result voxelizationLaunch(float const* points, std::size_t points_size, float min_x_range, float max_x_range,
                          float min_y_range, float max_y_range, float min_z_range, float max_z_range,
                          float voxel_x_size, float voxel_y_size, float voxel_z_size, int grid_y_size, int grid_x_size,
                          int feature_num, int max_voxels, int max_points_voxel,
                          [[maybe_unused]] unsigned int* hash_table, unsigned int* num_points_per_voxel,
                          float* voxel_features, unsigned int* voxel_indices, unsigned int* real_voxel_num, Exec exec,
                          bytes workspace) noexcept {
  auto const cloud = detail::center_point_voxelizer(points, points_size, {{min_x_range, min_y_range, min_z_range}},
                                                    {{max_x_range, max_y_range, max_z_range}},
                                                    {{voxel_x_size, voxel_y_size, voxel_z_size}}, grid_y_size,
                                                    grid_x_size, feature_num, {max_voxels, max_points_voxel});
  auto const as_int = [](unsigned int* values) { return reinterpret_cast<int*>(values); };
  return cloud.run(exec, {voxel_features, as_int(voxel_indices), as_int(num_points_per_voxel), as_int(real_voxel_num)},
                   workspace);
}

/// featureExtractionLaunch() of CUDA-CenterPoint: the mean of the points of each voxel, as float16. Points are summed
/// in order, as in the original. To get means without storing the points of voxels, use voxelize() with
/// voxelize_output::mean.
///
/// @param voxels_temp           `[max_voxels, max_points_per_voxel, feature_num]`; not written, unlike in the original
/// @param num_points_per_voxel  `[max_voxels]`
/// @param real_voxel_num        `[1]`, in the memory of the execution; the original waits for its copy on the host
/// @param max_voxels,max_points_per_voxel,feature_num  sizes
/// @param voxel_features        `[max_voxels, feature_num]`; rows past the number of voxels are not written
/// @param exec                  see hard_voxelize()
/// @return ok | bad_argument | cuda_failure
template <class Exec>
result featureExtractionLaunch(float const* voxels_temp, unsigned int const* num_points_per_voxel,
                               unsigned int const* real_voxel_num, int max_voxels, int max_points_per_voxel,
                               int feature_num, float16* voxel_features, Exec exec) noexcept {
  if (result const checked = detail::check_sizes(max_voxels, max_points_per_voxel, feature_num); !checked) {
    return checked;
  }
  index_t const size = index_t{max_voxels} * feature_num;
  result const checked =
      detail::check_arrays(exec, {}, detail::launcher_array{voxels_temp, size * max_points_per_voxel},
                           detail::launcher_array{num_points_per_voxel, max_voxels},
                           detail::launcher_array{real_voxel_num, 1}, detail::launcher_array{voxel_features, size});
  if (!checked || size * max_points_per_voxel == 0) return checked;
  auto const on = detail::execution_of(exec);
  return for_each_index(on, size,
                        detail::mean_of_voxel{voxels_temp, num_points_per_voxel, real_voxel_num, max_points_per_voxel,
                                              feature_num, voxel_features},
                        max_points_per_voxel);
}

}  // namespace compat
FARPOINT_END_NAMESPACE

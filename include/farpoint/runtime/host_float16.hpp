/// @file
/// The functions of host_calls.hpp for clouds of float16. fps() and gather() are with those of the other types.
///
/// Such clouds are widened to float, which is exact: on a GPU after they have been copied to it, on the host into
/// memory that the thread keeps for its next call. runtime::run_info::seconds does not count this on the host.
#pragma once

#include <farpoint/runtime/host_calls.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace runtime {

/// @name voxelize(): see <farpoint/voxelize.hpp>; rows past the number of voxels are not touched
/// @{
FARPOINT_API result voxelize(batch<point_view<float16>> const& clouds, voxelize_params<float> const& params,
                             voxelize_output<float> const& output, options const& wish = {},
                             run_info* info = nullptr) noexcept;
/// @}

/// @name knn(): see <farpoint/knn.hpp>
/// @{
FARPOINT_API result knn(batch<point_view<float16>> const& points, batch<point_view<float16>> const& queries,
                        exact const& method, index_t k, knn_output<float> const& output, options const& wish = {},
                        run_info* info = nullptr) noexcept;
FARPOINT_API result knn(batch<point_view<float16>> const& points, exact const& method, index_t k,
                        knn_output<float> const& output, options const& wish = {}, run_info* info = nullptr) noexcept;
/// @}

/// @name radius() and radius_rows(): see <farpoint/radius.hpp>
/// @{
FARPOINT_API result radius(batch<point_view<float16>> const& points, batch<point_view<float16>> const& queries,
                           radius_params const& params, index_t max, radius_output<float> const& output,
                           options const& wish = {}, run_info* info = nullptr) noexcept;
FARPOINT_API result radius(batch<point_view<float16>> const& points, radius_params const& params, index_t max,
                           radius_output<float> const& output, options const& wish = {},
                           run_info* info = nullptr) noexcept;
FARPOINT_API result radius_rows(batch<point_view<float16>> const& points, batch<point_view<float16>> const& queries,
                                radius_params const& params, radius_rows_output<float> const& output,
                                options const& wish = {}, run_info* info = nullptr) noexcept;
FARPOINT_API result radius_rows(batch<point_view<float16>> const& points, radius_params const& params,
                                radius_rows_output<float> const& output, options const& wish = {},
                                run_info* info = nullptr) noexcept;
/// @}

/// @name estimate_normals(): see <farpoint/estimate_normals.hpp>
/// @{
FARPOINT_API result estimate_normals(batch<point_view<float16>> const& points, normals_params const& params,
                                     normals_output<float> const& output, options const& wish = {},
                                     run_info* info = nullptr) noexcept;
/// @}

/// @name mean_knn_distance(): see <farpoint/mean_knn_distance.hpp>
/// @{
FARPOINT_API result mean_knn_distance(batch<point_view<float16>> const& points, index_t k, span<float> means,
                                      knn_report* report = nullptr, options const& wish = {},
                                      run_info* info = nullptr) noexcept;
/// @}

/// @name interpolate(): see <farpoint/interpolate.hpp>
/// @{
FARPOINT_API result interpolate(batch<point_view<float16>> const& points, span<float const> features,
                                batch<point_view<float16>> const& queries, index_t channels,
                                interpolate_output const& output, options const& wish = {},
                                run_info* info = nullptr) noexcept;
/// @}

/// @name knn() in screen space: see <farpoint/knn_screen.hpp>
/// @{
FARPOINT_API result knn(batch<point_view<float16>> const& points, screen_space<pinhole_camera<float>> const& method,
                        index_t k, knn_screen_output<float> const& output, options const& wish = {},
                        run_info* info = nullptr) noexcept;
FARPOINT_API result knn(batch<point_view<float16>> const& points, screen_space<spherical_camera<float>> const& method,
                        index_t k, knn_screen_output<float> const& output, options const& wish = {},
                        run_info* info = nullptr) noexcept;
FARPOINT_API result knn(batch<point_view<float16>> const& points, screen_space<organized_camera<float>> const& method,
                        index_t k, knn_screen_output<float> const& output, options const& wish = {},
                        run_info* info = nullptr) noexcept;
/// @}

}  // namespace runtime
FARPOINT_END_NAMESPACE

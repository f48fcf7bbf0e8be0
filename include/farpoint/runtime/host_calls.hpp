/// @file
/// Functions of the compiled library on host memory, with the backend chosen at run time.
///
/// Everything that a call is given lies in host memory; it does what the function of that name does for a host_exec or
/// on a stream, with the same answer on every backend, and blocks until that is done. Asking for backend::cuda where
/// there is none returns status::unavailable: nothing falls back unasked.
///
/// Each thread keeps a stream, device memory for its largest call so far and 8 MiB of page-locked memory, so that a
/// call that is no larger than an earlier one of the thread allocates nothing and takes no lock. Arrays that are
/// page-locked already (cudaMallocHost, cudaHostRegister) are copied from where they are. Thread-safe; threads do not
/// wait for one another.
///
/// All but fps() and gather() widen clouds of float16 to float, which is exact: on a GPU after they have been copied to
/// it, on the host into memory that the thread keeps for its next call. runtime::run_info::seconds does not count this
/// on the host.
///
/// All return ok | bad_argument | unavailable | out_of_memory | cuda_failure, and on failure have written nothing, or,
/// after cuda_failure, perhaps parts of the output.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/runtime/api.hpp>
#include <farpoint/types/estimate_normals.hpp>
#include <farpoint/types/fps.hpp>
#include <farpoint/types/gather.hpp>
#include <farpoint/types/interpolate.hpp>
#include <farpoint/types/knn.hpp>
#include <farpoint/types/knn_screen.hpp>
#include <farpoint/types/radius.hpp>
#include <farpoint/types/voxelize.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Functions of the compiled library on host memory. They need neither nvcc nor a CUDA driver.
namespace runtime {

/// Where the work is done.
enum class backend : int {
  automatic,  ///< CUDA when there is a usable GPU, the host otherwise
  host,
  cuda
};

/// What the caller wishes.
struct options {
  backend where = backend::automatic;
  int threads = 0;  ///< of the host backend; 0: one per core
};

/// What was done. `seconds` is the time of the call proper, without transfers and allocations.
/// A call that is given one takes some microseconds longer.
struct run_info {
  backend used = backend::host;
  double seconds = 0;
  char device[256] = "";  ///< name of the GPU, or "N host threads"
};

/// True when the library was built with CUDA and a usable GPU is present. Never throws, prints or exits.
FARPOINT_API bool cuda_available() noexcept;

/// Name of a backend, for messages.
FARPOINT_API char const* to_string(backend which) noexcept;

/// Gives back the device memory and the page-locked memory that the calling thread's calls on host memory keep for the
/// next ones. The end of the thread does it, too.
FARPOINT_API void release_thread_memory() noexcept;

/// @name fps(): see <farpoint/fps.hpp>
/// @{
FARPOINT_API result fps(batch<point_view<float>> const& clouds, fps_params const& params,
                        fps_output<float> const& output, options const& wish = {}, run_info* info = nullptr) noexcept;
FARPOINT_API result fps(batch<point_view<double>> const& clouds, fps_params const& params,
                        fps_output<double> const& output, options const& wish = {}, run_info* info = nullptr) noexcept;
FARPOINT_API result fps(batch<point_view<float16>> const& clouds, fps_params const& params,
                        fps_output<float> const& output, options const& wish = {}, run_info* info = nullptr) noexcept;
/// @}

/// @name voxelize(): see <farpoint/voxelize.hpp>; rows past the number of voxels are not touched
/// @{
FARPOINT_API result voxelize(batch<point_view<float>> const& clouds, voxelize_params<float> const& params,
                             voxelize_output<float> const& output, options const& wish = {},
                             run_info* info = nullptr) noexcept;
FARPOINT_API result voxelize(batch<point_view<double>> const& clouds, voxelize_params<double> const& params,
                             voxelize_output<double> const& output, options const& wish = {},
                             run_info* info = nullptr) noexcept;
FARPOINT_API result voxelize(batch<point_view<float16>> const& clouds, voxelize_params<float> const& params,
                             voxelize_output<float> const& output, options const& wish = {},
                             run_info* info = nullptr) noexcept;
/// @}

/// @name knn(): see <farpoint/knn.hpp>
/// @{
FARPOINT_API result knn(batch<point_view<float>> const& points, batch<point_view<float>> const& queries,
                        exact const& method, index_t k, knn_output<float> const& output, options const& wish = {},
                        run_info* info = nullptr) noexcept;
FARPOINT_API result knn(batch<point_view<float>> const& points, exact const& method, index_t k,
                        knn_output<float> const& output, options const& wish = {}, run_info* info = nullptr) noexcept;
FARPOINT_API result knn(batch<point_view<double>> const& points, batch<point_view<double>> const& queries,
                        exact const& method, index_t k, knn_output<double> const& output, options const& wish = {},
                        run_info* info = nullptr) noexcept;
FARPOINT_API result knn(batch<point_view<double>> const& points, exact const& method, index_t k,
                        knn_output<double> const& output, options const& wish = {}, run_info* info = nullptr) noexcept;
FARPOINT_API result knn(batch<point_view<float16>> const& points, batch<point_view<float16>> const& queries,
                        exact const& method, index_t k, knn_output<float> const& output, options const& wish = {},
                        run_info* info = nullptr) noexcept;
FARPOINT_API result knn(batch<point_view<float16>> const& points, exact const& method, index_t k,
                        knn_output<float> const& output, options const& wish = {}, run_info* info = nullptr) noexcept;
/// @}

/// @name radius() and radius_rows(): see <farpoint/radius.hpp>
/// @{
FARPOINT_API result radius(batch<point_view<float>> const& points, batch<point_view<float>> const& queries,
                           radius_params const& params, index_t max, radius_output<float> const& output,
                           options const& wish = {}, run_info* info = nullptr) noexcept;
FARPOINT_API result radius(batch<point_view<float>> const& points, radius_params const& params, index_t max,
                           radius_output<float> const& output, options const& wish = {},
                           run_info* info = nullptr) noexcept;
FARPOINT_API result radius_rows(batch<point_view<float>> const& points, batch<point_view<float>> const& queries,
                                radius_params const& params, radius_rows_output<float> const& output,
                                options const& wish = {}, run_info* info = nullptr) noexcept;
FARPOINT_API result radius_rows(batch<point_view<float>> const& points, radius_params const& params,
                                radius_rows_output<float> const& output, options const& wish = {},
                                run_info* info = nullptr) noexcept;
FARPOINT_API result radius(batch<point_view<double>> const& points, batch<point_view<double>> const& queries,
                           radius_params const& params, index_t max, radius_output<double> const& output,
                           options const& wish = {}, run_info* info = nullptr) noexcept;
FARPOINT_API result radius(batch<point_view<double>> const& points, radius_params const& params, index_t max,
                           radius_output<double> const& output, options const& wish = {},
                           run_info* info = nullptr) noexcept;
FARPOINT_API result radius_rows(batch<point_view<double>> const& points, batch<point_view<double>> const& queries,
                                radius_params const& params, radius_rows_output<double> const& output,
                                options const& wish = {}, run_info* info = nullptr) noexcept;
FARPOINT_API result radius_rows(batch<point_view<double>> const& points, radius_params const& params,
                                radius_rows_output<double> const& output, options const& wish = {},
                                run_info* info = nullptr) noexcept;
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
FARPOINT_API result estimate_normals(batch<point_view<float>> const& points, normals_params const& params,
                                     normals_output<float> const& output, options const& wish = {},
                                     run_info* info = nullptr) noexcept;
FARPOINT_API result estimate_normals(batch<point_view<double>> const& points, normals_params const& params,
                                     normals_output<double> const& output, options const& wish = {},
                                     run_info* info = nullptr) noexcept;
FARPOINT_API result estimate_normals(batch<point_view<float16>> const& points, normals_params const& params,
                                     normals_output<float> const& output, options const& wish = {},
                                     run_info* info = nullptr) noexcept;
/// @}

/// @name mean_knn_distance(): see <farpoint/mean_knn_distance.hpp>
/// @{
FARPOINT_API result mean_knn_distance(batch<point_view<float>> const& points, index_t k, span<float> means,
                                      knn_report* report = nullptr, options const& wish = {},
                                      run_info* info = nullptr) noexcept;
FARPOINT_API result mean_knn_distance(batch<point_view<double>> const& points, index_t k, span<double> means,
                                      knn_report* report = nullptr, options const& wish = {},
                                      run_info* info = nullptr) noexcept;
FARPOINT_API result mean_knn_distance(batch<point_view<float16>> const& points, index_t k, span<float> means,
                                      knn_report* report = nullptr, options const& wish = {},
                                      run_info* info = nullptr) noexcept;
/// @}

/// @name interpolate(): see <farpoint/interpolate.hpp>
/// @{
FARPOINT_API result interpolate(batch<point_view<float>> const& points, span<float const> features,
                                batch<point_view<float>> const& queries, index_t channels,
                                interpolate_output const& output, options const& wish = {},
                                run_info* info = nullptr) noexcept;
FARPOINT_API result interpolate(batch<point_view<double>> const& points, span<float const> features,
                                batch<point_view<double>> const& queries, index_t channels,
                                interpolate_output const& output, options const& wish = {},
                                run_info* info = nullptr) noexcept;
FARPOINT_API result interpolate(batch<point_view<float16>> const& points, span<float const> features,
                                batch<point_view<float16>> const& queries, index_t channels,
                                interpolate_output const& output, options const& wish = {},
                                run_info* info = nullptr) noexcept;
/// @}

/// @name gather(): see <farpoint/gather.hpp>
/// @{
FARPOINT_API result gather(span<float const> features, index_t channels, index_view indices, span<float> output,
                           gather_report* report = nullptr, options const& wish = {},
                           run_info* info = nullptr) noexcept;
FARPOINT_API result gather(feature_rows<float const> features, index_view indices, feature_rows<float> output,
                           gather_report* report = nullptr, options const& wish = {},
                           run_info* info = nullptr) noexcept;
FARPOINT_API result gather(span<double const> features, index_t channels, index_view indices, span<double> output,
                           gather_report* report = nullptr, options const& wish = {},
                           run_info* info = nullptr) noexcept;
FARPOINT_API result gather(feature_rows<double const> features, index_view indices, feature_rows<double> output,
                           gather_report* report = nullptr, options const& wish = {},
                           run_info* info = nullptr) noexcept;
FARPOINT_API result gather(span<float16 const> features, index_t channels, index_view indices, span<float16> output,
                           gather_report* report = nullptr, options const& wish = {},
                           run_info* info = nullptr) noexcept;
FARPOINT_API result gather(feature_rows<float16 const> features, index_view indices, feature_rows<float16> output,
                           gather_report* report = nullptr, options const& wish = {},
                           run_info* info = nullptr) noexcept;
FARPOINT_API result gather(span<std::int32_t const> features, index_t channels, index_view indices,
                           span<std::int32_t> output, gather_report* report = nullptr, options const& wish = {},
                           run_info* info = nullptr) noexcept;
FARPOINT_API result gather(feature_rows<std::int32_t const> features, index_view indices,
                           feature_rows<std::int32_t> output, gather_report* report = nullptr, options const& wish = {},
                           run_info* info = nullptr) noexcept;
FARPOINT_API result gather(span<std::int64_t const> features, index_t channels, index_view indices,
                           span<std::int64_t> output, gather_report* report = nullptr, options const& wish = {},
                           run_info* info = nullptr) noexcept;
FARPOINT_API result gather(feature_rows<std::int64_t const> features, index_view indices,
                           feature_rows<std::int64_t> output, gather_report* report = nullptr, options const& wish = {},
                           run_info* info = nullptr) noexcept;
FARPOINT_API result gather(span<std::uint8_t const> features, index_t channels, index_view indices,
                           span<std::uint8_t> output, gather_report* report = nullptr, options const& wish = {},
                           run_info* info = nullptr) noexcept;
FARPOINT_API result gather(feature_rows<std::uint8_t const> features, index_view indices,
                           feature_rows<std::uint8_t> output, gather_report* report = nullptr, options const& wish = {},
                           run_info* info = nullptr) noexcept;
/// @}

/// @name knn() in screen space: see <farpoint/knn_screen.hpp>
/// @{
FARPOINT_API result knn(batch<point_view<float>> const& points, screen_space<pinhole_camera<float>> const& method,
                        index_t k, knn_screen_output<float> const& output, options const& wish = {},
                        run_info* info = nullptr) noexcept;
FARPOINT_API result knn(batch<point_view<double>> const& points, screen_space<pinhole_camera<double>> const& method,
                        index_t k, knn_screen_output<double> const& output, options const& wish = {},
                        run_info* info = nullptr) noexcept;
FARPOINT_API result knn(batch<point_view<float>> const& points, screen_space<spherical_camera<float>> const& method,
                        index_t k, knn_screen_output<float> const& output, options const& wish = {},
                        run_info* info = nullptr) noexcept;
FARPOINT_API result knn(batch<point_view<double>> const& points, screen_space<spherical_camera<double>> const& method,
                        index_t k, knn_screen_output<double> const& output, options const& wish = {},
                        run_info* info = nullptr) noexcept;
FARPOINT_API result knn(batch<point_view<float>> const& points, screen_space<organized_camera<float>> const& method,
                        index_t k, knn_screen_output<float> const& output, options const& wish = {},
                        run_info* info = nullptr) noexcept;
FARPOINT_API result knn(batch<point_view<double>> const& points, screen_space<organized_camera<double>> const& method,
                        index_t k, knn_screen_output<double> const& output, options const& wish = {},
                        run_info* info = nullptr) noexcept;
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

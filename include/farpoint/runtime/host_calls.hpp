/// @file
/// Functions of the compiled library on host memory, with the backend chosen at run time.
///
/// Everything that a call is given lies in host memory; it does what the function of that name does for a host_exec or
/// on a stream, with the same answer on every backend, and blocks until that is done. A call that names backend::cuda
/// returns status::unavailable on a machine without a usable GPU, and does not fall back.
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

#include <farpoint/detail/fps/check.hpp>
#include <farpoint/runtime/stream_call.hpp>
#include <farpoint/types/estimate_normals.hpp>
#include <farpoint/types/fps.hpp>
#include <farpoint/types/gather.hpp>
#include <farpoint/types/interpolate.hpp>
#include <farpoint/types/knn.hpp>
#include <farpoint/types/knn_screen.hpp>
#include <farpoint/types/mean_knn_distance.hpp>
#include <farpoint/types/radius.hpp>
#include <farpoint/types/voxelize.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Functions of the compiled library on host memory. They need neither nvcc nor a CUDA driver.
namespace runtime {

/// Hardware that does the work of a call.
enum class backend : int {
  automatic,  ///< CUDA when there is a usable GPU, the host otherwise
  host,
  cuda
};

/// Options of a call.
struct options {
  backend where = backend::automatic;
  int threads = 0;            ///< of the host backend; 0: one per core
  host_stop* stop = nullptr;  ///< of the host backend; see host_exec
};

/// Backend, device and time of a call. `seconds` excludes transfers and allocations. To fill it takes some
/// microseconds.
struct run_info {
  backend used = backend::host;
  double seconds = 0;
  char device[256] = "";  ///< name of the GPU, or "N host threads"
};

/// True when the library was built with CUDA and a usable GPU is present. Never throws, prints or exits.
FARPOINT_API bool cuda_available() noexcept;

/// Name of a backend, for messages.
FARPOINT_API char const* to_string(backend which) noexcept;

/// Gives back the memory that the calling thread's calls on host memory keep for the next ones: on the host, on GPUs,
/// and page-locked. The end of the thread does it, too.
FARPOINT_API void release_thread_memory() noexcept;

}  // namespace runtime

namespace library {

/// A call of function F on host memory. The library has it for the arguments of the functions that forward to it.
template <function F, class... Args>
struct FARPOINT_API host_run {
  static result call(runtime::options const& options, runtime::run_info* info, Args const&... args) noexcept;
};

/// Calls host_run with the types of the arguments.
template <function F, class... Args>
result run_anywhere(runtime::options const& options, runtime::run_info* info, Args const&... args) noexcept {
  return host_run<F, Args...>::call(options, info, args...);
}

}  // namespace library

namespace runtime {

/// @name fps(): see <farpoint/fps.hpp>
/// @{
template <class Coord, library::if_coord<Coord> = 0>
result fps(batch<point_view<Coord>> const& clouds, fps_params const& params, fps_output<scalar_of<Coord>> const& output,
           options const& options = {}, run_info* info = nullptr) noexcept {
  return library::run_anywhere<library::function::fps>(options, info, clouds, params, output);
}
/// @}

/// @name fps_weighted(), fps_extend() and poisson_subset(): see <farpoint/fps.hpp>
/// @{
template <class Coord, library::if_coord<Coord> = 0>
result fps_weighted(batch<point_view<Coord>> const& clouds, span<scalar_of<Coord> const> weights,
                    fps_params const& params, fps_output<scalar_of<Coord>> const& output, options const& options = {},
                    run_info* info = nullptr) noexcept {
  return library::run_anywhere<library::function::fps_weighted>(options, info, clouds, weights, params, output);
}
template <class Coord, library::if_coord<Coord> = 0>
result fps_extend(point_view<Coord> const& cloud, index_t earlier, fps_params params,
                  fps_output<scalar_of<Coord>> output, options const& options = {}, run_info* info = nullptr) noexcept {
  if (result const checked = detail::fps_extension(earlier, params, output); !checked) return checked;
  return runtime::fps(batch<point_view<Coord>>{cloud}, params, output, options, info);
}
template <class Coord, library::if_coord<Coord> = 0>
result poisson_subset(batch<point_view<Coord>> const& clouds, double radius, fps_output<scalar_of<Coord>> const& output,
                      options const& options = {}, run_info* info = nullptr) noexcept {
  fps_params params;
  if (result const bad = detail::poisson_subset_params(clouds, radius, output, params); !bad) return bad;
  return runtime::fps(clouds, params, output, options, info);
}
/// @}

/// @name voxelize(): see <farpoint/voxelize.hpp>; rows past the number of voxels are not touched
/// @{
template <class Coord, library::if_coord<Coord> = 0>
result voxelize(batch<point_view<Coord>> const& clouds, voxelize_params<scalar_of<Coord>> const& params,
                voxelize_output<scalar_of<Coord>> const& output, options const& options = {},
                run_info* info = nullptr) noexcept {
  return library::run_anywhere<library::function::voxelize>(options, info, clouds, params, output);
}
/// @}

/// @name knn(): see <farpoint/knn.hpp>
/// @{
template <class Coord, library::if_coord<Coord> = 0>
result knn(batch<point_view<Coord>> const& points, batch<point_view<Coord>> const& queries, knn_params const& params,
           knn_output<scalar_of<Coord>> const& output, options const& options = {}, run_info* info = nullptr) noexcept {
  return library::run_anywhere<library::function::knn>(options, info, points, queries, params, output);
}
template <class Coord, library::if_coord<Coord> = 0>
result knn(batch<point_view<Coord>> const& points, knn_params const& params, knn_output<scalar_of<Coord>> const& output,
           options const& options = {}, run_info* info = nullptr) noexcept {
  return library::run_anywhere<library::function::knn>(options, info, points, params, output);
}
/// @}

/// @name radius() and radius_rows(): see <farpoint/radius.hpp>
/// @{
template <class Coord, library::if_coord<Coord> = 0>
result radius(batch<point_view<Coord>> const& points, batch<point_view<Coord>> const& queries,
              radius_params const& params, radius_output<scalar_of<Coord>> const& output, options const& options = {},
              run_info* info = nullptr) noexcept {
  return library::run_anywhere<library::function::radius>(options, info, points, queries, params, output);
}
template <class Coord, library::if_coord<Coord> = 0>
result radius(batch<point_view<Coord>> const& points, radius_params const& params,
              radius_output<scalar_of<Coord>> const& output, options const& options = {},
              run_info* info = nullptr) noexcept {
  return library::run_anywhere<library::function::radius>(options, info, points, params, output);
}
template <class Coord, library::if_coord<Coord> = 0>
result radius_rows(batch<point_view<Coord>> const& points, batch<point_view<Coord>> const& queries,
                   radius_params const& params, radius_rows_output<scalar_of<Coord>> const& output,
                   options const& options = {}, run_info* info = nullptr) noexcept {
  return library::run_anywhere<library::function::radius_rows>(options, info, points, queries, params, output);
}
template <class Coord, library::if_coord<Coord> = 0>
result radius_rows(batch<point_view<Coord>> const& points, radius_params const& params,
                   radius_rows_output<scalar_of<Coord>> const& output, options const& options = {},
                   run_info* info = nullptr) noexcept {
  return library::run_anywhere<library::function::radius_rows>(options, info, points, params, output);
}
/// @}

/// @name estimate_normals(): see <farpoint/estimate_normals.hpp>
/// @{
template <class Coord, library::if_coord<Coord> = 0>
result estimate_normals(batch<point_view<Coord>> const& points, normals_params const& params,
                        normals_output<scalar_of<Coord>> const& output, options const& options = {},
                        run_info* info = nullptr) noexcept {
  return library::run_anywhere<library::function::estimate_normals>(options, info, points, params, output);
}
/// @}

/// @name mean_knn_distance(): see <farpoint/mean_knn_distance.hpp>
/// @{
template <class Coord, library::if_coord<Coord> = 0>
result mean_knn_distance(batch<point_view<Coord>> const& points, mean_knn_distance_params const& params,
                         mean_knn_distance_output<scalar_of<Coord>> const& output, options const& options = {},
                         run_info* info = nullptr) noexcept {
  return library::run_anywhere<library::function::mean_knn_distance>(options, info, points, params, output);
}
/// @}

/// @name interpolate(): see <farpoint/interpolate.hpp>
/// @{
template <class Coord, library::if_coord<Coord> = 0>
result interpolate(batch<point_view<Coord>> const& points, span<float const> features,
                   batch<point_view<Coord>> const& queries, index_t channels, interpolate_output const& output,
                   options const& options = {}, run_info* info = nullptr) noexcept {
  return library::run_anywhere<library::function::interpolate>(options, info, points, features, queries, channels,
                                                               output);
}
/// @}

/// @name gather() of float, double, float16, std::int32_t, std::int64_t and std::uint8_t: see <farpoint/gather.hpp>
/// @{
template <class Value>
result gather(detail::type_identity_t<span<Value const>> features, index_t channels, index_view indices,
              span<Value> output, gather_report* report = nullptr, options const& options = {},
              run_info* info = nullptr) noexcept {
  return library::run_anywhere<library::function::gather>(options, info, features, channels, indices, output, report);
}
template <class Value>
result gather(detail::type_identity_t<feature_rows<Value const>> features, index_view indices,
              feature_rows<Value> output, gather_report* report = nullptr, options const& options = {},
              run_info* info = nullptr) noexcept {
  return library::run_anywhere<library::function::gather>(options, info, features, indices, output, report);
}
/// @}

/// @name knn() in screen space, for the cameras of the headers: see <farpoint/knn_screen.hpp>
/// @{
template <class Coord, class Camera, library::if_coord<Coord> = 0>
result knn(batch<point_view<Coord>> const& points, screen_space<Camera> const& method,
           knn_screen_output<scalar_of<Coord>> const& output, options const& options = {},
           run_info* info = nullptr) noexcept {
  return library::run_anywhere<library::function::knn_screen>(options, info, points, method, output);
}
/// @}

/// @cond
FARPOINT_WITH_LOOSE_K(knn)
FARPOINT_WITH_LOOSE_K(radius)
/// @endcond

}  // namespace runtime

FARPOINT_END_NAMESPACE

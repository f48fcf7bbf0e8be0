/// @file
/// Functions of the compiled library on host memory, with the backend chosen at run time.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/runtime/api.hpp>
#include <farpoint/types/fps.hpp>
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
struct run_info {
  backend used = backend::host;
  double seconds = 0;
  char device[256] = "";  ///< name of the GPU, or "N host threads"
};

/// True when the library was built with CUDA and a usable GPU is present. Never throws, prints or exits.
FARPOINT_API bool cuda_available() noexcept;

/// Name of a backend, for messages.
FARPOINT_API char const* to_string(backend which) noexcept;

/// farpoint::fps on host memory (clouds, params and output all live there), on the backend that `wish` names.
///
/// Same answer on every backend. Blocking; allocates what it needs (device memory, workspace) and frees it.
/// Thread-safe. Asking for `backend::cuda` where there is none returns status::unavailable: nothing falls back unasked.
/// @param clouds  `[clouds, n]` or ragged, metres
/// @param params  what to sample
/// @param output  where the answer goes
/// @param wish    backend and threads
/// @param info    filled when not null, also on failure
/// @return ok | bad_argument | unavailable | out_of_memory | cuda_failure
FARPOINT_API result fps(batch<point_view<float>> const& clouds, fps_params const& params,
                        fps_output<float> const& output, options const& wish = {}, run_info* info = nullptr) noexcept;
/// @copydoc fps
FARPOINT_API result fps(batch<point_view<double>> const& clouds, fps_params const& params,
                        fps_output<double> const& output, options const& wish = {}, run_info* info = nullptr) noexcept;
/// @copydoc fps
FARPOINT_API result fps(batch<point_view<float16>> const& clouds, fps_params const& params,
                        fps_output<float> const& output, options const& wish = {}, run_info* info = nullptr) noexcept;

/// farpoint::voxelize on host memory (clouds, features and output all live there), on the backend that `wish` names.
///
/// Same answer on every backend; rows past the number of voxels are not touched. Blocking; allocates what it needs
/// (device memory, workspace) and frees it. Thread-safe. Asking for `backend::cuda` where there is none returns
/// status::unavailable: nothing falls back unasked.
/// @param clouds  `[clouds, n]` or ragged, metres
/// @param params  how to voxelize
/// @param output  where the answer goes
/// @param wish    backend and threads
/// @param info    filled when not null, also on failure
/// @return ok | bad_argument | unavailable | out_of_memory | cuda_failure
FARPOINT_API result voxelize(batch<point_view<float>> const& clouds, voxelize_params<float> const& params,
                             voxelize_output<float> const& output, options const& wish = {},
                             run_info* info = nullptr) noexcept;
/// @copydoc voxelize
FARPOINT_API result voxelize(batch<point_view<double>> const& clouds, voxelize_params<double> const& params,
                             voxelize_output<double> const& output, options const& wish = {},
                             run_info* info = nullptr) noexcept;

}  // namespace runtime

FARPOINT_END_NAMESPACE

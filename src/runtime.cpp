// The compiled library: chooses the backend at run time and owns the memory that a core call borrows.
#include <farpoint/fps.hpp>
#include <farpoint/runtime.hpp>

#include "runtime_cuda.hpp"

#include <chrono>
#include <cstdio>
#include <new>
#include <vector>

FARPOINT_BEGIN_NAMESPACE
namespace runtime {

namespace detail {

#if !defined(FARPOINT_WITH_CUDA)
bool cuda_usable() noexcept {
  return false;
}

template <class Scalar>
result fps_on_cuda(batch<point_view<Scalar>> const&, fps_params const&, fps_output<Scalar> const&, run_info&) {
  return {status::unavailable, 0, "fps: this library was built without CUDA"};
}
#endif

namespace {

template <class Points>
result fps_on_host(batch<Points> const& clouds, fps_params const& params,
                   fps_output<typename Points::scalar> const& output, int threads, run_info& info) {
  using farpoint::detail::host_workspace;
  using farpoint::detail::resolve_threads;
  host_exec const exec{threads};
  host_workspace const workspace{fps_workspace_bytes(exec, clouds, params)};
  int const used = resolve_threads(threads);
  std::snprintf(info.device, sizeof info.device, "%d host thread%s", used, used == 1 ? "" : "s");

  auto const start = std::chrono::steady_clock::now();
  result const outcome = farpoint::fps(exec, clouds, params, output, workspace.get());
  info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

/// A GPU reads packed points of the scalar type: records with gaps would only cost transfer time. Widening is exact.
template <class Points>
result fps_packed_on_cuda(batch<Points> const& clouds, fps_params const& params,
                          fps_output<typename Points::scalar> const& output, run_info& info) {
  using scalar = typename Points::scalar;
  std::vector<typename Points::point> packed(static_cast<std::size_t>(clouds.points().size()));
  for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = clouds.points()[static_cast<index_t>(i)];
  point_view<scalar> const points{packed.data(), clouds.points().size()};
  auto const same_clouds = clouds.is_ragged()
                               ? batch<point_view<scalar>>::ragged(points, clouds.offsets(), clouds.largest())
                               : batch<point_view<scalar>>::regular(points, clouds.size());
  return fps_on_cuda(same_clouds, params, output, info);
}

template <class Points>
result fps_anywhere(batch<Points> const& clouds, fps_params const& params,
                    fps_output<typename Points::scalar> const& output, options const& wish, run_info* info) noexcept {
  run_info unwanted;
  run_info& told = info != nullptr ? *info : unwanted;
  told = run_info{};
  if (wish.threads < 0) return farpoint::detail::reject("fps: options.threads is negative");
  if (result const checked = farpoint::detail::check_fps(clouds, params, output); !checked) return checked;
  if (result const checked = farpoint::detail::check_fps_arrays(clouds, params); !checked) return checked;

  bool const on_gpu = wish.where == backend::cuda || (wish.where == backend::automatic && cuda_available());
  told.used = on_gpu ? backend::cuda : backend::host;
  if (on_gpu && !cuda_available()) return {status::unavailable, 0, "fps: there is no usable CUDA device"};
  try {
    return on_gpu ? fps_packed_on_cuda(clouds, params, output, told)
                  : fps_on_host(clouds, params, output, wish.threads, told);
  } catch (std::bad_alloc const&) {
    return {status::out_of_memory, 0, "fps: host memory ran out"};
  }
}

}  // namespace
}  // namespace detail

bool cuda_available() noexcept {
  static bool const available = detail::cuda_usable();
  return available;
}

char const* to_string(backend which) noexcept {
  switch (which) {
    case backend::automatic: return "automatic";
    case backend::host: return "host";
    case backend::cuda: return "cuda";
  }
  return "unknown backend";
}

result fps(batch<point_view<float>> const& clouds, fps_params const& params, fps_output<float> const& output,
           options const& wish, run_info* info) noexcept {
  return detail::fps_anywhere(clouds, params, output, wish, info);
}

result fps(batch<point_view<double>> const& clouds, fps_params const& params, fps_output<double> const& output,
           options const& wish, run_info* info) noexcept {
  return detail::fps_anywhere(clouds, params, output, wish, info);
}

result fps(batch<point_view<float16>> const& clouds, fps_params const& params, fps_output<float> const& output,
           options const& wish, run_info* info) noexcept {
  return detail::fps_anywhere(clouds, params, output, wish, info);
}

}  // namespace runtime
FARPOINT_END_NAMESPACE

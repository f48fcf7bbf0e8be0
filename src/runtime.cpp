// The compiled library: chooses the backend at run time and owns the memory that a core call borrows.
#include <farpoint/fps.hpp>
#include <farpoint/runtime.hpp>
#include <farpoint/voxelize.hpp>

#include "on_stream.hpp"
#include "runtime_cuda.hpp"

#include <chrono>
#include <cstdio>
#include <new>
#include <vector>

FARPOINT_BEGIN_NAMESPACE
namespace runtime {

namespace detail {

#if !defined(FARPOINT_WITH_CUDA)
template <class Scalar>
result fps_on_cuda(batch<point_view<Scalar>> const&, fps_params const&, fps_output<Scalar> const&, run_info&) {
  return {status::unavailable, 0, "fps: this library was built without CUDA"};
}

template <class Scalar>
result voxelize_on_cuda(batch<point_view<Scalar>> const&, voxelize_params<Scalar> const&,
                        voxelize_output<Scalar> const&, run_info&) {
  return {status::unavailable, 0, "voxelize: this library was built without CUDA"};
}
#endif

namespace {

/// Calls `run(exec, workspace)` with a workspace of its own, and takes the time.
template <class Bytes, class Run>
result run_on_host(int threads, run_info& info, Bytes const& workspace_bytes, Run const& run) {
  host_exec const exec{threads};
  farpoint::detail::host_workspace const workspace{workspace_bytes(exec)};
  int const used = farpoint::resolve_threads(threads);
  std::snprintf(info.device, sizeof info.device, "%d host thread%s", used, used == 1 ? "" : "s");

  auto const start = std::chrono::steady_clock::now();
  result const outcome = run(exec, workspace.get());
  info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

/// Calls `run(clouds)` with the same clouds in packed points of the scalar type, which is what a GPU reads best: gaps
/// in records would only cost transfer time. Widening is exact.
template <class Points, class Run>
result run_packed(batch<Points> const& clouds, Run const& run) {
  using scalar = typename Points::scalar;
  std::vector<typename Points::point> packed(static_cast<std::size_t>(clouds.points().size()));
  for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = clouds.points()[static_cast<index_t>(i)];
  point_view<scalar> const points{packed.data(), clouds.points().size()};
  return run(clouds.is_ragged() ? batch<point_view<scalar>>::ragged(points, clouds.offsets(), clouds.largest())
                                : batch<point_view<scalar>>::regular(points, clouds.size()));
}

/// What a function of the library says when it cannot do its work.
struct sentences {
  char const* no_device;
  char const* no_memory;
};

/// Calls `on_cuda(told)` or `on_host(told)`, as the caller wishes.
template <class OnCuda, class OnHost>
result run_anywhere(sentences const& says, options const& wish, run_info& told, OnCuda const& on_cuda,
                    OnHost const& on_host) noexcept {
  bool const on_gpu = wish.where == backend::cuda || (wish.where == backend::automatic && cuda_available());
  told.used = on_gpu ? backend::cuda : backend::host;
  if (on_gpu && !cuda_available()) return {status::unavailable, 0, says.no_device};
  try {
    return on_gpu ? on_cuda(told) : on_host(told);
  } catch (std::bad_alloc const&) {
    return {status::out_of_memory, 0, says.no_memory};
  }
}

/// The caller's run_info, or one that nobody reads; empty.
run_info& fresh(run_info* info, run_info& unwanted) noexcept {
  run_info& told = info != nullptr ? *info : unwanted;
  told = run_info{};
  return told;
}

template <class Points>
result fps_anywhere(batch<Points> const& clouds, fps_params const& params,
                    fps_output<typename Points::scalar> const& output, options const& wish, run_info* info) noexcept {
  run_info unwanted;
  run_info& told = fresh(info, unwanted);
  if (wish.threads < 0) return farpoint::detail::reject("fps: options.threads is negative");
  if (result const checked = farpoint::detail::check_fps(clouds, params, output); !checked) return checked;

  auto const on_cuda = [&](run_info& run) {
    return run_packed(clouds, [&](auto const& packed) { return fps_on_cuda(packed, params, output, run); });
  };
  auto const on_host = [&](run_info& run) {
    return run_on_host(
        wish.threads, run, [&](host_exec exec) { return fps_workspace_bytes(exec, clouds, params); },
        [&](host_exec exec, bytes workspace) { return farpoint::fps(exec, clouds, params, output, workspace); });
  };
  return run_anywhere({"fps: there is no usable CUDA device", "fps: host memory ran out"}, wish, told, on_cuda,
                      on_host);
}

/// Features as packed floats, where an output is made of them.
template <class Scalar>
std::vector<float> packed_features(index_t points, voxelize_params<Scalar> const& params,
                                   voxelize_output<Scalar> const& output) {
  bool const wanted = farpoint::detail::needs_features(output);
  auto const count = static_cast<std::size_t>(wanted ? params.features.count() : 0);
  std::vector<float> packed(static_cast<std::size_t>(points) * count);
  for (index_t i = 0; i < points && wanted; ++i) {
    params.features.read(i, packed.data() + static_cast<std::size_t>(i) * count);
  }
  return packed;
}

template <class Points>
result voxelize_anywhere(batch<Points> const& clouds, voxelize_params<typename Points::scalar> const& params,
                         voxelize_output<typename Points::scalar> const& output, options const& wish,
                         run_info* info) noexcept {
  run_info unwanted;
  run_info& told = fresh(info, unwanted);
  if (wish.threads < 0) return farpoint::detail::reject("voxelize: options.threads is negative");
  if (result const checked = farpoint::detail::check_voxelize(clouds, params, output); !checked) return checked;

  auto const on_cuda = [&](run_info& run) {
    index_t const points = clouds.points().size();
    std::vector<float> const features = packed_features(points, params, output);
    auto packed_params = params;
    packed_params.features = {};
    if (farpoint::detail::needs_features(output)) {
      packed_params.features = feature_view::packed(features.data(), points, params.features.count());
    }
    return run_packed(clouds, [&](auto const& packed) { return voxelize_on_cuda(packed, packed_params, output, run); });
  };
  auto const on_host = [&](run_info& run) {
    return run_on_host(
        wish.threads, run, [&](host_exec exec) { return voxelize_workspace_bytes(exec, clouds, params, output); },
        [&](host_exec exec, bytes workspace) { return farpoint::voxelize(exec, clouds, params, output, workspace); });
  };
  return run_anywhere({"voxelize: there is no usable CUDA device", "voxelize: host memory ran out"}, wish, told,
                      on_cuda, on_host);
}

}  // namespace
}  // namespace detail

bool cuda_available() noexcept {
#if defined(FARPOINT_WITH_CUDA)
  static bool const available = library::cuda_usable();
  return available;
#else
  return false;
#endif
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

result voxelize(batch<point_view<float>> const& clouds, voxelize_params<float> const& params,
                voxelize_output<float> const& output, options const& wish, run_info* info) noexcept {
  return detail::voxelize_anywhere(clouds, params, output, wish, info);
}

result voxelize(batch<point_view<double>> const& clouds, voxelize_params<double> const& params,
                voxelize_output<double> const& output, options const& wish, run_info* info) noexcept {
  return detail::voxelize_anywhere(clouds, params, output, wish, info);
}

}  // namespace runtime
FARPOINT_END_NAMESPACE

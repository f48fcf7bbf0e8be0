// The library's functions on a stream: those of the headers, where there is a GPU for them.
#include <farpoint/runtime.hpp>
#include <farpoint/runtime/stream_bounds.hpp>
#include <farpoint/runtime/stream_hash_map.hpp>

#include "fill_rows.hpp"
#include "on_stream.hpp"
#include "widen.hpp"

#include <array>
#include <cstring>

FARPOINT_BEGIN_NAMESPACE

using library::clouds_of;
using library::function;

namespace {

#if defined(FARPOINT_WITH_CUDA)
constexpr char why_not[] = ": there is no usable CUDA device";
#else
constexpr char why_not[] = ": this library was built without CUDA";
#endif

/// "fps: there is no usable CUDA device"
template <function F>
result no_device() noexcept {
  static constexpr auto sentence = library::sentence_of<F>(why_not);
  return {status::unavailable, 0, sentence.data()};
}

template <function F, class... Args>
result enqueue([[maybe_unused]] cuda_exec exec, [[maybe_unused]] Args const&... args) noexcept {
#if defined(FARPOINT_WITH_CUDA)
  if (runtime::cuda_available()) return library::run_widened<F>(exec, args...);
#endif
  return no_device<F>();
}

template <function F, class... Args>
std::size_t size_of([[maybe_unused]] cuda_exec exec, [[maybe_unused]] Args const&... args) noexcept {
#if defined(FARPOINT_WITH_CUDA)
  if (runtime::cuda_available()) return library::widened_workspace_bytes<F>(exec, args...);
#endif
  return 0;
}

template <function F, class Points, class... Limits>
result bound_of([[maybe_unused]] cuda_exec exec, [[maybe_unused]] Points const& points,
                [[maybe_unused]] std::size_t& size, [[maybe_unused]] Limits const&... limits) noexcept {
#if defined(FARPOINT_WITH_CUDA)
  if (runtime::cuda_available()) return library::on_stream<F>::workspace_bound(exec, points, &size, limits...);
#endif
  return no_device<F>();
}

}  // namespace

// Each file has the functions for one type.
#define FARPOINT_FUNCTIONS "stream/coord.inc"
#include "each_coord.inc"
#undef FARPOINT_FUNCTIONS
#define FARPOINT_FUNCTIONS "stream/camera.inc"
#include "each_camera.inc"
#undef FARPOINT_FUNCTIONS
#define FARPOINT_FUNCTIONS "stream/value.inc"
#include "each_value.inc"
#undef FARPOINT_FUNCTIONS

result pillar_features(cuda_exec exec, voxelize_params<float> const& params, voxelize_output<float> const& voxels,
                       pillar_centers centers, feature_span output) noexcept {
  return enqueue<function::pillar_features>(exec, params, voxels, centers, output);
}

result offsets_of_sizes(cuda_exec exec, index_view sizes, span<index_t> offsets) noexcept {
  return enqueue<function::offsets_of_sizes>(exec, sizes, offsets);
}

std::size_t quadtree_workspace_bytes(cuda_exec exec, int width, int height) noexcept {
  return size_of<function::build_quadtree>(exec, width, height);
}

result build_quadtree(cuda_exec exec, zbuffer_ref zbuffer, bytes memory, bytes workspace, quadtree_ref& tree) noexcept {
  return enqueue<function::build_quadtree>(exec, zbuffer, memory, workspace, &tree);
}

namespace library {

result zero_rows_past([[maybe_unused]] cuda_exec exec, [[maybe_unused]] padded_rows const& rows) noexcept {
#if defined(FARPOINT_WITH_CUDA)
  if (runtime::cuda_available()) return zero_rows_past_on_stream(exec, rows);
#endif
  return no_device<function::voxelize>();
}

result repeat_first([[maybe_unused]] cuda_exec exec, [[maybe_unused]] index_span rows,
                    [[maybe_unused]] index_t columns) noexcept {
#if defined(FARPOINT_WITH_CUDA)
  if (runtime::cuda_available()) return repeat_first_on_stream(exec, rows, columns);
#endif
  return no_device<function::radius>();
}

#define FARPOINT_FUNCTIONS "stream/map.inc"
#include "each_map.inc"
#undef FARPOINT_FUNCTIONS

namespace {

template <class Points>
result bound_of_scalar(bounded f, Points const& points, cuda_exec exec, search_limits const& limits, index_t k,
                       std::size_t& bound) noexcept {
  batch_limits const clouds{limits.points, limits.clouds};
  switch (f) {
    case bounded::fps: return bound_of<function::fps>(exec, points, bound, clouds);
    case bounded::voxelize: return bound_of<function::voxelize>(exec, points, bound, clouds);
    case bounded::knn: return bound_of<function::knn>(exec, points, bound, limits);
    case bounded::build_point_bvh: return bound_of<function::build_point_bvh>(exec, points, bound, clouds);
    case bounded::radius: return bound_of<function::radius>(exec, points, bound, limits);
    case bounded::estimate_normals: return bound_of<function::estimate_normals>(exec, points, bound, clouds, k);
    case bounded::mean_knn_distance: return bound_of<function::mean_knn_distance>(exec, points, bound, clouds, k);
    case bounded::interpolate: return bound_of<function::interpolate>(exec, points, bound, limits);
  }
  return detail::reject("workspace_bound: there is no such function");
}

}  // namespace

result workspace_bound(bounded f, point_view<float> const& points, cuda_exec exec, search_limits const& limits,
                       index_t k, std::size_t& bound) noexcept {
  return bound_of_scalar(f, points, exec, limits, k, bound);
}

result workspace_bound(bounded f, point_view<double> const& points, cuda_exec exec, search_limits const& limits,
                       index_t k, std::size_t& bound) noexcept {
  return bound_of_scalar(f, points, exec, limits, k, bound);
}

result workspace_bound(bounded f, point_view<float16> const& points, cuda_exec exec, search_limits const& limits,
                       index_t k, std::size_t& bound) noexcept {
  batch_limits const clouds{limits.points, limits.clouds};
  if (f == bounded::fps) return bound_of<function::fps>(exec, points, bound, clouds);
  result const outcome = bound_of_scalar(f, point_view<float>{}, exec, limits, k, bound);
  if (outcome) bound += wide_bytes(limits.points) + wide_bytes(limits.queries);
  return outcome;
}

result screen_workspace_bound(point_view<float> const& points, cuda_exec exec, screen_limits const& limits,
                              std::size_t& bound) noexcept {
  return bound_of<function::knn_screen>(exec, points, bound, limits);
}

result screen_workspace_bound(point_view<double> const& points, cuda_exec exec, screen_limits const& limits,
                              std::size_t& bound) noexcept {
  return bound_of<function::knn_screen>(exec, points, bound, limits);
}

result screen_workspace_bound(point_view<float16> const&, cuda_exec exec, screen_limits const& limits,
                              std::size_t& bound) noexcept {
  result const outcome = screen_workspace_bound(point_view<float>{}, exec, limits, bound);
  if (outcome) bound += wide_bytes(limits.points);
  return outcome;
}

}  // namespace library
FARPOINT_END_NAMESPACE

// Functions of the library on a stream. They call the headers' functions if there is a usable GPU.
#include <farpoint/runtime.hpp>

#include "fill_rows.hpp"
#include "on_stream.hpp"
#include "widen.hpp"

FARPOINT_BEGIN_NAMESPACE
namespace library {

namespace {

/// Returns the result of a call without a usable GPU, with a message that begins with the function's name.
template <function F>
result no_device() noexcept {
  static constexpr auto sentence = sentence_of<F>(FARPOINT_NO_DEVICE);
  return {status::unavailable, 0, sentence.data()};
}

}  // namespace

template <function F, class... Args>
result stream_run<F, Args...>::call([[maybe_unused]] cuda_exec exec, [[maybe_unused]] Args const&... args) noexcept {
#if defined(FARPOINT_WITH_CUDA)
  if (runtime::cuda_available()) return run_widened<F>(exec, args...);
#endif
  return no_device<F>();
}

template <function F, class... Args>
std::size_t stream_size<F, Args...>::call([[maybe_unused]] cuda_exec exec,
                                          [[maybe_unused]] Args const&... args) noexcept {
#if defined(FARPOINT_WITH_CUDA)
  if (runtime::cuda_available()) return size_widened<F>(exec, args...);
#endif
  return 0;
}

template <function F, class Points, class... Limits>
result stream_bound<F, Points, Limits...>::call([[maybe_unused]] cuda_exec exec, [[maybe_unused]] std::size_t& bound,
                                                [[maybe_unused]] Limits const&... limits) noexcept {
#if defined(FARPOINT_WITH_CUDA)
  if (runtime::cuda_available()) {
    return bound_widened<F>(static_cast<Points const*>(nullptr), exec, bound, limits...);
  }
#endif
  return no_device<F>();
}

#define FARPOINT_EXPORT(kind, name, ...) template struct FARPOINT_API stream_##kind<function::name, __VA_ARGS__>;
FARPOINT_FOR_EACH_COORD(FARPOINT_CALLS_OF_CLOUDS, FARPOINT_EXPORT)
FARPOINT_FOR_EACH_SCALAR(FARPOINT_CALLS_OF_VOXEL_MAP, FARPOINT_EXPORT)
FARPOINT_FOR_EACH_SCALAR(FARPOINT_CALLS_OF_SPLATS, FARPOINT_EXPORT)
FARPOINT_FOR_EACH_MAP(FARPOINT_CALLS_OF_HASH_MAP, FARPOINT_EXPORT)
#undef FARPOINT_EXPORT

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

result root_of_distances([[maybe_unused]] cuda_exec exec, [[maybe_unused]] index_span indices,
                         [[maybe_unused]] span<float> distances) noexcept {
#if defined(FARPOINT_WITH_CUDA)
  if (runtime::cuda_available()) return root_of_distances_on_stream(exec, indices, distances);
#endif
  return no_device<function::knn>();
}

result root_of_distances([[maybe_unused]] cuda_exec exec, [[maybe_unused]] index_span indices,
                         [[maybe_unused]] span<double> distances) noexcept {
#if defined(FARPOINT_WITH_CUDA)
  if (runtime::cuda_available()) return root_of_distances_on_stream(exec, indices, distances);
#endif
  return no_device<function::knn>();
}

}  // namespace library

// The functions that are no templates.

using library::function;

result pillar_features(cuda_exec exec, voxelize_params<float> const& params, voxelize_output<float> const& voxels,
                       pillar_centers centers, feature_span output) noexcept {
  return library::run<function::pillar_features>(exec, params, voxels, centers, output);
}

result offsets_of_sizes(cuda_exec exec, index_view sizes, span<index_t> offsets) noexcept {
  return library::run<function::offsets_of_sizes>(exec, sizes, offsets);
}

std::size_t quadtree_workspace_bytes(cuda_exec exec, int width, int height) noexcept {
  return library::size_of<function::build_quadtree>(exec, width, height);
}

result build_quadtree(cuda_exec exec, zbuffer_ref zbuffer, bytes memory, bytes workspace, quadtree_ref& tree) noexcept {
  return library::run<function::build_quadtree>(exec, zbuffer, memory, workspace, &tree);
}

// The arguments are types, which parentheses would change.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define FARPOINT_GATHER(DO, Value)                                                                                    \
  result gather(cuda_exec exec, span<Value const> features, index_t channels, index_view indices, span<Value> output, \
                gather_report* report) noexcept {                                                                     \
    return library::run<function::gather>(exec, features, channels, indices, output, report);                         \
  }                                                                                                                   \
  result gather(cuda_exec exec, feature_rows<Value const> features, index_view indices, feature_rows<Value> output,   \
                gather_report* report) noexcept {                                                                     \
    return library::run<function::gather>(exec, features, indices, output, report);                                   \
  }
FARPOINT_FOR_EACH_VALUE(FARPOINT_GATHER, )
#undef FARPOINT_GATHER

#define FARPOINT_SCALAR(DO, Scalar)                                                                                 \
  result voxel_map_clear(cuda_exec exec, voxel_map<Scalar> const& map) noexcept {                                   \
    return library::run<function::voxel_map_clear>(exec, map);                                                      \
  }                                                                                                                 \
  std::size_t voxel_map_insert_workspace_bytes(cuda_exec exec, voxel_map<Scalar> const& map,                        \
                                               voxel_map_tile<point_view<Scalar>> const& tile) noexcept {           \
    return library::size_of<function::voxel_map_insert>(exec, map, tile);                                           \
  }                                                                                                                 \
  result voxel_map_insert(cuda_exec exec, voxel_map<Scalar> const& map,                                             \
                          voxel_map_tile<point_view<Scalar>> const& tile, bytes workspace) noexcept {               \
    return library::run<function::voxel_map_insert>(exec, map, tile, workspace);                                    \
  }                                                                                                                 \
  result voxel_map_read(cuda_exec exec, voxel_map<Scalar> const& map,                                               \
                        voxel_map_output<Scalar> const& output) noexcept {                                          \
    return library::run<function::voxel_map_read>(exec, map, output);                                               \
  }                                                                                                                 \
  std::size_t voxel_map_keep_workspace_bytes(cuda_exec exec, voxel_map_params<Scalar> const& params) noexcept {     \
    return library::size_of<function::voxel_map_keep>(exec, params);                                                \
  }                                                                                                                 \
  result voxel_map_keep(cuda_exec exec, voxel_map<Scalar> const& map, voxel_map_keep_params<Scalar> const& keep,    \
                        voxel_map_keep_output const& output, bytes workspace) noexcept {                            \
    return library::run<function::voxel_map_keep>(exec, map, keep, output, workspace);                              \
  }                                                                                                                 \
  result voxel_map_restore(cuda_exec exec, voxel_map<Scalar> const& map, voxel_map_header const& header) noexcept { \
    return library::run<function::voxel_map_restore>(exec, map, header);                                            \
  }                                                                                                                 \
  std::size_t draw_splats_workspace_bytes(cuda_exec exec, splat_view<Scalar> const& splats,                         \
                                          pinhole_camera<Scalar> const& camera,                                     \
                                          draw_splats_params const& params) noexcept {                              \
    return library::size_of<function::draw_splats>(exec, splats, camera, params);                                   \
  }
FARPOINT_FOR_EACH_SCALAR(FARPOINT_SCALAR, )
#undef FARPOINT_SCALAR
// NOLINTEND(bugprone-macro-parentheses)

FARPOINT_END_NAMESPACE

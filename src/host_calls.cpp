// fps(), voxelize() and gather() on host memory.
#include <farpoint/fps.hpp>
#include <farpoint/gather.hpp>
#include <farpoint/voxelize.hpp>

#include "host_call.hpp"

FARPOINT_BEGIN_NAMESPACE
namespace library {

template <>
struct anywhere<function::fps> {
  template <class Coord>
  static result call(runtime::options const& options, runtime::run_info* info, clouds_of<Coord> const& clouds,
                     fps_params const& params, fps_output<scalar_of<Coord>> const& output) noexcept {
    result const checked = detail::check_fps(clouds, params, output);
    return call_anywhere(FARPOINT_SENTENCES("fps"), checked, options, info, [&](auto exec, auto& memory) {
      auto const points = place(memory, clouds);
      auto const sampling = place(memory, params);
      auto const samples = place(memory, output, clouds.size(), params.samples);
      bytes const workspace = memory.scratch([&] { return fps_workspace_bytes(exec, points, sampling); });
      return [=] { return farpoint::fps(exec, points, sampling, samples, workspace); };
    });
  }
};

template <>
struct anywhere<function::fps_weighted> {
  template <class Coord>
  static result call(runtime::options const& options, runtime::run_info* info, clouds_of<Coord> const& clouds,
                     span<scalar_of<Coord> const> weights, fps_params const& params,
                     fps_output<scalar_of<Coord>> const& output) noexcept {
    result const checked = detail::check_fps_weighted(clouds, weights, params, output);
    return call_anywhere(FARPOINT_SENTENCES("fps_weighted"), checked, options, info, [&](auto exec, auto& memory) {
      auto const points = place(memory, clouds);
      auto const priorities = place(memory, weights);
      auto const sampling = place(memory, params);
      auto const samples = place(memory, output, clouds.size(), params.samples);
      bytes const workspace = memory.scratch([&] { return fps_weighted_workspace_bytes(exec, points); });
      return [=] { return farpoint::fps_weighted(exec, points, priorities, sampling, samples, workspace); };
    });
  }
};

template <>
struct anywhere<function::voxelize> {
  template <class Coord, class Scalar = scalar_of<Coord>>
  static result call(runtime::options const& options, runtime::run_info* info, clouds_of<Coord> const& clouds,
                     voxelize_params<Scalar> const& params, voxelize_output<Scalar> const& output) noexcept {
    result const checked = detail::check_voxelize(clouds, params, output);
    return call_anywhere(FARPOINT_SENTENCES("voxelize"), checked, options, info, [&](auto exec, auto& memory) {
      auto how = params;
      // The features are copied before the points: points may be parts of the features' records.
      how.features = detail::needs_features(output) ? place(memory, params.features, detail::has_wide_features(output))
                                                    : feature_view{};
      auto const points = place(memory, clouds);
      auto const voxels = place(memory, output, clouds.points().size(), clouds.size(), params);
      bytes const workspace = memory.scratch([&] { return voxelize_workspace_bytes(exec, points, how, voxels); });
      return [=] { return farpoint::voxelize(exec, points, how, voxels, workspace); };
    });
  }
};

template <>
struct anywhere<function::gather> {
  template <class Value>
  static result call(runtime::options const& options, runtime::run_info* info, span<Value const> features,
                     index_t channels, index_view const& indices, span<Value> output, gather_report* report) noexcept {
    result const checked = detail::check_gather(features, channels, indices.size(), output);
    return call_anywhere(FARPOINT_SENTENCES("gather"), checked, options, info, [&](auto exec, auto& memory) {
      auto const from = place(memory, features);
      auto const rows = place(memory, indices);
      auto const to = place(memory, output, indices.size() * channels);
      auto* const counters = place(memory, report);
      return [=] { return farpoint::gather(exec, from, channels, rows, to, counters); };
    });
  }

  template <class Value>
  static result call(runtime::options const& options, runtime::run_info* info,
                     feature_rows<Value const> const& features, index_view const& indices,
                     feature_rows<Value> const& output, gather_report* report) noexcept {
    result const checked = detail::check_gather(features, indices.size(), output);
    return call_anywhere(FARPOINT_SENTENCES("gather"), checked, options, info, [&](auto exec, auto& memory) {
      auto const from = place(memory, features);
      auto const rows = place(memory, indices);
      auto const to = place(memory, output);
      auto* const counters = place(memory, report);
      return [=] { return farpoint::gather(exec, from, rows, to, counters); };
    });
  }
};

FARPOINT_FOR_EACH_COORD(FARPOINT_HOST_CALLS_OF_CLOUDS, FARPOINT_EXPORT_HOST)
FARPOINT_FOR_EACH_VALUE(FARPOINT_HOST_CALLS_OF_GATHER, FARPOINT_EXPORT_HOST)

}  // namespace library
FARPOINT_END_NAMESPACE

// fps(), voxelize() and gather() on host memory.
#include <farpoint/fps.hpp>
#include <farpoint/gather.hpp>
#include <farpoint/voxelize.hpp>

#include "host_call.hpp"
#include "on_stream.hpp"

FARPOINT_BEGIN_NAMESPACE

using library::call_anywhere;
using library::clouds_of;
using library::place;

namespace {

template <class Coord>
result fps_anywhere(clouds_of<Coord> const& clouds, fps_params const& params,
                    fps_output<scalar_of<Coord>> const& output, runtime::options const& wish,
                    runtime::run_info* info) noexcept {
  result const checked = detail::check_fps(clouds, params, output);
  return call_anywhere(FARPOINT_SENTENCES("fps"), checked, wish, info, [&](auto exec, auto& memory) {
    auto const points = place(memory, clouds);
    auto const sampling = place(memory, params);
    auto const samples = place(memory, output, clouds.size(), params.samples);
    bytes const workspace = memory.scratch([&] { return fps_workspace_bytes(exec, points, sampling); });
    return [=] { return farpoint::fps(exec, points, sampling, samples, workspace); };
  });
}

template <class Coord, class Scalar = scalar_of<Coord>>
result voxelize_anywhere(clouds_of<Coord> const& clouds, voxelize_params<Scalar> const& params,
                         voxelize_output<Scalar> const& output, runtime::options const& wish,
                         runtime::run_info* info) noexcept {
  result const checked = detail::check_voxelize(clouds, params, output);
  return call_anywhere(FARPOINT_SENTENCES("voxelize"), checked, wish, info, [&](auto exec, auto& memory) {
    auto how = params;
    // Before the points, which may be a part of them.
    how.features = detail::needs_features(output) ? place(memory, params.features, detail::has_wide_features(output))
                                                  : feature_view{};
    auto const points = place(memory, clouds);
    auto const voxels = place(memory, output, clouds.points().size(), clouds.size(), params);
    bytes const workspace = memory.scratch([&] { return voxelize_workspace_bytes(exec, points, how, voxels); });
    return [=] { return farpoint::voxelize(exec, points, how, voxels, workspace); };
  });
}

template <class Value>
result gather_anywhere(span<Value const> features, index_t channels, index_view const& indices, span<Value> output,
                       gather_report* report, runtime::options const& wish, runtime::run_info* info) noexcept {
  result const checked = detail::check_gather(features, channels, indices.size(), output);
  return call_anywhere(FARPOINT_SENTENCES("gather"), checked, wish, info, [&](auto exec, auto& memory) {
    auto const from = place(memory, features);
    auto const rows = place(memory, indices);
    auto const to = place(memory, output, indices.size() * channels);
    auto* const counters = place(memory, report);
    return [=] { return farpoint::gather(exec, from, channels, rows, to, counters); };
  });
}

template <class Value>
result gather_anywhere(feature_rows<Value const> const& features, index_view const& indices,
                       feature_rows<Value> const& output, gather_report* report, runtime::options const& wish,
                       runtime::run_info* info) noexcept {
  result const checked = detail::check_gather(features, indices.size(), output);
  return call_anywhere(FARPOINT_SENTENCES("gather"), checked, wish, info, [&](auto exec, auto& memory) {
    auto const from = place(memory, features);
    auto const rows = place(memory, indices);
    auto const to = place(memory, output);
    auto* const counters = place(memory, report);
    return [=] { return farpoint::gather(exec, from, rows, to, counters); };
  });
}

}  // namespace

namespace runtime {

// Each file has the functions for one type.
#define FARPOINT_FUNCTIONS "host/coord.inc"
#include "each_coord.inc"
#undef FARPOINT_FUNCTIONS
#define FARPOINT_FUNCTIONS "host/value.inc"
#include "each_value.inc"
#undef FARPOINT_FUNCTIONS

}  // namespace runtime
FARPOINT_END_NAMESPACE

/// @file
/// The arguments of fps() are checked here, once for all backends.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/core/offsets.hpp>
#include <farpoint/types/fps.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// What can be checked without reading the arrays, which may be in device memory.
template <class Points>
result check_fps(batch<Points> const& clouds, fps_params const& params,
                 fps_output<typename Points::scalar> const& output) noexcept {
  constexpr batch_reasons reasons{
      "fps: the number of clouds is negative", "fps: the number of points is negative",
      "fps: the points are a null pointer",
      "fps: a regular batch needs a number of points that is a multiple of the number of clouds",
      "fps: more than 2^31 - 1 clouds, or 2^48 points"};
  if (result const checked = check_batch(clouds, reasons); !checked) return checked;
  index_t const count = clouds.size();
  if (params.samples < 0) return reject("fps: params.samples is negative");
  if (params.first < 0) return reject("fps: params.first is negative");
  if (params.firsts.empty() && params.first > 0 && count > 0 && clouds.largest() > 0 &&
      params.first >= clouds.largest()) {
    return reject("fps: params.first is not below the number of points");
  }
  if (!params.firsts.empty() && params.firsts.size() != count) {
    return reject("fps: params.firsts needs one entry per cloud");
  }
  if (!params.chosen.empty() && (count == 0 || params.chosen.size() % count != 0)) {
    return reject("fps: params.chosen needs the same number of entries for each cloud");
  }
  if (!(params.stop_below >= 0)) return reject("fps: params.stop_below is negative or NaN");
  if (!holds(output.indices.size(), count, params.samples)) {
    return reject("fps: output.indices is smaller than clouds x samples");
  }
  if (!output.distances.empty() && !holds(static_cast<index_t>(output.distances.size()), count, params.samples)) {
    return reject("fps: output.distances is smaller than clouds x samples");
  }
  if (!output.counts.empty() && output.counts.size() < count) {
    return reject("fps: output.counts is smaller than the number of clouds");
  }
  if (!output.indices.wide() && clouds.largest() > max_narrow_points) {
    return reject("fps: a cloud of more than 2^31 - 1 points needs 64-bit indices");
  }
  return {};
}

/// What only a backend that can read the arrays can check: offsets, firsts and chosen.
template <class Points>
result check_fps_arrays(batch<Points> const& clouds, fps_params const& params) noexcept {
  if (!offsets_ascend(clouds.offsets(), clouds.points().size())) {
    return reject("fps: the offsets decrease or leave the points");
  }
  index_t const chosen_each = clouds.size() > 0 ? params.chosen.size() / clouds.size() : 0;
  for (index_t b = 0; b < clouds.size(); ++b) {
    index_t const n = clouds[b].size();
    index_t const first = params.firsts.empty() ? params.first : params.firsts[b];
    if (n > 0 && (first < 0 || first >= n)) return reject("fps: the first sample is not a point of its cloud");
    for (index_t i = 0; i < chosen_each; ++i) {
      index_t const index = params.chosen[b * chosen_each + i];
      if (index < -1 || index >= n) return reject("fps: an entry of params.chosen is not a point of its cloud");
    }
  }
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Checks of the arguments of fps(), for all backends.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/detail/fps/args.hpp>
#include <farpoint/types/fps.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Checks everything that needs no access to the arrays, which may be in device memory.
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
  if (params.firsts.empty() && !params.random_first && params.first > 0 && count > 0 && clouds.largest() > 0 &&
      params.first >= clouds.largest()) {
    return reject("fps: params.first is not below the number of points");
  }
  if (!params.firsts.empty() && params.firsts.size() != count) {
    return reject("fps: params.firsts needs one entry per cloud");
  }
  if (!params.sample_counts.empty() && params.sample_counts.size() != count) {
    return reject("fps: params.sample_counts needs one entry per cloud");
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

/// Converts the arguments of fps_extend() to arguments of fps(): the earlier samples become chosen points. @param
/// output  becomes the output of fps(), behind the earlier samples
template <class Scalar>
result fps_extension(index_t earlier, fps_params& params, fps_output<Scalar>& output) noexcept {
  if (earlier < 0) return reject("fps_extend: a negative number of earlier samples");
  if (!params.chosen.empty()) return reject("fps_extend: params.chosen is what output.indices holds");
  if (output.indices.size() < earlier) return reject("fps_extend: output.indices is smaller than the earlier samples");
  auto const distances = static_cast<index_t>(output.distances.size());
  if (distances > 0 && distances < earlier) {
    return reject("fps_extend: output.distances is smaller than the earlier samples");
  }
  fps_split_indices const indices{output.indices, earlier};
  params.chosen = indices.before;
  output.indices = indices.rest;
  if (distances > 0)
    output.distances =
        output.distances.subspan(static_cast<std::size_t>(earlier), static_cast<std::size_t>(distances - earlier));
  return {};
}

/// Converts the arguments of poisson_subset() to parameters of fps(): samples until no point is `radius` or farther
/// from all samples.
template <class Points, class Scalar>
result poisson_subset_params(batch<Points> const& clouds, double radius, fps_output<Scalar> const& output,
                             fps_params& params) noexcept {
  if (!(radius >= 0)) return reject("poisson_subset: the radius is negative or NaN");
  params.samples = clouds.size() > 0 ? output.indices.size() / clouds.size() : 0;
  params.stop_below = radius;
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Arguments of a call of fps_weighted(), for all backends.
#pragma once

#include <farpoint/detail/fps/args.hpp>
#include <farpoint/detail/fps/check.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Points>
struct fps_weighted_args {
  using scalar = typename Points::scalar;

  fps_args<Points> call;
  scalar const* weights;  ///< `[points of the view]`

  FARPOINT_HD FARPOINT_ALWAYS_INLINE scalar const* weights_of(index_t b) const noexcept {
    return weights + call.clouds.begin_of(b);
  }
  /// Returns true if a point can be a sample: it is finite, and its weight is finite and positive.
  template <int Dim>
  FARPOINT_HD static bool is_candidate(vec<scalar, Dim> const& point, scalar weight) noexcept {
    return is_finite(point) && is_finite_number(weight) && weight > scalar(0);
  }
  /// Returns true if the report counts the point. A weight of 0 is valid: the point is merely no candidate.
  template <int Dim>
  FARPOINT_HD static bool is_bad(vec<scalar, Dim> const& point, scalar weight) noexcept {
    return !is_finite(point) || !is_finite_number(weight) || weight < scalar(0);
  }
  /// Returns the score of a point, weight x squared distance; the candidate with the largest score is the next sample.
  /// Returns no_candidate for a distance of no_candidate.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE static scalar score(scalar weight, scalar distance) noexcept {
    scalar const score = mul_rn(weight, distance);
    return distance < scalar(0) ? no_candidate<scalar> : score;
  }
  /// Returns a candidate's distance after a sample, or no_candidate once the distance is below stop_below.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE scalar lowered(scalar distance, scalar to_sample) const noexcept {
    scalar const nearest = to_sample < distance ? to_sample : distance;
    return nearest < call.stop2 ? no_candidate<scalar> : nearest;
  }
};

template <class Points>
result check_fps_weighted(batch<Points> const& clouds, span<typename Points::scalar const> weights,
                          fps_params const& params, fps_output<typename Points::scalar> const& output) noexcept {
  if (result const checked = check_fps(clouds, params, output); !checked) return checked;
  if (clouds.largest() > max_narrow_points) return reject("fps_weighted: a cloud has more than 2^31 - 1 points");
  if (static_cast<index_t>(weights.size()) != clouds.points().size()) {
    return reject("fps_weighted: a weight is needed for each point");
  }
  if (!weights.empty() && weights.data() == nullptr) return reject("fps_weighted: the weights are a null pointer");
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE

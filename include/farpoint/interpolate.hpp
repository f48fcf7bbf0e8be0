/// @file
/// Features at other places than those of the points that have them: host backend.
#pragma once

#include <farpoint/knn.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Where interpolate() writes, in the memory space of the execution: a row for each query of the view; those that
/// ragged offsets leave out are not written.
struct interpolate_output {
  span<float> features;  ///< `[queries, channels]`
};

namespace detail {

/// Weights that fall with the squared distance and add up to 1, but for rounding; where points coincide with the query
/// they share it alone.
template <class Key>
FARPOINT_HD void inverse_distance_weights(Key const* keys, int count, float (&weights)[3]) noexcept {
  using scalar = decltype(keys->distance2());
  scalar inverse[3] = {};
  scalar sum = 0;
  scalar const nearest = count > 0 ? keys[0].distance2() : scalar(0);
  for (int j = 0; j < count; ++j) {
    // Relative to the nearest: the inverse of a distance could overflow, the ratio cannot.
    scalar const d = keys[j].distance2();
    inverse[j] = d == nearest ? scalar(1) : div_rn(nearest, d);
    sum = add_rn(sum, inverse[j]);
  }
  for (int j = 0; j < 3; ++j) weights[j] = j < count ? static_cast<float>(div_rn(inverse[j], sum)) : 0.0f;
}

}  // namespace detail

/// Features of each query: those of the three nearest points, weighted by the inverse of the squared distance
/// (PointNet++, Qi et al. 2017).
///
/// A query at the place of a point gets its features; of several that coincide, their mean. Where there are fewer than
/// three points, of those; zeros where there is none, and for queries that are not finite. The same bits on every
/// backend: products are added from the nearest on, each rounded once.
///
/// @param exec       threads to use; blocks until done
/// @param points     `[clouds, n]` or ragged, metres, three coordinates, host memory
/// @param features   `[points of the view, channels]`
/// @param queries    as many clouds
/// @param channels   values of a row, at least 1
/// @param output     see interpolate_output
/// @param workspace  at least knn_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return ok | bad_argument | workspace_too_small; nothing is written on failure
template <class Points, class Queries>
result interpolate(host_exec exec, batch<Points> const& points, span<float const> features,
                   batch<Queries> const& queries, index_t channels, interpolate_output const& output,
                   bytes workspace) noexcept {
  if (result const checked = detail::check_host_search(exec, points, queries); !checked) return checked;
  if (channels < 1) return detail::reject("interpolate: channels is not positive");
  if (!detail::holds(static_cast<index_t>(features.size()), points.points().size(), channels)) {
    return detail::reject("interpolate: features is smaller than points x channels");
  }
  if (!detail::holds(static_cast<index_t>(output.features.size()), queries.points().size(), channels)) {
    return detail::reject("interpolate: output.features is smaller than queries x channels");
  }
  auto const write = [&](index_t b, index_t i, auto const* keys, int count) {
    float weights[3];
    detail::inverse_distance_weights(keys, count, weights);
    float* const to = output.features.data() + (queries.begin_of(b) + i) * channels;
    for (index_t c = 0; c < channels; ++c) {
      float sum = 0;
      for (int j = 0; j < count; ++j) {
        index_t const row = points.begin_of(b) + keys[j].index();
        sum = fma_rn(weights[j], features[static_cast<std::size_t>(row * channels + c)], sum);
      }
      to[c] = sum;
    }
  };
  return detail::neighbours_on_host(exec, points, queries, false, exact{}, 3, write, nullptr, workspace);
}

FARPOINT_END_NAMESPACE

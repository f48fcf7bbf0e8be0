/// @file
/// Features at other places than those of the points that have them: host backend.
#pragma once

#include <farpoint/detail/search/inverse_distance.hpp>
#include <farpoint/knn.hpp>

FARPOINT_BEGIN_NAMESPACE

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
  if (result const checked = detail::check_interpolate(points, features, queries, channels, output); !checked) {
    return checked;
  }
  auto const write = [&](index_t b, index_t i, auto const* keys, int count) {
    float weights[3];
    detail::inverse_distance_weights(keys, count, weights);
    float* const to = output.features.data() + (queries.begin_of(b) + i) * channels;
    for (index_t c = 0; c < channels; ++c) {
      to[c] = detail::weighted_sum(weights, count, [&](int j) {
        index_t const row = points.begin_of(b) + keys[j].index();
        return features[static_cast<std::size_t>(row * channels + c)];
      });
    }
  };
  return detail::neighbours_on_host(exec, points, queries, false, exact{}, 3, write, nullptr, workspace);
}

FARPOINT_END_NAMESPACE

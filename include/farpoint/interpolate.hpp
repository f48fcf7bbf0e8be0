/// @file
/// Interpolates features between points: host backend.
#pragma once

#include <farpoint/detail/search/inverse_distance.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/types/interpolate.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Interpolates features at each query: the mean of those of the three nearest points, weighted by the inverse squared
/// distance (PointNet++, Qi et al. 2017).
///
/// A query at the place of a point gets the features of that point, or the mean of those of several. In a cloud of
/// fewer than three points, the mean is of those; a query without neighbours, or that is not finite, gets zeros. The
/// same bits on every backend: products are added from the nearest on, each rounded once.
///
/// @param exec       threads to use; blocks until done
/// @param points     `[clouds, n]` or ragged, metres, three coordinates, host memory
/// @param features   `[points, channels]`: a row for each point of the view
/// @param queries    as many clouds, regular or ragged
/// @param channels   values of a row, at least 1
/// @param output     see interpolate_output
/// @param workspace  at least knn_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return ok | bad_argument | workspace_too_small; nothing is written on failure
/// Complexity: as knn() with k = 3, and O(queries * channels). Thread-safe: concurrent calls must not share output or
/// workspace.
template <class Points, class Queries>
result interpolate(host_exec exec, batch<Points> const& points, span<float const> features,
                   batch<Queries> const& queries, index_t channels, interpolate_output const& output,
                   bytes workspace) noexcept {
  if (result const checked = detail::check_host_search(exec, points, queries); !checked) return checked;
  index_t const rows = queries.points().size();
  if (result const checked = detail::check_interpolate(points.points().size(), features, rows, channels, output);
      !checked) {
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
  auto const leave_empty = [&](index_t row) { std::fill_n(output.features.data() + row * channels, channels, 0.0f); };
  detail::list_consumer const consumer{write, leave_empty};
  return detail::neighbours_on_host(exec, points, queries, false, exact{}, 3, consumer, output.report, workspace);
}

FARPOINT_END_NAMESPACE

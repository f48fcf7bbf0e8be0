/// @file
/// The plain serial loop: the definition of fps(), and the oracle of its tests.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/detail/fps/args.hpp>
#include <farpoint/detail/fps/check.hpp>

#include <limits>
#include <vector>

FARPOINT_BEGIN_NAMESPACE

/// Slow, plain implementations that say what the fast ones must return.
namespace reference {

namespace detail {

/// Takes a sample: lowers the distances to the nearest sample, and finds the largest.
/// @param nearest  squared distances to the nearest sample; -1 for points that can no longer be sampled
/// @return the first point of the largest distance; -1 if no point can be sampled
template <class Point, class Scalar>
index_t fps_take(std::vector<Point> const& points, index_t picked, std::vector<Scalar>& nearest) {
  Point const* const point = points.data();
  Scalar* const distance = nearest.data();
  Point const sample = point[picked];
  distance[picked] = -1;
  auto const n = static_cast<index_t>(points.size());
  index_t farthest = -1;
  Scalar largest = -1;
  for (index_t i = 0; i < n; ++i) {
    Scalar const d = distance2(point[i], sample);
    if (d < distance[i]) distance[i] = d;
    if (distance[i] > largest) {
      largest = distance[i];
      farthest = i;
    }
  }
  return farthest;
}

/// The serial loop over one cloud; returns the number of samples.
template <class Points>
index_t fps_one_cloud(Points cloud, index_t first, std::vector<index_t> const& chosen, index_t samples,
                      typename Points::scalar stop2, index_t* indices, typename Points::scalar* distances,
                      fps_report& report) {
  using scalar = typename Points::scalar;
  index_t const n = cloud.size();
  // Points are loaded once, as each sample reads all.
  std::vector<decltype(cloud[index_t{}])> points;
  std::vector<scalar> nearest;
  index_t best = -1;
  for (index_t i = 0; i < n; ++i) {
    points.push_back(cloud[i]);
    bool const is_candidate = is_finite(points.back());
    nearest.push_back(is_candidate ? std::numeric_limits<scalar>::infinity() : -1);
    if (is_candidate && best < 0) best = i;
    report.non_finite += is_candidate ? 0 : 1;
  }

  bool started = false;
  for (index_t const index : chosen) {
    bool const is_point = index >= 0 && index < n;
    if (!is_point && index != -1) ++report.chosen_out_of_range;
    if (!is_point || !is_finite(cloud[index])) continue;
    best = fps_take(points, index, nearest);
    started = true;
  }

  if (!started && n > 0) {
    if (first < 0 || first >= n) {
      ++report.first_out_of_range;
      return 0;
    }
    if (is_finite(cloud[first])) best = first;
  }
  for (index_t count = 0; count < samples; ++count) {
    if (best < 0 || nearest[static_cast<std::size_t>(best)] < stop2) return count;
    indices[count] = best;
    distances[count] = nearest[static_cast<std::size_t>(best)];
    best = fps_take(points, best, nearest);
  }
  return samples;
}

}  // namespace detail

/// farpoint::fps on one thread, by its definition; same rules, same outputs, host memory. O(samples * n) per cloud.
/// Allocates; throws std::bad_alloc.
template <class Points>
result fps(batch<Points> const& clouds, fps_params const& params, fps_output<typename Points::scalar> const& output) {
  using scalar = typename Points::scalar;
  if (result const checked = farpoint::detail::check_fps(clouds, params, output); !checked) return checked;

  fps_report report;
  report.bad_offsets = static_cast<unsigned long long>(farpoint::detail::count_bad_offsets(clouds));
  auto const stop2 = static_cast<scalar>(params.stop_below) * static_cast<scalar>(params.stop_below);
  for (index_t b = 0; b < clouds.size(); ++b) {
    std::vector<index_t> indices(static_cast<std::size_t>(params.samples), -1);
    std::vector<scalar> distances(static_cast<std::size_t>(params.samples), -1);
    std::vector<index_t> chosen;
    index_t const chosen_each = params.chosen.size() / clouds.size();
    for (index_t i = 0; i < chosen_each; ++i) chosen.push_back(params.chosen[b * chosen_each + i]);
    farpoint::detail::fps_args<Points> const args{clouds, params, output};
    index_t const first = args.first_of(b);
    index_t const samples = args.samples_of(b);

    index_t const count =
        params.samples == 0 || report.bad_offsets > 0
            ? 0
            : detail::fps_one_cloud(clouds[b], first, chosen, samples, stop2, indices.data(), distances.data(), report);
    for (index_t s = 0; s < params.samples; ++s) {
      output.indices.set(b * params.samples + s, indices[static_cast<std::size_t>(s)]);
      if (!output.distances.empty()) {
        output.distances[static_cast<std::size_t>(b * params.samples + s)] = distances[static_cast<std::size_t>(s)];
      }
    }
    if (!output.counts.empty()) output.counts.set(b, count);
  }
  if (output.report != nullptr) *output.report = report;
  return {};
}

}  // namespace reference

FARPOINT_END_NAMESPACE

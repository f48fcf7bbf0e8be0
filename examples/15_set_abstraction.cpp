// The blocks of PointNet++ (Qi et al. 2017) on the host, for a batch of clouds: sample centroids, group the points in a
// ball around each, and later bring the centroids' features back to all points. The .cuh headers have the same calls
// for a stream.
#include <farpoint/fps.hpp>
#include <farpoint/gather.hpp>
#include <farpoint/interpolate.hpp>
#include <farpoint/radius.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

using farpoint::feature_rows;
using farpoint::index_t;

constexpr index_t batch_size = 2;
constexpr index_t n = 1500;        // points per cloud
constexpr index_t samples = 200;   // centroids per cloud
constexpr index_t ball_size = 32;  // maximum points per ball

int main() {
  std::vector<float> points(batch_size * n * 3);  // [clouds, n, 3]
  std::mt19937 random{1};
  std::uniform_real_distribution<float> meters{-1, 1};
  for (float& coordinate : points) coordinate = meters(random);

  farpoint::host_exec const exec{};
  using view = farpoint::point_view<float>;
  auto const all = farpoint::batch<view>::regular({points.data(), batch_size * n}, batch_size);
  //! [bound]
  // Enough for fps() of every batch up to these limits, regular or ragged. What other calls need, it grows to.
  farpoint::batch_limits limits;
  limits.points = 200000;  // points of all clouds of a batch
  limits.clouds = 16;
  std::size_t bytes = 0;
  farpoint::host_scratch workspace;
  bool ok = farpoint::fps_workspace_bound<view>(exec, limits, bytes) && workspace.reserve(bytes);
  //! [bound]

  //! [sample]
  farpoint::fps_params params;
  params.samples = samples;
  std::vector<std::int32_t> picks(batch_size * samples);  // [clouds, samples], within each cloud
  ok = ok && fps(exec, all, params, {picks}, workspace);

  // Rows of a batch: the indices count within a cloud, so gather() needs the number of clouds.
  std::vector<float> centroids(batch_size * samples * 3);  // [clouds, samples, 3]
  ok = ok && farpoint::gather<float>(exec, feature_rows<float const>::regular(points, batch_size, 3), picks,
                                     feature_rows<float>::regular(centroids, batch_size, 3));
  //! [sample]

  //! [group]
  auto const centers = farpoint::batch<view>::regular({centroids.data(), batch_size * samples}, batch_size);
  farpoint::radius_params ball;
  ball.radius = 0.4;
  ball.max_neighbors = ball_size;
  std::vector<std::int32_t> groups(batch_size * samples *
                                   ball_size);  // [clouds, samples, ball_size], -1 behind the last
  std::vector<std::int32_t> counts(batch_size * samples);
  farpoint::radius_output<float> output;
  output.indices = groups;
  output.counts = counts;
  ok = ok && workspace.reserve(radius_workspace_bytes(exec, all, centers));
  ok = ok && radius(exec, all, centers, ball, output, workspace);
  //! [group]

  //! [interpolate]
  // A feature for each centroid, here its height, and what that makes of each point: the mean of the three nearest.
  std::vector<float> heights(batch_size * samples);
  for (std::size_t i = 0; i < heights.size(); ++i) heights[i] = centroids[3 * i + 2];
  std::vector<float> spread(batch_size * n);  // [clouds, n, 1]
  ok = ok && workspace.reserve(interpolate_workspace_bytes(exec, centers, all));
  ok = ok && interpolate(exec, centers, heights, all, 1, {spread}, workspace);
  //! [interpolate]
  if (!ok) return 1;

  double worst = 0;
  for (std::size_t row = 0; row < groups.size() / ball_size; ++row) {
    auto const cloud = row / samples;
    if (counts[row] < 1) return 1;  // the centroid itself is in its ball
    for (std::size_t j = 0; j < static_cast<std::size_t>(counts[row]); ++j) {
      auto const member = cloud * n + static_cast<std::size_t>(groups[row * ball_size + j]);
      float const* const a = &points[3 * member];
      float const* const b = &centroids[3 * row];
      if (std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) > 0.4001f) return 1;
    }
  }
  for (std::size_t i = 0; i < spread.size(); ++i)
    worst = std::max(worst, std::abs(double{spread[i]} - points[3 * i + 2]));
  // A sampled point gets its own height back, exactly.
  for (std::size_t s = 0; s < picks.size(); ++s) {
    auto const point = s / samples * n + static_cast<std::size_t>(picks[s]);
    if (spread[point] != points[3 * point + 2]) return 1;
  }
  std::printf("heights of %zu points from %zu samples: off by %.2f m at most\n", spread.size(), heights.size(), worst);
  return worst < 0.4 ? 0 : 1;
}

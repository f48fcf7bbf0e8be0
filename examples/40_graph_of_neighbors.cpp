// A graph of points for a network that passes messages: edges from at most eight neighbors within a radius, of two
// clouds at once, and the mean of the neighbors' features at each point.
#include <farpoint/search/neighbor_edges.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  // Two rings of 100 points, one cloud after the other; the feature of a point is its angle's cosine.
  constexpr int n = 100;
  constexpr double step = 2 * 3.14159265358979 / n;
  std::vector<std::array<float, 3>> points;
  std::vector<float> features;
  for (int i = 0; i < 2 * n; ++i) {
    float const radius = i < n ? 1.0f : 2.0f;
    points.push_back({radius * float(std::cos(i * step)), radius * float(std::sin(i * step)), 0});
    features.push_back(float(std::cos(i * step)));
  }

  //! [edges]
  using view = farpoint::point_view<float>;
  auto const clouds = farpoint::batch<view>::regular(farpoint::view_points(points), 2);
  farpoint::host_exec const exec;
  farpoint::index_t const k = 8;
  farpoint::knn_params params;
  params.k = k;
  params.max_radius = 0.2;  // meters
  params.exclude_self = true;
  std::vector<std::int32_t> neighbors(points.size() * k);  // [points, k], -1 behind the last
  farpoint::host_scratch workspace{knn_workspace_bytes(exec, clouds, params)};
  farpoint::result outcome = knn(exec, clouds, params, {neighbors}, workspace);

  std::vector<std::int64_t> sources(neighbors.size()), targets(neighbors.size());
  farpoint::neighbor_lists<float> lists;
  lists.indices = neighbors;
  lists.k = k;
  farpoint::edges_report report;
  farpoint::edges_output<float> edges;
  edges.rows = sources;
  edges.cols = targets;
  edges.report = &report;
  if (outcome) outcome = workspace.reserve(neighbor_edges_workspace_bytes(exec, clouds, lists));
  if (outcome) outcome = neighbor_edges(exec, clouds, lists, farpoint::edge_flow::source_to_target, edges, workspace);
  //! [edges]
  if (!outcome) {
    std::puts(outcome.reason);
    return 1;
  }

  std::vector<double> sums(points.size()), degrees(points.size());
  for (std::size_t e = 0; e < report.total; ++e) {
    sums[std::size_t(targets[e])] += double(features[std::size_t(sources[e])]);
    degrees[std::size_t(targets[e])] += 1;
  }
  // The neighbors lie on both sides, three on each of the small ring and one on each of the large ring.
  double error = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    error = std::fmax(error, std::fabs(sums[i] / degrees[i] - double(features[i])));
  }
  std::printf("%llu edges, means off by %.4f\n", report.total, error);
  return report.total == 100 * 6 + 100 * 2 && error < 0.02 ? 0 : 1;
}

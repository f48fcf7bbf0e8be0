// A map that grows scan by scan and stays sparse: minimum-distance subsampling, and weights for important points.
#include <farpoint/fps.hpp>

#include <array>
#include <cstdio>
#include <vector>

using point = std::array<float, 3>;

int main() {
  std::vector<point> const points{{0, 0, 0}, {0.1f, 0, 0}, {1, 0, 0}, {1.05f, 0, 0}, {3, 0, 0}};

  //! [poisson]
  // A maximal subset with distances of at least 0.5 m.
  std::vector<std::int32_t> const apart = farpoint::poisson_subset(points, 0.5);
  //! [poisson]

  //! [core]
  farpoint::host_exec const exec{};  // all cores
  farpoint::batch const clouds{farpoint::view_points(points)};
  std::vector<std::int32_t> subset(points.size());  // room for all
  std::vector<std::int32_t> count(1);
  farpoint::index_t const room = clouds.points().size();
  farpoint::host_scratch const workspace{poisson_subset_workspace_bytes(exec, clouds, room)};
  bool ok = static_cast<bool>(farpoint::poisson_subset(exec, clouds, 0.5, {subset, {}, count}, workspace));
  //! [core]

  //! [extend]
  // Two more points come in. The samples so far stay; what is new gets up to two more, 0.5 m from all.
  std::vector<point> grown = points;
  grown.push_back({0, 2, 0});
  grown.push_back({3, 0.2f, 0});
  std::vector<std::int32_t> samples = apart;
  samples.resize(apart.size() + 2);
  farpoint::fps_params params;
  params.samples = 2;
  params.stop_below = 0.5;
  farpoint::batch const cloud{farpoint::view_points(grown)};
  farpoint::host_scratch const memory{fps_workspace_bytes(exec, cloud, params)};
  auto const earlier = static_cast<farpoint::index_t>(apart.size());
  ok = ok && farpoint::fps_extend(exec, cloud.points(), earlier, params, {samples}, memory);
  //! [extend]

  // The last point of the map counts four times in distance: 16 in squares. The second is not wanted at all.
  std::vector<float> const weights{1, 0, 1, 1, 1, 1, 16};
  std::vector<std::int32_t> picks(3);
  params = {};
  params.samples = 3;
  farpoint::host_scratch const scratch{fps_weighted_workspace_bytes(exec, cloud)};
  ok = ok && farpoint::fps_weighted(exec, cloud, weights, params, {picks}, scratch);

  using indices = std::vector<std::int32_t>;
  subset.resize(static_cast<std::size_t>(count[0]));
  bool const right = ok && apart == indices{0, 4, 3} && subset == apart && samples == indices{0, 4, 3, 5, -1} &&
                     picks == indices{0, 6, 5};
  std::printf("%zu points of the map, %s\n", apart.size(), right ? "right" : "WRONG");
  return right ? 0 : 1;
}

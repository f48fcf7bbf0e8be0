#include "view_search.hpp"

#include <farpoint/knn.hpp>
#include <farpoint/splat/normals_from_neighbors.hpp>

#include <algorithm>
#include <stdexcept>

namespace farpoint_tools {

namespace {

neighbor_rows empty_rows(std::size_t count, int k) {
  auto const size = count * static_cast<std::size_t>(k);
  return {static_cast<std::size_t>(k), std::vector<std::int32_t>(size), std::vector<float>(size)};
}

void expect_ok(farpoint::result const& outcome) {
  if (!outcome) throw std::invalid_argument{outcome.reason};
}

std::vector<point3> gather_points(std::vector<point3> const& cloud, std::vector<std::int32_t> const& indices) {
  std::vector<point3> some;
  some.reserve(indices.size());
  for (auto const index : indices) some.push_back(cloud[static_cast<std::size_t>(index)]);
  return some;
}

}  // namespace

neighbor_rows search_cloud(std::vector<point3> const& cloud, std::vector<std::int32_t> const& visible, int k,
                           int threads) {
  farpoint::host_exec const exec{threads};
  farpoint::batch const points{farpoint::view_points(cloud)};
  auto const asking = gather_points(cloud, visible);
  farpoint::batch const queries{farpoint::view_points(asking)};
  farpoint::knn_params const params{k};
  auto found = empty_rows(visible.size(), k);
  farpoint::knn_output<float> const output{found.indices, found.distances};
  farpoint::detail::host_workspace const workspace{farpoint::knn_workspace_bytes(exec, points, queries, params)};
  expect_ok(farpoint::knn(exec, points, queries, params, output, workspace.get()));
  return found;
}

std::vector<point3> normals_of(std::vector<point3> const& cloud, std::vector<std::int32_t> const& visible,
                               neighbor_rows const& neighbors, vec3 const& eye, int threads) {
  std::vector<point3> normals(visible.size());
  farpoint::neighbor_normals_params params;
  params.viewpoint = {{eye[0], eye[1], eye[2]}};
  farpoint::neighbor_rows const rows{neighbors.indices, static_cast<farpoint::index_t>(neighbors.k), visible};
  farpoint::neighbor_normals_output<float> output;
  output.normals = {reinterpret_cast<float*>(normals.data()), 3 * normals.size()};
  expect_ok(normals_from_neighbors(farpoint::host_exec{threads}, farpoint::batch{farpoint::view_points(cloud)}, rows,
                                   params, output));
  return normals;
}

double share_of_equal_rows(neighbor_rows const& a, neighbor_rows const& b) {
  std::size_t equal = 0;
  for (std::size_t begin = 0; begin < a.indices.size(); begin += a.k) {
    auto const first = a.indices.begin() + static_cast<std::ptrdiff_t>(begin);
    auto const other = b.indices.begin() + static_cast<std::ptrdiff_t>(begin);
    equal += std::equal(first, first + static_cast<std::ptrdiff_t>(a.k), other);
  }
  return a.indices.empty() ? 1 : static_cast<double>(equal * a.k) / static_cast<double>(a.indices.size());
}

}  // namespace farpoint_tools

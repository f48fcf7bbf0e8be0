#include "view_search.hpp"

#include <farpoint/knn.hpp>
#include <farpoint/spatial/zbuffer.hpp>

#include <stdexcept>

namespace farpoint_demo {

namespace {

std::vector<std::int32_t> find_visible(std::vector<point3> const& cloud, camera const& looking) {
  std::vector<std::uint64_t> memory(
      static_cast<std::size_t>(farpoint::zbuffer_ref::words(looking.width, looking.height)),
      farpoint::zbuffer_ref::clear_value);
  farpoint::zbuffer_ref const zbuffer{memory, looking.width, looking.height};
  auto const points = farpoint::view_points(cloud);
  farpoint::draw_points(looking, points, 0, points.size(), zbuffer);

  std::vector<std::int32_t> visible;
  for (farpoint::index_t pixel = 0; pixel < zbuffer.size(); ++pixel) {
    auto const front = zbuffer.front(pixel);
    if (front.exists()) visible.push_back(static_cast<std::int32_t>(front.index));
  }
  return visible;
}

std::vector<point3> gather_points(std::vector<point3> const& cloud, std::vector<std::int32_t> const& indices) {
  std::vector<point3> some;
  some.reserve(indices.size());
  for (auto const index : indices) some.push_back(cloud[static_cast<std::size_t>(index)]);
  return some;
}

neighbour_rows search(std::vector<point3> const& cloud, std::vector<point3> const& queries, int k, int threads) {
  auto const size = queries.size() * static_cast<std::size_t>(k);
  neighbour_rows found{static_cast<std::size_t>(k), std::vector<std::int32_t>(size), std::vector<float>(size)};
  farpoint::host_exec const exec{threads};
  farpoint::batch const points{farpoint::view_points(cloud)};
  farpoint::batch const asked{farpoint::view_points(queries)};
  farpoint::exact const method;
  farpoint::detail::host_workspace const workspace{farpoint::knn_workspace_bytes(exec, points, asked, method, k)};
  farpoint::knn_output<float> output;
  output.indices = found.indices;
  output.distances = found.distances;
  if (auto const outcome = knn(exec, points, asked, method, k, output, workspace.get()); !outcome) {
    throw std::invalid_argument{outcome.reason};
  }
  return found;
}

}  // namespace

double neighbour_rows::reach_of(std::size_t i) const {
  for (std::size_t j = k; j > 0; --j) {
    if (row(i)[j - 1] >= 0) return std::sqrt(static_cast<double>(distances[i * k + j - 1]));
  }
  return 0;
}

view_search search_view(std::vector<point3> const& cloud, camera const& looking, int k, int threads) {
  view_search found;
  found.visible = find_visible(cloud, looking);
  auto const seen = gather_points(cloud, found.visible);
  found.neighbours = search(seen, seen, k, threads);
  for (auto& index : found.neighbours.indices) {
    if (index >= 0) index = found.visible[static_cast<std::size_t>(index)];
  }
  return found;
}

neighbour_rows search_cloud(std::vector<point3> const& cloud, std::vector<std::int32_t> const& visible, int k,
                            int threads) {
  return search(cloud, gather_points(cloud, visible), k, threads);
}

}  // namespace farpoint_demo

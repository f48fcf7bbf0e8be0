#include "surface_splats.hpp"

#include <farpoint/splat/normals_from_neighbors.hpp>

#include <algorithm>
#include <limits>
#include <thread>

#include "normals.hpp"
#include "options.hpp"
#include "turntable.hpp"

namespace farpoint_tools {

namespace {

// make_splats() of the cloud's coordinates, floats or doubles.
template <class Scalar>
splat_rows splats_of(std::vector<std::array<Scalar, 3>> const& rows, std::int64_t k, double max_radius,
                     farpoint::runtime::options const& where) {
  auto const n = rows.size();
  farpoint::batch const points{farpoint::view_points(rows)};
  std::vector<std::int32_t> indices(n * static_cast<std::size_t>(k));
  farpoint::knn_params const with_self{k, max_radius};
  expect_ok(farpoint::runtime::knn(points, with_self, farpoint::knn_output<Scalar>{indices, {}}, where));
  std::vector<std::array<Scalar, 3>> normals(n), tangents(n);
  std::vector<std::array<Scalar, 2>> extents(n);
  auto const flat = [](auto& values) {
    auto constexpr width = std::tuple_size_v<typename std::decay_t<decltype(values)>::value_type>;
    return farpoint::span<Scalar>{values.empty() ? nullptr : values[0].data(), width * values.size()};
  };
  farpoint::neighbor_normals_output<Scalar> const output{flat(normals), {}, flat(tangents), flat(extents)};
  farpoint::neighbor_rows const neighbors{indices, static_cast<farpoint::index_t>(k)};
  int const threads =
      where.threads > 0 ? where.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  expect_ok(farpoint::normals_from_neighbors(farpoint::host_exec{threads}, points, neighbors,
                                             farpoint::neighbor_normals_params{}, output));
  splat_rows made{std::vector<std::array<float, 3>>(n), std::vector<std::array<float, 3>>(n), std::vector<float>(n),
                  std::vector<float>(n), false};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      made.normals[i][axis] = static_cast<float>(normals[i][axis]);
      made.tangents[i][axis] = static_cast<float>(tangents[i][axis]);
    }
    made.along[i] = static_cast<float>(extents[i][0]);
    made.across[i] = static_cast<float>(extents[i][1]);
  }
  return made;
}

}  // namespace

splat_rows make_splats(cloud const& of, std::int64_t k, double max_radius, farpoint::runtime::options const& where) {
  auto made = with_coordinates(of, [&](auto const& rows) { return splats_of(rows, k, max_radius, where); });
  // Neighbors of strays are far away: their splats would hide the others.
  auto const longest = static_cast<float>(turntable{set_upright(of.points, up_axis::plus_z), 0}.reach() / 64);
  for (auto* const radii : {&made.along, &made.across}) {
    for (auto& radius : *radii) radius = std::min(radius, longest);
  }
  return made;
}

std::vector<float> angles_to_columns(splat_rows const& splats, cloud const& of) {
  column const* const parts[] = {of.find("nx"), of.find("ny"), of.find("nz")};
  if (parts[0] == nullptr || parts[1] == nullptr || parts[2] == nullptr) return {};
  std::vector<point3> given(splats.normals.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) given[i][axis] = static_cast<float>(parts[axis]->at(i));
  }
  auto angles = angles_between(splats.normals, given);
  point3 const none{};
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] == none || splats.normals[i] == none) angles[i] = std::numeric_limits<float>::quiet_NaN();
  }
  return angles;
}

}  // namespace farpoint_tools

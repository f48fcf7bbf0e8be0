// Z-buffers, quadtrees and splats.
#include <farpoint/quadtree.cuh>
#include <farpoint/quadtree.hpp>
#include <farpoint/splat/draw_splats.cuh>
#include <farpoint/splat/draw_splats.hpp>
#include <farpoint/splat/normals_from_neighbors.cuh>
#include <farpoint/splat/normals_from_neighbors.hpp>
#include <farpoint/splat/project.cuh>
#include <farpoint/splat/project.hpp>

#include "../screen/cameras.hpp"
#include "two_sides.cuh"

using namespace farpoint_tests;

namespace {

constexpr std::int32_t width = 96, height = 80;
constexpr std::size_t pixels = std::size_t{width} * height;

template <class Side, class T>
using array_of = typename Side::template array<T>;

/// Points of the unit cube, which camera_at_cube() sees.
std::vector<float> unit_cube_of(std::size_t points) {
  random_source random{5};
  std::vector<float> xyz(3 * points);
  for (float& x : xyz) x = random.uniform();
  return xyz;
}

/// Points that a z-buffer shows, as the host's build_quadtree() takes them.
std::vector<farpoint::quadtree_point> shown_points(farpoint::zbuffer_ref const& zbuffer) {
  std::vector<farpoint::quadtree_point> points;
  for (index_t pixel = 0; pixel < zbuffer.size(); ++pixel) {
    farpoint::zbuffer_point const front = zbuffer.front(pixel);
    if (!front.exists()) continue;
    points.push_back({static_cast<std::uint16_t>(pixel % zbuffer.width()),
                      static_cast<std::uint16_t>(pixel / zbuffer.width()), front.depth,
                      static_cast<std::uint32_t>(front.index)});
  }
  return points;
}

/// Builds a tree on either side, in memory for as many points as pixels.
void build_on(host_side const&, farpoint::zbuffer_ref const& zbuffer, farpoint::bytes memory) {
  // The host's tree has room for its points alone: its arrays are copied to where the larger tree has them.
  auto const points = shown_points(zbuffer);
  host_array<unsigned char> const tight{farpoint::quadtree_bytes(width, height, static_cast<index_t>(points.size()))};
  farpoint::quadtree_ref tree;
  REQUIRE(farpoint::build_quadtree(host_exec{}, width, height, {points.data(), points.size()}, all_of(tight), tree));
  auto const arrays = farpoint::quadtree_layout{width, height, index_t{pixels}}.cut(memory.data());
  auto const records = static_cast<std::size_t>(tree.layout().record_count());
  std::copy_n(tree.arrays().records, records, arrays.records);
  std::copy_n(tree.arrays().pixels, points.size(), arrays.pixels);
  std::copy_n(tree.arrays().indices, points.size(), arrays.indices);
  std::copy_n(tree.arrays().depths, points.size(), arrays.depths);
}
void build_on(device_side const& side, farpoint::zbuffer_ref const& zbuffer, farpoint::bytes memory) {
  device_array<unsigned char> const workspace{farpoint::quadtree_workspace_bytes(side.exec(), width, height)};
  farpoint::quadtree_ref tree;
  REQUIRE(farpoint::build_quadtree(side.exec(), zbuffer, memory, all_of(workspace), tree));
  side.wait();
  CHECK(workspace.intact());
}

}  // namespace

TEST_CASE("compiled for another GPU: project, and build_quadtree of its z-buffer", "[project][quadtree][device]") {
  std::vector<float> const points = unit_cube_of(5000);
  auto const camera = camera_at_cube<float>(width, height);
  check_both_sides([&](auto side) {
    using side_type = decltype(side);
    array_of<side_type, float> const xyz{points};
    array_of<side_type, std::uint64_t> const words{pixels};
    array_of<side_type, farpoint::project_report> const report{1};
    array_of<side_type, unsigned char> const tree{farpoint::quadtree_bytes(width, height, index_t{pixels})};
    farpoint::zbuffer_ref const zbuffer{all_of(words), width, height};
    REQUIRE(project(side.exec(), clouds_in(xyz), camera, zbuffer, report.data()));
    side.wait();
    build_on(side, zbuffer, all_of(tree));
    return written_to(words, report, tree);
  });
}

TEST_CASE("compiled for another GPU: normals_from_neighbors and draw_splats", "[draw_splats][device]") {
  constexpr std::size_t splats = 3000, k = 8;
  std::vector<float> const points = unit_cube_of(splats);
  std::vector<float> shades(3 * splats);
  std::vector<std::int32_t> neighbors(splats * k);
  random_source random{6};
  for (float& shade : shades) shade = random.uniform();
  for (std::int32_t& index : neighbors) index = static_cast<std::int32_t>(random.below(splats));
  auto const camera = camera_at_cube<float>(width, height);
  for (bool const hides : {false, true}) {
    CAPTURE(hides);
    farpoint::draw_splats_params params;
    params.most_extent = 0.1;
    if (hides) params.hidden = 3;
    check_both_sides([&](auto side) {
      using side_type = decltype(side);
      array_of<side_type, float> const xyz{points}, colors{shades}, normals{3 * splats}, tangents{3 * splats},
          extents{2 * splats}, curvatures{splats}, image{3 * pixels}, depths{pixels};
      array_of<side_type, std::int32_t> const indices{neighbors};
      array_of<side_type, std::uint8_t> const image_bytes{3 * pixels};
      auto const cloud = clouds_in(xyz);
      farpoint::neighbor_rows const rows{all_of(indices), k};
      REQUIRE(normals_from_neighbors(side.exec(), cloud, rows, {},
                                     {all_of(normals), all_of(curvatures), all_of(tangents), all_of(extents)}));
      farpoint::splat_view<float> drawn;
      drawn.extents = all_of(extents);
      drawn.normals = all_of(normals);
      drawn.tangents = all_of(tangents);
      drawn.colors = all_of(colors);
      array_of<side_type, unsigned char> const memory{draw_splats_workspace_bytes(side.exec(), drawn, camera, params)};
      REQUIRE(draw_splats(side.exec(), cloud, drawn, camera, params,
                          {all_of(image), all_of(image_bytes), 0, all_of(depths)}, all_of(memory)));
      side.wait();
      CHECK(memory.intact());
      return written_to(normals, curvatures, tangents, extents, image, image_bytes, depths);
    });
  }
}

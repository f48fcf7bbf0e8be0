// A part of a map: the points in a box, some of them drawn at random, and the voxels of these. How many there are is an
// offset that one call writes and the next one reads: with cuda_exec the same calls can be captured in a graph.
#include <farpoint/gather.hpp>
#include <farpoint/subset/crop_box.hpp>
#include <farpoint/subset/random_subset.hpp>
#include <farpoint/voxelize.hpp>

#include <array>
#include <cstdio>
#include <vector>

int main() {
  std::vector<float> points;  // [map_points, 3]
  constexpr farpoint::index_t map_points = 40000;
  for (int i = 0; i < map_points; ++i) {
    for (int const value : {i % 200, i / 200, i % 7}) points.push_back(static_cast<float>(value) * 0.1f);
  }

  //! [arrays]
  using view = farpoint::point_view<float>;
  using clouds = farpoint::batch<view>;
  farpoint::host_exec const exec{};
  clouds const map{view{points.data(), map_points}};
  farpoint::bounding_box<float> const box{{{5, 5, 0}}, {{10, 10, 1}}};
  constexpr farpoint::index_t room = 4000;  // for points in the box
  std::vector<std::int32_t> indices(room);
  std::vector<farpoint::index_t> offsets(2);  // 0, and how many points are in the box
  std::vector<float> kept(3 * room);
  farpoint::crop_box_report report;

  constexpr farpoint::index_t samples = 1000;
  std::vector<std::int32_t> draws(samples);
  std::vector<farpoint::index_t> drawn_offsets(2);  // 0, and how many points were drawn
  std::vector<float> drawn(3 * samples);

  farpoint::voxelize_params<float> grid;
  grid.grid = farpoint::voxel_grid<float>::from_range(box.low, box.high, {{1, 1, 1}});
  std::vector<float> centroids(3 * 25);
  std::vector<std::int32_t> voxel_count(1);
  farpoint::voxelize_output<float> voxels;
  voxels.capacity = 25;
  voxels.centroid = centroids;
  voxels.voxel_count = voxel_count;

  clouds const cropped = clouds::ragged(view{kept.data(), room}, offsets);
  clouds const sampled = clouds::ragged(view{drawn.data(), samples}, drawn_offsets);
  farpoint::host_scratch const crop_workspace{crop_box_workspace_bytes(exec, map)};
  farpoint::host_scratch const voxel_workspace{voxelize_workspace_bytes(exec, sampled, grid, voxels)};
  //! [arrays]

  constexpr std::uint64_t seed = 7;
  //! [calls]
  using farpoint::feature_rows;
  auto const map_rows = feature_rows<float const>::regular(points, 1, 3);
  auto const kept_rows = feature_rows<float>::ragged(kept, offsets, 3);
  auto const drawn_rows = feature_rows<float>::ragged(drawn, drawn_offsets, 3);
  farpoint::result outcome = crop_box(exec, map, box, {indices, offsets, &report}, crop_workspace);
  if (outcome) outcome = farpoint::gather<float>(exec, map_rows, indices, kept_rows);
  if (outcome) outcome = random_subset(exec, cropped, samples, seed, {draws, drawn_offsets});
  if (outcome) outcome = farpoint::gather<float>(exec, kept_rows, draws, drawn_rows);
  if (outcome) outcome = voxelize(exec, sampled, grid, voxels, voxel_workspace);
  //! [calls]
  if (!outcome) {
    std::fprintf(stderr, "%s\n", outcome.reason);
    return 1;
  }

  //! [downsample]
  // The points in the box as a cloud by itself, on the host: a point for each cube of 0.5 m.
  std::vector<std::array<float, 3>> part(static_cast<std::size_t>(offsets[1]));
  for (std::size_t i = 0; i < part.size(); ++i) part[i] = {kept[3 * i], kept[3 * i + 1], kept[3 * i + 2]};
  std::vector<std::array<float, 3>> const thin = farpoint::downsample(part, 0.5);
  //! [downsample]

  std::printf("%lld points, %d voxels\n", static_cast<long long>(offsets[1]), static_cast<int>(voxel_count[0]));
  bool const is_right = report.written + report.outside == map_points && report.over_capacity == 0 &&
                        offsets[1] == static_cast<farpoint::index_t>(report.written) && drawn_offsets[1] == samples &&
                        voxel_count[0] == 25 && thin.size() >= 100 && thin.size() < 1000;
  return is_right ? 0 : 1;
}

// Voxel maps that accumulate, erase and are restored, and the features of pillars.
#include <farpoint/pillar_features.cuh>
#include <farpoint/pillar_features.hpp>
#include <farpoint/scale/voxel_map.cuh>

#include "two_sides.cuh"

using namespace farpoint_tests;

namespace {

template <class Side, class T>
using array_of = typename Side::template array<T>;

/// Grid that the cube of 40 m surpasses on all sides.
farpoint::voxel_grid<float> small_grid() {
  return farpoint::voxel_grid<float>::from_range({{-16, -16, -16}}, {{16, 16, 16}}, {{2, 2, 4}});
}

/// Outputs of voxel_map_read().
template <class Side>
struct read_voxels {
  static constexpr std::size_t rows = 1024, features = 3;

  array_of<Side, std::int32_t> coords{3 * rows}, sizes{rows}, count{1};
  array_of<Side, float> mean{features * rows}, max{features * rows}, first{features * rows}, centroid{3 * rows};
  array_of<Side, index_t> first_point{rows};
  array_of<Side, farpoint::voxel_map_report> report{1};

  read_voxels(Side const& side, farpoint::voxel_map<float> const& map) {
    farpoint::voxel_map_output<float> output;
    output.capacity = rows;
    output.coords = all_of(coords);
    output.points_per_voxel = all_of(sizes);
    output.mean = all_of(mean);
    output.max = all_of(max);
    output.first = all_of(first);
    output.centroid = all_of(centroid);
    output.first_point = all_of(first_point);
    output.voxel_count = all_of(count);
    output.report = report.data();
    REQUIRE(voxel_map_read(side.exec(), map, output));
    side.wait();
  }

  written_bytes bytes() const {
    return written_to(coords, sizes, count, mean, max, first, centroid, first_point, report);
  }
};

void append(written_bytes& bytes, written_bytes const& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

}  // namespace

TEST_CASE("compiled for another GPU: voxel_map_insert, voxel_map_keep, voxel_map_read and voxel_map_restore",
          "[voxel_map][device]") {
  constexpr std::size_t points = 4000, capacity = 1024;
  std::vector<float> const tiles[] = {cube_of(points), cube_of(points, 2), cube_of(points / 4, 3)};
  farpoint::voxel_map_params<float> params;
  params.grid = small_grid();
  params.mode = farpoint::hard{capacity, 6};
  params.capacity = capacity;
  params.features = 3;
  params.parts = {true, true, true, true, true};
  check_both_sides([&](auto side) {
    using side_type = decltype(side);
    array_of<side_type, unsigned char> const memory{farpoint::voxel_map_bytes(params)};
    farpoint::voxel_map<float> const map{params, all_of(memory)};
    array_of<side_type, std::int32_t> const voxel_of{3 * points}, numbers{capacity};
    array_of<side_type, farpoint::voxel_map_keep_report> const kept{1};
    REQUIRE(voxel_map_clear(side.exec(), map));
    for (std::size_t i = 0; i < 3; ++i) {
      array_of<side_type, float> const xyz{tiles[i]};
      auto const size = static_cast<index_t>(tiles[i].size() / 3);
      farpoint::voxel_map_tile<view> const tile{view{xyz.data(), size},
                                                farpoint::feature_view::packed<float>(xyz.data(), size, 3),
                                                all_of(voxel_of).subspan(i * points, static_cast<std::size_t>(size))};
      array_of<side_type, unsigned char> const workspace{voxel_map_insert_workspace_bytes(side.exec(), map, tile)};
      REQUIRE(voxel_map_insert(side.exec(), map, tile, all_of(workspace)));
      side.wait();
      CHECK(workspace.intact());
    }
    written_bytes bytes = read_voxels<side_type>{side, map}.bytes();

    // Each condition erases some voxels.
    array_of<side_type, float> const origin{std::vector<float>{1, -1, 2}};
    farpoint::voxel_map_keep_params<float> keep;
    keep.box = {{{-15, -15, -20}}, {{15, 20, 20}}};
    keep.radius = 18;
    keep.origin = all_of(origin);
    keep.max_age = 1;
    keep.max_voxels = 500;
    array_of<side_type, unsigned char> const workspace{voxel_map_keep_workspace_bytes(side.exec(), params)};
    REQUIRE(voxel_map_keep(side.exec(), map, keep, {all_of(numbers), kept.data()}, all_of(workspace)));
    read_voxels<side_type> const remaining{side, map};
    append(bytes, remaining.bytes());
    append(bytes, written_to(voxel_of, numbers, kept));
    CHECK(workspace.intact());

    // Saves the arrays of the map, and loads them into other memory.
    auto const header = farpoint::voxel_map_header::of(params, remaining.report.download()[0]);
    array_of<side_type, unsigned char> const loaded{farpoint::voxel_map_bytes(params)};
    farpoint::voxel_map<float> const copy{params, all_of(loaded)};
    farpoint::voxel_map_saved from, to;
    REQUIRE(voxel_map_saved_arrays(map, header, from));
    REQUIRE(voxel_map_saved_arrays(copy, header, to));
    REQUIRE(from.size() == to.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      farpoint::bytes const source = from.begin()[i], target = to.begin()[i];
      std::vector<unsigned char> saved(source.size());
      REQUIRE_CUDA(cudaMemcpy(saved.data(), source.data(), source.size(), cudaMemcpyDefault));
      append(bytes, saved);
      REQUIRE_CUDA(cudaMemcpy(target.data(), saved.data(), saved.size(), cudaMemcpyDefault));
    }
    // A copy from pageable memory may return early, and the side's stream does not wait for it.
    REQUIRE_CUDA(cudaStreamSynchronize(nullptr));
    REQUIRE(voxel_map_restore(side.exec(), copy, header));
    append(bytes, read_voxels<side_type>{side, copy}.bytes());
    CHECK(memory.intact());
    CHECK(loaded.intact());
    return bytes;
  });
}

TEST_CASE("compiled for another GPU: pillar_features", "[pillar_features][device]") {
  constexpr std::size_t points = 5000, rows = 1024, kept = 5, features = 3;
  std::vector<float> const cloud = cube_of(points);
  for (auto const centers : {farpoint::pillar_centers::xy, farpoint::pillar_centers::xyz}) {
    auto const columns = features + static_cast<std::size_t>(farpoint::pillar_columns(centers));
    CAPTURE(columns);
    check_both_sides([&](auto side) {
      using side_type = decltype(side);
      array_of<side_type, float> const xyz{cloud}, gathered{rows * kept * features}, centroid{3 * rows};
      array_of<side_type, float> const pillars{rows * kept * columns};
      array_of<side_type, std::int32_t> const coords{3 * rows}, sizes{rows}, count{1};
      farpoint::voxelize_params<float> params;
      params.grid = small_grid();
      params.mode = farpoint::hard{rows, kept};
      params.features = farpoint::feature_view::packed<float>(xyz.data(), index_t{points}, 3);
      farpoint::voxelize_output<float> voxels;
      voxels.capacity = rows;
      voxels.coords = all_of(coords);
      voxels.points_per_voxel = all_of(sizes);
      voxels.gathered = all_of(gathered);
      voxels.centroid = all_of(centroid);
      voxels.voxel_count = all_of(count);
      auto const clouds = clouds_in(xyz);
      array_of<side_type, unsigned char> const memory{voxelize_workspace_bytes(side.exec(), clouds, params, voxels)};
      REQUIRE(voxelize(side.exec(), clouds, params, voxels, all_of(memory)));
      REQUIRE(pillar_features(side.exec(), params, voxels, centers, all_of(pillars)));
      side.wait();
      CHECK(memory.intact());
      return written_to(coords, sizes, gathered, centroid, count, pillars);
    });
  }
}

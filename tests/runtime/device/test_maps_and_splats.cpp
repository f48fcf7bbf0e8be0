// Voxel maps and pictures of the compiled library on device memory.
#include <farpoint/runtime.hpp>
#include <farpoint/scale/voxel_map.hpp>
#include <farpoint/splat/draw_splats.hpp>
#include <farpoint/splat/project.hpp>

#include "../../screen/cameras.hpp"
#include "../../support/catch.hpp"
#include "mirrored_clouds.hpp"

using namespace farpoint_tests;

namespace {

/// Inserts two tiles, keeps a ball, and reads the map.
template <class Scalar>
void check_voxel_map() {
  constexpr index_t n = 3000;
  constexpr index_t capacity = 2000;
  mirrored_clouds<Scalar> const cloud{n, {0, n}, 3};
  farpoint::voxel_map_params<Scalar> params;
  params.grid = farpoint::voxel_grid<Scalar>::from_range({{0, 0, 0}}, {{1, 1, 1}}, {{0.1f, 0.1f, 0.1f}});
  params.capacity = capacity;
  params.hash_seed = 9;
  farpoint::voxel_map_keep_params<Scalar> keep;
  keep.radius = Scalar(0.4);
  keep.center = {{Scalar(0.5), Scalar(0.5), Scalar(0.5)}};
  mirrored_workspace memory;
  mirrored_workspace kept;
  mirror<Scalar> centroids{3 * capacity};
  mirror<std::int32_t> counts{capacity};
  mirror<std::int64_t> rows{1};
  mirror<farpoint::voxel_map_report> report{1};
  check_same_as_host(
      [&](auto exec, auto& workspace) {
        farpoint::voxel_map<Scalar> const map{params, memory.of_size(exec, voxel_map_bytes(params))};
        auto const points = cloud.on(exec).points();
        farpoint::voxel_map_tile<farpoint::point_view<Scalar>> const tile{points};
        farpoint::voxel_map_output<Scalar> output;
        output.capacity = capacity;
        output.centroid = centroids.on(exec);
        output.points_per_voxel = counts.on(exec);
        output.voxel_count = rows.on(exec);
        output.report = report.on(exec).data();
        farpoint::bytes const room = workspace.of_size(exec, voxel_map_insert_workspace_bytes(exec, map, tile));
        farpoint::bytes const room_to_keep = kept.of_size(exec, voxel_map_keep_workspace_bytes(exec, params));
        farpoint::result const outcomes[] = {voxel_map_clear(exec, map), voxel_map_insert(exec, map, tile, room),
                                             voxel_map_insert(exec, map, tile, room),
                                             voxel_map_keep(exec, map, keep, {}, room_to_keep),
                                             voxel_map_read(exec, map, output)};
        for (auto const& outcome : outcomes) {
          if (!outcome) return outcome;
        }
        return farpoint::result{};
      },
      centroids, counts, rows, report);
  CHECK(memory.intact());
  CHECK(kept.intact());
  CHECK(rows.host()[0] > 100);
  CHECK(rows.host()[0] < 1000);
  CHECK(report.host()[0].erased_voxels > 0);
}

template <class Scalar>
void check_pictures() {
  constexpr index_t n = 2000;
  constexpr int width = 90;
  constexpr int height = 70;
  mirrored_clouds<Scalar> const cloud{n, {0, n}, 5};
  auto const camera = camera_at_cube<Scalar>(width, height);
  mirror<std::uint64_t> zbuffer{width * height};
  mirror<farpoint::project_report> report{1};
  check_same_as_host(
      [&](auto exec, auto&) {
        farpoint::zbuffer_ref const pixels{zbuffer.on(exec), width, height};
        return project(exec, cloud.on(exec), camera, pixels, report.on(exec).data());
      },
      zbuffer, report);
  mirror<Scalar> const extents{std::vector<Scalar>(2 * n, Scalar(0.02))};
  mirror<float> colors{3 * width * height};
  check_same_as_host(
      [&](auto exec, auto& workspace) {
        farpoint::splat_view<Scalar> splats;
        splats.extents = extents.of(exec);
        farpoint::splat_image image;
        image.colors = colors.on(exec);
        farpoint::draw_splats_params const params;
        return draw_splats(exec, cloud.on(exec), splats, camera, params, image,
                           workspace.of_size(exec, draw_splats_workspace_bytes(exec, splats, camera, params)));
      },
      colors);
}

}  // namespace

TEST_CASE("library, device: voxel maps are the header's", "[library][device][voxel_map]") {
  check_voxel_map<float>();
  check_voxel_map<double>();
}

TEST_CASE("library, device: z-buffers and pictures of splats are the headers'", "[library][device][splat]") {
  check_pictures<float>();
  check_pictures<double>();
}

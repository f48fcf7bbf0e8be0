// Limits of the calls on host_exec that the compiled library does not have on a stream. See limit_tests.inc.
#include <farpoint/fps.hpp>
#include <farpoint/knn_screen.hpp>
#include <farpoint/pillar_features.hpp>
#include <farpoint/quadtree.hpp>
#include <farpoint/scale/fps_shard.hpp>
#include <farpoint/scale/gather_voxels.hpp>
#include <farpoint/scale/knn_shard.hpp>
#include <farpoint/scale/neighborhood_shard.hpp>
#include <farpoint/scale/radius_shard.hpp>
#include <farpoint/scale/repartition.hpp>
#include <farpoint/scale/thread_communicator.hpp>
#include <farpoint/scale/voxel_map.hpp>
#include <farpoint/scale/voxelize_shard.hpp>
#include <farpoint/splat/draw_splats.hpp>
#include <farpoint/splat/normals_from_neighbors.hpp>
#include <farpoint/splat/project.hpp>

#include "../../support/catch.hpp"
#include "../backend_limits.hpp"

using namespace farpoint_tests;
using farpoint::span;

namespace {

constexpr farpoint::host_exec exec{1};
constexpr index_t point_limit = index_t{1} << 30;
constexpr int max_side = 8192;

std::size_t size_of(index_t count) {
  return static_cast<std::size_t>(count);
}

/// Sides of an image whose longer one is `side`.
struct image_sides {
  int width, height;
};
std::vector<image_sides> images_of(index_t side) {
  return {{static_cast<int>(side), 1}, {1, static_cast<int>(side)}};
}

farpoint::pinhole_camera<float> camera_of(image_sides image) {
  farpoint::pinhole_camera<float> camera;
  camera.width = image.width;
  camera.height = image.height;
  return camera;
}

bool has_reason(farpoint::result const& outcome, char const* sentence) {
  return outcome.code == farpoint::status::bad_argument && std::string{outcome.reason} == sentence;
}

/// The one rank of a call.
struct lone_rank {
  farpoint::thread_ranks ranks{1};
  farpoint::thread_communicator communicator{ranks, 0};
};

/// A communicator of `count` ranks; a refused call reads nothing else of it.
struct many_ranks {
  int count;
  int ranks() const noexcept { return count; }
  int rank() const noexcept { return 0; }
  farpoint::result all_gather(void const*, void*, std::size_t) noexcept { return failed(); }
  farpoint::result all_to_all(farpoint::all_to_all_messages const&) noexcept { return failed(); }
  void abort() noexcept {}
  static farpoint::result failed() noexcept { return farpoint::detail::communication_failure("no other rank"); }
};

}  // namespace

TEST_CASE("limits, host: fps by weights", "[limits][host]") {
  float const weight = 1;
  std::int64_t index = 0;
  farpoint::fps_params params;
  params.samples = 1;
  farpoint::fps_output<float> const output{span<std::int64_t>{&index, 1}};
  check_limit(2147483647, "fps_weighted: a cloud has more than 2^31 - 1 points", [&](index_t points) {
    return fps_weighted(exec, one_cloud(points), span<float const>{&weight, size_of(points)}, params, output, {});
  });
}

TEST_CASE("limits, host: pictures", "[limits][host]") {
  float const extent = 1;
  float red = 0;
  farpoint::splat_image image;
  image.colors = span<float>{&red, 3 * max_side + 3};
  check_limit(point_limit, "splats: more than 2^30", [&](index_t splats) {
    return draw_splats(exec, one_cloud(1), {span<float const>{&extent, size_of(2 * splats)}}, camera_of({8, 8}), {},
                       image, {});
  });
  check_limit(point_limit, "points: a cloud has more than 2^30 points", [&](index_t points) {
    return draw_splats(exec, one_cloud(points), {}, camera_of({8, 8}), {}, image, {});
  });
  check_limit(point_limit, "points: a cloud has more than 2^30 points", [&](index_t points) {
    return project(exec, one_cloud(points), camera_of({8, 8}), farpoint::zbuffer_ref{{}, 8, 8});
  });
  check_limit(1024, "rows: k is not between 1 and 1,024", [&](index_t k) {
    std::int32_t const neighbor = 0;
    farpoint::neighbor_rows rows;
    rows.indices = span<std::int32_t const>{&neighbor, size_of(2 * k)};
    rows.k = k;
    return normals_from_neighbors(exec, one_cloud(1), rows, {}, farpoint::neighbor_normals_output<float>{});
  });
}

TEST_CASE("limits, host: sides of an image", "[limits][host]") {
  for (auto const& image : images_of(max_side)) {
    CAPTURE(image.width, image.height);
    auto const camera = camera_of(image);
    std::vector<std::uint64_t> words(size_of(max_side));
    CHECK(project(exec, one_cloud(3), camera, farpoint::zbuffer_ref{words, image.width, image.height}));
    CHECK(words[0] == farpoint::zbuffer_ref::clear_value);

    farpoint::splat_view<float> const no_splats{};
    farpoint::host_scratch scratch{draw_splats_workspace_bytes(exec, no_splats, camera, {})};
    std::vector<float> colors(size_of(3 * max_side));
    farpoint::splat_image picture;
    picture.colors = colors;
    CHECK(draw_splats(exec, one_cloud(0), no_splats, camera, {}, picture, scratch));

    farpoint::quadtree_point const corner{static_cast<std::uint16_t>(image.width - 1),
                                          static_cast<std::uint16_t>(image.height - 1), 2.0f, 0};
    farpoint::host_scratch memory{farpoint::quadtree_bytes(image.width, image.height, 1)};
    farpoint::quadtree_ref tree;
    CHECK(build_quadtree(exec, image.width, image.height, span<farpoint::quadtree_point const>{&corner, 1}, memory,
                         tree));
  }
  for (auto const& image : images_of(max_side + 1)) {
    CAPTURE(image.width, image.height);
    auto const camera = camera_of(image);
    std::uint64_t word = 0;
    CHECK(has_reason(project(exec, one_cloud(3), camera, farpoint::zbuffer_ref{{&word, 1}, image.width, image.height}),
                     "project: the camera's width or height is not between 1 and 8,192"));
    CHECK(has_reason(draw_splats(exec, one_cloud(0), {}, camera, {}, {}, {}),
                     "draw_splats: the camera's width or height is not between 1 and 8,192"));
    farpoint::quadtree_ref tree;
    CHECK(has_reason(build_quadtree(exec, image.width, image.height, {}, {}, tree),
                     "width, height or points: not 1 to 8192, or more points than pixels"));
  }
}

TEST_CASE("limits, host: layers and rounds of a search in screen space", "[limits][host]") {
  farpoint::screen_space<farpoint::pinhole_camera<float>> method;
  auto const search = [&](image_sides image, int layers, int rounds) {
    method.camera = camera_of(image);
    method.layers = layers;
    method.k = 3;
    method.rounds = rounds;
    return knn(exec, one_cloud(10), method, farpoint::knn_screen_output<float>{}, {});
  };
  check_limit(16, "knn: screen_space::layers is not between 1 and 16", [&](index_t layers) {
    return search({64, 48}, static_cast<int>(layers), 3);
  });
  check_limit(64, "knn: screen_space::rounds is not between 0 and 64", [&](index_t rounds) {
    return search({64, 48}, 1, static_cast<int>(rounds));
  });
  char const* const sides =
      "knn: screen_space::rounds with 2 to 4 layers takes at most 4,096 pixels a side, with more 2,048";
  check_limit(4096, sides, [&](index_t side) { return search({static_cast<int>(side), 1}, 4, 3); });
  check_limit(2048, sides, [&](index_t side) { return search({static_cast<int>(side), 1}, 5, 3); });
}

TEST_CASE("limits, host: features of pillars", "[limits][host]") {
  float value = 0;
  farpoint::voxelize_params<float> params;
  params.mode = farpoint::hard{1, 1};
  farpoint::voxelize_output<float> voxels;
  voxels.capacity = 1;
  check_limit(64, "pillar_features: params.features must have 3 to 64 features", [&](index_t features) {
    params.features = farpoint::feature_view::packed(&value, 1, static_cast<int>(features));
    return pillar_features(exec, params, voxels, farpoint::pillar_centers::xy, {});
  });
}

TEST_CASE("limits, host: voxel maps", "[limits][host]") {
  farpoint::voxel_map<float> map;
  map.params.grid.size = {{1, 1, 1}};
  map.params.grid.dims = {{8, 8, 8}};
  check_limit(point_limit, "voxel_map: the capacity is negative, or above 2^30", [&](index_t capacity) {
    map.params.capacity = capacity;
    return voxel_map_clear(exec, map);
  });
  CHECK(farpoint::voxel_map_bytes(map.params) == 0);
  map.params.capacity = 1;
  check_limit(64, "voxel_map: a point has 0 to 64 features", [&](index_t features) {
    map.params.features = static_cast<int>(features);
    return voxel_map_clear(exec, map);
  });
  map.params.features = 0;
  farpoint::host_scratch memory{farpoint::voxel_map_bytes(map.params)};
  map.memory = memory;
  REQUIRE(voxel_map_clear(exec, map));
  check_limit(point_limit, "voxel_map: the points of a tile are a negative number, or more than 2^30",
              [&](index_t points) {
                return voxel_map_insert(exec, map, farpoint::voxel_map_tile<limit_view>{limit_points(points)}, {});
              });
}

TEST_CASE("limits, host: points and queries of a rank", "[limits][host]") {
  lone_rank lone;
  auto& communicator = lone.communicator;
  auto const part_of = [](index_t points) { return farpoint::shard<limit_view>{limit_points(points), 0}; };
  char const* const cloud = "points: a cloud has more than 2^30 points";
  index_t row = 0;
  float distance = 0;
  span<index_t> const rows{&row, size_of(point_limit + 1)};
  span<float> const distances{&distance, size_of(point_limit + 1)};

  farpoint::voxelize_params<float> voxels;
  voxels.grid.size = {{1, 1, 1}};
  voxels.grid.dims = {{8, 8, 8}};
  farpoint::voxelize_shard_output<float> of_voxels;
  auto const voxelized = [&](index_t points) {
    return voxelize_shard(exec, communicator, part_of(points), voxels, of_voxels, {});
  };
  char const* const too_many = "voxelize_shard: more than 2^30 points of a rank, or a negative received_capacity";
  check_limit(point_limit, too_many, voxelized);
  check_limit(point_limit, too_many, [&](index_t capacity) {
    of_voxels.received_capacity = capacity;
    return voxelized(1);
  });

  farpoint::fps_params samples;
  samples.samples = 1;
  check_limit(point_limit, "fps_shard: more than 2^30 points of a rank", [&](index_t points) {
    return fps_shard(exec, communicator, part_of(points), samples, farpoint::fps_shard_output<float>{{&row, 1}}, {});
  });

  farpoint::knn_shard_output<float> near{rows, distances};
  auto const near_of = [&](index_t points, index_t queries, auto const& method) {
    return knn_shard(exec, communicator, part_of(points), limit_points(queries), method, near, {});
  };
  char const* const asked = "knn_shard: more than 2^30 queries of a rank, or a negative exchanged_capacity";
  check_limit(point_limit, cloud, [&](index_t points) { return near_of(points, 1, farpoint::knn_params{}); });
  check_limit(point_limit, asked, [&](index_t queries) { return near_of(1, queries, farpoint::knn_params{}); });
  check_limit(point_limit, "knn_shard: along_curve::owned_points or owned_queries is negative, or above 2^30",
              [&](index_t owned) {
                farpoint::along_curve curve;
                curve.owned_points = owned;
                return near_of(1, 1, curve);
              });

  check_limit(point_limit, cloud, [&](index_t points) {
    return mean_knn_distance_shard_plan(exec, communicator, part_of(points), {1}, {distances}, {}).outcome();
  });
  farpoint::interpolate_output const between{{&distance, size_of(point_limit + 1)}, nullptr};
  check_limit(point_limit, "queries: a rank has more than 2^30", [&](index_t queries) {
    return interpolate_shard_plan(exec, communicator, part_of(1), {&distance, 1}, limit_points(queries), 1, between, {})
        .outcome();
  });
  check_limit(point_limit, cloud,
              [&](index_t points) { return repartition(exec, communicator, part_of(points), {}, {}); });

  span<index_t> const counts{&row, size_of(point_limit + 1)};
  farpoint::radius_shard_output<float> around;
  around.counts = counts;
  auto const around_of = [&](index_t points, index_t queries) {
    return radius_shard(exec, communicator, part_of(points), limit_points(queries), {1.0, 0}, around, {});
  };
  check_limit(point_limit, cloud, [&](index_t points) { return around_of(points, 1); });
  char const* const searched =
      "radius_shard: more than 2^30 queries of a rank, or an exchanged_capacity that is negative or above";
  check_limit(point_limit, searched, [&](index_t queries) { return around_of(1, queries); });
  check_limit(point_limit, searched, [&](index_t capacity) {
    around.exchanged_capacity = capacity;
    return around_of(1, 1);
  });
}

TEST_CASE("limits, host: first indices of a rank", "[limits][host]") {
  lone_rank lone;
  index_t const most = index_t{1} << 62;
  float distance = 0;
  index_t row = 0;
  auto const part_from = [](index_t first) { return farpoint::shard<limit_view>{limit_points(1), first}; };
  farpoint::voxelize_params<float> voxels;
  voxels.grid.size = {{1, 1, 1}};
  voxels.grid.dims = {{8, 8, 8}};
  check_limit(most, "voxelize_shard: first_index is negative, or above 2^62", [&](index_t first) {
    return voxelize_shard(exec, lone.communicator, part_from(first), voxels, farpoint::voxelize_shard_output<float>{},
                          {});
  });
  farpoint::fps_params samples;
  samples.samples = 1;
  check_limit(most, "fps_shard: first_index is negative, or above 2^62", [&](index_t first) {
    return fps_shard(exec, lone.communicator, part_from(first), samples, farpoint::fps_shard_output<float>{{&row, 1}},
                     {});
  });
  check_limit(most, "knn_shard: first_index is negative, or above 2^62", [&](index_t first) {
    return knn_shard(exec, lone.communicator, part_from(first), limit_points(1), farpoint::knn_params{1},
                     farpoint::knn_shard_output<float>{{&row, 1}, {&distance, 1}}, {});
  });
  check_limit(most, "shard: first_index is negative, or above 2^62", [&](index_t first) {
    return mean_knn_distance_shard_plan(exec, lone.communicator, part_from(first), {1}, {{&distance, 1}}, {}).outcome();
  });
  check_limit(most, "repartition: first_index is negative, or above 2^62",
              [&](index_t first) { return repartition(exec, lone.communicator, part_from(first), {}, {}); });
  check_limit(most, "radius_shard: first_index is negative, or above 2^62", [&](index_t first) {
    farpoint::radius_shard_output<float> output;
    output.counts = span<index_t>{&row, 1};
    return radius_shard(exec, lone.communicator, part_from(first), limit_points(1), {1.0, 0}, output, {});
  });
}

TEST_CASE("limits, host: voxels of all ranks", "[limits][host]") {
  lone_rank lone;
  farpoint::voxelize_params<float> const params;
  farpoint::voxelize_shard_output<float> own;
  farpoint::voxelize_output<float> all;
  check_limit(index_t{1} << 48, "gather_voxels: all.capacity is negative, or above 2^48", [&](index_t capacity) {
    all.capacity = capacity;
    return gather_voxels(exec, lone.communicator, params, own, all, {});
  });
}

TEST_CASE("limits, host: ranks", "[limits][host]") {
  farpoint::shard<limit_view> const part{limit_points(1), 0};
  char const* const rank_limit = "communicator: it has no ranks, or more than 1024";
  auto const by_ranks = [](auto const& call) {
    return [&call](index_t ranks) {
      many_ranks communicator{static_cast<int>(ranks)};
      return call(communicator);
    };
  };
  farpoint::voxelize_params<float> const voxels;
  check_limit(1024, rank_limit, by_ranks([&](auto& communicator) {
                return voxelize_shard(exec, communicator, part, voxels, farpoint::voxelize_shard_output<float>{}, {});
              }));
  check_limit(1024, rank_limit,
              by_ranks([&](auto& communicator) { return gather_voxels(exec, communicator, voxels, {}, {}, {}); }));
  check_limit(1024, rank_limit, by_ranks([&](auto& communicator) {
                return fps_shard(exec, communicator, part, {}, farpoint::fps_shard_output<float>{}, {});
              }));
  check_limit(1024, rank_limit, by_ranks([&](auto& communicator) {
                return knn_shard(exec, communicator, part, part.points, farpoint::knn_params{1}, {}, {});
              }));
  check_limit(64, "communicator: it has more than 64 ranks", by_ranks([&](auto& communicator) {
                return knn_shard(exec, communicator, part, part.points, farpoint::along_curve{}, {}, {});
              }));
  check_limit(1024, rank_limit, by_ranks([&](auto& communicator) {
                return mean_knn_distance_shard_plan(exec, communicator, part, {1}, {}, {}).outcome();
              }));
  check_limit(64, "communicator: it has more than 64 ranks",
              by_ranks([&](auto& communicator) { return repartition(exec, communicator, part, {}, {}); }));
  check_limit(1024, rank_limit, by_ranks([&](auto& communicator) {
                return radius_shard(exec, communicator, part, part.points, {1.0, 1}, {}, {});
              }));
}

/// @file
/// Calls on the host, by 1, 2, 4, ... threads: no call may take longer with more threads. See README.md.

#include "support/check.hpp"
#include "support/clouds.hpp"
#include "support/host_timing.hpp"
#include "support/register_row.hpp"
#include "support/suite.hpp"

#include <farpoint/core/workspace.hpp>
#include <farpoint/estimate_normals.hpp>
#include <farpoint/fps.hpp>
#include <farpoint/gather.hpp>
#include <farpoint/hash_map.hpp>
#include <farpoint/interpolate.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/knn_screen.hpp>
#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/search/neighbor_edges.hpp>
#include <farpoint/search/point_window.hpp>
#include <farpoint/splat/draw_splats.hpp>
#include <farpoint/splat/normals_from_neighbors.hpp>
#include <farpoint/splat/project.hpp>
#include <farpoint/subset/crop_box.hpp>
#include <farpoint/subset/random_subset.hpp>
#include <farpoint/voxelize.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace farpoint_bench {
namespace {

using farpoint::host_exec;
using farpoint::index_t;
using points_view = farpoint::batch<farpoint::point_view<float>>;
using camera = farpoint::pinhole_camera<float>;
using map = farpoint::hash_map_ref<std::uint32_t, std::uint32_t>;

constexpr index_t neighbors = 16;
constexpr index_t channels = 16;
constexpr int image_side = 512;

/// A simulated sweep, further inputs of the calls, and memory for their outputs.
class scene {
 public:
  explicit scene(index_t points)
      : xyz{lidar_rings(static_cast<std::size_t>(points), 1)},
        asked{lidar_rings(static_cast<std::size_t>(points), 2)},
        weights(static_cast<std::size_t>(points), 1.0f),
        features(channels * weights.size()),
        indices(neighbors * weights.size()),
        offsets(weights.size() + 1),
        keys(weights.size()),
        values(features.size()),
        colors(3 * image_side * image_side),
        words(image_side * image_side),
        buckets(static_cast<std::size_t>(map::buckets_for(2 * points))) {
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i * 2654435761u);
    looking.width = looking.height = image_side;
    looking.focal = {{300, 300}};
    looking.center = {{image_side / 2, image_side / 2}};
    looking.rotation[0] = {{0, -1, 0}};
    looking.rotation[1] = {{0, 0, -1}};
    looking.rotation[2] = {{1, 0, 0}};
    looking.translation = {{0, 0, 40}};
  }

  index_t size() const { return static_cast<index_t>(weights.size()); }
  points_view cloud() const { return view_of(xyz); }
  points_view queries() const { return view_of(asked); }

  std::vector<float> xyz, asked, weights, features;
  std::vector<std::int32_t> indices, offsets;
  std::vector<std::uint32_t> keys;
  std::vector<float> values, colors;
  std::vector<std::uint64_t> words;
  std::vector<farpoint::hash_map_bucket> buckets;
  camera looking;

 private:
  static points_view view_of(std::vector<float> const& coordinates) {
    return points_view{farpoint::point_view<float>{coordinates.data(), static_cast<index_t>(coordinates.size() / 3)}};
  }
};

/// A call with its workspace, ready to be made again and again.
using prepared_call = std::function<farpoint::result()>;

struct row {
  char const* name;
  prepared_call (*prepare)(host_exec, scene&);
};

/// Binds `call(workspace)` to a workspace of that size.
template <class Call>
prepared_call with_workspace(std::size_t size, Call call) {
  auto const workspace = std::make_shared<farpoint::host_scratch>(size);
  return [workspace, call] { return call(*workspace); };
}

farpoint::fps_params samples_of(scene const& s) {
  farpoint::fps_params params;
  params.samples = s.size() / 16;
  return params;
}

prepared_call prepare_fps(host_exec exec, scene& s) {
  farpoint::fps_params const params = samples_of(s);
  return with_workspace(fps_workspace_bytes(exec, s.cloud(), params), [exec, params, &s](auto const& workspace) {
    farpoint::fps_output<float> output;
    output.indices = farpoint::span<std::int32_t>{s.indices.data(), static_cast<std::size_t>(params.samples)};
    return fps(exec, s.cloud(), params, output, workspace);
  });
}

prepared_call prepare_fps_weighted(host_exec exec, scene& s) {
  farpoint::fps_params params;
  params.samples = s.size() / 256;
  return with_workspace(fps_weighted_workspace_bytes(exec, s.cloud()), [exec, params, &s](auto const& workspace) {
    farpoint::fps_output<float> output;
    output.indices = farpoint::span<std::int32_t>{s.indices.data(), static_cast<std::size_t>(params.samples)};
    return fps_weighted(exec, s.cloud(), farpoint::span<float const>{s.weights}, params, output, workspace);
  });
}

prepared_call prepare_crop_box(host_exec exec, scene& s) {
  farpoint::bounding_box<float> const box{{{-20, -20, -5}}, {{20, 20, 5}}};
  auto const ends = std::make_shared<std::vector<index_t>>(2);
  return with_workspace(crop_box_workspace_bytes(exec, s.cloud()), [=, &s](auto const& workspace) {
    return crop_box(exec, s.cloud(), box, farpoint::crop_box_output{s.indices, *ends}, workspace);
  });
}

prepared_call prepare_random_subset(host_exec exec, scene& s) {
  auto const ends = std::make_shared<std::vector<index_t>>(2);
  return [=, &s] { return random_subset(exec, s.cloud(), s.size() / 2, 1, {s.indices, *ends, nullptr}); };
}

prepared_call prepare_knn(host_exec exec, scene& s) {
  farpoint::knn_params const params{neighbors};
  return with_workspace(knn_workspace_bytes(exec, s.cloud(), params), [=, &s](auto const& workspace) {
    return knn(exec, s.cloud(), params, farpoint::knn_output<float>{s.indices, s.values}, workspace);
  });
}

prepared_call prepare_knn_of_others(host_exec exec, scene& s) {
  farpoint::knn_params const params{neighbors};
  return with_workspace(knn_workspace_bytes(exec, s.cloud(), s.queries(), params), [=, &s](auto const& workspace) {
    farpoint::knn_output<float> const output{s.indices, s.values};
    return knn(exec, s.cloud(), s.queries(), params, output, workspace);
  });
}

prepared_call prepare_build_point_bvh(host_exec exec, scene& s) {
  return with_workspace(point_bvh_bytes(exec, s.cloud()), [=, &s](auto const& memory) {
    farpoint::point_bvh<float> index;
    return build_point_bvh(exec, s.cloud(), memory, index);
  });
}

/// Edges of the neighbors that knn() finds.
prepared_call prepare_neighbor_edges(host_exec exec, scene& s) {
  check(prepare_knn(host_exec{}, s)(), "farpoint::knn");
  farpoint::neighbor_lists<float> const lists{s.indices, neighbors};
  auto const rows = std::make_shared<std::vector<std::int32_t>>(s.indices.size());
  auto const columns = std::make_shared<std::vector<std::int32_t>>(s.indices.size());
  return with_workspace(neighbor_edges_workspace_bytes(exec, s.cloud(), lists), [=, &s](auto const& workspace) {
    farpoint::edges_output<float> const output{*rows, *columns};
    return neighbor_edges(exec, s.cloud(), lists, farpoint::edge_flow::source_to_target, output, workspace);
  });
}

/// A window of twice the sweep's points, which every call moves on by a sweep.
prepared_call prepare_point_window_slide(host_exec exec, scene& s) {
  auto const window = std::make_shared<farpoint::point_window<float>>();
  return with_workspace(farpoint::point_window_bytes<float>(exec, 2 * s.size()), [=, &s](auto const& memory) {
    if (window->offsets.empty()) {
      if (auto const made = point_window_clear(exec, 2 * s.size(), memory, *window); !made) return made;
    }
    farpoint::point_bvh<float> index;
    return point_window_slide(exec, *window, s.cloud(), {}, {}, {}, index);
  });
}

prepared_call prepare_radius(host_exec exec, scene& s) {
  farpoint::radius_params params;
  params.radius = 0.3;
  params.max_neighbors = neighbors;
  return with_workspace(radius_workspace_bytes(exec, s.cloud()), [=, &s](auto const& workspace) {
    farpoint::radius_output<float> output;
    output.indices = s.indices;
    return radius(exec, s.cloud(), params, output, workspace);
  });
}

prepared_call prepare_radius_rows(host_exec exec, scene& s) {
  farpoint::radius_params params;
  params.radius = 0.1;
  return with_workspace(radius_workspace_bytes(exec, s.cloud()), [=, &s](auto const& workspace) {
    return radius_rows(exec, s.cloud(), params, farpoint::radius_rows_output<float>{s.offsets, s.indices, {}},
                       workspace);
  });
}

prepared_call prepare_mean_knn_distance(host_exec exec, scene& s) {
  return with_workspace(mean_knn_distance_workspace_bytes(exec, s.cloud(), {8}), [=, &s](auto const& workspace) {
    return mean_knn_distance(exec, s.cloud(), {8}, {farpoint::span<float>{s.values.data(), s.weights.size()}},
                             workspace);
  });
}

prepared_call prepare_estimate_normals(host_exec exec, scene& s) {
  return with_workspace(estimate_normals_workspace_bytes(exec, s.cloud(), {}), [=, &s](auto const& workspace) {
    farpoint::normals_output<float> output;
    output.normals = {s.values.data(), 3 * s.weights.size()};
    return estimate_normals(exec, s.cloud(), {}, output, workspace);
  });
}

prepared_call prepare_interpolate(host_exec exec, scene& s) {
  return with_workspace(interpolate_workspace_bytes(exec, s.cloud(), s.queries()), [=, &s](auto const& workspace) {
    return interpolate(exec, s.cloud(), farpoint::span<float const>{s.features}, s.queries(), channels, {s.values},
                       workspace);
  });
}

/// Gathers features of neighbors that are spread over all points.
prepared_call prepare_gather(host_exec exec, scene& s) {
  for (std::size_t i = 0; i < s.indices.size(); ++i) {
    s.indices[i] = static_cast<std::int32_t>(i * 7919 % s.weights.size());
  }
  auto const rows = std::make_shared<std::vector<float>>(channels * s.indices.size());
  return [exec, rows, &s] {
    return gather(exec, farpoint::span<float const>{s.features}, channels, s.indices, farpoint::span<float>{*rows});
  };
}

prepared_call prepare_voxelize(host_exec exec, scene& s) {
  farpoint::voxelize_params<float> params;
  params.grid = farpoint::voxel_grid<float>::from_range({{-80, -80, -5}}, {{80, 80, 5}}, {{0.2f, 0.2f, 0.2f}});
  params.features = farpoint::feature_view::packed(s.xyz.data(), s.size(), 3);
  farpoint::voxelize_output<float> output;
  output.capacity = s.size();
  output.mean = farpoint::span<float>{s.values.data(), 3 * s.weights.size()};
  output.point_voxel = farpoint::span<std::int32_t>{s.indices.data(), s.weights.size()};
  return with_workspace(voxelize_workspace_bytes(exec, s.cloud(), params, output), [=, &s](auto const& workspace) {
    return voxelize(exec, s.cloud(), params, output, workspace);
  });
}

prepared_call prepare_hash_map(host_exec exec, scene& s) {
  map const numbers{{s.buckets.data(), s.buckets.size()}};
  return [=, &s] {
    farpoint::span<std::uint32_t const> const keys{s.keys};
    if (auto const cleared = hash_map_clear(exec, numbers); !cleared) return cleared;
    if (auto const inserted = hash_map_insert(exec, numbers, keys, keys); !inserted) return inserted;
    return hash_map_find(exec, numbers, keys, 0u, farpoint::span<std::uint32_t>{s.keys});
  };
}

template <int Rounds>
prepared_call prepare_knn_screen(host_exec exec, scene& s) {
  farpoint::screen_space<camera> method{s.looking, neighbors};
  method.rounds = Rounds;
  return with_workspace(knn_workspace_bytes(exec, s.cloud(), method), [=, &s](auto const& workspace) {
    farpoint::knn_screen_output<float> output;
    output.indices = s.indices;
    return knn(exec, s.cloud(), method, output, workspace);
  });
}

prepared_call prepare_project(host_exec exec, scene& s) {
  return [=, &s] {
    return project(exec, s.cloud(), s.looking, farpoint::zbuffer_ref{s.words, image_side, image_side});
  };
}

/// Normals of the neighbors that knn() finds, and a picture of splats around them.
prepared_call prepare_frame(host_exec exec, scene& s) {
  check(prepare_knn(host_exec{}, s)(), "farpoint::knn");
  auto const extents = std::make_shared<std::vector<float>>(2 * s.weights.size());
  farpoint::splat_view<float> splats{*extents};
  splats.normals = {s.values.data(), 3 * s.weights.size()};
  farpoint::draw_splats_params const params;
  return with_workspace(draw_splats_workspace_bytes(exec, splats, s.looking, params), [=, &s](auto const& workspace) {
    farpoint::neighbor_normals_output<float> fitted;
    fitted.normals = {s.values.data(), 3 * s.weights.size()};
    fitted.extents = *extents;
    farpoint::neighbor_rows const rows{s.indices, neighbors};
    auto const found = normals_from_neighbors(exec, s.cloud(), rows, {}, fitted);
    if (!found) return found;
    farpoint::splat_image image;
    image.colors = s.colors;
    return draw_splats(exec, s.cloud(), splats, s.looking, params, image, workspace);
  });
}

constexpr row rows[] = {
    {"fps", prepare_fps},
    {"fps_weighted", prepare_fps_weighted},
    {"voxelize", prepare_voxelize},
    {"knn", prepare_knn},
    {"knn_of_others", prepare_knn_of_others},
    {"build_point_bvh", prepare_build_point_bvh},
    {"point_window_slide", prepare_point_window_slide},
    {"radius", prepare_radius},
    {"radius_rows", prepare_radius_rows},
    {"mean_knn_distance", prepare_mean_knn_distance},
    {"estimate_normals", prepare_estimate_normals},
    {"interpolate", prepare_interpolate},
    {"neighbor_edges", prepare_neighbor_edges},
    {"crop_box", prepare_crop_box},
    {"random_subset", prepare_random_subset},
    {"gather", prepare_gather},
    {"hash_map", prepare_hash_map},
    {"knn_screen_until_exact", prepare_knn_screen<farpoint::until_exact>},
    {"knn_screen_rounds_3", prepare_knn_screen<3>},
    {"project", prepare_project},
    {"normals_and_splats", prepare_frame},
};
constexpr index_t sizes[] = {1'000, 20'000, 100'000};

void run(benchmark::State& state, row const& of, index_t points, int threads) {
  scene s{points};
  prepared_call const call = of.prepare(host_exec{threads}, s);
  workload work;
  work.points = static_cast<double>(points);
  time_blocking_calls(state, work, [&] { check(call(), of.name); });
  state.counters["n"] = static_cast<double>(points);
  state.counters["host_threads"] = threads;
}

void register_rows() {
  for (row const& of : rows) {
    for (index_t const points : sizes) {
      for (int threads = 1; threads <= thread_counts().back(); threads *= 2) {
        std::string const name = std::string{"host_threads/"} + of.name + "/" + std::to_string(points) + "/";
        std::string const variant = threads == 1 ? "one_thread" : "threads_" + std::to_string(threads);
        register_row(name + variant, points <= 1'000 ? 50 : 9,
                     [&of, points, threads](benchmark::State& state) { run(state, of, points, threads); });
      }
    }
  }
}

}  // namespace

int run_program(arguments const& args) {
  register_rows();
  return run_host_suite("host_threads", args);
}

}  // namespace farpoint_bench

// Every host call of scale/, by ranks that are threads.
#include "clouds.hpp"

#include <farpoint/scale/fps_shard.hpp>
#include <farpoint/scale/gather_voxels.hpp>
#include <farpoint/scale/knn_shard.hpp>
#include <farpoint/scale/neighborhood_shard.hpp>
#include <farpoint/scale/radius_shard.hpp>
#include <farpoint/scale/repartition.hpp>
#include <farpoint/scale/thread_communicator.hpp>
#include <farpoint/scale/voxel_map.hpp>
#include <farpoint/scale/voxelize_shard.hpp>

void call_ranks();

namespace {

template <class Coord>
struct calls_of_ranks {
  void operator()() const {
    clouds<Coord> in;
    using points = typename clouds<Coord>::points;
    using scalar = typename points::scalar;
    farpoint::thread_ranks group{1};
    farpoint::thread_communicator rank{group, 0};
    farpoint::shard<points> const part{in.view, 0};

    farpoint::fps_params const samples;
    farpoint::fps_shard_output<scalar> const picks;
    in.bound = farpoint::fps_shard_workspace_bytes(in.exec, 1, part, samples, picks);
    static_cast<void>(farpoint::fps_shard(in.exec, rank, part, samples, picks, in.workspace));

    farpoint::knn_params const method;
    farpoint::along_curve const along;
    farpoint::knn_shard_output<scalar> const lists;
    in.bound = farpoint::knn_shard_workspace_bytes(in.exec, 1, part, in.view, method, lists);
    in.bound = farpoint::knn_shard_workspace_bytes(in.exec, 1, part, in.view, along, lists);
    static_cast<void>(farpoint::knn_shard(in.exec, rank, part, in.view, method, lists, in.workspace));
    static_cast<void>(farpoint::knn_shard(in.exec, rank, part, in.view, along, lists, in.workspace));

    auto lists_in_halves = farpoint::knn_shard_plan(in.exec, rank, part, in.view, method, lists, in.workspace);
    in.bound = farpoint::knn_shard_plan_workspace_bytes(in.exec, 1, part, in.view, method, lists);
    in.bound = lists_in_halves.workspace_bytes();
    static_cast<void>(lists_in_halves.run(in.workspace));

    farpoint::point_bvh<scalar> bvh;
    farpoint::batch const cloud{in.view};
    static_cast<void>(farpoint::build_point_bvh(in.exec, cloud, in.workspace, bvh));
    farpoint::indexed_shard const indexed{part, bvh};
    in.bound = farpoint::knn_shard_workspace_bytes(in.exec, 1, indexed, in.view, method, lists);
    in.bound = farpoint::knn_shard_plan_workspace_bytes(in.exec, 1, indexed, in.view, method, lists);
    static_cast<void>(farpoint::knn_shard(in.exec, rank, indexed, in.view, method, lists, in.workspace));
    auto indexed_lists = farpoint::knn_shard_plan(in.exec, rank, indexed, in.view, method, lists, in.workspace);
    static_cast<void>(indexed_lists.run(in.workspace));

    farpoint::normals_params const planes;
    farpoint::normals_output<scalar> const normals;
    in.bound = farpoint::estimate_normals_shard_plan_workspace_bytes(in.exec, 1, part, planes, normals);
    static_cast<void>(
        farpoint::estimate_normals_shard_plan(in.exec, rank, part, planes, normals, in.workspace).run(in.workspace));
    in.bound = farpoint::mean_knn_distance_shard_plan_workspace_bytes(in.exec, 1, indexed, {1}, {});
    static_cast<void>(
        farpoint::mean_knn_distance_shard_plan(in.exec, rank, indexed, {1}, {}, in.workspace).run(in.workspace));
    farpoint::interpolate_output const between{{}, nullptr};
    in.bound = farpoint::interpolate_shard_plan_workspace_bytes(in.exec, 1, part, {}, in.view, 1, between);
    static_cast<void>(
        farpoint::interpolate_shard_plan(in.exec, rank, part, {}, in.view, 1, between, in.workspace).run(in.workspace));

    farpoint::radius_params const ball{0, 1};
    farpoint::radius_shard_output<scalar> const balls;
    in.bound = farpoint::radius_shard_workspace_bytes(in.exec, 1, part, in.view, ball, balls);
    static_cast<void>(farpoint::radius_shard(in.exec, rank, part, in.view, ball, balls, in.workspace));

    auto balls_in_halves = farpoint::radius_shard_plan(in.exec, rank, part, in.view, ball, balls, in.workspace);
    in.bound = farpoint::radius_shard_plan_workspace_bytes(in.exec, 1, part, in.view, ball, balls);
    in.bound = balls_in_halves.workspace_bytes();
    static_cast<void>(balls_in_halves.run(in.workspace));

    in.bound = farpoint::radius_shard_workspace_bytes(in.exec, 1, indexed, in.view, ball, balls);
    in.bound = farpoint::radius_shard_plan_workspace_bytes(in.exec, 1, indexed, in.view, ball, balls);
    static_cast<void>(farpoint::radius_shard(in.exec, rank, indexed, in.view, ball, balls, in.workspace));
    auto indexed_balls = farpoint::radius_shard_plan(in.exec, rank, indexed, in.view, ball, balls, in.workspace);
    static_cast<void>(indexed_balls.run(in.workspace));

    farpoint::repartition_output<scalar> const owned;
    in.bound = farpoint::repartition_workspace_bytes(in.exec, 1, part);
    static_cast<void>(farpoint::repartition(in.exec, rank, part, owned, in.workspace));

    auto moved_in_halves = farpoint::repartition_plan(in.exec, rank, part, in.workspace);
    in.bound = farpoint::repartition_plan_workspace_bytes(in.exec, 1, part);
    in.bound = moved_in_halves.workspace_bytes();
    farpoint::indexed_shard<points, farpoint::point_bvh<scalar>> of_owner;
    of_owner.owners = moved_in_halves.owners();
    static_cast<void>(moved_in_halves.run(owned, in.workspace));
    in.bound = moved_in_halves.template features_workspace_bytes<scalar>(1);
    static_cast<void>(moved_in_halves.template send_features<scalar>({}, 1, {}, in.workspace));
    static_cast<void>(moved_in_halves.template return_features<scalar>({}, 1, {}, in.workspace));

    farpoint::voxelize_params<scalar> const params;
    farpoint::voxelize_shard_output<scalar> const own;
    farpoint::voxelize_output<scalar> const all;
    in.bound = farpoint::voxelize_shard_workspace_bytes(in.exec, 1, part, params, own);
    static_cast<void>(farpoint::voxelize_shard(in.exec, rank, part, params, own, in.workspace));
    in.bound = farpoint::gather_voxels_workspace_bytes(1, params, own, all);
    static_cast<void>(farpoint::gather_voxels(in.exec, rank, params, own, all, in.workspace));

    farpoint::voxel_map<scalar> const map;
    farpoint::voxel_map_tile<points> const tile;
    in.bound = farpoint::voxel_map_bytes(map.params);
    in.bound = farpoint::voxel_map_insert_workspace_bytes(in.exec, map, tile);
    static_cast<void>(farpoint::voxel_map_insert_workspace_bound<points>(in.exec, farpoint::batch_limits{}, in.bound));
    static_cast<void>(farpoint::voxel_map_clear(in.exec, map));
    static_cast<void>(farpoint::voxel_map_insert(in.exec, map, tile, in.workspace));
    static_cast<void>(farpoint::voxel_map_read(in.exec, map, farpoint::voxel_map_output<scalar>{}));
    farpoint::voxel_map_keep_params<scalar> const keep;
    in.bound = farpoint::voxel_map_keep_workspace_bytes(in.exec, map.params);
    static_cast<void>(farpoint::voxel_map_keep(in.exec, map, keep, farpoint::voxel_map_keep_output{}, in.workspace));
    auto const header = farpoint::voxel_map_header::of(map.params, farpoint::voxel_map_report{});
    farpoint::voxel_map_saved saved;
    static_cast<void>(farpoint::voxel_map_saved_arrays(map, header, saved));
    static_cast<void>(farpoint::voxel_map_restore(in.exec, map, header));
  }
};

}  // namespace

void call_ranks() {
  call_for_each_coord<calls_of_ranks>();
}

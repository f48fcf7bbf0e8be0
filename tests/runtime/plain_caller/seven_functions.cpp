#include "seven_functions.hpp"

#include <algorithm>

namespace farpoint_tests {

namespace {

using clouds = farpoint::batch<farpoint::point_view<float>>;

clouds cloud_of(frame_memory const& memory) {
  auto const size = static_cast<farpoint::index_t>(memory.points.size() / 3);
  return clouds{farpoint::point_view<float>{memory.points.data(), size}};
}

farpoint::voxelize_params<float> voxel_params(frame_memory const& memory) {
  farpoint::voxelize_params<float> params;
  params.grid = {{{-1, -1, -1}}, {{0.25f, 0.25f, 0.25f}}, {{8, 8, 8}}};
  params.features =
      farpoint::feature_view::packed(memory.points.data(), static_cast<farpoint::index_t>(memory.points.size() / 3), 3);
  return params;
}

farpoint::voxelize_output<float> voxel_output(frame_memory const& memory) {
  farpoint::voxelize_output<float> output;
  output.capacity = static_cast<farpoint::index_t>(memory.means.size() / 3);
  output.mean = memory.means;
  output.voxel_count = memory.voxels;
  return output;
}

farpoint::fps_params sampling(frame_memory const& memory) {
  farpoint::fps_params params;
  params.samples = static_cast<farpoint::index_t>(memory.samples.size());
  return params;
}

}  // namespace

std::size_t frame_workspace_bytes(farpoint::cuda_exec exec, frame_memory const& memory) {
  auto const cloud = cloud_of(memory);
  return std::max({fps_workspace_bytes(exec, cloud, sampling(memory)),
                   voxelize_workspace_bytes(exec, cloud, voxel_params(memory), voxel_output(memory)),
                   knn_workspace_bytes(exec, cloud, farpoint::knn_params{8}), radius_workspace_bytes(exec, cloud),
                   estimate_normals_workspace_bytes(exec, cloud, farpoint::normals_params{}),
                   mean_knn_distance_workspace_bytes(exec, cloud, {3}),
                   interpolate_workspace_bytes(exec, cloud, cloud)});
}

farpoint::result process_frame(farpoint::cuda_exec exec, frame_memory const& memory, farpoint::bytes workspace) {
  auto const cloud = cloud_of(memory);
  farpoint::radius_params ball;
  ball.radius = 0.2;
  ball.max_neighbors = 16;
  farpoint::radius_output<float> balls;
  balls.indices = memory.balls;

  farpoint::result const outcomes[] = {
      voxelize(exec, cloud, voxel_params(memory), voxel_output(memory), workspace),
      fps(exec, cloud, sampling(memory), {memory.samples}, workspace),
      knn(exec, cloud, farpoint::knn_params{8}, {memory.neighbors}, workspace),
      radius(exec, cloud, ball, balls, workspace),
      estimate_normals(exec, cloud, farpoint::normals_params{}, {memory.normals}, workspace),
      mean_knn_distance(exec, cloud, {3}, {memory.distances}, workspace),
      interpolate(exec, cloud, memory.points, cloud, 3, {memory.interpolated}, workspace)};
  for (auto const& outcome : outcomes) {
    if (!outcome) return outcome;
  }
  return {};
}

}  // namespace farpoint_tests

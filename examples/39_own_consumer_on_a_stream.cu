// The consumer of example 38 on a GPU: a step reads the map and the scan, and writes four sums. Its neighbors stay in
// registers.
#include <farpoint/point_bvh.cuh>
#include <farpoint/search/for_each_neighborhood.cuh>

#include "managed_array.hpp"
#include "translation_step.hpp"

int main() {
  if (!has_gpu()) return 77;
  std::vector<point> const points = random_map(20000);
  managed_array<point> map{points.size()};
  managed_array<point> scan{points.size() / 4};
  for (std::size_t i = 0; i < map.size(); ++i) map[i] = points[i];
  for (std::size_t i = 0; i < scan.size(); ++i) {
    scan[i] = {map[4 * i].x - true_move.x, map[4 * i].y - true_move.y, map[4 * i].z - true_move.z};
  }
  auto const map_view = farpoint::view_points(map.data(), static_cast<farpoint::index_t>(map.size()));
  farpoint::batch const queries{farpoint::view_points(scan.data(), static_cast<farpoint::index_t>(scan.size()))};

  farpoint::cuda_exec const exec{cudaStreamPerThread};
  managed_array<unsigned char> memory{point_bvh_bytes(exec, farpoint::batch{map_view})};
  farpoint::device_point_bvh<float> index;
  if (!succeeded(build_point_bvh(exec, farpoint::batch{map_view}, memory.span(), index))) return 1;
  managed_array<unsigned char> workspace{knn_workspace_bytes(exec, index, queries)};
  managed_array<pair_sums> sums{1};
  point moved{};
  for (int step = 0; step < 20; ++step) {
    sums[0] = {};
    //! [call]
    translation_step const consumer{map_view, sums.data()};
    farpoint::neighborhood_params params;
    params.max_radius = 0.1;  // meters
    auto const outcome = farpoint::for_each_neighborhood<1>(exec, index, queries, params, consumer, workspace.span());
    //! [call]
    if (!succeeded(outcome)) return 1;
    if (cudaError_t const error = cudaStreamSynchronize(exec.stream); error != cudaSuccess) {
      std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
      return 1;
    }
    point const move{mean_move(sums[0], 0), mean_move(sums[0], 1), mean_move(sums[0], 2)};
    for (std::size_t i = 0; i < scan.size(); ++i) {
      scan[i] = {scan[i].x + move.x, scan[i].y + move.y, scan[i].z + move.z};
    }
    moved = {moved.x + move.x, moved.y + move.y, moved.z + move.z};
  }
  std::printf("moved by %.4f %.4f %.4f m: %s\n", moved.x, moved.y, moved.z, is_found(moved) ? "right" : "WRONG");
  return is_found(moved) ? 0 : 1;
}

// Code that calls the voxelizers of mmcv, spconv or CUDA-CenterPoint, or distCUDA2() of simple-knn: the same names and
// arguments. Here on the host; with the .cuh headers, device memory and a stream it is the same code on a GPU.
#include <farpoint/compat/hard_voxelize.hpp>
#include <farpoint/compat/simple_knn.hpp>

#include <cstdio>
#include <vector>

namespace compat = farpoint::compat;

int main() {
  constexpr int points = 1000, features = 4, max_points = 5, max_voxels = 200;
  farpoint::host_exec const exec{};
  std::vector<float> cloud(points * features);  // [points, 4]: x, y, z, intensity
  for (int i = 0; i < points; ++i) {
    float* const point = cloud.data() + i * features;
    point[0] = static_cast<float>(i % 10) + 0.5f;
    point[1] = static_cast<float>(i / 10 % 10) + 0.5f;
    point[2] = 0.1f;
    point[3] = static_cast<float>(i / 100);
  }

  //! [mmcv]
  float const voxel_size[] = {1, 1, 4};
  float const coors_range[] = {0, 0, -2, 10, 10, 2};
  compat::hard_voxelize_sizes const sizes{points, features, max_points, max_voxels};
  std::vector<float> voxels(max_voxels * max_points * features);
  std::vector<int> coors(max_voxels * 3), counts(max_voxels), all_coors(points * 3);
  int voxel_num = 0;
  farpoint::host_scratch workspace{compat::hard_voxelize_workspace_bytes(exec, sizes, voxel_size, coors_range)};
  bool ok = static_cast<bool>(compat::hard_voxelize(sizes, cloud.data(), voxels.data(), coors.data(), counts.data(),
                                                    &voxel_num, voxel_size, coors_range, exec, workspace));
  ok = ok && compat::dynamic_voxelize(points, features, cloud.data(), all_coors.data(), voxel_size, coors_range, exec);
  //! [mmcv]

  //! [centerpoint]
  std::vector<unsigned int> per_voxel(max_voxels), indices(max_voxels * 4);
  std::vector<float> of_voxels(max_voxels * max_points * features);
  std::vector<farpoint::float16> means(max_voxels * features);
  unsigned int real_voxel_num = 0;
  ok = ok && workspace.reserve(
                 compat::voxelization_workspace_bytes(exec, points, 1, 10, 10, features, max_voxels, max_points));
  ok = ok && compat::voxelizationLaunch(cloud.data(), points, 0, 10, 0, 10, -2, 2, 1, 1, 4, 10, 10, features,
                                        max_voxels, max_points, nullptr, per_voxel.data(), of_voxels.data(),
                                        indices.data(), &real_voxel_num, exec, workspace);
  ok = ok && compat::featureExtractionLaunch(of_voxels.data(), per_voxel.data(), &real_voxel_num, max_voxels,
                                             max_points, features, means.data(), exec);
  //! [centerpoint]

  //! [simple_knn]
  std::vector<float> const corners{0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 9, 9, 9};  // [5, 3]
  std::vector<float> mean_dists(5);
  ok = ok && workspace.reserve(compat::distCUDA2_workspace_bytes(exec, 5));
  ok = ok && compat::distCUDA2(5, corners.data(), mean_dists.data(), exec, workspace);
  //! [simple_knn]
  if (!ok) return 1;

  bool const right = voxel_num == 100 && real_voxel_num == 100 && voxels == of_voxels && counts[0] == max_points &&
                     coors[1 * 3 + 2] == 1 && all_coors[1 * 3 + 2] == 1 && indices[1 * 4 + 3] == 1 &&
                     static_cast<float>(means[3]) == 2 && mean_dists[0] == (1.0f + 4 + 9) / 3;
  std::printf("%d voxels of up to %d points: %s\n", voxel_num, max_points, right ? "right" : "WRONG");
  return right ? 0 : 1;
}

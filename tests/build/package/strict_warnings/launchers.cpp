// Every launcher of compat/ on the host.
#include <farpoint/compat/ball_query.hpp>
#include <farpoint/compat/furthest_point_sampling.hpp>
#include <farpoint/compat/group_points.hpp>
#include <farpoint/compat/hard_voxelize.hpp>
#include <farpoint/compat/simple_knn.hpp>
#include <farpoint/compat/stack_farthest_point_sampling.hpp>
#include <farpoint/compat/three_interpolate.hpp>
#include <farpoint/compat/three_nn.hpp>
#include <farpoint/core/host_exec.hpp>

void launch();

namespace {

namespace compat = farpoint::compat;
farpoint::host_exec const exec{1};
float const* const in = nullptr;
float* const out = nullptr;
int const* const index_in = nullptr;
int* const index_out = nullptr;

void launch_pointnet2() {
  farpoint::bytes const room{};
  std::size_t bytes = compat::ball_query_workspace_bytes(exec, 0, 0, 0);
  static_cast<void>(compat::ball_query_kernel_launcher_fast(0, 0, 0, 1, 1, in, in, index_out, exec, room));
  bytes = compat::ball_query_stack_workspace_bytes(exec, 0, 0, 0);
  static_cast<void>(
      compat::ball_query_kernel_launcher_stack(0, 0, 1, 1, in, index_in, in, index_in, index_out, exec, 0, room));

  bytes = compat::furthest_point_sampling_workspace_bytes(exec, 0, 0, 0);
  static_cast<void>(compat::furthest_point_sampling_kernel_launcher(0, 0, 0, in, out, index_out, exec, room));
  bytes = compat::stack_farthest_point_sampling_workspace_bytes(exec, 0, 0, 0);
  static_cast<void>(compat::stack_farthest_point_sampling_kernel_launcher(0, 0, in, out, index_in, index_out, index_in,
                                                                          exec, 0, room));

  static_cast<void>(compat::group_points_kernel_launcher_fast(0, 1, 0, 0, 1, in, index_in, out, exec));
  static_cast<void>(compat::gather_points_kernel_launcher_fast(0, 1, 0, 0, in, index_in, out, exec));
  bytes = compat::group_points_grad_workspace_bytes(exec, 0, 0, 0, 1);
  static_cast<void>(compat::group_points_grad_kernel_launcher_fast(0, 1, 0, 0, 1, in, index_in, out, exec, room));
  static_cast<void>(compat::gather_points_grad_kernel_launcher_fast(0, 1, 0, 0, in, index_in, out, exec, room));
  static_cast<void>(
      compat::group_points_kernel_launcher_stack(0, 0, 1, 1, in, index_in, index_in, index_in, out, exec));
  bytes = compat::group_points_grad_stack_workspace_bytes(exec, 0, 0, 1);
  static_cast<void>(compat::group_points_grad_kernel_launcher_stack(0, 0, 1, 0, 1, in, index_in, index_in, index_in,
                                                                    out, exec, room));

  bytes = compat::three_nn_workspace_bytes(exec, 0, 0, 0);
  static_cast<void>(compat::three_nn_kernel_launcher_fast(0, 0, 0, in, in, out, index_out, exec, room));
  bytes = compat::three_nn_stack_workspace_bytes(exec, 0, 0, 0);
  static_cast<void>(
      compat::three_nn_kernel_launcher_stack(0, 0, 0, in, index_in, in, index_in, out, index_out, exec, room));
  static_cast<void>(compat::three_nn_weights(0, in, out, exec));
  static_cast<void>(compat::three_interpolate_kernel_launcher_fast(0, 1, 0, 0, in, index_in, in, out, exec));
  bytes = compat::three_interpolate_grad_workspace_bytes(exec, 0, 0, bytes == 0 ? 0 : 1);
  static_cast<void>(compat::three_interpolate_grad_kernel_launcher_fast(0, 1, 0, 0, in, index_in, in, out, exec, room));
  static_cast<void>(compat::three_interpolate_kernel_launcher_stack(0, 1, in, index_in, in, out, exec));
  static_cast<void>(compat::three_interpolate_grad_kernel_launcher_stack(0, 1, in, index_in, in, out, exec, 0, room));

  bytes = compat::distCUDA2_workspace_bytes(exec, bytes == 0 ? 0 : 1);
  static_cast<void>(compat::distCUDA2(0, in, out, exec, room));
}

void launch_voxelizers() {
  farpoint::bytes const room{};
  float const size[3] = {1, 1, 1};
  float const range[6] = {0, 0, 0, 1, 1, 1};
  compat::hard_voxelize_sizes const sizes{0, 3, 1, 1};
  unsigned* const counts = nullptr;
  std::size_t bytes = compat::hard_voxelize_workspace_bytes(exec, sizes, size, range);
  static_cast<void>(compat::hard_voxelize(sizes, in, out, index_out, index_out, index_out, size, range, exec, room));
  static_cast<void>(compat::dynamic_voxelize(0, 3, in, index_out, size, range, exec));
  bytes = compat::voxelization_workspace_bytes(exec, bytes == 0 ? 0 : 1, 1, 1, 1, 3, 1, 1);
  static_cast<void>(compat::voxelizationLaunch(in, bytes == 0 ? 0 : 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 3, 1, 1, counts,
                                               counts, out, counts, counts, exec, room));
  farpoint::float16* const features = nullptr;
  static_cast<void>(compat::featureExtractionLaunch(in, counts, counts, 1, 1, 3, features, exec));
}

}  // namespace

void launch() {
  launch_pointnet2();
  launch_voxelizers();
}

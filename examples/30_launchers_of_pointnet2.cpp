// Code that calls the launchers of PointNet++ and OpenPCDet: the same names and arguments. Here on the host; with the
// .cuh headers, device memory and a stream in place of `exec` it is the same code on a GPU.
#include <farpoint/compat/ball_query.hpp>
#include <farpoint/compat/furthest_point_sampling.hpp>
#include <farpoint/compat/group_points.hpp>
#include <farpoint/compat/stack_farthest_point_sampling.hpp>
#include <farpoint/compat/three_interpolate.hpp>
#include <farpoint/compat/three_nn.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace compat = farpoint::compat;

using floats = std::vector<float>;
using ints = std::vector<int>;

floats zeros(int size) {
  return floats(static_cast<std::size_t>(size));
}
ints no_indices(int size) {
  return ints(static_cast<std::size_t>(size));
}

/// `[clouds, width, height]` of `[clouds, height, width]`: gather_points takes the channels first.
floats turned(floats const& values, int clouds, int height, int width) {
  floats result = zeros(clouds * height * width);
  for (int i = 0; i < clouds * height * width; ++i) {
    int const cloud = i / (height * width), row = i / width % height, column = i % width;
    result[static_cast<std::size_t>((cloud * width + column) * height + row)] = values[static_cast<std::size_t>(i)];
  }
  return result;
}

int main() {
  constexpr int b = 2, n = 600, m = 64, nsample = 16;  // clouds, points, samples of a cloud, points of a ball
  farpoint::host_exec const exec{};
  floats xyz = zeros(b * n * 3);  // [b, n, 3]
  std::mt19937 random{5};
  for (float& coordinate : xyz) coordinate = std::uniform_real_distribution<float>{-1, 1}(random);

  //! [memory]
  // Once, for all calls that follow one another.
  farpoint::host_scratch const workspace{
      std::max({compat::furthest_point_sampling_workspace_bytes(exec, b, n, m, compat::openpcdet_rules),
                compat::ball_query_workspace_bytes(exec, b, n, m), compat::three_nn_workspace_bytes(exec, b, n, m),
                compat::group_points_grad_workspace_bytes(exec, b, n, m, nsample),
                compat::three_interpolate_grad_workspace_bytes(exec, b, n, m),
                compat::stack_farthest_point_sampling_workspace_bytes(exec, b * n, b, m, compat::openpcdet_rules),
                compat::ball_query_stack_workspace_bytes(exec, b, b * m, b * n),
                compat::three_nn_stack_workspace_bytes(exec, b, b * n, b * m),
                compat::group_points_grad_stack_workspace_bytes(exec, b * m, b * n, nsample),
                compat::three_interpolate_grad_workspace_bytes(exec, 1, b * n, b * m)})};
  //! [memory]

  //! [forward]
  ints idx = no_indices(b * m);  // [b, m]
  bool ok = static_cast<bool>(compat::furthest_point_sampling_kernel_launcher(
      b, n, m, xyz.data(), nullptr, idx.data(), exec, workspace, compat::openpcdet_rules));
  floats const channels = turned(xyz, b, n, 3);  // [b, 3, n]
  floats picked = zeros(b * 3 * m);              // [b, 3, m]
  ok = ok && compat::gather_points_kernel_launcher_fast(b, 3, n, m, channels.data(), idx.data(), picked.data(), exec);
  floats const new_xyz = turned(picked, b, 3, m);  // [b, m, 3]

  ints balls = no_indices(b * m * nsample);  // [b, m, nsample]
  ok = ok && compat::ball_query_kernel_launcher_fast(b, n, m, 0.3f, nsample, new_xyz.data(), xyz.data(), balls.data(),
                                                     exec, workspace);
  floats const features(static_cast<std::size_t>(b * n), 1.0f);  // [b, 1, n]
  floats grouped = zeros(b * m * nsample);                       // [b, 1, m, nsample]
  ok = ok && compat::group_points_kernel_launcher_fast(b, 1, n, m, nsample, features.data(), balls.data(),
                                                       grouped.data(), exec);

  // And back from the samples to all points.
  floats weight = zeros(b * n * 3);  // [b, n, 3]: distances, then weights
  ints nearest = no_indices(b * n * 3);
  ok = ok && compat::three_nn_kernel_launcher_fast(b, n, m, xyz.data(), new_xyz.data(), weight.data(), nearest.data(),
                                                   exec, workspace, compat::three_nn_distances::meters);
  ok = ok && compat::three_nn_weights(b * n, weight.data(), weight.data(), exec);
  floats const coarse(static_cast<std::size_t>(b * m), 2.0f);  // [b, 1, m]
  floats fine = zeros(b * n);                                  // [b, 1, n]
  ok = ok && compat::three_interpolate_kernel_launcher_fast(b, 1, m, n, coarse.data(), nearest.data(), weight.data(),
                                                            fine.data(), exec);
  //! [forward]

  //! [backward]
  floats grad_coarse = zeros(b * m), grad_grouped = zeros(b * n), grad_picked = zeros(b * n);
  ok = ok && compat::three_interpolate_grad_kernel_launcher_fast(b, 1, n, m, features.data(), nearest.data(),
                                                                 weight.data(), grad_coarse.data(), exec, workspace);
  ok = ok && compat::group_points_grad_kernel_launcher_fast(b, 1, n, m, nsample, grouped.data(), balls.data(),
                                                            grad_grouped.data(), exec, workspace);
  ok = ok && compat::gather_points_grad_kernel_launcher_fast(b, 1, n, m, coarse.data(), idx.data(), grad_picked.data(),
                                                             exec, workspace);
  //! [backward]

  //! [stack]
  // pointnet2_stack: clouds one after another, and how many points each has. idx counts over all clouds.
  ints const points_of{n, n}, samples_of{m, m};
  ints stack_idx = no_indices(b * m), stack_balls = no_indices(b * m * nsample), stack_nearest = no_indices(b * n * 3);
  ok = ok && compat::stack_farthest_point_sampling_kernel_launcher(b * n, b, xyz.data(), nullptr, points_of.data(),
                                                                   stack_idx.data(), samples_of.data(), exec, m,
                                                                   workspace, compat::openpcdet_rules);
  ok = ok &&
       compat::ball_query_kernel_launcher_stack(b, b * m, 0.3f, nsample, new_xyz.data(), samples_of.data(), xyz.data(),
                                                points_of.data(), stack_balls.data(), exec, b * n, workspace);
  floats stack_grouped = zeros(b * m * nsample), stack_grad = zeros(b * n);
  ok = ok &&
       compat::group_points_kernel_launcher_stack(b, b * m, 1, nsample, features.data(), points_of.data(),
                                                  stack_balls.data(), samples_of.data(), stack_grouped.data(), exec);
  ok = ok && compat::group_points_grad_kernel_launcher_stack(b, b * m, 1, b * n, nsample, stack_grouped.data(),
                                                             stack_balls.data(), samples_of.data(), points_of.data(),
                                                             stack_grad.data(), exec, workspace);
  floats stack_weight = zeros(b * n * 3), stack_fine = zeros(b * n), stack_grad_coarse = zeros(b * m);
  ok = ok && compat::three_nn_kernel_launcher_stack(b, b * n, b * m, xyz.data(), points_of.data(), new_xyz.data(),
                                                    samples_of.data(), stack_weight.data(), stack_nearest.data(), exec,
                                                    workspace, compat::three_nn_distances::meters);
  ok = ok && compat::three_nn_weights(b * n, stack_weight.data(), stack_weight.data(), exec);
  ok = ok && compat::three_interpolate_kernel_launcher_stack(b * n, 1, coarse.data(), stack_nearest.data(),
                                                             stack_weight.data(), stack_fine.data(), exec);
  ok = ok && compat::three_interpolate_grad_kernel_launcher_stack(b * n, 1, features.data(), stack_nearest.data(),
                                                                  stack_weight.data(), stack_grad_coarse.data(), exec,
                                                                  b * m, workspace);
  //! [stack]
  if (!ok) return 1;

  // Clouds of equal size: the stack is the batch. Gradients keep what they share out.
  double given = 0, kept = 0;
  for (float const gradient : grad_coarse) given += static_cast<double>(gradient);
  for (float const gradient : grad_grouped) kept += static_cast<double>(gradient);
  for (int i = 0; i < b * m; ++i) idx[static_cast<std::size_t>(i)] += i / m * n;
  bool const right = idx == stack_idx && balls == stack_balls && grouped == stack_grouped && weight == stack_weight &&
                     fine == stack_fine && grad_grouped == stack_grad && grad_coarse == stack_grad_coarse &&
                     std::abs(given - b * n) < 0.01 && kept == b * m * nsample &&
                     std::count(grad_picked.begin(), grad_picked.end(), 2.0f) == b * m;
  std::printf("%d clouds of %d points, sampled, grouped and interpolated as a batch and as a stack: %s\n", b, n,
              right ? "the same" : "DIFFERENT");
  return right ? 0 : 1;
}

// The launchers of compat/ on the arrays of a call_memory: one description of each call for both backends.
#pragma once

#include <farpoint/compat/ball_query.hpp>
#include <farpoint/compat/furthest_point_sampling.hpp>
#include <farpoint/compat/group_points.hpp>
#include <farpoint/compat/hard_voxelize.hpp>
#include <farpoint/compat/simple_knn.hpp>
#include <farpoint/compat/stack_farthest_point_sampling.hpp>
#include <farpoint/compat/three_interpolate.hpp>
#include <farpoint/compat/three_nn.hpp>

#include "../support/call_memory.hpp"
#include "../support/clouds.hpp"

namespace farpoint_tests {

using floats = std::vector<float>;
using ints = std::vector<int>;

/// `[n, 3]`.
inline floats packed_cloud(shape which, std::size_t n, std::uint64_t seed) {
  floats packed;
  for (auto const& p : make_cloud(which, n, seed)) {
    for (double const c : p) packed.push_back(static_cast<float>(c));
  }
  return packed;
}

inline floats random_floats(std::size_t size, std::uint64_t seed) {
  random_source random{seed};
  floats values(size);
  for (float& value : values) value = random.uniform() - 0.5f;
  return values;
}

/// Indices from -1 to n; -1 and n are out of range.
inline ints random_indices(std::size_t size, int n, std::uint64_t seed) {
  random_source random{seed};
  ints values(size);
  for (int& value : values) value = static_cast<int>(random.below(n + 2)) - 1;
  return values;
}

/// Sizes of a batch: b clouds of n points and m others.
struct batch_sizes {
  int b, n, m;
  std::size_t points() const { return static_cast<std::size_t>(b) * static_cast<std::size_t>(n); }
  std::size_t others() const { return static_cast<std::size_t>(b) * static_cast<std::size_t>(m); }
};

inline std::size_t size_of(int count) {
  return static_cast<std::size_t>(count);
}

/// A voxelization as detectors configure it.
struct voxelizer_config {
  farpoint::compat::hard_voxelize_sizes sizes;
  float voxel_size[3];
  float range[6];
};

/// Clouds of a stack.
struct stack_sizes {
  ints points;
  ints others;
  static int sum(ints const& counts) {
    int total = 0;
    for (int const count : counts) total += count;
    return total;
  }
  int n() const { return sum(points); }
  int m() const { return sum(others); }
  int clouds() const { return static_cast<int>(points.size()); }
};

/// @tparam Memory  a call_memory
/// @tparam Exec    what the launchers take
template <class Memory, class Exec>
class compat_calls {
 public:
  compat_calls(Memory& memory, Exec exec) : memory_{memory}, exec_{exec} {}

  farpoint::result sample(batch_sizes s, floats const& clouds, farpoint::compat::furthest_point_sampling_rules rules) {
    using namespace farpoint::compat;
    auto const points = memory_.input(clouds);
    auto const idxs = memory_.template output<int>(s.others());
    auto const workspace = memory_.scratch(furthest_point_sampling_workspace_bytes(exec_, s.b, s.n, s.m, rules));
    return furthest_point_sampling_kernel_launcher(s.b, s.n, s.m, points.data(), nullptr, idxs.data(), exec_, workspace,
                                                   rules);
  }

  /// `s.others`: samples.
  farpoint::result sample_stack(stack_sizes const& s, floats const& clouds,
                                farpoint::compat::furthest_point_sampling_rules rules) {
    using namespace farpoint::compat;
    int const most = s.others.empty() ? 0 : *std::max_element(s.others.begin(), s.others.end());
    auto const points = memory_.input(clouds);
    auto const counts = memory_.input(s.points);
    auto const samples = memory_.input(s.others);
    auto const idxs = memory_.template output<int>(size_of(s.m()));
    auto const workspace =
        memory_.scratch(stack_farthest_point_sampling_workspace_bytes(exec_, s.n(), s.clouds(), most, rules));
    return stack_farthest_point_sampling_kernel_launcher(s.n(), s.clouds(), points.data(), nullptr, counts.data(),
                                                         idxs.data(), samples.data(), exec_, most, workspace, rules);
  }

  farpoint::result ball(batch_sizes s, floats const& clouds, floats const& queries, float radius, int nsample) {
    using namespace farpoint::compat;
    auto const points = memory_.input(clouds);
    auto const asked = memory_.input(queries);
    auto const idx = memory_.template output<int>(s.others() * size_of(nsample));
    auto const workspace = memory_.scratch(ball_query_workspace_bytes(exec_, s.b, s.n, s.m));
    return ball_query_kernel_launcher_fast(s.b, s.n, s.m, radius, nsample, asked.data(), points.data(), idx.data(),
                                           exec_, workspace);
  }

  farpoint::result ball_stack(stack_sizes const& s, floats const& clouds, floats const& queries, float radius,
                              int nsample) {
    using namespace farpoint::compat;
    auto const points = memory_.input(clouds);
    auto const asked = memory_.input(queries);
    auto const [counts, asked_counts] = input_counts(s);
    auto const idx = memory_.template output<int>(size_of(s.m() * nsample));
    auto const workspace = memory_.scratch(ball_query_stack_workspace_bytes(exec_, s.clouds(), s.m(), s.n()));
    return ball_query_kernel_launcher_stack(s.clouds(), s.m(), radius, nsample, asked.data(), asked_counts.data(),
                                            points.data(), counts.data(), idx.data(), exec_, s.n(), workspace);
  }

  /// The three nearest of n known points of m unknown ones.
  farpoint::result neighbors(batch_sizes s, floats const& known, floats const& unknown,
                             farpoint::compat::three_nn_distances kind) {
    using namespace farpoint::compat;
    auto const points = memory_.input(known);
    auto const asked = memory_.input(unknown);
    auto const idx = memory_.template output<int>(s.others() * 3);
    auto const dist = memory_.template output<float>(s.others() * 3);
    auto const workspace = memory_.scratch(three_nn_workspace_bytes(exec_, s.b, s.m, s.n));
    return three_nn_kernel_launcher_fast(s.b, s.m, s.n, asked.data(), points.data(), dist.data(), idx.data(), exec_,
                                         workspace, kind);
  }

  farpoint::result neighbors_stack(stack_sizes const& s, floats const& known, floats const& unknown) {
    using namespace farpoint::compat;
    auto const points = memory_.input(known);
    auto const asked = memory_.input(unknown);
    auto const [counts, asked_counts] = input_counts(s);
    auto const idx = memory_.template output<int>(size_of(s.m() * 3));
    auto const dist = memory_.template output<float>(size_of(s.m() * 3));
    auto const workspace = memory_.scratch(three_nn_stack_workspace_bytes(exec_, s.clouds(), s.m(), s.n()));
    return three_nn_kernel_launcher_stack(s.clouds(), s.m(), s.n(), asked.data(), asked_counts.data(), points.data(),
                                          counts.data(), dist.data(), idx.data(), exec_, workspace);
  }

  farpoint::result weights(floats const& distances) {
    auto const dist = memory_.input(distances);
    auto const weight = memory_.template output<float>(distances.size());
    return farpoint::compat::three_nn_weights(static_cast<int>(distances.size() / 3), dist.data(), weight.data(),
                                              exec_);
  }

  /// `points` `[b, c, n]`, `idx` and `weight` `[b, m, 3]`.
  farpoint::result interpolate(batch_sizes s, int c, floats const& points, ints const& idx, floats const& weight) {
    auto const from = memory_.input(points);
    auto const of = memory_.input(idx);
    auto const by = memory_.input(weight);
    auto const out = memory_.template output<float>(s.others() * size_of(c));
    return farpoint::compat::three_interpolate_kernel_launcher_fast(s.b, c, s.n, s.m, from.data(), of.data(), by.data(),
                                                                    out.data(), exec_);
  }
  /// `grad_out` `[b, c, m]`.
  farpoint::result interpolate_grad(batch_sizes s, int c, floats const& grad_out, ints const& idx,
                                    floats const& weight) {
    using namespace farpoint::compat;
    auto const from = memory_.input(grad_out);
    auto const of = memory_.input(idx);
    auto const by = memory_.input(weight);
    auto const grad = memory_.template output<float>(s.points() * size_of(c));
    auto const workspace = memory_.scratch(three_interpolate_grad_workspace_bytes(exec_, s.b, s.m, s.n));
    return three_interpolate_grad_kernel_launcher_fast(s.b, c, s.m, s.n, from.data(), of.data(), by.data(), grad.data(),
                                                       exec_, workspace);
  }
  /// `features` `[n, c]`, `idx` and `weight` `[m, 3]`.
  farpoint::result interpolate_stack(int m, int c, floats const& features, ints const& idx, floats const& weight) {
    auto const from = memory_.input(features);
    auto const of = memory_.input(idx);
    auto const by = memory_.input(weight);
    auto const out = memory_.template output<float>(size_of(m * c));
    return farpoint::compat::three_interpolate_kernel_launcher_stack(m, c, from.data(), of.data(), by.data(),
                                                                     out.data(), exec_);
  }
  farpoint::result interpolate_grad_stack(int n, int m, int c, floats const& grad_out, ints const& idx,
                                          floats const& weight) {
    using namespace farpoint::compat;
    auto const from = memory_.input(grad_out);
    auto const of = memory_.input(idx);
    auto const by = memory_.input(weight);
    auto const grad = memory_.template output<float>(size_of(n * c));
    auto const workspace = memory_.scratch(three_interpolate_grad_workspace_bytes(exec_, 1, m, n));
    return three_interpolate_grad_kernel_launcher_stack(m, c, from.data(), of.data(), by.data(), grad.data(), exec_, n,
                                                        workspace);
  }

  /// `points` `[b, c, n]`, `idx` `[b, m, nsample]`.
  farpoint::result group(batch_sizes s, int c, int nsample, floats const& points, ints const& idx) {
    using namespace farpoint::compat;
    auto const from = memory_.input(points);
    auto const of = memory_.input(idx);
    auto const out = memory_.template output<float>(s.others() * size_of(c * nsample));
    if (nsample == 1) {
      return gather_points_kernel_launcher_fast(s.b, c, s.n, s.m, from.data(), of.data(), out.data(), exec_);
    }
    return group_points_kernel_launcher_fast(s.b, c, s.n, s.m, nsample, from.data(), of.data(), out.data(), exec_);
  }
  farpoint::result group_grad(batch_sizes s, int c, int nsample, floats const& grad_out, ints const& idx) {
    using namespace farpoint::compat;
    auto const from = memory_.input(grad_out);
    auto const of = memory_.input(idx);
    auto const grad = memory_.template output<float>(s.points() * size_of(c));
    auto const workspace = memory_.scratch(group_points_grad_workspace_bytes(exec_, s.b, s.n, s.m, nsample));
    if (nsample == 1) {
      return gather_points_grad_kernel_launcher_fast(s.b, c, s.n, s.m, from.data(), of.data(), grad.data(), exec_,
                                                     workspace);
    }
    return group_points_grad_kernel_launcher_fast(s.b, c, s.n, s.m, nsample, from.data(), of.data(), grad.data(), exec_,
                                                  workspace);
  }
  /// `features` `[n, c]`, `idx` `[m, nsample]`.
  farpoint::result group_stack(stack_sizes const& s, int c, int nsample, floats const& features, ints const& idx) {
    auto const from = memory_.input(features);
    auto const of = memory_.input(idx);
    auto const [counts, asked_counts] = input_counts(s);
    auto const out = memory_.template output<float>(size_of(s.m() * c * nsample));
    return farpoint::compat::group_points_kernel_launcher_stack(
        s.clouds(), s.m(), c, nsample, from.data(), counts.data(), of.data(), asked_counts.data(), out.data(), exec_);
  }
  farpoint::result group_grad_stack(stack_sizes const& s, int c, int nsample, floats const& grad_out, ints const& idx) {
    using namespace farpoint::compat;
    auto const from = memory_.input(grad_out);
    auto const of = memory_.input(idx);
    auto const [counts, asked_counts] = input_counts(s);
    auto const grad = memory_.template output<float>(size_of(s.n() * c));
    auto const workspace = memory_.scratch(group_points_grad_stack_workspace_bytes(exec_, s.m(), s.n(), nsample));
    return group_points_grad_kernel_launcher_stack(s.clouds(), s.m(), c, s.n(), nsample, from.data(), of.data(),
                                                   asked_counts.data(), counts.data(), grad.data(), exec_, workspace);
  }

  farpoint::result voxels(voxelizer_config const& config, floats const& clouds) {
    using namespace farpoint::compat;
    auto const& s = config.sizes;
    auto const rows = size_of(s.max_voxels);
    auto const points = memory_.input(clouds);
    auto const to = memory_.template output<float>(rows * size_of(s.max_points * s.num_features));
    auto const coors = memory_.template output<int>(rows * 3);
    auto const counts = memory_.template output<int>(rows);
    auto const count = memory_.template output<int>(1);
    auto const workspace = memory_.scratch(hard_voxelize_workspace_bytes(exec_, s, config.voxel_size, config.range));
    return hard_voxelize(s, points.data(), to.data(), coors.data(), counts.data(), count.data(), config.voxel_size,
                         config.range, exec_, workspace);
  }

  farpoint::result voxels_of_points(voxelizer_config const& config, floats const& clouds) {
    auto const& s = config.sizes;
    auto const points = memory_.input(clouds);
    auto const coors = memory_.template output<int>(size_of(s.num_points * 3));
    return farpoint::compat::dynamic_voxelize(s.num_points, s.num_features, points.data(), coors.data(),
                                              config.voxel_size, config.range, exec_);
  }

  /// Voxelizes by the launchers of CUDA-CenterPoint.
  farpoint::result center_point_voxels(voxelizer_config const& config, floats const& clouds) {
    using namespace farpoint::compat;
    auto const& s = config.sizes;
    auto const rows = size_of(s.max_voxels);
    auto const grid = farpoint::compat::detail::published_grid(config.voxel_size, config.range);
    auto const points = memory_.input(clouds);
    auto const to = memory_.template output<float>(rows * size_of(s.max_points * s.num_features));
    auto const indices = memory_.template output<unsigned>(rows * 4);
    auto const counts = memory_.template output<unsigned>(rows);
    auto const count = memory_.template output<unsigned>(1);
    auto const means = memory_.template output<farpoint::float16>(rows * size_of(s.num_features));
    auto const size = size_of(s.num_points);
    auto const workspace = memory_.scratch(voxelization_workspace_bytes(
        exec_, size, grid.dims[2], grid.dims[1], grid.dims[0], s.num_features, s.max_voxels, s.max_points));
    auto const& r = config.range;
    auto const& v = config.voxel_size;
    farpoint::result const made =
        voxelizationLaunch(points.data(), size, r[0], r[3], r[1], r[4], r[2], r[5], v[0], v[1], v[2], grid.dims[1],
                           grid.dims[0], s.num_features, s.max_voxels, s.max_points, nullptr, counts.data(), to.data(),
                           indices.data(), count.data(), exec_, workspace);
    if (!made) return made;
    return featureExtractionLaunch(to.data(), counts.data(), count.data(), s.max_voxels, s.max_points, s.num_features,
                                   means.data(), exec_);
  }

  farpoint::result mean_of_three(floats const& clouds) {
    using namespace farpoint::compat;
    auto const points = memory_.input(clouds);
    auto const means = memory_.template output<float>(clouds.size() / 3);
    int const size = static_cast<int>(means.size());
    return distCUDA2(size, points.data(), means.data(), exec_, memory_.scratch(distCUDA2_workspace_bytes(exec_, size)));
  }

 private:
  struct stack_counts {
    farpoint::span<int const> points;
    farpoint::span<int const> others;
  };
  stack_counts input_counts(stack_sizes const& s) {
    auto const points = memory_.input(s.points);
    return {points, memory_.input(s.others)};
  }

  Memory& memory_;
  Exec exec_;
};

}  // namespace farpoint_tests

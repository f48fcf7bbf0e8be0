/// @file
/// Furthest point sampling of clouds stored one after another, with the arguments of OpenPCDet's pointnet2_stack.
#pragma once

#include <farpoint/compat/furthest_point_sampling.hpp>
#include <farpoint/compat/stacked_clouds.hpp>
#include <farpoint/core/offsets.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace compat {
namespace FARPOINT_HIDDEN detail {

/// Computes the offsets of clouds in tie order: offset i is the number of positions of all clouds before cloud i.
struct add_up_places {
  int const* counts;
  tie_order order;
  index_t* offsets;

  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    index_t sum = 0;
    for (Number b = 0; b < i; ++b) sum += order.of_cloud(farpoint::detail::larger(counts[b], 0)).size();
    offsets[i] = sum;
  }
};

/// Copies points into tie order.
struct reorder_stack {
  batch<point_view<float>> from;
  index_t const* places;  ///< `[clouds + 1]`: offsets in tie order
  float* to;              ///< `[positions, 3]`
  tie_order order;
  bool skip_origin;

  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    auto const at = static_cast<index_t>(i);
    if (at >= places[from.size()]) return;
    index_t const b = farpoint::detail::segment_of(from.size(), at, [this](index_t cloud) { return places[cloud]; });
    auto const points = from[b];
    ordered_cloud{points, order.of_cloud(points.size()), skip_origin}.copy(at - places[b], to + i * std::uint64_t{3});
  }
};

/// Writes the samples of all clouds one after another, as indices into all points.
struct finish_stack {
  batch<point_view<float>> clouds;  ///< points in tie order
  int const* counts;                ///< `[clouds]`: number of points per cloud
  index_t const* begins;            ///< `[clouds + 1]`: first point of each cloud
  index_t const* sample_begins;     ///< `[clouds + 1]`: first sample of each cloud
  int const* picks;                 ///< `[clouds, max_samples]`: positions in tie order
  float const* distances;           ///< `[clouds, max_samples]`
  index_t max_samples;
  int* idxs;
  tie_order order;
  bool skip_origin;

  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    auto const at = place_of(i, max_samples);
    index_t const to = sample_begins[at.row] + at.column;
    if (to < 0 || to >= sample_begins[at.row + 1]) return;
    ordered_cloud const cloud{clouds[at.row], order.of_cloud(counts[at.row]), skip_origin};
    idxs[to] = static_cast<int>(begins[at.row] + cloud.sample(picks[i], distances[i]));
  }
};

/// Lays out the workspace and runs the steps.
template <class Exec>
class stack_sampling_plan {
 public:
  stack_sampling_plan(Exec exec, stacked_points const& clouds, index_t max_samples,
                      furthest_point_sampling_rules rules) noexcept
      : exec_{exec},
        clouds_{clouds},
        max_samples_{max_samples},
        skip_origin_{rules.skip_origin},
        order_{tie_order::of_block(rules.block_threads, rules.block_threads)},
        places_{clouds.points + clouds.clouds * (order_.threads() - 1)} {
    params_.samples = max_samples;
  }

  std::size_t bytes() const noexcept {
    launcher_memory memory;
    auto const cuts = cut(memory);
    return memory.used() + fps_workspace_bytes(exec_, ordered(cuts), params_);
  }

  result run(int* idxs, int const* samples, farpoint::bytes workspace) const noexcept {
    if (result const checked = farpoint::detail::check_workspace(
            workspace, bytes(), FARPOINT_WORKSPACE_OF("stack_farthest_point_sampling"));
        !checked)
      return checked;
    launcher_memory memory{workspace.data()};
    auto const cuts = cut(memory);
    index_t const offsets = clouds_.clouds + 1;
    result done = for_each_index(exec_, offsets, add_up_counts{clouds_.counts, cuts.begins});
    if (done) done = for_each_index(exec_, offsets, add_up_counts{samples, cuts.sample_begins});
    if (done) done = for_each_index(exec_, offsets, add_up_places{clouds_.counts, order_, cuts.places});
    if (done) {
      reorder_stack const reorder{clouds_.with_offsets(cuts.begins), cuts.places, cuts.points, order_, skip_origin_};
      done = for_each_index(exec_, places_, reorder, 4);
    }
    auto const size = static_cast<std::size_t>(clouds_.clouds * max_samples_);
    fps_output<float> const output{span<int>{cuts.picks, size}, {cuts.distances, size}};
    if (done) done = fps(exec_, ordered(cuts), params_, output, rest_of(workspace, memory));
    if (!done) return done;
    return for_each_index(exec_, clouds_.clouds * max_samples_,
                          finish_stack{ordered(cuts), clouds_.counts, cuts.begins, cuts.sample_begins, cuts.picks,
                                       cuts.distances, max_samples_, idxs, order_, skip_origin_});
  }

 private:
  struct arrays {
    index_t* begins;
    index_t* sample_begins;
    index_t* places;
    float* points;
    float* distances;
    int* picks;
  };
  arrays cut(launcher_memory& memory) const noexcept {
    arrays cuts{};
    for (index_t** offsets : {&cuts.begins, &cuts.sample_begins, &cuts.places}) {
      *offsets = memory.template take<index_t>(clouds_.clouds + 1);
    }
    cuts.points = memory.template take<float>(places_ * 3);
    cuts.distances = memory.template take<float>(clouds_.clouds * max_samples_);
    cuts.picks = memory.template take<int>(clouds_.clouds * max_samples_);
    return cuts;
  }
  batch<point_view<float>> ordered(arrays const& cuts) const noexcept {
    return stacked_points{cuts.points, places_, nullptr, clouds_.clouds}.with_offsets(cuts.places);
  }

  Exec exec_;
  stacked_points clouds_;
  index_t max_samples_;
  bool skip_origin_;
  tie_order order_;
  index_t places_;  ///< upper bound on the number of positions of all clouds
  fps_params params_;
};

}  // namespace detail

/// Returns the size in bytes of the workspace of stack_farthest_point_sampling_kernel_launcher(); 256-byte aligned
/// memory.
template <class Exec>
std::size_t stack_farthest_point_sampling_workspace_bytes(Exec exec, int N, int batch_size, int max_samples,
                                                          furthest_point_sampling_rules rules = {}) noexcept {
  if (!detail::check_sizes(N, batch_size, max_samples) || !detail::check_rules(rules)) return 0;
  return detail::stack_sampling_plan{detail::execution_of(exec), {nullptr, N, nullptr, batch_size}, max_samples, rules}
      .bytes();
}

/// Samples each cloud, beginning with its first point; see furthest_point_sampling_kernel_launcher().
///
/// If the counts add up to more than N, all clouds are treated as empty and every sample is the cloud's first point.
///
/// @param N                   number of points over all clouds
/// @param batch_size          number of clouds
/// @param dataset             `[N, 3]`, meters
/// @param temp                neither read nor written
/// @param xyz_batch_cnt       `[batch_size]`: number of points of each cloud
/// @param idxs                `[sum of num_sampled_points]`: indices into all points, cloud after cloud
/// @param num_sampled_points  `[batch_size]`: number of samples of each cloud; samples beyond max_samples are not
///                            written
/// @param exec                a cudaStream_t or cuda_exec, with compat/stack_farthest_point_sampling.cuh, and device
///                            memory; or a host_exec and host memory
/// @param max_samples        upper bound on num_sampled_points; the kernel's launcher lacks this argument
/// @param workspace           at least stack_farthest_point_sampling_workspace_bytes() bytes, 256-byte aligned
/// @param rules               see furthest_point_sampling_kernel_launcher(); block_threads is used as it is, even for
///                            clouds with fewer points
/// @return ok | bad_argument | workspace_too_small | cuda_failure
template <class Exec>
result stack_farthest_point_sampling_kernel_launcher(int N, int batch_size, float const* dataset,
                                                     [[maybe_unused]] float* temp, int const* xyz_batch_cnt, int* idxs,
                                                     int const* num_sampled_points, Exec exec, int max_samples,
                                                     bytes workspace,
                                                     furthest_point_sampling_rules rules = {}) noexcept {
  detail::stacked_points const clouds{dataset, N, xyz_batch_cnt, batch_size};
  if (result const checked = detail::check_sizes(N, batch_size, max_samples); !checked) return checked;
  if (result const checked = detail::check_rules(rules); !checked) return checked;
  result const checked = detail::check_arrays(exec, workspace, clouds.all_points(), clouds.all_counts(),
                                              detail::launcher_array{num_sampled_points, batch_size},
                                              detail::array_of_some(idxs, index_t{batch_size} * max_samples > 0));
  if (!checked || batch_size == 0 || max_samples == 0) return checked;
  return detail::stack_sampling_plan{detail::execution_of(exec), clouds, max_samples, rules}.run(
      idxs, num_sampled_points, workspace);
}

}  // namespace compat
FARPOINT_END_NAMESPACE

/// @file
/// Gathering and grouping of channel-first features, forward and backward, with the arguments and results of the
/// kernels of PointNet++, OpenPCDet and mmcv.
#pragma once

#include <farpoint/compat/scatter_add.hpp>
#include <farpoint/gather.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace compat {
namespace FARPOINT_HIDDEN detail {

/// Gradients of groups `[clouds, c, places]`. An entry is a position of a cloud, or of a row of stacked clouds.
struct group_entries {
  index_t clouds, c, places;
  float const* grad_out;
  int const* idx;  ///< `[clouds, places]`

  FARPOINT_HD index_t size() const noexcept { return clouds * places; }
  FARPOINT_HD index_t channels() const noexcept { return c; }
  FARPOINT_HD float value_of(std::uint32_t entry, index_t channel) const noexcept {
    auto const at = place_of(entry, places);
    return grad_out[(at.row * c + channel) * places + at.column];
  }
};

/// Gradients of features `[clouds, c, n]`.
struct grouped_gradients : group_entries {
  index_t n;
  float* grad_points;

  grouped_gradients(group_entries const& from, index_t points, float* to) noexcept
      : group_entries{from}, n{points}, grad_points{to} {}

  FARPOINT_HD index_t targets() const noexcept { return clouds * n; }
  template <class Number>
  FARPOINT_HD index_t target_of(Number entry) const noexcept {
    index_t const index = idx[entry];
    return index < 0 || index >= n ? -1 : place_of(entry, places).row * n + index;
  }
  template <class Number>
  FARPOINT_HD scatter_place place_of_output(Number i) const noexcept {
    auto const at = place_of(i, n);
    auto const of = place_of(at.number, c);
    return {grad_points + i, of.row * n + at.column, of.column};
  }
};

/// Stacked clouds, located by their counts as the kernels do it.
struct stack_of_clouds {
  index_t clouds;
  int const* rows;    ///< `[clouds]`: number of rows of `idx` per cloud
  int const* points;  ///< `[clouds]`: number of feature rows per cloud

  /// Returns the feature row that `index` selects in the cloud of row `row` of `idx`; -1 if out of range.
  FARPOINT_HD index_t row_of(index_t row, index_t index) const noexcept {
    index_t begin = 0;
    index_t end = rows[0];
    index_t b = 0;
    for (; row >= end && b + 1 < clouds; end += rows[b]) begin += points[b++];
    return index < 0 || index >= points[b] ? -1 : begin + index;
  }
};

/// Copies a value of stacked features `[N, C]` to groups `[M, C, nsample]`.
struct group_stacked {
  stack_of_clouds stack;
  index_t channels, samples;
  float const* features;
  int const* idx;
  float* out;

  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    auto const at = place_of(i, samples);
    auto const of = place_of(at.number, channels);
    index_t const row = of.row;
    index_t const from = stack.row_of(row, idx[row * samples + at.column]);
    out[i] = from < 0 ? 0.0f : features[from * channels + of.column];
  }
};

/// Gradients of stacked features `[n, c]`.
struct stacked_gradients : group_entries {
  stack_of_clouds stack;
  index_t n;
  float* grad_features;

  stacked_gradients(group_entries const& from, stack_of_clouds const& by, index_t rows, float* to) noexcept
      : group_entries{from}, stack{by}, n{rows}, grad_features{to} {}

  FARPOINT_HD index_t targets() const noexcept { return n; }
  template <class Number>
  FARPOINT_HD scatter_place place_of_output(Number i) const noexcept {
    auto const at = place_of(i, c);
    return {grad_features + i, at.row, at.column};
  }
  template <class Number>
  FARPOINT_HD index_t target_of(Number entry) const noexcept {
    index_t const target = stack.row_of(place_of(entry, places).row, idx[entry]);
    return target < n ? target : -1;
  }
};

}  // namespace detail

/// Groups channel-first features: out[b, c, p, s] = points[b, c, idx[b, p, s]].
///
/// @param b,c,n            number of clouds, of channels and of points per cloud
/// @param npoints,nsample  number of groups per cloud and of points per group
/// @param points           `[b, c, n]`
/// @param idx              `[b, npoints, nsample]`: indices into the cloud; an index out of range gives zeros, whereas
///                         the kernel reads out of bounds
/// @param out              `[b, c, npoints, nsample]`
/// @param exec             a cudaStream_t or cuda_exec, with compat/group_points.cuh, and device memory; or a host_exec
///                         and host memory
/// @return ok | bad_argument | cuda_failure
template <class Exec>
result group_points_kernel_launcher_fast(int b, int c, int n, int npoints, int nsample, float const* points,
                                         int const* idx, float* out, Exec exec) noexcept {
  if (result const checked = detail::check_sizes(b, c, n, npoints, nsample); !checked) return checked;
  index_t const places = index_t{b} * npoints * nsample;
  result const checked =
      detail::check_arrays(exec, {}, detail::launcher_array{points, index_t{b} * c * n},
                           detail::launcher_array{idx, places}, detail::launcher_array{out, places * c});
  if (!checked || places * c == 0) return checked;
  auto const size = [](index_t elements) { return static_cast<std::size_t>(elements); };
  using rows = feature_rows<float>;
  using rows_to_read = feature_rows<float const>;
  auto const on = detail::execution_of(exec);
  return gather(on, rows_to_read::channels_first({points, size(index_t{b} * c * n)}, b, c),
                span<int const>{idx, size(places)}, rows::channels_first({out, size(places * c)}, b, c));
}

/// Gathers channel-first features: out[b, c, p] = points[b, c, idx[b, p]]. See group_points_kernel_launcher_fast().
/// @param b,c,n,npoints,points,exec  see group_points_kernel_launcher_fast()
/// @param idx  `[b, npoints]`
/// @param out  `[b, c, npoints]`
template <class Exec>
result gather_points_kernel_launcher_fast(int b, int c, int n, int npoints, float const* points, int const* idx,
                                          float* out, Exec exec) noexcept {
  return group_points_kernel_launcher_fast(b, c, n, npoints, 1, points, idx, out, exec);
}

/// Returns the size in bytes of the workspace of group_points_grad_kernel_launcher_fast(), and with nsample = 1 of
/// gather_points_grad_kernel_launcher_fast(); 256-byte aligned memory.
template <class Exec>
std::size_t group_points_grad_workspace_bytes(Exec exec, int b, int n, int npoints, int nsample) noexcept {
  if (!detail::check_sizes(b, n, npoints, nsample)) return 0;
  auto const on = detail::execution_of(exec);
  detail::grouped_gradients const gradients{{b, 1, index_t{npoints} * nsample, nullptr, nullptr}, n, nullptr};
  return detail::scatter_add_plan{on, gradients}.bytes();
}

/// Backward pass of group_points: grad_points[b, c, idx[b, p, s]] += grad_out[b, c, p, s].
///
/// The kernel adds by atomics in an order that differs from run to run, so its last bits differ, too. This function
/// adds to each gradient by ascending (p, s) and rounds each sum once: the same bits in every run and on every backend.
/// For that it sorts the indices, once for all channels.
///
/// @param b,c,n,npoints,nsample  see group_points_kernel_launcher_fast()
/// @param grad_out               `[b, c, npoints, nsample]`
/// @param idx                    `[b, npoints, nsample]`; an index out of range is skipped
/// @param grad_points            `[b, c, n]`: added to, so clear it first, as for the kernel
/// @param exec                   see group_points_kernel_launcher_fast()
/// @param workspace              at least group_points_grad_workspace_bytes() bytes, 256-byte aligned
/// @return ok | bad_argument | workspace_too_small | cuda_failure
template <class Exec>
result group_points_grad_kernel_launcher_fast(int b, int c, int n, int npoints, int nsample, float const* grad_out,
                                              int const* idx, float* grad_points, Exec exec, bytes workspace) noexcept {
  if (result const checked = detail::check_sizes(b, c, n, npoints, nsample); !checked) return checked;
  index_t const places = index_t{npoints} * nsample;
  result const checked = detail::check_arrays(exec, workspace, detail::launcher_array{grad_out, b * places * c},
                                              detail::launcher_array{idx, b * places},
                                              detail::launcher_array{grad_points, index_t{b} * c * n});
  if (!checked || b * places * c == 0) return checked;
  auto const on = detail::execution_of(exec);
  detail::grouped_gradients const gradients{{b, c, places, grad_out, idx}, n, grad_points};
  return detail::scatter_add_plan{on, gradients}.run(workspace, FARPOINT_WORKSPACE_OF("group_points_grad"));
}

/// Backward pass of gather_points; see group_points_grad_kernel_launcher_fast().
template <class Exec>
result gather_points_grad_kernel_launcher_fast(int b, int c, int n, int npoints, float const* grad_out, int const* idx,
                                               float* grad_points, Exec exec, bytes workspace) noexcept {
  return group_points_grad_kernel_launcher_fast(b, c, n, npoints, 1, grad_out, idx, grad_points, exec, workspace);
}

/// Groups the features of clouds stored one after another: out[p, c, s] = features[row, c], where `row` is row idx[p,
/// s] of the cloud that contains p.
///
/// @param B,M,C,nsample       number of clouds, of rows of idx, of channels and of indices per row
/// @param features            `[rows of all clouds, C]`
/// @param features_batch_cnt  `[B]`: number of feature rows of each cloud
/// @param idx                 `[M, nsample]`: indices into the cloud; an index out of range gives zeros
/// @param idx_batch_cnt       `[B]`: number of rows of idx of each cloud; rows beyond the sum belong to the last cloud
/// @param out                 `[M, C, nsample]`
/// @param exec                see group_points_kernel_launcher_fast()
/// @return ok | bad_argument | cuda_failure
template <class Exec>
result group_points_kernel_launcher_stack(int B, int M, int C, int nsample, float const* features,
                                          int const* features_batch_cnt, int const* idx, int const* idx_batch_cnt,
                                          float* out, Exec exec) noexcept {
  if (result const checked = detail::check_sizes(B, M, C, nsample); !checked) return checked;
  index_t const places = index_t{M} * nsample;
  // features may be null: without features all groups are zeros.
  result const checked =
      detail::check_arrays(exec, {}, detail::array_of_some(features, features != nullptr),
                           detail::launcher_array{features_batch_cnt, B}, detail::launcher_array{idx, places},
                           detail::launcher_array{idx_batch_cnt, B}, detail::launcher_array{out, places * C});
  if (!checked || B == 0 || places * C == 0) return checked;
  auto const on = detail::execution_of(exec);
  detail::stack_of_clouds const stack{B, idx_batch_cnt, features_batch_cnt};
  return for_each_index(on, places * C, detail::group_stacked{stack, C, nsample, features, idx, out}, 4);
}

/// Returns the size in bytes of the workspace of group_points_grad_kernel_launcher_stack(); 256-byte aligned memory.
template <class Exec>
std::size_t group_points_grad_stack_workspace_bytes(Exec exec, int M, int N, int nsample) noexcept {
  if (!detail::check_sizes(M, N, nsample)) return 0;
  auto const on = detail::execution_of(exec);
  detail::stacked_gradients const gradients{{M, 1, nsample, nullptr, nullptr}, {}, N, nullptr};
  return detail::scatter_add_plan{on, gradients}.bytes();
}

/// Backward pass of group_points_kernel_launcher_stack(); see group_points_grad_kernel_launcher_fast().
///
/// @param B,M,C,nsample  see group_points_kernel_launcher_stack()
/// @param N              number of feature rows over all clouds
/// @param grad_out       `[M, C, nsample]`
/// @param idx,idx_batch_cnt,features_batch_cnt,exec  see group_points_kernel_launcher_stack()
/// @param grad_features  `[N, C]`: added to
/// @param workspace      at least group_points_grad_stack_workspace_bytes() bytes, 256-byte aligned
/// @return ok | bad_argument | workspace_too_small | cuda_failure
template <class Exec>
result group_points_grad_kernel_launcher_stack(int B, int M, int C, int N, int nsample, float const* grad_out,
                                               int const* idx, int const* idx_batch_cnt, int const* features_batch_cnt,
                                               float* grad_features, Exec exec, bytes workspace) noexcept {
  if (result const checked = detail::check_sizes(B, M, C, N, nsample); !checked) return checked;
  index_t const places = index_t{M} * nsample;
  result const checked = detail::check_arrays(
      exec, workspace, detail::launcher_array{grad_out, places * C}, detail::launcher_array{idx, places},
      detail::launcher_array{idx_batch_cnt, B}, detail::launcher_array{features_batch_cnt, B},
      detail::launcher_array{grad_features, index_t{N} * C});
  if (!checked || B == 0 || places * C == 0) return checked;
  auto const on = detail::execution_of(exec);
  detail::stack_of_clouds const stack{B, idx_batch_cnt, features_batch_cnt};
  detail::stacked_gradients const gradients{{M, C, nsample, grad_out, idx}, stack, N, grad_features};
  return detail::scatter_add_plan{on, gradients}.run(workspace, FARPOINT_WORKSPACE_OF("group_points_grad_stack"));
}

}  // namespace compat
FARPOINT_END_NAMESPACE

/// @file
/// Interpolation with given weights, forward and backward, with the arguments and results of the kernels of PointNet++,
/// OpenPCDet and mmcv.
#pragma once

#include <farpoint/compat/scatter_add.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace compat {
namespace FARPOINT_HIDDEN detail {

/// Evaluates w0 * v0 + w1 * v1 + w2 * v2 with the contraction that nvcc applies by default; missing values are 0.
FARPOINT_HD inline float weighted_sum(float const* weight, float const (&value)[3]) noexcept {
  float const sum = fma_rn(weight[0], value[0], mul_rn(weight[1], value[1]));
  return fma_rn(weight[2], value[2], sum);
}

/// Interpolates one value of channel-first features.
struct interpolate_channels {
  index_t c, m, n;
  float const* points;  ///< `[b, c, m]`
  int const* idx;       ///< `[b, n, 3]`
  float const* weight;  ///< `[b, n, 3]`
  float* out;           ///< `[b, c, n]`

  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    auto const at = place_of(i, n);
    index_t const entry = (place_of(at.number, c).row * n + at.column) * 3;
    float value[3];
    for (int j = 0; j < 3; ++j) {
      index_t const from = idx[entry + j];
      value[j] = from < 0 || from >= m ? 0.0f : points[at.row * m + from];
    }
    out[i] = weighted_sum(weight + entry, value);
  }
};

/// Interpolates one value of row-major features.
struct interpolate_rows {
  index_t channels;
  float const* features;  ///< `[M, channels]`
  int const* idx;         ///< `[N, 3]`
  float const* weight;    ///< `[N, 3]`
  float* out;             ///< `[N, channels]`

  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    auto const at = place_of(i, channels);
    index_t const entry = at.row * 3;
    float value[3];
    for (int j = 0; j < 3; ++j) {
      index_t const from = idx[entry + j];
      value[j] = from < 0 ? 0.0f : features[from * channels + at.column];
    }
    out[i] = weighted_sum(weight + entry, value);
  }
};

/// Gradients of interpolated features. The entry (p, j) adds the weighted gradient of unknown point p to its j-th known
/// point.
struct interpolated_gradients {
  index_t b, c, n, m;
  bool channel_first;  ///< true: `[b, c, n]` and `[b, c, m]`; false: b = 1, `[n, c]` and `[m, c]`
  float const* grad_out;
  int const* idx;       ///< `[b, n, 3]`
  float const* weight;  ///< `[b, n, 3]`
  float* grad_points;

  FARPOINT_HD index_t size() const noexcept { return b * n * 3; }
  FARPOINT_HD index_t targets() const noexcept { return b * m; }
  FARPOINT_HD index_t channels() const noexcept { return c; }

  template <class Number>
  FARPOINT_HD index_t target_of(Number entry) const noexcept {
    index_t const index = idx[entry];
    return index < 0 || index >= m ? -1 : place_of(entry, n * 3).row * m + index;
  }
  FARPOINT_HD float value_of(std::uint32_t entry, index_t channel) const noexcept {
    index_t const row = entry / 3;
    auto const at = place_of(entry / 3, n);
    index_t const from = channel_first ? (at.row * c + channel) * n + at.column : row * c + channel;
    return mul_rn(grad_out[from], weight[entry]);
  }
  template <class Number>
  FARPOINT_HD scatter_place place_of_output(Number i) const noexcept {
    auto const at = place_of(i, channel_first ? m : c);
    if (!channel_first) return {grad_points + i, at.row, at.column};
    auto const of = place_of(at.number, c);
    return {grad_points + i, of.row * m + at.column, of.column};
  }
};

}  // namespace detail

/// Interpolates channel-first features: out[b, c, p] = sum over j of weight[b, p, j] * points[b, c, idx[b, p, j]]. The
/// output has the same bits as the kernel's.
///
/// @param b,c,m,n  number of clouds, of channels, of known points and of unknown points per cloud
/// @param points   `[b, c, m]`
/// @param idx      `[b, n, 3]`; an index out of range contributes zeros, whereas the kernel reads out of bounds
/// @param weight   `[b, n, 3]`; three_nn_weights() computes the weights of the models
/// @param out      `[b, c, n]`
/// @param exec     a cudaStream_t or cuda_exec, with compat/three_interpolate.cuh, and device memory; or a host_exec
///                 and host memory
/// @return ok | bad_argument | cuda_failure
template <class Exec>
result three_interpolate_kernel_launcher_fast(int b, int c, int m, int n, float const* points, int const* idx,
                                              float const* weight, float* out, Exec exec) noexcept {
  if (result const checked = detail::check_sizes(b, c, m, n); !checked) return checked;
  index_t const rows = index_t{b} * n;
  result const checked = detail::check_arrays(
      exec, {}, detail::launcher_array{points, index_t{b} * c * m}, detail::launcher_array{idx, rows * 3},
      detail::launcher_array{weight, rows * 3}, detail::launcher_array{out, rows * c});
  if (!checked || rows * c == 0) return checked;
  auto const on = detail::execution_of(exec);
  return for_each_index(on, rows * c, detail::interpolate_channels{c, m, n, points, idx, weight, out}, 4);
}

/// Returns the size in bytes of the workspace of three_interpolate_grad_kernel_launcher_fast(), and with b = 1 of
/// three_interpolate_grad_kernel_launcher_stack(); 256-byte aligned memory.
template <class Exec>
std::size_t three_interpolate_grad_workspace_bytes(Exec exec, int b, int n, int m) noexcept {
  if (!detail::check_sizes(b, n, m)) return 0;
  auto const on = detail::execution_of(exec);
  detail::interpolated_gradients const gradients{b, 1, n, m, true, nullptr, nullptr, nullptr, nullptr};
  return detail::scatter_add_plan{on, gradients}.bytes();
}

/// Backward pass: grad_points[b, c, idx[b, p, j]] += grad_out[b, c, p] * weight[b, p, j].
///
/// The kernel adds by atomics, in an order that differs from run to run. This function adds to each gradient by
/// ascending (p, j) and rounds each product and each sum once: the same bits in every run and on every backend.
///
/// @param b,c,n,m      see three_interpolate_kernel_launcher_fast()
/// @param grad_out     `[b, c, n]`
/// @param idx          `[b, n, 3]`; an index out of range is skipped
/// @param weight       `[b, n, 3]`
/// @param grad_points  `[b, c, m]`: added to, so clear it first, as for the kernel
/// @param exec         see three_interpolate_kernel_launcher_fast()
/// @param workspace    at least three_interpolate_grad_workspace_bytes() bytes, 256-byte aligned
/// @return ok | bad_argument | workspace_too_small | cuda_failure
template <class Exec>
result three_interpolate_grad_kernel_launcher_fast(int b, int c, int n, int m, float const* grad_out, int const* idx,
                                                   float const* weight, float* grad_points, Exec exec,
                                                   bytes workspace) noexcept {
  if (result const checked = detail::check_sizes(b, c, n, m); !checked) return checked;
  index_t const rows = index_t{b} * n;
  result const checked = detail::check_arrays(
      exec, workspace, detail::launcher_array{grad_out, rows * c}, detail::launcher_array{idx, rows * 3},
      detail::launcher_array{weight, rows * 3}, detail::launcher_array{grad_points, index_t{b} * c * m});
  if (!checked || rows * c == 0) return checked;
  auto const on = detail::execution_of(exec);
  detail::interpolated_gradients const gradients{b, c, n, m, true, grad_out, idx, weight, grad_points};
  return detail::scatter_add_plan{on, gradients}.run(workspace, FARPOINT_WORKSPACE_OF("three_interpolate_grad"));
}

/// Interpolates the features of clouds stored one after another: out[p, c] = sum over j of weight[p, j] *
/// features[idx[p, j], c].
///
/// @param N,channels  number of unknown points over all clouds, and of channels
/// @param features    `[rows of all clouds, channels]`
/// @param idx         `[N, 3]`: indices into all rows, as from three_nn_kernel_launcher_stack(); a negative index
///                    contributes zeros
/// @param weight  `[N, 3]`
/// @param out     `[N, channels]`
/// @param exec    see three_interpolate_kernel_launcher_fast()
/// @return ok | bad_argument | cuda_failure
template <class Exec>
result three_interpolate_kernel_launcher_stack(int N, int channels, float const* features, int const* idx,
                                               float const* weight, float* out, Exec exec) noexcept {
  if (result const checked = detail::check_sizes(N, channels); !checked) return checked;
  index_t const size = index_t{N} * channels;
  result const checked = detail::check_arrays(
      exec, {}, detail::array_of_some(features, size > 0), detail::launcher_array{idx, index_t{N} * 3},
      detail::launcher_array{weight, index_t{N} * 3}, detail::launcher_array{out, size});
  if (!checked || size == 0) return checked;
  auto const on = detail::execution_of(exec);
  return for_each_index(on, size, detail::interpolate_rows{channels, features, idx, weight, out}, 4);
}

/// Backward pass of three_interpolate_kernel_launcher_stack(); see three_interpolate_grad_kernel_launcher_fast().
///
/// @param N,channels,idx,weight,exec  see three_interpolate_kernel_launcher_stack()
/// @param grad_out       `[N, channels]`
/// @param grad_features  `[M, channels]`: added to
/// @param M              number of rows of grad_features; the kernel's launcher lacks this argument
/// @param workspace      at least three_interpolate_grad_workspace_bytes(exec, 1, N, M) bytes, 256-byte aligned
/// @return ok | bad_argument | workspace_too_small | cuda_failure
template <class Exec>
result three_interpolate_grad_kernel_launcher_stack(int N, int channels, float const* grad_out, int const* idx,
                                                    float const* weight, float* grad_features, Exec exec, int M,
                                                    bytes workspace) noexcept {
  if (result const checked = detail::check_sizes(N, channels, M); !checked) return checked;
  index_t const size = index_t{N} * channels;
  result const checked = detail::check_arrays(
      exec, workspace, detail::launcher_array{grad_out, size}, detail::launcher_array{idx, index_t{N} * 3},
      detail::launcher_array{weight, index_t{N} * 3}, detail::launcher_array{grad_features, index_t{M} * channels});
  if (!checked || size == 0) return checked;
  auto const on = detail::execution_of(exec);
  detail::interpolated_gradients const gradients{1, channels, N, M, false, grad_out, idx, weight, grad_features};
  return detail::scatter_add_plan{on, gradients}.run(workspace, FARPOINT_WORKSPACE_OF("three_interpolate_grad"));
}

}  // namespace compat
FARPOINT_END_NAMESPACE

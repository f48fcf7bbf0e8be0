/// @file
/// Three nearest points and interpolation weights, with the arguments and results of the kernels of PointNet++,
/// OpenPCDet and mmcv.
#pragma once

#include <farpoint/compat/stacked_clouds.hpp>
#include <farpoint/knn.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace compat {

/// Unit of the distances that three_nn writes.
enum class three_nn_distances {
  squared,                                                ///< squared meters, as the kernels write them
  meters,                                                 ///< meters, as the Python functions return them
  metres [[deprecated("farpoint: use meters")]] = meters  ///< deprecated name of meters, until 0.2
};

namespace FARPOINT_HIDDEN detail {

/// Replaces a neighbor that is missing, or whose squared distance overflows, by index 0 and +inf as the kernels do.
struct finish_neighbors {
  float* distances;  ///< `[rows, 3]`
  int* idx;          ///< `[rows, 3]`
  three_nn_distances kind;
  batch<point_view<float>> points;  ///< stacked clouds: their indices count from the first point of all clouds
  batch<point_view<float>> queries;

  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    index_t const row = static_cast<index_t>(i / 3);
    if (queries.is_ragged() && row >= queries.offsets().back()) return;
    index_t const begin = queries.is_ragged() ? points.begin_of(queries.cloud_of(row)) : 0;
    bool const is_there = idx[i] >= 0 && distances[i] < farpoint::detail::infinity<float>;
    idx[i] = static_cast<int>(begin + (is_there ? idx[i] : 0));
    if (kind == three_nn_distances::meters) distances[i] = sqrt_rn(distances[i]);
  }
};

/// Replaces a squared distance by the distance, and the index of a neighbor at +inf by 0: the body of for_each_index()
/// for each value of rows of knn(), whatever their type.
template <class Scalar>
struct root_of_distance {
  span<Scalar> distances;  ///< squared meters, then meters
  index_span indices;

  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    Scalar const squared = distances[i];
    if (!(squared < farpoint::detail::infinity<Scalar>)) indices.set(static_cast<index_t>(i), 0);
    distances[i] = sqrt_rn(squared);
  }
};

/// Searches, then finishes the rows.
template <class Exec>
result three_nn(Exec exec, batch<point_view<float>> const& points, batch<point_view<float>> const& queries, float* dist,
                int* idx, three_nn_distances kind, bytes workspace) noexcept {
  index_t const size = queries.points().size() * 3;
  knn_output<float> const output{span<int>{idx, static_cast<std::size_t>(size)},
                                 {dist, static_cast<std::size_t>(size)}};
  if (result const found = knn(exec, points, queries, knn_params{3}, output, workspace); !found) return found;
  return for_each_index(exec, size, finish_neighbors{dist, idx, kind, points, queries});
}

/// Weights of a row: 1 / (distance + 1e-8), divided by their sum.
struct inverse_weights {
  float const* dist;
  float* weight;

  template <class Number>
  FARPOINT_HD void operator()(Number row) const noexcept {
    float const* const from = dist + row * 3;
    float* const to = weight + row * 3;
    float inverse[3];
    for (int j = 0; j < 3; ++j) inverse[j] = div_rn(1.0f, add_rn(from[j], 1e-8f));
    float const sum = add_rn(add_rn(inverse[0], inverse[1]), inverse[2]);
    for (int j = 0; j < 3; ++j) to[j] = div_rn(inverse[j], sum);
  }
};

}  // namespace detail

/// Returns the size in bytes of the workspace of three_nn_kernel_launcher_fast(); 256-byte aligned memory.
template <class Exec>
std::size_t three_nn_workspace_bytes(Exec exec, int b, int n, int m) noexcept {
  if (!detail::check_sizes(b, n, m)) return 0;
  return knn_workspace_bytes(detail::execution_of(exec), detail::published_clouds(nullptr, b, m),
                             detail::published_clouds(nullptr, b, n), knn_params{3});
}

/// Finds the three nearest known points of each unknown point, nearest first. Ties go to the lowest index. Distances
/// and indices equal the kernels' results bit for bit.
///
/// Missing neighbors, in a cloud of fewer than three known points, get index 0 and +inf. A non-finite unknown point
/// has no neighbors.
///
/// @param b,n,m      number of clouds, of unknown points and of known points per cloud
/// @param unknown    `[b, n, 3]`
/// @param known      `[b, m, 3]`
/// @param dist2      `[b, n, 3]`: squared distances (m^2), or with three_nn_distances::meters distances (m)
/// @param idx        `[b, n, 3]`: indices into the cloud's known points
/// @param exec       a cudaStream_t or cuda_exec, with compat/three_nn.cuh, and device memory; or a host_exec and host
///                   memory
/// @param workspace  at least three_nn_workspace_bytes() bytes, 256-byte aligned
/// @param distances  unit of dist2
/// @return ok | bad_argument | workspace_too_small | cuda_failure
template <class Exec>
result three_nn_kernel_launcher_fast(int b, int n, int m, float const* unknown, float const* known, float* dist2,
                                     int* idx, Exec exec, bytes workspace,
                                     three_nn_distances distances = three_nn_distances::squared) noexcept {
  if (result const checked = detail::check_sizes(b, n, m); !checked) return checked;
  index_t const rows = index_t{b} * n;
  result const checked = detail::check_arrays(
      exec, workspace, detail::launcher_array{unknown, rows * 3}, detail::launcher_array{known, index_t{b} * m * 3},
      detail::launcher_array{dist2, rows * 3}, detail::launcher_array{idx, rows * 3});
  if (!checked || rows == 0) return checked;
  auto const on = detail::execution_of(exec);
  return detail::three_nn(on, detail::published_clouds(known, b, m), detail::published_clouds(unknown, b, n), dist2,
                          idx, distances, workspace);
}

/// Returns the size in bytes of the workspace of three_nn_kernel_launcher_stack(); 256-byte aligned memory.
template <class Exec>
std::size_t three_nn_stack_workspace_bytes(Exec exec, int batch_size, int N, int M) noexcept {
  if (!detail::check_sizes(batch_size, N, M)) return 0;
  auto const on = detail::execution_of(exec);
  return detail::stacked_search{on, {nullptr, M, nullptr, batch_size}, {nullptr, N, nullptr, batch_size}}.bytes(
      [&](auto const& points, auto const& queries) { return knn_workspace_bytes(on, points, queries, knn_params{3}); });
}

/// Three nearest points in clouds stored one after another. Indices count from the first known point of all clouds.
///
/// Unknown points beyond the sum of their counts are skipped. If the counts of unknown or known points add up to more
/// than N or M, no point has a neighbor.
///
/// @param batch_size,N,M     number of clouds, of unknown points and of known points over all clouds
/// @param unknown            `[N, 3]`
/// @param unknown_batch_cnt  `[batch_size]`: number of unknown points of each cloud
/// @param known              `[M, 3]`
/// @param known_batch_cnt    `[batch_size]`: number of known points of each cloud
/// @param dist2              `[N, 3]`
/// @param idx                `[N, 3]`: a missing neighbor has the index of the cloud's first known point
/// @param exec               see three_nn_kernel_launcher_fast()
/// @param workspace          at least three_nn_stack_workspace_bytes() bytes, 256-byte aligned
/// @param distances          see three_nn_kernel_launcher_fast()
/// @return ok | bad_argument | workspace_too_small | cuda_failure
template <class Exec>
result three_nn_kernel_launcher_stack(int batch_size, int N, int M, float const* unknown, int const* unknown_batch_cnt,
                                      float const* known, int const* known_batch_cnt, float* dist2, int* idx, Exec exec,
                                      bytes workspace,
                                      three_nn_distances distances = three_nn_distances::squared) noexcept {
  if (result const checked = detail::check_sizes(batch_size, N, M); !checked) return checked;
  detail::stacked_points const points{known, M, known_batch_cnt, batch_size};
  detail::stacked_points const queries{unknown, N, unknown_batch_cnt, batch_size};
  index_t const size = index_t{N} * 3;
  result const checked = detail::check_arrays(exec, workspace, points.all_points(), points.all_counts(),
                                              queries.all_points(), queries.all_counts(),
                                              detail::launcher_array{dist2, size}, detail::launcher_array{idx, size});
  if (!checked || batch_size == 0 || N == 0) return checked;
  auto const on = detail::execution_of(exec);
  auto const bytes_of = [&](auto const& clouds, auto const& asked) {
    return knn_workspace_bytes(on, clouds, asked, knn_params{3});
  };
  auto const search = [&](auto const& clouds, auto const& asked, bytes memory) {
    return detail::three_nn(on, clouds, asked, dist2, idx, distances, memory);
  };
  return detail::stacked_search{on, points, queries}.run(workspace, FARPOINT_WORKSPACE_OF("three_nn_stack"), bytes_of,
                                                         search);
}

/// Computes the interpolation weights of the PointNet++ models: 1 / (distance + 1e-8), divided by their sum. Each
/// operation is rounded once; sums begin with the nearest point.
///
/// @param rows    number of unknown points over all clouds
/// @param dist    `[rows, 3]`: distances (m) from three_nn with three_nn_distances::meters
/// @param weight  `[rows, 3]`; may be `dist`
/// @param exec    see three_nn_kernel_launcher_fast()
/// @return ok | bad_argument | cuda_failure
template <class Exec>
result three_nn_weights(int rows, float const* dist, float* weight, Exec exec) noexcept {
  if (result const checked = detail::check_sizes(rows); !checked) return checked;
  index_t const size = index_t{rows} * 3;
  result const checked =
      detail::check_arrays(exec, {}, detail::launcher_array{dist, size}, detail::launcher_array{weight, size});
  if (!checked) return checked;
  auto const on = detail::execution_of(exec);
  return for_each_index(on, rows, detail::inverse_weights{dist, weight}, 3);
}

}  // namespace compat
FARPOINT_END_NAMESPACE

/// @file
/// The three nearest points, and interpolation between them, with the arguments and the answers of the kernels of
/// PointNet++, OpenPCDet and mmcv.
#pragma once

#include <farpoint/compat/stacked_clouds.hpp>
#include <farpoint/knn.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace compat {

/// What three_nn fills its distances with.
enum class three_nn_distances {
  squared,  ///< as the kernels do
  metres    ///< the square root, as the functions in Python return them
};

namespace FARPOINT_HIDDEN detail {

/// What the kernels write for a neighbour that is missing, or whose squared distance overflows: index 0 and +inf.
struct finish_neighbours {
  float* distances;  ///< `[rows, 3]`
  int* idx;          ///< likewise
  three_nn_distances kind;
  batch<point_view<float>> points;  ///< of a stack, whose indices are those of its view
  batch<point_view<float>> queries;

  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    index_t const row = static_cast<index_t>(i / 3);
    if (queries.is_ragged() && row >= queries.offsets().back()) return;
    index_t const begin = queries.is_ragged() ? points.begin_of(queries.cloud_of(row)) : 0;
    bool const is_there = idx[i] >= 0 && distances[i] < farpoint::detail::infinity<float>;
    idx[i] = static_cast<int>(begin + (is_there ? idx[i] : 0));
    if (kind == three_nn_distances::metres) distances[i] = sqrt_rn(distances[i]);
  }
};

/// Searches, and finishes the rows.
template <class Exec>
result three_nn(Exec exec, batch<point_view<float>> const& points, batch<point_view<float>> const& queries, float* dist,
                int* idx, three_nn_distances kind, bytes workspace) noexcept {
  index_t const size = queries.points().size() * 3;
  knn_output<float> const output{span<int>{idx, static_cast<std::size_t>(size)},
                                 {dist, static_cast<std::size_t>(size)}};
  if (result const found = knn(exec, points, queries, exact{}, 3, output, workspace); !found) return found;
  return for_each_index(exec, size, finish_neighbours{dist, idx, kind, points, queries});
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

/// Bytes of workspace that three_nn_kernel_launcher_fast() needs; 256-byte aligned memory.
template <class Exec>
std::size_t three_nn_workspace_bytes(Exec exec, int b, int n, int m) noexcept {
  if (!detail::check_sizes(b, n, m)) return 0;
  return knn_workspace_bytes(detail::execution_of(exec), detail::published_clouds(nullptr, b, m),
                             detail::published_clouds(nullptr, b, n), exact{}, 3);
}

/// The three nearest known points of each unknown one, the nearest first, and of equals the one of lowest index. The
/// same answer as the kernels of that name, to the bit.
///
/// A cloud of fewer than three known points gives index 0 and +inf for those that are missing, and so does a point that
/// is not finite for all.
///
/// @param b,n,m      clouds, unknown and known points of each
/// @param unknown    `[b, n, 3]`
/// @param known      `[b, m, 3]`
/// @param dist2      `[b, n, 3]`: squared distances (m^2), or with three_nn_distances::metres distances (m)
/// @param idx        `[b, n, 3]`: indices into the cloud's known points
/// @param exec       a cudaStream_t or cuda_exec, with compat/three_nn.cuh, and device memory; or a host_exec and host
///                   memory
/// @param workspace  at least three_nn_workspace_bytes() bytes, 256-byte aligned
/// @param distances  what dist2 is filled with
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

/// Bytes of workspace that three_nn_kernel_launcher_stack() needs; 256-byte aligned memory.
template <class Exec>
std::size_t three_nn_stack_workspace_bytes(Exec exec, int batch_size, int N, int M) noexcept {
  if (!detail::check_sizes(batch_size, N, M)) return 0;
  auto const on = detail::execution_of(exec);
  return detail::stacked_search{on, {nullptr, M, nullptr, batch_size}, {nullptr, N, nullptr, batch_size}}.bytes(
      [&](auto const& points, auto const& queries) { return knn_workspace_bytes(on, points, queries, exact{}, 3); });
}

/// The same for clouds that lie one after another: indices count from the first known point of all clouds.
///
/// Where the counts do not add up to what there is, points beyond their sum are left out, and if there are more points
/// than memory, no point has a neighbour.
///
/// @param batch_size,N,M     clouds, unknown and known points of all
/// @param unknown            `[N, 3]`
/// @param unknown_batch_cnt  `[batch_size]`: unknown points of each cloud
/// @param known              `[M, 3]`
/// @param known_batch_cnt    `[batch_size]`: known points of each cloud
/// @param dist2              `[N, 3]`
/// @param idx                `[N, 3]`: those of a missing neighbour are the first known point of the cloud
/// @param exec               as above
/// @param workspace          at least three_nn_stack_workspace_bytes() bytes, 256-byte aligned
/// @param distances          as above
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
    return knn_workspace_bytes(on, clouds, asked, exact{}, 3);
  };
  auto const search = [&](auto const& clouds, auto const& asked, bytes memory) {
    return detail::three_nn(on, clouds, asked, dist2, idx, distances, memory);
  };
  return detail::stacked_search{on, points, queries}.run(workspace, FARPOINT_WORKSPACE_OF("three_nn_stack"), bytes_of,
                                                         search);
}

/// The weights that the models of PointNet++ interpolate with: 1 / (distance + 1e-8), divided by their sum. Each
/// operation is rounded once, and sums are added from the nearest on.
///
/// @param rows    unknown points of all clouds
/// @param dist    `[rows, 3]`: distances (m), of three_nn with three_nn_distances::metres
/// @param weight  `[rows, 3]`; may be `dist`
/// @param exec    as above
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

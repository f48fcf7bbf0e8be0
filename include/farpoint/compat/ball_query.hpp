/// @file
/// Ball query with the arguments and results of the kernels of PointNet++, OpenPCDet and mmcv.
#pragma once

#include <farpoint/compat/stacked_clouds.hpp>
#include <farpoint/radius.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace compat {
namespace FARPOINT_HIDDEN detail {

/// Fills the rest of a row with its first neighbor.
template <class Index = int>
struct fill_by_first {
  Index* idx;  ///< `[rows, samples]`, -1 past the last neighbor
  index_t samples;
  bool no_neighbors;  ///< true if the search did not run, so `idx` is not written yet
  Index first_of_empty;
  index_t const* rows = nullptr;  ///< number of rows in device memory, or null if all rows exist

  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    if (rows != nullptr && static_cast<index_t>(i) >= *rows) return;
    Index* const row = idx + i * static_cast<std::uint64_t>(samples);
    if (no_neighbors || row[0] < 0) {
      for (index_t s = 0; s < samples; ++s) row[s] = s == 0 ? first_of_empty : 0;
      return;
    }
    for (index_t s = samples - 1; s > 0 && row[s] < 0; --s) row[s] = row[0];
  }
};

/// Parameters of a ball query.
struct ball {
  radius_params params;

  ball(float radius, index_t nsample) noexcept {
    // The kernels square the radius, so its sign does not matter.
    params.radius = static_cast<double>(radius < 0 ? -radius : radius);
    params.max_neighbors = nsample;
    params.exclusive = true;
  }
  /// False if the squared radius is 0 or NaN, underflow included: no distance is below it.
  bool has_neighbors() const noexcept { return farpoint::detail::squared_radius<float>(params.radius) > 0; }

  template <class Exec>
  result query(Exec exec, batch<point_view<float>> const& points, batch<point_view<float>> const& queries,
               span<int> idx, bytes workspace) const noexcept {
    return radius(exec, points, queries, params, radius_output<float>{idx}, workspace);
  }

  template <class Exec>
  result query_stack(Exec exec, stacked_points const& points, stacked_points const& queries, int* idx,
                     bytes workspace) const noexcept {
    auto const bytes_of = [exec](auto const& clouds, auto const& asked) {
      return radius_workspace_bytes(exec, clouds, asked);
    };
    auto const search = [&](auto const& clouds, auto const& asked, bytes memory) {
      span<int> const rows{idx, static_cast<std::size_t>(queries.points * params.max_neighbors)};
      if (has_neighbors()) {
        if (result const found = query(exec, clouds, asked, rows, memory); !found) return found;
      }
      fill_by_first<> const fill{idx, params.max_neighbors, !has_neighbors(), -1, &asked.offsets().back()};
      return for_each_index(exec, queries.points, fill, params.max_neighbors);
    };
    return stacked_search{exec, points, queries}.run(workspace, FARPOINT_WORKSPACE_OF("ball_query_stack"), bytes_of,
                                                     search);
  }

  result check() const noexcept {
    return params.max_neighbors <= max_neighbors ? result{}
                                                 : farpoint::detail::reject("ball_query: nsample is above 1,024");
  }
};

}  // namespace detail

/// Returns the size in bytes of the workspace of ball_query_kernel_launcher_fast(); 256-byte aligned memory.
template <class Exec>
std::size_t ball_query_workspace_bytes(Exec exec, int b, int n, int m) noexcept {
  if (!detail::check_sizes(b, n, m)) return 0;
  return radius_workspace_bytes(detail::execution_of(exec), detail::published_clouds(nullptr, b, n),
                                detail::published_clouds(nullptr, b, m));
}

/// Finds for each query the first `nsample` points of its cloud, by index, that are nearer than `radius`. A row with
/// fewer neighbors repeats its first one. The indices equal the kernels' indices: distances have the same bits.
///
/// The row of a query without neighbors is zeros. The kernels leave such a row unchanged, and their callers clear it
/// first.
///
/// @param b,n,m    number of clouds, of points per cloud and of queries per cloud
/// @param radius   meters; a point at exactly this distance is no neighbor
/// @param nsample  at most 1,024
/// @param new_xyz  `[b, m, 3]`: the queries
/// @param xyz      `[b, n, 3]`
/// @param idx      `[b, m, nsample]`: indices into the query's cloud
/// @param exec     a cudaStream_t or cuda_exec, with compat/ball_query.cuh, and device memory; or a host_exec and host
///                 memory
/// @param workspace  at least ball_query_workspace_bytes() bytes, 256-byte aligned
/// @return ok | bad_argument | workspace_too_small | cuda_failure
template <class Exec>
result ball_query_kernel_launcher_fast(int b, int n, int m, float radius, int nsample, float const* new_xyz,
                                       float const* xyz, int* idx, Exec exec, bytes workspace) noexcept {
  if (result const checked = detail::check_sizes(b, n, m, nsample); !checked) return checked;
  index_t const rows = index_t{b} * m;
  detail::ball const ball{radius, nsample};
  if (result const checked = ball.check(); !checked) return checked;
  result const checked =
      detail::check_arrays(exec, workspace, detail::launcher_array{xyz, index_t{b} * n * 3},
                           detail::launcher_array{new_xyz, rows * 3}, detail::launcher_array{idx, rows * nsample});
  if (!checked || rows == 0 || nsample == 0) return checked;
  auto const on = detail::execution_of(exec);
  if (ball.has_neighbors()) {
    result const found = ball.query(on, detail::published_clouds(xyz, b, n), detail::published_clouds(new_xyz, b, m),
                                    {idx, static_cast<std::size_t>(rows * nsample)}, workspace);
    if (!found) return found;
  }
  return for_each_index(on, rows, detail::fill_by_first<>{idx, nsample, !ball.has_neighbors(), 0}, nsample);
}

/// Returns the size in bytes of the workspace of ball_query_kernel_launcher_stack(); 256-byte aligned memory.
/// @param exec   a cudaStream_t, cuda_exec or host_exec
/// @param B,M,N  number of clouds, of queries over all clouds and of points over all clouds
template <class Exec>
std::size_t ball_query_stack_workspace_bytes(Exec exec, int B, int M, int N) noexcept {
  if (!detail::check_sizes(B, M, N)) return 0;
  auto const on = detail::execution_of(exec);
  return detail::stacked_search{on, {nullptr, N, nullptr, B}, {nullptr, M, nullptr, B}}.bytes(
      [&](auto const& points, auto const& queries) { return radius_workspace_bytes(on, points, queries); });
}

/// Ball query over clouds stored one after another. The row of a query without neighbors is -1 followed by zeros.
///
/// Queries beyond the sum of their counts are skipped. If the counts of points or of queries add up to more than N or
/// M, all rows are empty.
///
/// @param B,M                number of clouds, of queries over all clouds
/// @param radius,nsample     see ball_query_kernel_launcher_fast()
/// @param new_xyz            `[M, 3]`: the queries
/// @param new_xyz_batch_cnt  `[B]`: number of queries of each cloud
/// @param xyz                `[N, 3]`
/// @param xyz_batch_cnt      `[B]`: number of points of each cloud
/// @param idx                `[M, nsample]`: indices into the query's cloud
/// @param exec               see ball_query_kernel_launcher_fast()
/// @param N                  number of points over all clouds; the kernel's launcher lacks this argument
/// @param workspace          at least ball_query_stack_workspace_bytes() bytes, 256-byte aligned
/// @return ok | bad_argument | workspace_too_small | cuda_failure
template <class Exec>
result ball_query_kernel_launcher_stack(int B, int M, float radius, int nsample, float const* new_xyz,
                                        int const* new_xyz_batch_cnt, float const* xyz, int const* xyz_batch_cnt,
                                        int* idx, Exec exec, int N, bytes workspace) noexcept {
  if (result const checked = detail::check_sizes(B, M, nsample, N); !checked) return checked;
  detail::stacked_points const points{xyz, N, xyz_batch_cnt, B};
  detail::stacked_points const queries{new_xyz, M, new_xyz_batch_cnt, B};
  detail::ball const ball{radius, nsample};
  if (result const checked = ball.check(); !checked) return checked;
  result const checked =
      detail::check_arrays(exec, workspace, points.all_points(), points.all_counts(), queries.all_points(),
                           queries.all_counts(), detail::launcher_array{idx, index_t{M} * nsample});
  if (!checked || B == 0 || M == 0 || nsample == 0) return checked;
  auto const on = detail::execution_of(exec);
  return ball.query_stack(on, points, queries, idx, workspace);
}

}  // namespace compat
FARPOINT_END_NAMESPACE

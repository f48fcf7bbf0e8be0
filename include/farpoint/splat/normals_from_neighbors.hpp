/// @file
/// Normals and extents of splats from known neighbors: host backend.
#pragma once

#include <farpoint/detail/splat/splat_from_neighbors.hpp>
#include <farpoint/host/for_each_index.hpp>
#include <farpoint/host/isa_dispatch.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// splat_rows, compiled for several instruction sets.
template <class Points>
struct splat_row_pass {
  using function = void (*)(splat_rows<Points> const&, index_t) noexcept;

  FARPOINT_ALWAYS_INLINE static void run(splat_rows<Points> const& task, index_t row) noexcept { task.answer(row); }
};

template <class Points>
result answer_splat_rows(host_exec exec, splat_rows<Points> const& task) noexcept {
  if (result const checked = check_threads(exec); !checked) return checked;
  if (result const checked = check_splat_rows(task); !checked) return checked;
  typename splat_row_pass<Points>::function answer = nullptr;
  isa_dispatch<splat_row_pass<Points>>(answer);
  index_t const there = task.rows.count.empty() ? task.size() : larger(task.rows.count[0], index_t{0});
  // Cost of a row relative to copying a value.
  index_t const work = 256 + 16 * task.rows.k;
  return for_each_index(
      exec, smaller(there, task.size()), [&](std::uint64_t row) { answer(task, static_cast<index_t>(row)); }, work);
}

}  // namespace detail

/// Computes normals at points with known neighbors, and the half axes of elliptical splats, which measure how far the
/// neighbors extend along the surface.
///
/// Normal and curvature equal estimate_normals(), to the bit, for a row with the same neighbors in the same order. The
/// tangent is the axis along which the neighbors vary most. An extent is neighbor_normals_params::extent times the
/// root mean square of the neighbors' offsets from the point along its axis. Normal and tangent are (0, 0, 0), and
/// both extents derive from the neighbors' distances, if the neighbors are fewer than three, collinear, or so far
/// away that their covariance overflows. Without neighbors, or for a point that is not in the cloud, the extents are
/// 0. A row ends at its first index that is not in the cloud. The result has the same bits on every backend.
///
/// @param exec    number of threads; blocks until done
/// @param points  one cloud, with or without offsets, meters, three coordinates, host memory
/// @param rows    see neighbor_rows: output of knn() among the same points
/// @param params  see neighbor_normals_params
/// @param output  see neighbor_normals_output
/// @return ok | bad_argument (k outside 1 to 1,024, arrays that do not match the number of rows, not one cloud, a
///         negative extent); on failure nothing is written. A cloud with invalid offsets (see batch) is empty: all rows
///         are undefined.
/// Complexity: O(rows * k). With one thread, allocates nothing. Thread-safe for different outputs.
template <class Points>
result normals_from_neighbors(host_exec exec, batch<Points> const& points, neighbor_rows const& rows,
                              neighbor_normals_params const& params,
                              neighbor_normals_output<typename Points::scalar> const& output) noexcept {
  return detail::answer_splat_rows(exec, detail::splat_rows<Points>{points, rows, params, output});
}

/// Deprecated name of normals_from_neighbors(), until 0.2.
template <class Points>
[[deprecated("farpoint: use normals_from_neighbors")]] result normals_from_neighbours(
    host_exec exec, batch<Points> const& points, neighbor_rows const& rows, neighbor_normals_params const& params,
    neighbor_normals_output<typename Points::scalar> const& output) noexcept {
  return normals_from_neighbors(exec, points, rows, params, output);
}

FARPOINT_END_NAMESPACE

/// @file
/// Normals and extents of splats from neighbours that are known: host backend.
#pragma once

#include <farpoint/detail/screen/splat_from_neighbours.hpp>
#include <farpoint/host/for_each_index.hpp>
#include <farpoint/host/isa_dispatch.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// splat_rows, compiled for several processors.
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
  // A row takes as long as to copy some hundred values.
  index_t const work = 256 + 16 * task.rows.k;
  return for_each_index(
      exec, smaller(there, task.size()), [&](std::uint64_t row) { answer(task, static_cast<index_t>(row)); }, work);
}

}  // namespace detail

/// The normal at points whose neighbours are known, and the half axes of an elliptical splat there: how far the
/// neighbours reach along the surface.
///
/// Normal and curvature are those of estimate_normals(), to the bit, where the row holds the same neighbours in the
/// same order. The tangent is the axis along which the neighbours vary most. An extent is
/// neighbour_normals_params::extent times the root mean square of the neighbours' offsets from the point along its
/// axis. Where neighbours are fewer than three, on a line, or so far away that their covariance overflows, normal and
/// tangent are (0, 0, 0) and both extents come from the neighbours' distances; without neighbours, or for a point
/// that is none of the cloud's, they are 0. A row ends with its first index that is no point's. The same bits on every
/// backend.
///
/// @param exec    threads to use; blocks until done
/// @param points  one cloud, perhaps with offsets, metres, three coordinates, host memory
/// @param rows    see neighbour_rows: what knn() has written, among the same points
/// @param params  see neighbour_normals_params
/// @param output  see neighbour_normals_output
/// @return ok | bad_argument (k not 1 to 1,024, arrays that do not fit the number of rows, not one cloud, a negative
///         extent); nothing is written on failure. A cloud whose offsets are wrong (see batch) is empty: all rows are
///         undefined.
/// Complexity: O(rows * k). Allocates nothing with one thread. Thread-safe for different output.
template <class Points>
result normals_from_neighbours(host_exec exec, batch<Points> const& points, neighbour_rows const& rows,
                               neighbour_normals_params const& params,
                               neighbour_normals_output<typename Points::scalar> const& output) noexcept {
  return detail::answer_splat_rows(exec, detail::splat_rows<Points>{points, rows, params, output});
}

FARPOINT_END_NAMESPACE

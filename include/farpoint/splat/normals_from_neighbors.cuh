/// @file
/// Normals and extents of splats from neighbors that are known, on a CUDA stream. See normals_from_neighbors.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/splat/splat_from_neighbors.hpp>
#include <farpoint/grid/for_each_index.cuh>

FARPOINT_BEGIN_NAMESPACE

/// normals_from_neighbors(), enqueued on a stream: equal to the host overload's answer to the bit.
///
/// Only enqueues: no synchronization, no allocation; may be captured in a graph. All memory is device memory, which
/// must stay valid until the stream has passed the call; the number of rows, too, stays on the device.
///
/// @return ok | bad_argument | cuda_failure. Never clears or returns a pending error of other work.
/// Complexity: one launch with a thread for each row that there is room for. A row of up to 8 neighbors reads them
/// once; a longer one reads k indices and, three times, k points, of which all but the first read comes from a cache.
/// Thread-safe for different output.
template <class Points>
result normals_from_neighbors(cuda_exec exec, batch<Points> const& points, neighbor_rows const& rows,
                              neighbor_normals_params const& params,
                              neighbor_normals_output<typename Points::scalar> const& output) noexcept {
  detail::profile_range const range{"farpoint::normals_from_neighbors"};
  detail::splat_rows<Points> const task{points, rows, params, output};
  if (result const checked = detail::check_splat_rows(task); !checked) return checked;
  if (result const checked = detail::check_pointers(exec, points, rows.indices, rows.points, rows.count, output.normals,
                                                    output.curvatures, output.tangents, output.extents);
      !checked) {
    return checked;
  }
  return for_each_index(exec, task.size(), task);
}

/// Deprecated name of normals_from_neighbors(), until 0.2.
template <class Points>
[[deprecated("farpoint: use normals_from_neighbors")]] result normals_from_neighbours(
    cuda_exec exec, batch<Points> const& points, neighbor_rows const& rows, neighbor_normals_params const& params,
    neighbor_normals_output<typename Points::scalar> const& output) noexcept {
  return normals_from_neighbors(exec, points, rows, params, output);
}

FARPOINT_END_NAMESPACE

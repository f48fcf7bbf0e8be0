/// @file
/// Neighbours within a fixed radius on a CUDA stream. See radius.hpp for what radius() and radius_rows() find.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/detail/search/radius_cuda.cuh>
#include <farpoint/detail/search/with_index.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

template <class Selector, class Points, class Queries>
result radius_cuda(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries, bool self,
                   radius_params const& params, index_t max, radius_output<typename Points::scalar> const& output,
                   bytes workspace) noexcept {
  if (result const checked = check_device_search(points, queries); !checked) return checked;
  if (result const checked = check_radius(queries.points().size(), params, max, output); !checked) return checked;
  return indexed_search<Selector>(
      exec, points, workspace, radius_memory_of(queries, self), [&](auto const& index, radius_memory const& memory) {
        return radius_search{points, index.index, queries, self, params, memory, exec.stream}.template lists<Selector>(
            max, output);
      });
}

template <class Selector, class Points, class Queries>
result radius_rows_cuda(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries, bool self,
                        radius_params const& params, radius_rows_output<typename Points::scalar> const& output,
                        bytes workspace) noexcept {
  if (result const checked = check_device_search(points, queries); !checked) return checked;
  if (result const checked = check_radius_rows(queries.points().size(), params, output); !checked) return checked;
  return indexed_search<Selector>(
      exec, points, workspace, radius_memory_of(queries, self), [&](auto const& index, radius_memory const& memory) {
        return radius_search{points, index.index, queries, self, params, memory, exec.stream}.rows(output);
      });
}

}  // namespace detail

/// Bytes of device workspace that radius() and radius_rows() need on the current GPU; 256-byte aligned memory. O(1): a
/// function of the sizes of points and queries. As many as the index needs, 8 for each 1,024 queries, and 16 a query so
/// that queries are answered in an order in which neighbours follow one another.
template <class Selector = knn_selector, class Points, class Queries>
std::size_t radius_workspace_bytes(cuda_exec, batch<Points> const& points, batch<Queries> const& queries) noexcept {
  return detail::indexed_search_bytes<Selector>(points, detail::radius_memory_of(queries, false));
}

/// For points that ask among themselves, which are in such an order.
template <class Selector = knn_selector, class Points>
std::size_t radius_workspace_bytes(cuda_exec, batch<Points> const& points) noexcept {
  return detail::indexed_search_bytes<Selector>(points, detail::radius_memory_of(points, true));
}

/// radius(), enqueued on a stream: the rules and the bits of the host overload.
///
/// Only enqueues: no synchronisation, no allocation; may be captured in a graph. Everything that `points`, `queries`
/// and `output` point to, and `workspace`, is device memory that must stay valid until the stream has passed the call.
///
/// @tparam Selector  tuning; changes the speed only
/// @return ok | bad_argument | workspace_too_small | cuda_failure. Never clears or returns an error of somebody else's.
///         Offsets that decrease or leave the view cannot be refused here: nobody has neighbours then.
/// Complexity: that of the host overload, and a sort of queries that are not the points. Lists of up to 32 are in
/// registers, longer ones are heaps in the rows of the output: without distances their order by distance costs most. At
/// most 2^30 points. Thread-safe: concurrent calls must not share output or workspace.
template <class Selector = knn_selector, class Points, class Queries>
result radius(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries, radius_params const& params,
              index_t max, radius_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::radius_cuda<Selector>(exec, points, queries, false, params, max, output, workspace);
}

/// The points ask among themselves.
template <class Selector = knn_selector, class Points>
result radius(cuda_exec exec, batch<Points> const& points, radius_params const& params, index_t max,
              radius_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::radius_cuda<Selector>(exec, points, points, true, params, max, output, workspace);
}

/// radius_rows(), enqueued on a stream, as radius() is. The offsets and report->total say what the capacity should have
/// been: they stay on the device.
///
/// Complexity: the search twice, a scan, and the sorting of each row: by a warp up to 512 neighbours, by a thread
/// beyond.
template <class Selector = knn_selector, class Points, class Queries>
result radius_rows(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries,
                   radius_params const& params, radius_rows_output<typename Points::scalar> const& output,
                   bytes workspace) noexcept {
  return detail::radius_rows_cuda<Selector>(exec, points, queries, false, params, output, workspace);
}

/// The points ask among themselves.
template <class Selector = knn_selector, class Points>
result radius_rows(cuda_exec exec, batch<Points> const& points, radius_params const& params,
                   radius_rows_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::radius_rows_cuda<Selector>(exec, points, points, true, params, output, workspace);
}

FARPOINT_END_NAMESPACE

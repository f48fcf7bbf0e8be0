/// @file
/// Estimates normals and curvatures from neighbours: host backend.
#pragma once

#include <farpoint/detail/search/normal_from_neighbours.hpp>
#include <farpoint/knn.hpp>

FARPOINT_BEGIN_NAMESPACE

namespace detail {

/// normal_of(), compiled for several processors.
template <class Points>
struct normal_pass {
  using scalar = typename Points::scalar;
  using function = normal_and_curvature<scalar> (*)(Points const&, index_t, neighbour_key<scalar> const*, int,
                                                    vec<double, 3> const&) noexcept;

  FARPOINT_ALWAYS_INLINE static normal_and_curvature<scalar> run(Points const& cloud, index_t i,
                                                                 neighbour_key<scalar> const* keys, int count,
                                                                 vec<double, 3> const& viewpoint) noexcept {
    return normal_of(cloud, cloud[i], keys, count, viewpoint);
  }
};

}  // namespace detail

/// Estimates the surface normal at each point, the direction in which its k nearest points vary least, facing the
/// viewpoint; and the surface variation there as its curvature (Pauly et al. 2002).
///
/// A point that is not finite, or whose neighbours (itself among them) are fewer than three or on a line, gets the
/// normal (0, 0, 0) and the curvature 0. The same bits on every backend.
///
/// @param exec       threads to use; blocks until done
/// @param points     `[clouds, n]` or ragged, metres, three coordinates, host memory
/// @param params     see normals_params
/// @param output     see normals_output
/// @param workspace  at least knn_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return ok | bad_argument | workspace_too_small; nothing is written on failure
/// Complexity: as knn(). Thread-safe: concurrent calls must not share output or workspace.
template <class Points>
result estimate_normals(host_exec exec, batch<Points> const& points, normals_params const& params,
                        normals_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  if (result const checked = detail::check_host_search(exec, points, points); !checked) return checked;
  if (result const checked = detail::check_normals(points.points().size(), params, output); !checked) return checked;
  typename detail::normal_pass<Points>::function normal_of_point = nullptr;
  detail::isa_dispatch<detail::normal_pass<Points>>(normal_of_point);
  auto const write = [&](index_t b, index_t i, auto const* keys, int count) {
    auto const found = normal_of_point(points[b], i, keys, count, params.viewpoint);
    detail::write_normal(output, points.begin_of(b) + i, found);
  };
  auto const leave_empty = [&](index_t row) {
    detail::write_normal(output, row, detail::normal_and_curvature<typename Points::scalar>{});
  };
  detail::list_consumer const consumer{write, leave_empty};
  exact method;
  method.max_radius = params.max_radius;
  return detail::neighbours_on_host(exec, points, points, true, method, params.k, consumer, output.report, workspace);
}

FARPOINT_END_NAMESPACE

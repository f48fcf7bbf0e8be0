/// @file
/// Interpolates features between points: host backend.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/search/neighbor_means.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/types/interpolate.hpp>
#include <farpoint/types/point_bvh.hpp>

FARPOINT_BEGIN_NAMESPACE

namespace FARPOINT_HIDDEN detail {

/// interpolate() for host_exec.
/// @param source  points, or a point_bvh
template <class Source, class Queries>
result interpolate_host(host_exec exec, Source const& source, span<float const> features, batch<Queries> const& queries,
                        index_t channels, interpolate_output const& output, bytes workspace) noexcept {
  auto const leave_empty = [&](index_t row) { std::fill_n(output.features.data() + row * channels, channels, 0.0f); };
  auto const check = [&] {
    return check_interpolate(point_count(source), features, queries.points().size(), channels, output);
  };
  auto const answer = [&](auto const& search) {
    auto const write = [&](index_t b, index_t i, auto const* keys, int count) {
      float weights[3];
      inverse_distance_weights(keys, count, weights);
      float* const to = output.features.data() + (queries.begin_of(b) + i) * channels;
      for (index_t c = 0; c < channels; ++c) {
        to[c] = weighted_sum(weights, count, [&](int j) {
          return features[static_cast<std::size_t>((search.points_begin(b) + keys[j].index()) * channels + c)];
        });
      }
    };
    neighbors_by<typename Queries::scalar>(search, knn_params{3}, list_consumer{write, leave_empty}, output.report);
  };
  return named(search_on_host(exec, source, queries, false, workspace, check, answer),
               FARPOINT_WORKSPACE_OF("interpolate"));
}

}  // namespace detail

/// Returns the size in bytes of the workspace of interpolate() on the host, equal to knn_workspace_bytes() for these
/// points and queries; 256-byte aligned memory.
template <class Points, class Queries>
std::size_t interpolate_workspace_bytes(host_exec exec, batch<Points> const& points,
                                        batch<Queries> const& queries) noexcept {
  return knn_workspace_bytes(exec, points, queries, knn_params{3});
}

/// Computes a number of bytes of workspace that suffices for interpolate() of all searches within the limits on the
/// host. Monotonic in the limits. O(1).
/// @tparam Points  view type of the points, for example point_view<float>
/// @return ok | bad_argument; on failure `bound` is unchanged
template <class Points>
result interpolate_workspace_bound(host_exec exec, search_limits const& limits, std::size_t& bound) noexcept {
  return detail::bound_host_search<typename Points::scalar>(exec, limits, bound);
}

/// Interpolates features at each query: the mean over the three nearest points, weighted by the inverse squared
/// distance (PointNet++, Qi et al. 2017).
///
/// A query that coincides with points gets the mean of their features. In a cloud with fewer than three points, the
/// mean is over all of its points; a query that has no neighbor or is not finite gets zeros. The result has the same
/// bits on every backend: products are added nearest first, each rounded once.
///
/// @param exec       number of threads; blocks until done
/// @param points     `[clouds, n]` or ragged, meters, three coordinates, host memory
/// @param features   `[points, channels]`: one row per point of the view
/// @param queries    `[clouds, m]` or ragged, with the same number of clouds
/// @param channels   number of values per row, at least 1
/// @param output     see interpolate_output
/// @param workspace  at least interpolate_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return ok | bad_argument | workspace_too_small; on failure nothing is written
/// Complexity: as knn() with k = 3, and O(queries * channels). Thread-safe: concurrent calls must not share output or
/// workspace.
template <class Points, class Queries>
result interpolate(host_exec exec, batch<Points> const& points, span<float const> features,
                   batch<Queries> const& queries, index_t channels, interpolate_output const& output,
                   bytes workspace) noexcept {
  return detail::interpolate_host(exec, points, features, queries, channels, output, workspace);
}

/// Returns the size in bytes of the workspace of interpolate() among the points of a BVH, equal to the one of knn().
template <class Queries>
std::size_t interpolate_workspace_bytes(host_exec exec, point_bvh<typename Queries::scalar> const& index,
                                        batch<Queries> const& queries) noexcept {
  return detail::index_search_plan<Queries>{exec, index.size(), queries}.bytes();
}

/// interpolate() among the points of a BVH: same result as for the points themselves, whose features these are. The
/// workspace may be empty, as for knn().
/// @return ok | bad_argument | workspace_too_small; on failure nothing is written
template <class Queries>
result interpolate(host_exec exec, point_bvh<typename Queries::scalar> const& index, span<float const> features,
                   batch<Queries> const& queries, index_t channels, interpolate_output const& output,
                   bytes workspace = {}) noexcept {
  return detail::interpolate_host(exec, index, features, queries, channels, output, workspace);
}

#if defined(__cpp_exceptions)

/// @name interpolate() of one cloud in a host container, or among the points of its BVH: `[queries, channels]`
/// Points and queries are contiguous containers of a type that has a point_layout, of two or three coordinates;
/// features are one of float, `[points, channels]`; `exec` is all cores by default. The calls allocate the workspace
/// and the result. They throw std::invalid_argument with the reason, or std::bad_alloc.
/// @{
template <class Container, class Features, class Queries, class = detail::host_elements<Container const>,
          class = detail::host_elements<Features const>, class = detail::host_elements<Queries const>>
std::vector<float> interpolate(Container const& points, Features const& features, Queries const& queries,
                               index_t channels, host_exec exec = {}) {
  batch const cloud{detail::search_view(points)};
  batch const asked{detail::search_view(queries)};
  index_t const rows = asked.points().size();
  std::vector<float> found(static_cast<std::size_t>(channels < 1 ? 0 : rows * channels));
  host_scratch const workspace{interpolate_workspace_bytes(exec, cloud, asked)};
  detail::require_ok(
      interpolate(exec, cloud, span<float const>{features}, asked, channels, interpolate_output{found}, workspace));
  return found;
}

template <class Scalar, class Features, class Queries, class = detail::host_elements<Features const>,
          class = detail::host_elements<Queries const>>
std::vector<float> interpolate(point_bvh<Scalar> const& index, Features const& features, Queries const& queries,
                               index_t channels, host_exec exec = {}) {
  batch const asked{detail::search_view(queries)};
  std::vector<float> found(static_cast<std::size_t>(channels < 1 ? 0 : asked.points().size() * channels));
  host_scratch const workspace{interpolate_workspace_bytes(exec, index, asked)};
  detail::require_ok(
      interpolate(exec, index, span<float const>{features}, asked, channels, interpolate_output{found}, workspace));
  return found;
}
/// @}

#endif  // defined(__cpp_exceptions)

FARPOINT_END_NAMESPACE

// Searches on host memory.
#include <farpoint/estimate_normals.hpp>
#include <farpoint/interpolate.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/radius.hpp>

#include "host_call.hpp"

FARPOINT_BEGIN_NAMESPACE
namespace library {

namespace {

/// Checks the arguments that all searches have; `rest` checks the others.
template <class Points, class Rest>
result check_search(batch<Points> const& points, batch<Points> const& queries, Rest const& rest) noexcept {
  if (result const checked = detail::check_host_search(host_exec{}, points, queries); !checked) return checked;
  return rest();
}

/// Clouds of a search in the memory of its backend. A search without queries uses the points as queries.
template <class Points>
struct search_clouds {
  Points points;
  Points queries;
  bool self;

  /// Calls `call(points)`, or `call(points, queries)` if the search has queries.
  template <class Call>
  auto given_to(Call const& call) const noexcept {
    return self ? call(points) : call(points, queries);
  }
};

/// Searches by call_anywhere(). `rest(size)` checks the arguments of one search of `size` queries; `search(memory,
/// exec, clouds, all)` returns the call, where `all` is the batch of queries in the caller's memory.
template <class Coord, class Rest, class Search>
result search_anywhere(sentences const& messages, runtime::options const& options, runtime::run_info* info,
                       clouds_of<Coord> const& points, clouds_of<Coord> const* queries, Rest const& rest,
                       Search const& search) noexcept {
  clouds_of<Coord> const& all = queries == nullptr ? points : *queries;
  result const checked = check_search(points, all, [&] { return rest(all.points().size()); });
  return call_anywhere(messages, checked, options, info, [&](auto exec, auto& memory) {
    auto const cloud = place(memory, points);
    bool const self = queries == nullptr;
    auto const asked = self ? cloud : place(memory, *queries);
    return search(memory, exec, search_clouds<std::decay_t<decltype(cloud)>>{cloud, asked, self}, all);
  });
}

/// Returns the workspace of radius() and radius_rows().
template <class Memory, class Exec, class Clouds>
bytes radius_workspace(Memory& memory, Exec exec, Clouds const& clouds) noexcept {
  return memory.scratch(
      [&] { return clouds.given_to([&](auto const&... given) { return radius_workspace_bytes(exec, given...); }); });
}

/// Searches for queries, or for the points themselves: `Search::search(options, info, points, queries, arguments...)`,
/// where `queries` is null for the points.
template <class Search>
struct of_queries_or_self {
  template <class Coord, class... Args>
  static result call(runtime::options const& options, runtime::run_info* info, clouds_of<Coord> const& points,
                     clouds_of<Coord> const& queries, Args const&... args) noexcept {
    return Search::search(options, info, points, &queries, args...);
  }
  template <class Coord, class... Args>
  static result call(runtime::options const& options, runtime::run_info* info, clouds_of<Coord> const& points,
                     Args const&... args) noexcept {
    return Search::search(options, info, points, static_cast<clouds_of<Coord> const*>(nullptr), args...);
  }
};

}  // namespace

template <>
struct anywhere<function::knn> : of_queries_or_self<anywhere<function::knn>> {
  template <class Coord, class Scalar = scalar_of<Coord>>
  static result search(runtime::options const& options, runtime::run_info* info, clouds_of<Coord> const& points,
                       clouds_of<Coord> const* queries, knn_params const& params,
                       knn_output<Scalar> const& output) noexcept {
    auto const check = [&](index_t size) { return detail::check_knn(size, params, output); };
    auto const search = [&](auto& memory, auto exec, auto const& clouds, auto const& all) {
      auto const found = place(memory, output, all, params.k);
      bytes const workspace = memory.scratch([&] {
        return clouds.given_to([&](auto const&... given) { return knn_workspace_bytes(exec, given..., params); });
      });
      return [=] {
        return clouds.given_to(
            [&](auto const&... given) { return farpoint::knn(exec, given..., params, found, workspace); });
      };
    };
    return search_anywhere(FARPOINT_SENTENCES("knn"), options, info, points, queries, check, search);
  }
};

template <>
struct anywhere<function::radius> : of_queries_or_self<anywhere<function::radius>> {
  template <class Coord, class Scalar = scalar_of<Coord>>
  static result search(runtime::options const& options, runtime::run_info* info, clouds_of<Coord> const& points,
                       clouds_of<Coord> const* queries, radius_params const& params,
                       radius_output<Scalar> const& output) noexcept {
    auto const check = [&](index_t size) { return detail::check_radius(size, params, output); };
    auto const search = [&](auto& memory, auto exec, auto const& clouds, auto const& all) {
      auto const found = place(memory, output, all, params.max_neighbors);
      bytes const workspace = radius_workspace(memory, exec, clouds);
      return [=] {
        return clouds.given_to(
            [&](auto const&... given) { return farpoint::radius(exec, given..., params, found, workspace); });
      };
    };
    return search_anywhere(FARPOINT_SENTENCES("radius"), options, info, points, queries, check, search);
  }
};

template <>
struct anywhere<function::radius_rows> : of_queries_or_self<anywhere<function::radius_rows>> {
  template <class Coord, class Scalar = scalar_of<Coord>>
  static result search(runtime::options const& options, runtime::run_info* info, clouds_of<Coord> const& points,
                       clouds_of<Coord> const* queries, radius_params const& params,
                       radius_rows_output<Scalar> const& output) noexcept {
    auto const check = [&](index_t size) { return detail::check_radius_rows(size, params, output); };
    auto const search = [&](auto& memory, auto exec, auto const& clouds, auto const& all) {
      auto const found = place(memory, output, all);
      bytes const workspace = radius_workspace(memory, exec, clouds);
      return [=] {
        return clouds.given_to(
            [&](auto const&... given) { return farpoint::radius_rows(exec, given..., params, found, workspace); });
      };
    };
    return search_anywhere(FARPOINT_SENTENCES("radius_rows"), options, info, points, queries, check, search);
  }
};

template <>
struct anywhere<function::estimate_normals> {
  template <class Coord, class Scalar = scalar_of<Coord>>
  static result call(runtime::options const& options, runtime::run_info* info, clouds_of<Coord> const& points,
                     normals_params const& params, normals_output<Scalar> const& output) noexcept {
    result const checked =
        check_search(points, points, [&] { return detail::check_normals(points.points().size(), params, output); });
    return call_anywhere(FARPOINT_SENTENCES("estimate_normals"), checked, options, info, [&](auto exec, auto& memory) {
      auto const cloud = place(memory, points);
      auto const found = place(memory, output, points);
      bytes const workspace = memory.scratch([&] { return estimate_normals_workspace_bytes(exec, cloud, params); });
      return [=] { return farpoint::estimate_normals(exec, cloud, params, found, workspace); };
    });
  }
};

template <>
struct anywhere<function::mean_knn_distance> {
  template <class Coord, class Scalar = scalar_of<Coord>>
  static result call(runtime::options const& options, runtime::run_info* info, clouds_of<Coord> const& points,
                     mean_knn_distance_params const& params, mean_knn_distance_output<Scalar> const& output) noexcept {
    result const checked = check_search(
        points, points, [&] { return detail::check_mean_distance(points.points().size(), params, output); });
    return call_anywhere(FARPOINT_SENTENCES("mean_knn_distance"), checked, options, info, [&](auto exec, auto& memory) {
      auto const cloud = place(memory, points);
      auto const found = place(memory, output, points);
      bytes const workspace = memory.scratch([&] { return mean_knn_distance_workspace_bytes(exec, cloud, params); });
      return [=] { return farpoint::mean_knn_distance(exec, cloud, params, found, workspace); };
    });
  }
};

template <>
struct anywhere<function::interpolate> {
  template <class Coord>
  static result call(runtime::options const& options, runtime::run_info* info, clouds_of<Coord> const& points,
                     span<float const> features, clouds_of<Coord> const& queries, index_t channels,
                     interpolate_output const& output) noexcept {
    result const checked = check_search(points, queries, [&] {
      return detail::check_interpolate(points.points().size(), features, queries.points().size(), channels, output);
    });
    return call_anywhere(FARPOINT_SENTENCES("interpolate"), checked, options, info, [&](auto exec, auto& memory) {
      auto const cloud = place(memory, points);
      auto const values = place(memory, features);
      auto const asked = place(memory, queries);
      auto const found = place(memory, output, queries, channels);
      bytes const workspace = memory.scratch([&] { return interpolate_workspace_bytes(exec, cloud, asked); });
      return [=] { return farpoint::interpolate(exec, cloud, values, asked, channels, found, workspace); };
    });
  }
};

FARPOINT_FOR_EACH_COORD(FARPOINT_HOST_CALLS_OF_SEARCHES, FARPOINT_EXPORT_HOST)

}  // namespace library
FARPOINT_END_NAMESPACE

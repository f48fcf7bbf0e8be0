/// @file
/// Deprecated forms of searches, until 0.2: k or max is an argument beside the other parameters.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/types/mean_knn_distance.hpp>
#include <farpoint/types/radius.hpp>

#include <type_traits>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// @name Parameters with the number of neighbors: of for_each_neighborhood(), radius(), knn_shard() and a camera
/// @{
constexpr knn_params with_k(neighborhood_params const& params, index_t k) noexcept {
  return params.with_k(k);
}
constexpr radius_params with_k(radius_params params, index_t max) noexcept {
  params.max_neighbors = max;
  return params;
}
template <class Curve, class = decltype(Curve::owned_points)>
constexpr Curve with_k(Curve params, index_t k) noexcept {
  params.neighbors.k = k;
  return params;
}
template <class Screen, class = typename Screen::camera_type, class = decltype(Screen::k)>
constexpr Screen with_k(Screen params, index_t k, int = 0) noexcept {
  params.k = k;
  return params;
}
/// @}

/// True for parameters followed by a number.
template <class Params, class Number, class = void>
inline constexpr bool is_split = false;
template <class Params, class Number>
inline constexpr bool is_split<Params, Number, std::void_t<decltype(with_k(std::declval<Params>(), index_t{}))>> =
    std::is_integral_v<Number>;

template <class Number>
using if_number = std::enable_if_t<std::is_integral_v<Number>, int>;

/// True if parameters and a number are adjacent in a list of arguments.
template <class... Args>
inline constexpr bool has_loose_k = false;
template <class First, class Second, class... Rest>
inline constexpr bool has_loose_k<First, Second, Rest...> =
    is_split<First, Second> || is_split<Second, First> || has_loose_k<Second, Rest...>;

/// Calls `call(arguments...)` with one argument for the parameters and the number.
template <class Call, class First, class Second, class... Rest>
decltype(auto) join_k(Call const& call, First& first, Second& second, Rest&... rest) {
  if constexpr (is_split<std::decay_t<First>, std::decay_t<Second>>) {
    return call(with_k(first, static_cast<index_t>(second)), rest...);
  } else if constexpr (is_split<std::decay_t<Second>, std::decay_t<First>>) {
    return call(with_k(second, static_cast<index_t>(first)), rest...);
  } else {
    return join_k([&](auto&&... others) -> decltype(auto) { return call(first, others...); }, second, rest...);
  }
}

}  // namespace detail

/// Attribute of the deprecated forms of a function.
#define FARPOINT_LOOSE_K(NAME) \
  [[deprecated("farpoint: " #NAME "() takes the number of neighbors as a member of its parameters")]]

// The arguments are names, which parentheses would change.
// NOLINTBEGIN(bugprone-macro-parentheses)
/// Declares the deprecated forms of a function.
#define FARPOINT_WITH_LOOSE_K(NAME)                                                                                  \
  template <class... Selector, class... Args, std::enable_if_t<detail::has_loose_k<std::decay_t<Args>...>, int> = 0> \
  FARPOINT_LOOSE_K(NAME)                                                                                             \
  decltype(auto) NAME(Args&&... args) {                                                                              \
    return detail::join_k([](auto&&... given) -> decltype(auto) { return NAME<Selector...>(given...); }, args...);   \
  }

/// Declares the deprecated forms of knn() or radius(), for calls that give parameters or output in braces.
#define FARPOINT_WITH_LOOSE_K_AND_BRACES(NAME, PARAMS, OUTPUT)                                                  \
  FARPOINT_WITH_LOOSE_K(NAME)                                                                                   \
  template <class... Selector, class Exec, class Points, class K, detail::if_number<K> = 0>                     \
  FARPOINT_LOOSE_K(NAME)                                                                                        \
  result NAME(Exec exec, batch<Points> const& points, PARAMS const& params, K k,                                \
              OUTPUT<typename Points::scalar> const& output, bytes workspace) {                                 \
    return NAME<Selector...>(exec, points, detail::with_k(params, static_cast<index_t>(k)), output, workspace); \
  }                                                                                                             \
  template <class... Selector, class Exec, class Source, class Queries, class K, detail::if_number<K> = 0>      \
  FARPOINT_LOOSE_K(NAME)                                                                                        \
  result NAME(Exec exec, Source const& points, batch<Queries> const& queries, PARAMS const& params, K k,        \
              OUTPUT<typename Queries::scalar> const& output, bytes workspace = {}) {                           \
    return NAME<Selector...>(exec, points, queries, detail::with_k(params, static_cast<index_t>(k)), output,    \
                             workspace);                                                                        \
  }
// NOLINTEND(bugprone-macro-parentheses)

/// @cond
FARPOINT_WITH_LOOSE_K_AND_BRACES(knn, neighborhood_params, knn_output)
FARPOINT_WITH_LOOSE_K_AND_BRACES(radius, radius_params, radius_output)
FARPOINT_WITH_LOOSE_K(knn_workspace_bytes)
FARPOINT_WITH_LOOSE_K(knn_shard)
FARPOINT_WITH_LOOSE_K(knn_shard_workspace_bytes)
FARPOINT_WITH_LOOSE_K(knn_shard_plan)
FARPOINT_WITH_LOOSE_K(knn_shard_plan_workspace_bytes)
FARPOINT_WITH_LOOSE_K(knn_tiles)
FARPOINT_WITH_LOOSE_K(radius_shard)
FARPOINT_WITH_LOOSE_K(radius_shard_workspace_bytes)
FARPOINT_WITH_LOOSE_K(radius_shard_plan)
FARPOINT_WITH_LOOSE_K(radius_shard_plan_workspace_bytes)
FARPOINT_WITH_LOOSE_K(radius_tiles)

// `{}` is not a number, but an output of another overload.
template <class Points, class K, detail::if_number<K> = 0>
FARPOINT_LOOSE_K(radius)
auto radius(Points const& points, radius_params const& params, K max, host_exec exec = {}) {
  return radius(points, detail::with_k(params, static_cast<index_t>(max)), exec);
}
template <class Source, class Queries, class K, detail::if_number<K> = 0>
FARPOINT_LOOSE_K(radius)
auto radius(Source const& points, Queries const& queries, radius_params const& params, K max, host_exec exec = {}) {
  return radius(points, queries, detail::with_k(params, static_cast<index_t>(max)), exec);
}

// mean_knn_distance() with k and means as arguments. `{3}` is not a number, but parameters.
template <class... Selector, class Exec, class Points, class K, detail::if_number<K> = 0>
FARPOINT_LOOSE_K(mean_knn_distance)
result mean_knn_distance(Exec exec, batch<Points> const& points, K k, span<typename Points::scalar> means,
                         bytes workspace, knn_report* report = nullptr) {
  return mean_knn_distance<Selector...>(exec, points, {static_cast<index_t>(k)}, {means, report}, workspace);
}
template <class... Selector, class Exec, class Index, class Points, class K, detail::if_number<K> = 0>
FARPOINT_LOOSE_K(mean_knn_distance)
result mean_knn_distance(Exec exec, Index const& index, batch<Points> const& points, K k,
                         span<typename Points::scalar> means, bytes workspace = {}, knn_report* report = nullptr) {
  return mean_knn_distance<Selector...>(exec, index, points, {static_cast<index_t>(k)}, {means, report}, workspace);
}
template <class... Selector, class Exec, class Points, class K, detail::if_number<K> = 0>
FARPOINT_LOOSE_K(mean_knn_distance_workspace_bytes)
std::size_t mean_knn_distance_workspace_bytes(Exec exec, Points const& points, K k) {
  return mean_knn_distance_workspace_bytes<Selector...>(exec, points, {static_cast<index_t>(k)});
}
template <class... Selector, class Exec, class Index, class Points, class K, detail::if_number<K> = 0>
FARPOINT_LOOSE_K(mean_knn_distance_workspace_bytes)
std::size_t mean_knn_distance_workspace_bytes(Exec exec, Index const& index, Points const& points, K k) {
  return mean_knn_distance_workspace_bytes<Selector...>(exec, index, points, {static_cast<index_t>(k)});
}
template <class Exec, class Communicator, class Part, class K, class Means, detail::if_number<K> = 0>
FARPOINT_LOOSE_K(mean_knn_distance_shard_plan)
auto mean_knn_distance_shard_plan(Exec exec, Communicator& communicator, Part const& part, K k, Means const& means,
                                  bytes workspace, knn_report* report = nullptr) {
  return mean_knn_distance_shard_plan(exec, communicator, part, {static_cast<index_t>(k)}, {means, report}, workspace);
}
template <class Exec, class Part, class K, class Means, detail::if_number<K> = 0>
FARPOINT_LOOSE_K(mean_knn_distance_shard_plan_workspace_bytes)
std::size_t mean_knn_distance_shard_plan_workspace_bytes(Exec exec, int ranks, Part const& part, K k,
                                                         Means const& means, knn_report* report = nullptr) {
  return mean_knn_distance_shard_plan_workspace_bytes(exec, ranks, part, {static_cast<index_t>(k)}, {means, report});
}
/// @endcond

FARPOINT_END_NAMESPACE

// Conversion of clouds of float16 to clouds of float, for functions that the library does not compile for float16.
// Widening is exact: results equal the results of the headers, which read float16 themselves.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/core/float16.hpp>
#include <farpoint/core/math.hpp>

#include "on_stream.hpp"

#include <tuple>

FARPOINT_BEGIN_NAMESPACE
namespace library {

/// Widens point i. Body of a loop over all points.
struct widen_point {
  point_view<float16> from;
  float* to;  ///< `[points, 3]`

  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    auto const point = from[static_cast<index_t>(i)];
    float* const record = to + 3 * static_cast<index_t>(i);
    for (int axis = 0; axis < 3; ++axis) record[axis] = point[axis];
  }
};

/// Enqueues `body` for all points, in device memory.
result widen_on_stream(cuda_exec exec, widen_point const& body) noexcept;

/// Returns clouds with the structure of `clouds` and their points in float at `points`.
inline clouds_of<float> in_float(clouds_of<float16> const& clouds, void const* points) noexcept {
  point_view<float> const wide{points, clouds.points().size()};
  if (!clouds.is_ragged()) return clouds_of<float>::regular(wide, clouds.size());
  return clouds_of<float>::ragged(wide, clouds.offsets(), clouds.largest());
}

/// Returns true for clouds whose points can be read; false for invalid clouds and clouds without points.
inline bool has_points(clouds_of<float16> const& clouds) noexcept {
  index_t const size = clouds.points().size();
  return size > 0 && size <= detail::max_points && clouds.points().base() != nullptr;
}

/// Returns the bytes of a workspace for `points` points in float.
constexpr std::size_t wide_bytes(index_t points) noexcept {
  auto const size = static_cast<std::size_t>(detail::bounded_points(points)) * (3 * sizeof(float));
  return detail::workspace_aligned(size);
}

/// True for types of arguments that are widened.
template <class T>
inline constexpr bool is_narrow = false;
template <>
inline constexpr bool is_narrow<clouds_of<float16>> = true;

/// Returns the bytes of a workspace that widening an argument needs.
template <class T>
std::size_t wide_bytes_of(T const& argument) noexcept {
  if constexpr (is_narrow<T>) {
    return wide_bytes(argument.points().size());
  } else {
    return 0;
  }
}

/// Returns an argument of *_workspace_bytes(). Clouds in float16 are replaced by clouds of the same shape in float,
/// whose points are not read.
template <class T>
auto wide_to_ask(T const& argument) noexcept {
  if constexpr (is_narrow<T>) {
    return in_float(argument, argument.points().base());
  } else {
    return argument;
  }
}

/// Writes widened clouds to the front of a workspace, and passes the rest of the workspace to the call.
class stream_widener {
 public:
  /// @param room    sum of wide_bytes_of() over all arguments
  /// @param reason  message for a workspace smaller than `room`
  stream_widener(cuda_exec exec, bytes workspace, std::size_t room, char const* reason) noexcept
      : exec_{exec}, outcome_{detail::check_workspace(workspace, room, reason)} {
    if (!outcome_) return;
    next_ = workspace.data();
    rest_ = workspace.subspan(room);
  }

  result const& outcome() const noexcept { return outcome_; }

  /// Returns the argument to pass to the call.
  template <class T>
  T operator()(T const& argument) const noexcept {
    return argument;
  }
  bytes operator()(bytes const&) const noexcept { return rest_; }
  clouds_of<float> operator()(clouds_of<float16> const& clouds) noexcept {
    auto const& points = clouds.points();
    if (!outcome_ || !has_points(clouds)) return in_float(clouds, points.base());
    auto* const wide = reinterpret_cast<float*>(next_);
    next_ += wide_bytes(points.size());
    outcome_ = detail::check_reach(points);
    if (outcome_) outcome_ = widen_on_stream(exec_, {points, wide});
    return in_float(clouds, wide);
  }

 private:
  cuda_exec exec_;
  result outcome_;
  unsigned char* next_ = nullptr;
  bytes rest_;
};

/// True for a function that gets widened clouds: only fps() and fps_weighted() read float16.
template <function F, class... Args>
constexpr bool is_widened = F != function::fps&& F != function::fps_weighted && (is_narrow<Args> || ...);

/// Calls F on a stream, with widened clouds unless F is compiled for float16.
template <function F, class... Args>
result run_widened(cuda_exec exec, Args const&... args) noexcept {
  if constexpr (is_widened<F, Args...>) {
    std::size_t const room = (wide_bytes_of(args) + ...);
    static constexpr auto no_room = sentence_of<F>(": the workspace has no room for the clouds in float");
    stream_widener widen{exec, std::get<bytes const&>(std::tie(args...)), room, no_room.data()};
    // A braced list is evaluated from left to right, so that clouds follow one another in the workspace.
    std::tuple<decltype(widen(args))...> const wide{widen(args)...};
    if (!widen.outcome()) return widen.outcome();
    result outcome = std::apply(
        [&](auto const&... all) { return run_on_stream<F, std::decay_t<decltype(all)>...>::call(exec, all...); }, wide);
    if (outcome.needed > 0) {
      outcome.needed += room;
      outcome.given += room;
    }
    return outcome;
  } else {
    return run_on_stream<F, Args...>::call(exec, args...);
  }
}

/// Returns the bytes of workspace that run_widened() needs.
template <function F, class... Args>
std::size_t size_widened(cuda_exec exec, Args const&... args) noexcept {
  if constexpr (is_widened<F, Args...>) {
    return (wide_bytes_of(args) + ...) +
           size_on_stream<F, std::decay_t<decltype(wide_to_ask(args))>...>::call(exec, wide_to_ask(args)...);
  } else {
    return size_on_stream<F, Args...>::call(exec, args...);
  }
}

constexpr index_t max_queries(search_limits const& limits) noexcept {
  return limits.queries;
}
template <class Limits>
constexpr index_t max_queries(Limits const&) noexcept {
  return 0;
}

/// Computes the largest workspace of run_widened() within limits.
template <function F, class Coord, class Limits, class... Rest>
result bound_widened(point_view<Coord> const*, cuda_exec exec, std::size_t& bound, Limits const& limits,
                     Rest const&... rest) noexcept {
  if constexpr (is_widened<F, clouds_of<Coord>>) {
    result const outcome = bound_on_stream<F, point_view<float>, Limits, Rest...>::call(exec, bound, limits, rest...);
    if (outcome) bound += wide_bytes(limits.points) + wide_bytes(max_queries(limits));
    return outcome;
  } else {
    return bound_on_stream<F, point_view<Coord>, Limits, Rest...>::call(exec, bound, limits, rest...);
  }
}

}  // namespace library
FARPOINT_END_NAMESPACE

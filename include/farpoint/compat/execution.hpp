/// @file
/// What the launchers of compat/ have in common: where they run, and how they read points.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/check.hpp>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/host/for_each_index.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace compat {
namespace FARPOINT_HIDDEN detail {

/// The execution that the argument of a launcher stands for; compat/execution.cuh adds cudaStream_t.
template <class Exec>
struct execution {
  using type = Exec;
};
template <class Exec>
typename execution<Exec>::type execution_of(Exec exec) noexcept {
  return {exec};
}

/// The points, or an address that nobody reads, where only sizes are asked for: calls that are given a null pointer
/// refuse it, and so need no memory.
inline float const* points_or_none(float const* points) noexcept {
  static constexpr float unread = 0;
  return points != nullptr ? points : &unread;
}

/// Points `[count, 3]` as the published kernels measure distances.
///
/// Of dx * dx + dy * dy + dz * dz nvcc makes, by default, fma(dz, dz, fma(dx, dx, dy * dy)). distance2() begins with
/// the first coordinate; so y is the first here, and distances have the same bits as in those kernels.
inline point_view<float> published_points(float const* xyz, index_t count) noexcept {
  return {points_or_none(xyz), count, index_t{3 * sizeof(float)}, {int{sizeof(float)}, 0, 2 * int{sizeof(float)}}};
}

/// `[clouds, each, 3]`.
inline batch<point_view<float>> published_clouds(float const* xyz, index_t clouds, index_t each) noexcept {
  return batch<point_view<float>>::regular(published_points(xyz, clouds * each), clouds);
}

/// Checks sizes that must not be negative.
template <class... Sizes>
result check_sizes(Sizes... sizes) noexcept {
  bool const negative = ((sizes < 0) || ...);
  return negative ? farpoint::detail::reject("a size is negative") : result{};
}

/// Array argument of a launcher.
template <class T>
struct launcher_array {
  T* data;
  index_t size;  ///< in values
};
template <class T>
launcher_array(T*, index_t) -> launcher_array<T>;

/// Array argument whose size is a sum of counts in device memory: it is checked as an array of one value.
template <class T>
launcher_array<T> array_of_some(T* data, bool any) noexcept {
  return {data, any ? 1 : 0};
}

/// Accepts all memory on the host; the overload in compat/execution.cuh asks the driver about each array.
template <class... T>
result check_reach(host_exec, bytes, launcher_array<T> const&...) noexcept {
  return {};
}

/// Refuses null pointers to arrays that are not empty, and memory that check_reach() refuses.
/// @param exec       cudaStream_t, cuda_exec or host_exec
/// @param workspace  empty for a launcher without one; the plan of the call checks its size
template <class Exec, class... T>
result check_arrays(Exec exec, bytes workspace, launcher_array<T>... arrays) noexcept {
  bool const missing = ((arrays.data == nullptr && arrays.size > 0) || ...);
  if (missing) return farpoint::detail::reject("an array is a null pointer");
  return check_reach(execution_of(exec), workspace, arrays...);
}

/// A workspace for a call, after arrays of a launcher's own: all begin where a workspace may.
using launcher_memory = farpoint::detail::basic_workspace_cutter<farpoint::detail::workspace_alignment>;

/// What is left of a workspace.
inline bytes rest_of(bytes workspace, launcher_memory const& memory) noexcept {
  return workspace.subspan(memory.used());
}

/// Where an element of a row-major matrix is.
template <class Number>
struct matrix_place {
  Number number;  ///< of the row, for a matrix of rows
  index_t row;
  index_t column;
};

/// Of element i of a matrix; in 32 bits where i is, which a GPU divides much faster.
template <class Number>
FARPOINT_HD matrix_place<Number> place_of(Number i, index_t columns) noexcept {
  auto const width = static_cast<Number>(columns);
  Number const row = i / width;
  return {row, static_cast<index_t>(row), static_cast<index_t>(i - row * width)};
}

}  // namespace detail
}  // namespace compat
FARPOINT_END_NAMESPACE

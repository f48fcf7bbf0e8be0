/// @file
/// Execution arguments, array checks and point views shared by the launchers of compat/.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/check.hpp>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/host/for_each_index.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace compat {
namespace FARPOINT_HIDDEN detail {

/// Execution type for the `exec` argument of a launcher; compat/execution.cuh adds cudaStream_t.
template <class Exec>
struct execution {
  using type = Exec;
};
template <class Exec>
typename execution<Exec>::type execution_of(Exec exec) noexcept {
  return {exec};
}

/// Returns `points`, or a valid address that is never read if `points` is null. Size queries pass null; calls reject
/// null before they read.
inline float const* points_or_none(float const* points) noexcept {
  static constexpr float unread = 0;
  return points != nullptr ? points : &unread;
}

/// View of points `[count, 3]` whose distances have the same bits as in the published kernels.
///
/// By default nvcc compiles dx * dx + dy * dy + dz * dz to fma(dz, dz, fma(dx, dx, dy * dy)). distance2() begins with
/// the product of the first coordinate, so the view has y first.
inline point_view<float> published_points(float const* xyz, index_t count) noexcept {
  return {points_or_none(xyz), count, index_t{3 * sizeof(float)}, {int{sizeof(float)}, 0, 2 * int{sizeof(float)}}};
}

/// View of clouds `[clouds, each, 3]`.
inline batch<point_view<float>> published_clouds(float const* xyz, index_t clouds, index_t each) noexcept {
  return batch<point_view<float>>::regular(published_points(xyz, clouds * each), clouds);
}

/// Rejects negative sizes.
template <class... Sizes>
result check_sizes(Sizes... sizes) noexcept {
  bool const negative = ((sizes < 0) || ...);
  return negative ? farpoint::detail::reject("a size is negative") : result{};
}

/// Array argument of a launcher.
template <class T>
struct launcher_array {
  T* data;
  index_t size;  ///< number of values
};
template <class T>
launcher_array(T*, index_t) -> launcher_array<T>;

/// Array argument whose size is a sum of counts in device memory. Only its first value is checked.
template <class T>
launcher_array<T> array_of_some(T* data, bool any) noexcept {
  return {data, any ? 1 : 0};
}

/// Accepts all memory on the host; the overload in compat/execution.cuh queries the driver about each array.
template <class... T>
result check_reach(host_exec, bytes, launcher_array<T> const&...) noexcept {
  return {};
}

/// Rejects null pointers to arrays that are not empty, and memory that check_reach() rejects.
/// @param exec       cudaStream_t, cuda_exec or host_exec
/// @param workspace  empty for a launcher without a workspace; the plan of the call checks its size
template <class Exec, class... T>
result check_arrays(Exec exec, bytes workspace, launcher_array<T>... arrays) noexcept {
  bool const missing = ((arrays.data == nullptr && arrays.size > 0) || ...);
  if (missing) return farpoint::detail::reject("an array is a null pointer");
  return check_reach(execution_of(exec), workspace, arrays...);
}

/// Cuts a launcher's own arrays from the workspace; each begins at a multiple of the workspace alignment.
using launcher_memory = farpoint::detail::basic_workspace_cutter<farpoint::detail::workspace_alignment>;

/// Returns the rest of the workspace behind the launcher's own arrays.
inline bytes rest_of(bytes workspace, launcher_memory const& memory) noexcept {
  return workspace.subspan(memory.used());
}

/// Row and column of an element of a row-major matrix.
template <class Number>
struct matrix_place {
  Number number;  ///< row in the index type; splits further if rows form a matrix themselves
  index_t row;
  index_t column;
};

/// Row and column of element `i`. Divides in 32 bits if `i` has 32 bits, which is much faster on a GPU.
template <class Number>
FARPOINT_HD matrix_place<Number> place_of(Number i, index_t columns) noexcept {
  auto const width = static_cast<Number>(columns);
  Number const row = i / width;
  return {row, static_cast<index_t>(row), static_cast<index_t>(i - row * width)};
}

}  // namespace detail
}  // namespace compat
FARPOINT_END_NAMESPACE

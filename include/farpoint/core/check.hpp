/// @file
/// Checks of arguments that every call makes.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/core/workspace.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// True when `clouds * each` elements fit in a range of `size`; 0 clouds or elements always do.
constexpr bool holds(index_t size, index_t clouds, index_t each) noexcept {
  return each == 0 || clouds <= size / each;
}

/// Clouds of a batch, and points of a view, that a call takes at most. No memory has more points, and sizes that are
/// made of such numbers do not overflow.
inline constexpr index_t max_clouds = max_narrow_points;
inline constexpr index_t max_points = index_t{1} << 48;

/// Clamps a number of clouds or of points, so that sizes computed from it do not overflow: a call that will be refused
/// may have any number.
constexpr index_t bounded_clouds(index_t clouds) noexcept {
  return smaller(larger(clouds, index_t{0}), max_clouds);
}
constexpr index_t bounded_points(index_t points) noexcept {
  return smaller(larger(points, index_t{0}), max_points);
}

/// Reasons for which a batch is refused, each a sentence that names the argument.
struct batch_reasons {
  char const* clouds_negative;
  char const* points_negative;
  char const* points_null;
  char const* not_a_multiple;
  char const* too_large;
};

/// True when `each * count` bytes, forwards or backwards, are a distance that an address can have; count >= 0.
constexpr bool is_distance(index_t count, index_t each) noexcept {
  index_t const most = count > 1 ? 0x7fffffffffffffff / count : 0x7fffffffffffffff;
  return each <= most && each >= -most;
}

/// Refuses points whose last one is farther from the first than an address can say; not fewer than none.
template <class Points>
result check_reach(Points const& points) noexcept {
  if (points.size() == 0 || is_distance(points.size(), points.stride())) return {};
  return reject("points: their number times their stride does not fit in 64 bits");
}

/// Checks what it can of a batch without reading its arrays, which may be in device memory.
template <class Points>
result check_batch(batch<Points> const& clouds, batch_reasons const& reasons) noexcept {
  index_t const total = clouds.points().size();
  if (clouds.size() < 0) return reject(reasons.clouds_negative);
  if (total < 0) return reject(reasons.points_negative);
  if (clouds.size() > max_clouds || total > max_points) return reject(reasons.too_large);
  if (total > 0 && clouds.points().base() == nullptr) return reject(reasons.points_null);
  if (!clouds.is_ragged() && clouds.size() > 0 && total % clouds.size() != 0) return reject(reasons.not_a_multiple);
  return check_reach(clouds.points());
}

inline result check_threads(host_exec exec) noexcept {
  return exec.threads < 0 ? reject("exec: host_exec.threads is negative") : result{};
}

/// Checks a workspace against the `needed` bytes, from the call's `*_workspace_bytes()`; it may be null if that is 0.
/// @param reason  why a smaller one is refused: FARPOINT_WORKSPACE_OF("fps"). Functions that share a check leave it to
///                named().
inline result check_workspace(bytes workspace, std::size_t needed,
                              char const* reason = FARPOINT_WORKSPACE_OF("search")) noexcept {
  if (workspace.size() < needed) return too_small(reason, needed, workspace.size());
  if (needed > 0 && !is_workspace_aligned(workspace)) return reject("workspace: not aligned to 256 bytes");
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE

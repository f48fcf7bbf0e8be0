/// @file
/// Random subset of each cloud: host backend and convenience overloads. random_subset.cuh adds cuda_exec.
#pragma once

#include <farpoint/core/host_exec.hpp>
#include <farpoint/detail/subset/random_subset_call.hpp>
#include <farpoint/host/for_each_index.hpp>

#include <algorithm>
#include <vector>

FARPOINT_BEGIN_NAMESPACE

/// Draws `samples` different points of each cloud, without replacement: over all seeds, every set of `samples` points
/// is equally likely, in every order. A cloud of at most `samples` points yields all of its points.
///
/// The indices of cloud b are the first `samples` values of a pseudo-random permutation, which depends only on the
/// seed, b and the number of points of the cloud: the result is the same on every backend and for any number of
/// threads. The first k of m samples are the result for k, in random order; `samples` = n is a shuffle. The permutation
/// is a Feistel network over indices (Black and Rogaway 2002; Mitchell, Stokes, Frank and Holmes 2022), so that nothing
/// is sorted and no two points tie. It is not cryptographically secure. Coordinates are not read, so non-finite points
/// are drawn like all others.
///
/// @param exec     number of threads; blocks until done
/// @param clouds   `[clouds, n]` or ragged, offsets in host memory; points are not read
/// @param samples  number of points to draw from each cloud
/// @param seed     any number
/// @param output   see random_subset_output
/// @return ok | bad_argument (a negative number of samples, fewer indices than clouds * samples, an offsets output that
///         does not have clouds + 1 elements, more than 2^31 - 1 points in a cloud with 32-bit indices, more than 2^48
///         points). On failure nothing is written. If offsets are invalid (see batch), all clouds come out empty, and
///         the report counts these offsets.
/// Complexity: O(clouds * samples) expected, independent of the number of points. Ragged clouds add O(log clouds) per
/// sample and O(clouds^2) additions for the offsets: meant for some thousands of clouds. No workspace. Thread-safe:
/// concurrent calls must not share output.
template <class Points>
result random_subset(host_exec exec, batch<Points> const& clouds, index_t samples, std::uint64_t seed,
                     random_subset_output const& output) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  return detail::random_subset_by(exec, {detail::sizes_of(clouds), samples, seed, output},
                                  [](host_exec on, index_t count, auto const& body, index_t work) {
                                    return for_each_index(on, count, body, work);
                                  });
}

#if defined(__cpp_exceptions)

/// random_subset() of the indices below `points`; allocates the result: `auto indices =
/// farpoint::random_subset(1000000, 1024, seed);`
///
/// @param exec  number of threads; all cores by default
/// @return min(samples, points) indices in random order
/// @throws std::invalid_argument with the reason; std::bad_alloc
inline auto random_subset(index_t points, index_t samples, std::uint64_t seed, host_exec exec = {}) {
  point_view<float> const none{&seed, points, 0};
  batch<point_view<float>> const cloud{none};
  index_t const drawn = samples < 0 ? samples : std::min(samples, std::max(points, index_t{0}));
  std::vector<std::int32_t> indices(static_cast<std::size_t>(std::max(drawn, index_t{0})));
  index_t offsets[2] = {};
  detail::require_ok(random_subset(exec, cloud, drawn, seed, {indices, offsets}));
  return indices;
}

/// random_subset() of the points of a container: `auto indices = farpoint::random_subset(points, 1024, seed);`
/// @param points  has data() and size(); its elements are not read
/// @param exec    number of threads; all cores by default
/// @return min(samples, points) indices in random order
/// @throws std::invalid_argument with the reason; std::bad_alloc
template <class Container, class = detail::element_of<Container const>>
auto random_subset(Container const& points, index_t samples, std::uint64_t seed, host_exec exec = {}) {
  return random_subset(static_cast<index_t>(points.size()), samples, seed, exec);
}

#endif  // defined(__cpp_exceptions)

FARPOINT_END_NAMESPACE

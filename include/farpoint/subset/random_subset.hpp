/// @file
/// A random subset of each cloud: host backend and convenience overloads. random_subset.cuh adds cuda_exec.
#pragma once

#include <farpoint/core/host_exec.hpp>
#include <farpoint/detail/subset/random_subset_call.hpp>
#include <farpoint/host/for_each_index.hpp>

#include <algorithm>
#include <vector>

FARPOINT_BEGIN_NAMESPACE

/// Draws `samples` different points of each cloud, without replacement: over the seeds, each set of `samples` points is
/// equally likely, and each order of them. A cloud of at most `samples` points gives all of its points.
///
/// Cloud b's indices are the first `samples` values of a pseudo-random permutation, which follows from the seed, b and
/// the cloud's number of points alone: the same on every backend and for any number of threads. The first k of m
/// samples are the answer for k, in random order; with `samples` = n it is a shuffle. The permutation is a Feistel
/// network over indices (Black and Rogaway 2002; Mitchell, Stokes, Frank and Holmes 2022), so that nothing is sorted
/// and no two points tie. It is no cipher: do not draw secrets by it. Coordinates are not read, and points that are not
/// finite are drawn like others.
///
/// @param exec     threads to use; blocks until done
/// @param clouds   `[clouds, n]` or ragged, offsets in host memory; points are not read
/// @param samples  points to draw from each cloud
/// @param seed     any number
/// @param output   see random_subset_output
/// @return ok | bad_argument (a negative number of samples, indices fewer than clouds x samples, offsets of another
/// size
///         than clouds + 1, more than 2^31 - 1 points in a cloud with 32-bit indices, more than 2^48 points). Nothing
///         is written on failure. Where offsets are wrong (see batch), all clouds come out empty, and the report counts
///         such offsets.
/// Complexity: O(clouds * samples) expected, whatever the number of points, and for ragged clouds O(log clouds) for
/// each sample and O(clouds^2) additions for the offsets: made for some thousands of clouds. No workspace. Thread-safe:
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

/// random_subset() of the indices below `points`, on all cores; allocates the answer:
/// `auto indices = farpoint::random_subset(1000000, 1024, seed);`
///
/// @return indices in random order: min(samples, points) of them
/// @throws std::invalid_argument with the reason; std::bad_alloc
inline auto random_subset(index_t points, index_t samples, std::uint64_t seed) {
  point_view<float> const none{&seed, points, 0};
  batch<point_view<float>> const cloud{none};
  index_t const drawn = samples < 0 ? samples : std::min(samples, std::max(points, index_t{0}));
  std::vector<std::int32_t> indices(static_cast<std::size_t>(std::max(drawn, index_t{0})));
  index_t offsets[2] = {};
  detail::require_ok(random_subset(host_exec{}, cloud, drawn, seed, {indices, offsets}));
  return indices;
}

/// random_subset() of the points of a container: `auto indices = farpoint::random_subset(points, 1024, seed);`
/// @param points  has data() and size(); its elements are not read
/// @return indices in random order: min(samples, points) of them
/// @throws std::invalid_argument with the reason; std::bad_alloc
template <class Container, class = detail::element_of<Container const>>
auto random_subset(Container const& points, index_t samples, std::uint64_t seed) {
  return random_subset(static_cast<index_t>(points.size()), samples, seed);
}

#endif  // defined(__cpp_exceptions)

FARPOINT_END_NAMESPACE

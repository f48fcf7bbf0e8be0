/// @file
/// Checks of the arguments of knn(), radius() and the functions that are built on them, for every backend.
///
/// Functions named check_* look only at sizes, pointers and parameters: the arrays may be in device memory.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/core/limits.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/host/float_environment.hpp>
#include <farpoint/types/deprecated_search.hpp>
#include <farpoint/types/estimate_normals.hpp>
#include <farpoint/types/interpolate.hpp>
#include <farpoint/types/knn.hpp>
#include <farpoint/types/mean_knn_distance.hpp>
#include <farpoint/types/radius.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Largest cloud of an index: with eight levels of boxes above the lowest, the state of a search fits in 64 bits.
inline constexpr index_t max_bvh_points = index_t{1} << 30;

/// Most clouds of an index that is built on a stream: a sort key has 32 bits for a cloud and three for a cell, and
/// points before the first cloud have a number of their own.
inline constexpr index_t max_bvh_clouds_on_stream = (index_t{1} << 29) - 1;
/// Most queries of a search on a stream, for which a grid has a thread each.
inline constexpr index_t max_queries_on_stream = index_t{1} << 36;

/// Checks the clouds that neighbors come from.
template <class Points>
result check_bvh_points(batch<Points> const& points) noexcept {
  static_assert(Points::dim == 3,
                "farpoint: neighbor searches take points of three coordinates, or in_plane() of a view of two");
  constexpr batch_reasons reasons{
      "points: the number of clouds is negative", "points: the number of points is negative", "points: a null pointer",
      "points: a regular batch needs a number of points that is a multiple of the number of clouds",
      "points: more than 2^31 - 1 clouds, or 2^48 points"};
  if (result const checked = check_batch(points, reasons); !checked) return checked;
  if (points.largest() > max_bvh_points) return reject("points: a cloud has more than 2^30 points");
  return {};
}

/// Checks the clouds of queries: one for each cloud of points.
template <class Queries>
result check_queries(batch<Queries> const& queries, index_t clouds) noexcept {
  static_assert(Queries::dim == 3,
                "farpoint: neighbor searches take points of three coordinates, or in_plane() of a view of two");
  constexpr char const* other_number = "queries: the number of clouds differs from that of the points";
  if (queries.size() != clouds) return reject(other_number);
  constexpr batch_reasons reasons{
      other_number, "queries: the number of points is negative", "queries: a null pointer",
      "queries: a regular batch needs a number of points that is a multiple of the number of clouds",
      "queries: more than 2^31 - 1 clouds, or 2^48 points"};
  return check_batch(queries, reasons);
}

/// Checks the clouds of queries of built indices: one for each index.
/// @param indices  number of clouds that the BVH was built of; 0 for one that was never built
template <class Queries>
result check_index_queries(batch<Queries> const& queries, index_t indices) noexcept {
  if (indices == 0 && queries.size() > 0) {
    return reject("index: it was never built, or of no clouds; build it before it is searched");
  }
  return check_queries(queries, indices);
}

inline result check_limits(search_limits const& limits) noexcept {
  if (result const checked = check_limits(batch_limits{limits.points, limits.clouds}); !checked) return checked;
  return check_limits(batch_limits{limits.queries, limits.clouds});
}

/// Checks a search of points among themselves, by an index that must have been built of these points.
template <class Index, class Points>
result check_own_index(Index const& index, batch<Points> const& points) noexcept {
  if (result const checked = check_index_queries(points, index.size()); !checked) return checked;
  if (points.points().size() != index.points()) return reject("points: not those that the index was built of");
  return {};
}

/// True for an output that is left out or has `rows * each` elements.
template <class Output>
constexpr bool is_absent_or_holds(Output const& output, index_t rows, index_t each) noexcept {
  auto const size = static_cast<index_t>(output.size());
  return size == 0 || holds(size, rows, each);
}

/// Checks parameters and output of knn().
template <class Scalar>
result check_knn(index_t queries, knn_params const& params, knn_output<Scalar> const& output) noexcept {
  index_t const k = params.k;
  if (k < 1 || k > max_neighbors) return reject("knn: k is not between 1 and 1,024");
  if (!(params.max_radius >= 0)) return reject("knn: params.max_radius is negative or NaN");
  if (!holds(output.indices.size(), queries, k)) return reject("knn: output.indices is smaller than queries x k");
  if (!is_absent_or_holds(output.distances, queries, k)) {
    return reject("knn: output.distances is smaller than queries x k");
  }
  if (!is_absent_or_holds(output.counts, queries, 1)) {
    return reject("knn: output.counts is smaller than the number of queries");
  }
  return {};
}

/// Checks the parameters of for_each_neighborhood().
inline result check_neighborhoods(neighborhood_params const& params) noexcept {
  if (params.max_radius >= 0) return {};
  return reject("for_each_neighborhood: params.max_radius is negative or NaN");
}

/// Square of a radius, for comparison with squared distances.
template <class Scalar>
Scalar squared_radius(double radius) noexcept {
  return rounded_square<Scalar>(radius);
}

/// The largest squared distance that a neighbor may have.
template <class Scalar>
Scalar largest_distance2(radius_params const& params) noexcept {
  auto const radius2 = squared_radius<Scalar>(params.radius);
  return params.exclusive ? std::nextafter(radius2, Scalar(0)) : radius2;
}

template <class Scalar>
result check_radius_params(radius_params const& params) noexcept {
  if (!(params.radius >= 0)) return reject("radius: params.radius is negative or NaN");
  if (params.exclusive && !(squared_radius<Scalar>(params.radius) > 0)) {
    return reject("radius: params.exclusive needs a radius whose square does not round to 0");
  }
  return {};
}

/// Checks radius, max and output of radius().
template <class Scalar>
result check_radius(index_t queries, radius_params const& params, radius_output<Scalar> const& output) noexcept {
  if (result const checked = check_radius_params<Scalar>(params); !checked) return checked;
  index_t const max = params.max_neighbors;
  if (max < 0 || max > max_neighbors) return reject("radius: params.max_neighbors is not between 0 and 1,024");
  if (!holds(output.indices.size(), queries, max))
    return reject("radius: output.indices is smaller than queries x max_neighbors");
  if (max > 0 && !is_absent_or_holds(output.distances, queries, max)) {
    return reject("radius: output.distances is smaller than queries x max_neighbors");
  }
  if (!is_absent_or_holds(output.counts, queries, 1)) {
    return reject("radius: output.counts is smaller than the number of queries");
  }
  return {};
}

/// Checks radius and output of radius_rows().
template <class Scalar>
result check_radius_rows(index_t queries, radius_params const& params,
                         radius_rows_output<Scalar> const& output) noexcept {
  if (result const checked = check_radius_params<Scalar>(params); !checked) return checked;
  if (output.offsets.size() <= queries) return reject("radius_rows: output.offsets is smaller than queries + 1");
  if (!is_absent_or_holds(output.distances, output.indices.size(), 1)) {
    return reject("radius_rows: output.distances is smaller than output.indices");
  }
  return {};
}

/// Checks k and output of mean_knn_distance().
template <class Scalar>
result check_mean_distance(index_t points, mean_knn_distance_params const& params,
                           mean_knn_distance_output<Scalar> const& output) noexcept {
  if (params.k < 1 || params.k > max_neighbors) {
    return reject("mean_knn_distance: params.k is not between 1 and 1,024");
  }
  if (!holds(static_cast<index_t>(output.means.size()), points, 1)) {
    return reject("mean_knn_distance: output.means is smaller than the number of points");
  }
  return {};
}

/// Checks parameters and output of estimate_normals().
template <class Scalar>
result check_normals(index_t points, normals_params const& params, normals_output<Scalar> const& output) noexcept {
  if (params.k < 3 || params.k > max_neighbors) {
    return reject("estimate_normals: params.k is not between 3 and 1,024");
  }
  if (!(params.max_radius >= 0)) return reject("estimate_normals: params.max_radius is negative or NaN");
  if (!is_finite(params.viewpoint)) return reject("estimate_normals: params.viewpoint is not finite");
  auto const normals = static_cast<index_t>(output.normals.size());
  bool const is_normal_given = normals > 0 || output.covariances.empty();
  if (is_normal_given && !holds(normals, points, 3)) {
    return reject("estimate_normals: output.normals is smaller than points x 3");
  }
  if (!is_absent_or_holds(output.curvatures, points, 1)) {
    return reject("estimate_normals: output.curvatures is smaller than the number of points");
  }
  if (!is_absent_or_holds(output.covariances, points, 6)) {
    return reject("estimate_normals: output.covariances is smaller than points x 6");
  }
  return {};
}

/// Number of points of a source of searches: a batch, or what build_point_bvh() sets.
template <class Points>
index_t point_count(batch<Points> const& points) noexcept {
  return points.points().size();
}
template <class Index>
index_t point_count(Index const& index) noexcept {
  return index.points();
}

/// Checks features, channels and output of interpolate().
inline result check_interpolate(index_t points, span<float const> features, index_t queries, index_t channels,
                                interpolate_output const& output) noexcept {
  if (channels < 1) return reject("interpolate: channels is not positive");
  if (!holds(static_cast<index_t>(features.size()), points, channels)) {
    return reject("interpolate: features is smaller than points x channels");
  }
  if (!holds(static_cast<index_t>(output.features.size()), queries, channels)) {
    return reject("interpolate: output.features is smaller than queries x channels");
  }
  return {};
}

/// True for queries whose offsets are not the points' offsets.
template <class Points, class Queries>
bool has_own_offsets(batch<Points> const& points, batch<Queries> const& queries) noexcept {
  return queries.offsets().data() != points.offsets().data() || queries.points().size() != points.points().size();
}

/// Wrong offsets of points and queries, in memory that can be read here. If there are any, all rows are empty.
template <class Points, class Queries>
unsigned long long count_bad_offsets(batch<Points> const& points, batch<Queries> const& queries) noexcept {
  index_t const bad = count_bad_offsets(points);
  return static_cast<unsigned long long>(has_own_offsets(points, queries) ? bad + count_bad_offsets(queries) : bad);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

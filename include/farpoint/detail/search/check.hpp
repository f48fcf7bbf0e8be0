/// @file
/// The arguments of knn(), radius() and what is made of them are checked here, once for all backends.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/types/knn.hpp>
#include <farpoint/types/radius.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Largest cloud of an index: eight levels of boxes above the leaves' leave one 64-bit word for a search's state.
inline constexpr index_t max_bvh_points = index_t{1} << 30;

/// The clouds that neighbours come from.
template <class Points>
result check_bvh_points(batch<Points> const& points) noexcept {
  static_assert(Points::dim == 3, "farpoint: neighbours are searched among points of three coordinates");
  index_t const total = points.points().size();
  if (points.size() < 0) return reject("points: the number of clouds is negative");
  if (total < 0) return reject("points: the number of points is negative");
  if (total > 0 && points.points().base() == nullptr) return reject("points: a null pointer");
  if (!points.is_ragged() && points.size() > 0 && total % points.size() != 0) {
    return reject("points: a regular batch needs a number of points that is a multiple of the number of clouds");
  }
  if (points.largest() > max_bvh_points) return reject("points: a cloud of more than 2^30 points");
  return {};
}

/// The clouds that ask, one for each cloud of points.
template <class Queries>
result check_queries(batch<Queries> const& queries, index_t clouds) noexcept {
  static_assert(Queries::dim == 3, "farpoint: neighbours are searched among points of three coordinates");
  index_t const total = queries.points().size();
  if (queries.size() != clouds) return reject("queries: not as many clouds as the points have");
  if (total < 0) return reject("queries: the number of points is negative");
  if (total > 0 && queries.points().base() == nullptr) return reject("queries: a null pointer");
  if (!queries.is_ragged() && clouds > 0 && total % clouds != 0) {
    return reject("queries: a regular batch needs a number of points that is a multiple of the number of clouds");
  }
  return {};
}

/// True for an output that is left out or has `rows * each` elements.
constexpr bool is_absent_or_holds(index_t size, index_t rows, index_t each) noexcept {
  return size == 0 || holds(size, rows, each);
}

/// What can be checked without reading the arrays, which may be in device memory.
template <class Scalar>
result check_knn(index_t queries, exact const& method, index_t k, knn_output<Scalar> const& output) noexcept {
  if (k < 1 || k > max_neighbours) return reject("knn: k is not between 1 and 1,024");
  if (!(method.max_radius >= 0)) return reject("knn: exact::max_radius is negative or NaN");
  if (!holds(output.indices.size(), queries, k)) return reject("knn: output.indices is smaller than queries x k");
  if (!is_absent_or_holds(static_cast<index_t>(output.distances.size()), queries, k)) {
    return reject("knn: output.distances is smaller than queries x k");
  }
  if (!is_absent_or_holds(output.counts.size(), queries, 1)) {
    return reject("knn: output.counts is smaller than the number of queries");
  }
  return {};
}

inline result check_radius_params(radius_params const& params) noexcept {
  if (!(params.radius >= 0)) return reject("radius: params.radius is negative or NaN");
  return {};
}

/// The same for radius().
template <class Scalar>
result check_radius(index_t queries, radius_params const& params, index_t max,
                    radius_output<Scalar> const& output) noexcept {
  if (result const checked = check_radius_params(params); !checked) return checked;
  if (max < 0 || max > max_neighbours) return reject("radius: max is not between 0 and 1,024");
  if (!holds(output.indices.size(), queries, max))
    return reject("radius: output.indices is smaller than queries x max");
  if (max > 0 && !is_absent_or_holds(static_cast<index_t>(output.distances.size()), queries, max)) {
    return reject("radius: output.distances is smaller than queries x max");
  }
  if (!is_absent_or_holds(output.counts.size(), queries, 1)) {
    return reject("radius: output.counts is smaller than the number of queries");
  }
  return {};
}

/// The same for radius_rows().
template <class Scalar>
result check_radius_rows(index_t queries, radius_params const& params,
                         radius_rows_output<Scalar> const& output) noexcept {
  if (result const checked = check_radius_params(params); !checked) return checked;
  if (output.offsets.size() <= queries) return reject("radius_rows: output.offsets is smaller than queries + 1");
  if (!is_absent_or_holds(static_cast<index_t>(output.distances.size()), output.indices.size(), 1)) {
    return reject("radius_rows: output.distances is smaller than output.indices");
  }
  return {};
}

/// What only a backend that can read the arrays can check.
template <class Points>
result check_search_offsets(batch<Points> const& clouds) noexcept {
  if (!offsets_ascend(clouds.offsets(), clouds.points().size()))
    return reject("points or queries: the offsets decrease or leave the points");
  return {};
}

/// Square of a radius, as it is compared with squared distances.
template <class Scalar>
Scalar squared_radius(double radius) noexcept {
  auto const rounded = static_cast<Scalar>(radius);
  return rounded * rounded;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

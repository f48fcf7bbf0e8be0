/// @file
/// Consumers of neighbors on ranks: they compute what estimate_normals(), mean_knn_distance() and interpolate()
/// compute, by the same functions.
#pragma once

#include <farpoint/detail/search/check.hpp>
#include <farpoint/detail/search/neighbor_means.hpp>
#include <farpoint/detail/search/normal_from_neighbors.hpp>
#include <farpoint/scale/stream/shard_agreement.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Entry of a row as a key: only its distance is known.
template <class Scalar>
struct row_key {
  Scalar distance;

  FARPOINT_HD Scalar distance2() const noexcept { return distance; }
  FARPOINT_HD static row_key const* of(Scalar const* distances) noexcept {
    return reinterpret_cast<row_key const*>(distances);
  }
};

/// Neighbors of a row as a cloud: point j is neighbor j.
template <class Scalar>
struct row_cloud {
  using scalar = Scalar;
  using point = vec<Scalar, 3>;

  Scalar const* coordinates;  ///< `[count, 3]`

  FARPOINT_HD point operator[](index_t j) const noexcept {
    return {{coordinates[3 * j], coordinates[3 * j + 1], coordinates[3 * j + 2]}};
  }
};
struct row_positions {
  struct key {
    index_t position;

    FARPOINT_HD index_t index() const noexcept { return position; }
  };
  FARPOINT_HD key operator[](int j) const noexcept { return {j}; }
};

/// estimate_normals() of a query's neighbors, whose values are their coordinates.
template <class Points>
struct shard_normals {
  using scalar = typename Points::scalar;
  using value_type = scalar;
  static constexpr char const* too_small = FARPOINT_WORKSPACE_OF("estimate_normals_shard_plan");
  static constexpr index_t channels = 3;

  Points points;
  normals_params wish;
  normals_output<scalar> output;
  normal_request wanted;

  knn_params params() const noexcept { return {wish.k, wish.max_radius}; }
  knn_report* report() const noexcept { return output.report; }
  result check(index_t, index_t) const noexcept { return check_normals(points.size(), wish, output); }
  void add_to(digest& all) const noexcept {
    all.add(401);
    for (int axis = 0; axis < 3; ++axis) all.add(wish.viewpoint[axis]);
  }
  template <class Visit>
  result visit_arrays(Visit const& visit) const noexcept {
    return visit(output.normals, output.curvatures, output.covariances, output.report);
  }

  FARPOINT_HD scalar value(index_t point, index_t channel) const noexcept {
    return points[point][static_cast<int>(channel)];
  }
  FARPOINT_HD void operator()(index_t row, vec<scalar> const& query, scalar const*, scalar const* coordinates,
                              int count) const noexcept {
    write_normal(output, row, normal_of(row_cloud<scalar>{coordinates}, query, row_positions{}, count, wanted));
  }
  FARPOINT_HD void leave_empty(index_t row) const noexcept { write_normal(output, row, normal_row<scalar>{}); }
};

/// mean_knn_distance() of a query's neighbors, of which it takes no values.
template <class Scalar>
struct shard_means {
  using value_type = Scalar;
  static constexpr char const* too_small = FARPOINT_WORKSPACE_OF("mean_knn_distance_shard_plan");
  static constexpr index_t channels = 0;

  mean_knn_distance_params wish;
  mean_knn_distance_output<Scalar> output;

  knn_params params() const noexcept { return neighborhood_params{knn_params{}.max_radius, true}.with_k(wish.k); }
  knn_report* report() const noexcept { return output.report; }
  result check(index_t points, index_t) const noexcept { return check_mean_distance(points, wish, output); }
  void add_to(digest& all) const noexcept { all.add(402); }
  template <class Visit>
  result visit_arrays(Visit const& visit) const noexcept {
    return visit(output.means, output.report);
  }

  FARPOINT_HD Scalar value(index_t, index_t) const noexcept { return 0; }
  FARPOINT_HD void operator()(index_t row, vec<Scalar> const&, Scalar const* distances, Scalar const*,
                              int count) const noexcept {
    output.means[static_cast<std::size_t>(row)] = mean_distance2(row_key<Scalar>::of(distances), count);
  }
  FARPOINT_HD void leave_empty(index_t row) const noexcept {
    output.means[static_cast<std::size_t>(row)] = no_distance<Scalar>;
  }
};

/// interpolate() of a query's three neighbors, whose values are their features.
template <class Scalar>
struct shard_interpolation {
  using value_type = float;
  static constexpr char const* too_small = FARPOINT_WORKSPACE_OF("interpolate_shard_plan");

  span<float const> features;  ///< `[points, channels]`
  index_t channels;
  interpolate_output output;

  knn_params params() const noexcept { return {3}; }
  knn_report* report() const noexcept { return output.report; }
  result check(index_t points, index_t queries) const noexcept {
    return check_interpolate(points, features, queries, channels, output);
  }
  void add_to(digest& all) const noexcept {
    all.add(403);
    all.add(channels);
  }
  template <class Visit>
  result visit_arrays(Visit const& visit) const noexcept {
    return visit(features, output.features, output.report);
  }

  FARPOINT_HD float value(index_t point, index_t channel) const noexcept {
    return features[static_cast<std::size_t>(point * channels + channel)];
  }
  FARPOINT_HD void operator()(index_t row, vec<Scalar> const&, Scalar const* distances, float const* values,
                              int count) const noexcept {
    float weights[3];
    inverse_distance_weights(row_key<Scalar>::of(distances), count, weights);
    for (index_t c = 0; c < channels; ++c) {
      write(row, c, weighted_sum(weights, count, [&](int j) { return values[j * channels + c]; }));
    }
  }
  FARPOINT_HD void leave_empty(index_t row) const noexcept {
    for (index_t c = 0; c < channels; ++c) write(row, c, 0);
  }

 private:
  FARPOINT_HD void write(index_t row, index_t channel, float value) const noexcept {
    output.features[static_cast<std::size_t>(row * channels + channel)] = value;
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Normal, tangent and extents of a splat from a row of neighbors, the same on host and device.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/detail/search/check.hpp>
#include <farpoint/detail/search/normal_from_neighbors.hpp>
#include <farpoint/tuning/screen.hpp>
#include <farpoint/types/neighbor_normals.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// A row of indices, read like a list of keys.
struct index_row {
  struct key {
    index_t at;
    FARPOINT_HD index_t index() const noexcept { return at; }
  };

  index_view indices;
  index_t begin;

  FARPOINT_HD key operator[](int j) const noexcept { return {indices[begin + j]}; }
  /// Neighbors before the first index that is no point's.
  FARPOINT_HD int count(index_t k, index_t points) const noexcept {
    int count = 0;
    while (count < k && indices[begin + count] >= 0 && indices[begin + count] < points) ++count;
    return count;
  }
};

/// The offsets of a row of at most max_held_neighbors, all of whose indices are read at once.
template <class Points>
FARPOINT_HD FARPOINT_ALWAYS_INLINE auto held_offsets_of(Points const& cloud, typename Points::point const& p,
                                                        index_row const& row, index_t k) noexcept {
  index_t found[max_held_neighbors];
  FARPOINT_UNROLL
  for (int j = 0; j < max_held_neighbors; ++j) found[j] = j < k ? row[j].index() : -1;
  int count = 0;
  FARPOINT_UNROLL
  for (int j = 0; j < max_held_neighbors; ++j) {
    if (count == j && found[j] >= 0 && found[j] < cloud.size()) ++count;
  }
  return held_offsets<typename Points::scalar, max_held_neighbors>::of(cloud, p, found, count);
}

template <class Scalar>
struct splat_at {
  normal_and_curvature<Scalar> across;
  vec<Scalar, 3> tangent{};
  Scalar extents[2] = {};
};

/// Root mean squares of the offsets along the two axes of a plane; without a plane, both are the root mean square of
/// the offsets' lengths.
template <class Offsets, class Axis>
FARPOINT_HD FARPOINT_ALWAYS_INLINE auto spreads_along(Offsets const& offsets, bool is_plane, Axis const& first,
                                                      Axis const& second) noexcept {
  using scalar = typename Offsets::scalar;
  vec<scalar, 2> sums{};
  offsets.for_each([&](vec<scalar, 3> const& d) {
    if (is_plane) {
      vec<scalar, 2> along{};
      for (int k = 0; k < 3; ++k) along = {{fma_rn(first[k], d[k], along[0]), fma_rn(second[k], d[k], along[1])}};
      for (int i = 0; i < 2; ++i) sums[i] = fma_rn(along[i], along[i], sums[i]);
    } else {
      for (int k = 0; k < 3; ++k) sums[0] = fma_rn(d[k], d[k], sums[0]);
      sums[1] = sums[0];
    }
  });
  for (int i = 0; i < 2; ++i) sums[i] = sqrt_rn(div_rn(sums[i], static_cast<scalar>(offsets.count)));
  return sums;
}

/// The splat at p: normal_of() its neighbors, and how far they reach across the normal. A disc where they span no
/// plane, and a point without any neighbor.
template <class Point, class Offsets>
FARPOINT_HD FARPOINT_ALWAYS_INLINE auto splat_of(Point const& p, Offsets const& offsets,
                                                 neighbor_normals_params const& params) noexcept {
  using scalar = typename Offsets::scalar;
  splat_at<scalar> splat;
  if (offsets.count == 0) return splat;
  auto const plane = plane_of(p, offsets, params.viewpoint);
  splat.across = plane.across;
  auto const& n = plane.across.normal;
  bool const is_plane = n[0] != 0 || n[1] != 0 || n[2] != 0;
  if (is_plane) splat.tangent = plane.eigen.vectors[2];
  auto const& vectors = plane.eigen.vectors;
  auto const spreads = spreads_along(offsets, is_plane, vectors[2], vectors[1]);
  for (int axis = 0; axis < 2; ++axis) {
    bool const is_number = spreads[axis] <= largest_number<scalar>;
    splat.extents[axis] = is_number ? mul_rn(static_cast<scalar>(params.extent), spreads[axis]) : scalar(0);
  }
  return splat;
}

/// Answers one row: the body of for_each_index().
template <class Points>
struct splat_rows {
  using scalar = typename Points::scalar;

  batch<Points> points;  ///< one cloud
  neighbor_rows rows;
  neighbor_normals_params params;
  neighbor_normals_output<scalar> output;

  /// Rows that there is room for.
  index_t size() const noexcept { return rows.k < 1 ? 0 : rows.indices.size() / rows.k; }

  FARPOINT_HD FARPOINT_ALWAYS_INLINE void answer(index_t row) const noexcept {
    if (!rows.count.empty() && row >= rows.count[0]) return;
    Points const whole = points[0];
    Points const cloud = count_bad_offsets(points) == 0 ? whole : whole.subview(0, 0);
    index_t const own = rows.points.empty() ? row : rows.points[row];
    write(static_cast<std::size_t>(row),
          own >= 0 && own < cloud.size() ? splat_at_row(cloud, own, row) : splat_at<scalar>{});
  }

  FARPOINT_HD void operator()(std::uint64_t row) const noexcept { answer(static_cast<index_t>(row)); }
  FARPOINT_HD void operator()(std::uint32_t row) const noexcept { answer(static_cast<index_t>(row)); }

 private:
  FARPOINT_HD FARPOINT_ALWAYS_INLINE splat_at<scalar> splat_at_row(Points const& cloud, index_t own,
                                                                   index_t row) const noexcept {
    auto const p = cloud[own];
    index_row const keys{rows.indices, row * rows.k};
    if (rows.k <= max_held_neighbors) return splat_of(p, held_offsets_of(cloud, p, keys, rows.k), params);
    int const count = keys.count(rows.k, cloud.size());
    return splat_of(p, neighbor_offsets<Points, index_row>{cloud, p, keys, count}, params);
  }

  FARPOINT_HD void write(std::size_t row, splat_at<scalar> const& splat) const noexcept {
    for (std::size_t k = 0; k < 3; ++k) {
      auto const axis = static_cast<int>(k);
      if (!output.normals.empty()) output.normals[3 * row + k] = splat.across.normal[axis];
      if (!output.tangents.empty()) output.tangents[3 * row + k] = splat.tangent[axis];
      if (k < 2 && !output.extents.empty()) output.extents[2 * row + k] = splat.extents[k];
    }
    if (!output.curvatures.empty()) output.curvatures[row] = splat.across.curvature;
  }
};

/// Checks the arguments without reading the arrays, which may be in device memory.
template <class Points>
result check_splat_rows(splat_rows<Points> const& task) noexcept {
  if (result const checked = check_bvh_points(task.points); !checked) return checked;
  if (task.points.size() != 1) return reject("points: the rows are of one cloud");
  auto const& rows = task.rows;
  if (rows.k < 1 || rows.k > max_neighbors) return reject("rows: k is not between 1 and 1,024");
  if (rows.indices.size() % rows.k != 0) return reject("rows: the size of the indices is no multiple of k");
  index_t const size = task.size();
  if (rows.points.empty() && size > task.points.points().size()) {
    return reject("rows: more than points, and none says whose they are");
  }
  if (!is_absent_or_holds(rows.points, size, 1)) return reject("rows: fewer points than rows");
  if (!(task.params.extent >= 0 && task.params.extent <= largest_number<double>)) {
    return reject("params: the extent is negative or not finite");
  }
  auto const holds_rows = [size](auto const& part, index_t each) { return is_absent_or_holds(part, size, each); };
  auto const& output = task.output;
  if (!holds_rows(output.normals, 3)) return reject("output: the normals are smaller than rows x 3");
  if (!holds_rows(output.curvatures, 1)) return reject("output: fewer curvatures than rows");
  if (!holds_rows(output.tangents, 3)) return reject("output: the tangents are smaller than rows x 3");
  return holds_rows(output.extents, 2) ? result{} : reject("output: the extents are smaller than rows x 2");
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// A regular grid of voxels: which voxel a point is in, and the number of a voxel.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/core/points.hpp>
#include <farpoint/geometry/bounding_box.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// The largest multiple of `edge` that is not above `low`, rounded once; `low` itself where no number of the type is
/// such a multiple. Never -0. Both are finite, and `edge` is positive.
template <class Scalar>
Scalar multiple_below(Scalar low, Scalar edge) noexcept {
  auto const most = static_cast<double>(std::numeric_limits<Scalar>::max());
  double const quotient = std::floor(static_cast<double>(low) / static_cast<double>(edge));
  // The quotient, or its product with the edge, may have been rounded up.
  for (double const cells : {quotient, quotient - 1}) {
    double const multiple = cells * static_cast<double>(edge);
    if (!(std::fabs(multiple) <= most)) continue;
    auto const rounded = static_cast<Scalar>(multiple);
    if (rounded <= low) return rounded == 0 ? Scalar(0) : rounded;
  }
  return low == 0 ? Scalar(0) : low;
}

}  // namespace detail

/// `dims` voxels of `size` meters along each axis, from the corner `origin` on.
///
/// @tparam Scalar  the coordinates' scalar type: UTM coordinates need double, or an origin nearby
template <class Scalar = float>
struct voxel_grid {
  vec<Scalar> origin{};      ///< lower corner (m)
  vec<Scalar> size{};        ///< edges of a voxel (m)
  vec<std::int32_t> dims{};  ///< voxels along x, y, z

  /// The grid that detectors configure: the range from `lower` to `upper` and the voxels' size. The number of voxels is
  /// rounded to the nearest, as mmdet3d and spconv do it: where `size` does not divide the range, the grid ends up to
  /// half a voxel below or above `upper`. An axis without half a voxel, or with 2^31 or more, gets 0, which calls
  /// refuse.
  static voxel_grid from_range(vec<Scalar> const& lower, vec<Scalar> const& upper, vec<Scalar> const& size) noexcept {
    voxel_grid grid{lower, size, {}};
    for (int axis = 0; axis < 3; ++axis) {
      // In double: what a float quotient rounds to differs by one for large grids.
      double const range = static_cast<double>(upper[axis]) - static_cast<double>(lower[axis]);
      double const voxels = range / static_cast<double>(size[axis]) + 0.5;
      grid.dims[axis] = voxels >= 1 && voxels < 2147483648.0 ? static_cast<std::int32_t>(voxels) : 0;
    }
    return grid;
  }

  /// The grid of cubic voxels around a cloud: every finite point is in it, for voxel_of() and voxelize(). A point with
  /// a NaN or infinite coordinate does not count.
  ///
  /// The origin is the lower corner of the points, rounded down to a multiple of `edge` on each axis, so that grids of
  /// one edge around several clouds have their borders in common, up to rounding. It depends on the coordinates alone,
  /// not on the order of the points, on duplicates or on the sign of a zero. Where `edge` is too fine for the scalar
  /// type to have such a multiple, the origin is the lower corner itself. Around no finite point there is one voxel, at
  /// 0. An edge that is not positive and finite, or that would need 2^31 voxels or more along an axis, gives 0 voxels,
  /// which calls refuse; they also refuse a grid of more than 2^62 voxels.
  /// @param points  view of three coordinates, of this scalar type, in host memory (m)
  /// @param edge    of a voxel (m)
  /// Complexity: O(n), on the calling thread.
  template <class Coord>
  static voxel_grid around(point_view<Coord> const& points, detail::type_identity_t<Scalar> edge) noexcept {
    static_assert(std::is_same_v<scalar_of<Coord>, Scalar>,
                  "farpoint: voxel_grid needs the scalar type of the points: double for double, float otherwise");
    voxel_grid grid{{}, {{edge, edge, edge}}, {}};
    if (!(edge > 0) || !detail::is_finite_number(edge)) return grid;
    auto box = bounding_box<Scalar>::empty();
    for (index_t i = 0; i < points.size(); ++i) {
      if (auto const point = points[i]; is_finite(point)) box.grow(point);
    }
    for (int axis = 0; axis < 3; ++axis) {
      bool const is_empty = box.high[axis] < box.low[axis];
      grid.origin[axis] = is_empty ? Scalar(0) : detail::multiple_below(box.low[axis], edge);
      // The index of the last voxel, by the operations of voxel_of(): these do not descend from point to point.
      Scalar const last = is_empty ? Scalar(0) : div_rn(sub_rn(box.high[axis], grid.origin[axis]), edge);
      bool const fits = static_cast<double>(last) < 2147483647.0;
      grid.dims[axis] = fits ? static_cast<std::int32_t>(last) + 1 : 0;
    }
    return grid;
  }
  /// The grid around the points of a contiguous container of a type that point_layout knows.
  template <class Container, class = detail::host_elements<Container const>>
  static voxel_grid around(Container const& points, detail::type_identity_t<Scalar> edge) noexcept {
    return around(view_points(points), edge);
  }

  /// Number of voxels, or 0 where a dimension is not positive or the number is 2^63 or more.
  FARPOINT_HD constexpr std::uint64_t cells() const noexcept {
    std::uint64_t product = 1;
    for (int axis = 0; axis < 3; ++axis) {
      if (dims[axis] <= 0) return 0;
      auto const factor = static_cast<std::uint64_t>(dims[axis]);
      if (product > (std::uint64_t{1} << 63) / factor) return 0;
      product *= factor;
    }
    return product >> 63 != 0 ? 0 : product;
  }
};

/// Finds the voxel of a point: floor((point - origin) / size) on each axis, each operation rounded once.
///
/// A division, not a product with 1 / size: that moves points at a voxel's border. The upper bound of the grid is
/// exclusive: a point that rounding puts at index == dims is outside. Negative offsets round down and are outside.
/// @return false for a point outside of the grid or one with a coordinate that is NaN or infinite
template <class Scalar>
FARPOINT_HD inline bool voxel_of(voxel_grid<Scalar> const& grid, vec<Scalar> const& point,
                                 vec<std::int32_t>& voxel) noexcept {
  bool inside = true;
  FARPOINT_UNROLL
  for (int axis = 0; axis < 3; ++axis) {
    Scalar const place = div_rn(sub_rn(point[axis], grid.origin[axis]), grid.size[axis]);
    // Not negative, so the cast is the floor; -0 is 0. Written so that NaN fails.
    bool const fits = place >= Scalar(0) && place < Scalar(2147483648.0);
    voxel[axis] = fits ? static_cast<std::int32_t>(place) : -1;
    inside = inside && fits && voxel[axis] < grid.dims[axis];
  }
  return inside;
}

/// Number of a voxel in the grid, x running fastest: the order of the grid.
template <class Scalar>
FARPOINT_HD constexpr std::uint64_t cell_of(voxel_grid<Scalar> const& grid, vec<std::int32_t> const& voxel) noexcept {
  auto const x = static_cast<std::uint64_t>(voxel[0]);
  auto const y = static_cast<std::uint64_t>(voxel[1]);
  auto const z = static_cast<std::uint64_t>(voxel[2]);
  return (z * static_cast<std::uint64_t>(grid.dims[1]) + y) * static_cast<std::uint64_t>(grid.dims[0]) + x;
}

/// The voxel that has a number; the reverse of cell_of().
template <class Scalar>
FARPOINT_HD constexpr vec<std::int32_t> voxel_at(voxel_grid<Scalar> const& grid, std::uint64_t cell) noexcept {
  auto const dim_x = static_cast<std::uint64_t>(grid.dims[0]);
  auto const dim_y = static_cast<std::uint64_t>(grid.dims[1]);
  std::uint64_t const row = cell / dim_x;
  return {{static_cast<std::int32_t>(cell % dim_x), static_cast<std::int32_t>(row % dim_y),
           static_cast<std::int32_t>(row / dim_y)}};
}

FARPOINT_END_NAMESPACE

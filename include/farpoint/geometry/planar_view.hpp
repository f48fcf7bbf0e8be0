/// @file
/// Points of two coordinates as points of three whose z is 0, without a copy.
#pragma once

#include <farpoint/core/points.hpp>

FARPOINT_BEGIN_NAMESPACE

/// View of points (x, y) as points (x, y, 0), in host or device memory. Neighbor searches take it where they take a
/// point_view, and their distances are those in the plane. Non-owning and trivially copyable; operator[] is O(1),
/// unchecked; thread-safe. in_plane() makes one.
/// @tparam Points  point_view<Coord, 2>
template <class Points>
class planar_view {
  static_assert(Points::dim == 2, "farpoint: a planar_view is of points of two coordinates");

 public:
  using coord = typename Points::coord;
  using scalar = typename Points::scalar;
  using point = vec<scalar, 3>;
  static constexpr int dim = 3;

  constexpr planar_view() = default;
  FARPOINT_HD explicit constexpr planar_view(Points const& points) noexcept : points_{points} {}

  FARPOINT_HD constexpr index_t size() const noexcept { return points_.size(); }
  FARPOINT_HD constexpr index_t stride() const noexcept { return points_.stride(); }
  FARPOINT_HD constexpr unsigned char const* base() const noexcept { return points_.base(); }
  /// Bytes from the start of a record to a coordinate; z, which no record has, gets the offset of x.
  FARPOINT_HD constexpr int offset(int axis) const noexcept { return points_.offset(axis == 2 ? 0 : axis); }
  FARPOINT_HD constexpr bool aligned() const noexcept { return points_.aligned(); }
  /// The viewed points of two coordinates.
  FARPOINT_HD constexpr Points const& flat() const noexcept { return points_; }

  /// The `count` points from `begin` on; unchecked.
  FARPOINT_HD constexpr planar_view subview(index_t begin, index_t count) const noexcept {
    return planar_view{points_.subview(begin, count)};
  }

  FARPOINT_HD point operator[](index_t i) const noexcept {
    auto const p = points_[i];
    return {{p[0], p[1], scalar(0)}};
  }

 private:
  Points points_;
};

/// View of points of two coordinates for neighbor searches: `batch{in_plane(view_points(points))}`.
template <class Coord>
planar_view<point_view<Coord, 2>> in_plane(point_view<Coord, 2> const& points) noexcept {
  return planar_view<point_view<Coord, 2>>{points};
}

namespace detail {

template <class Points>
bool is_same_view(planar_view<Points> const& a, planar_view<Points> const& b) noexcept {
  return is_same_view(a.flat(), b.flat());
}

/// View of a container's points as searches take them: those of two coordinates lie in the plane z = 0.
template <class Container>
auto search_view(Container const& points) noexcept {
  auto const view = view_points(points);
  if constexpr (std::decay_t<decltype(view)>::dim == 2) {
    return in_plane(view);
  } else {
    return view;
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE

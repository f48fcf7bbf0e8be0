/// @file
/// Groups of eight lanes of a warp, and reductions over them.
#pragma once

#include <farpoint/detail/search/packets/memory.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Choices of a reduction.
struct take_min_number {
  template <class Scalar>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar operator()(Scalar a, Scalar b) const noexcept {
    return min_number(a, b);
  }
};
struct take_max_number {
  template <class Scalar>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar operator()(Scalar a, Scalar b) const noexcept {
    return max_number(a, b);
  }
};
struct take_larger {
  template <class T>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE T operator()(T a, T b) const noexcept {
    return larger(a, b);
  }
};

/// Groups of eight consecutive lanes: a lane for each box of a group of boxes, or for each point of a leaf.
/// @tparam Warp  see memory.hpp
template <class Warp>
struct lane_groups {
  /// Number of the calling lane's group.
  FARPOINT_DEVICE static int group() noexcept { return Warp::lane() / point_bvh_width; }
  /// Position of the calling lane in its group.
  FARPOINT_DEVICE static int in_group() noexcept { return Warp::lane() % point_bvh_width; }

  /// Loads the point of a leaf that has the calling lane's position.
  template <class Scalar>
  FARPOINT_DEVICE static typename packet_memory<Scalar>::point load_point(point_leaf<Scalar> const& leaf) noexcept {
    typename packet_memory<Scalar>::point p;
    p.x = load_read_only(leaf.axis[0][in_group()]);
    p.y = load_read_only(leaf.axis[1][in_group()]);
    p.z = load_read_only(leaf.axis[2][in_group()]);
    p.index = load_read_only(leaf.index[in_group()]);
    return p;
  }

  /// Reduces a value over the eight lanes of the calling lane's group.
  template <class T, class Choose>
  FARPOINT_DEVICE static T of_eight(T value, Choose choose) noexcept {
    FARPOINT_UNROLL
    for (int step = 1; step < point_bvh_width; step *= 2) value = choose(value, Warp::shuffle_xor(value, step));
    return value;
  }
  /// Reduces a value over the four groups.
  template <class T, class Choose>
  FARPOINT_DEVICE static T of_eights(T value, Choose choose) noexcept {
    FARPOINT_UNROLL
    for (int step = point_bvh_width; step < warp_packet_lanes; step *= 2) {
      value = choose(value, Warp::shuffle_xor(value, step));
    }
    return value;
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

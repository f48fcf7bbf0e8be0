/// @file
/// A part of a cloud with a BVH that is built once, for many searches on ranks.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/scale/communicator.hpp>
#include <farpoint/scale/stream/curve/reach.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Owners of the points of a cloud after a repartition, see planned_repartition::owners(). Refers to its workspace.
/// Trivially copyable.
template <class Scalar>
class curve_owners {
 public:
  curve_owners() = default;
  /// Called by planned_repartition: `frame` is a detail::curve_frame in the memory of the calls, `borders` a
  /// detail::curve_border `[count]` in the same memory.
  curve_owners(void const* frame, void const* borders, int count) noexcept
      : frame_{frame}, borders_{borders}, count_{count} {}

  /// False if a rank owns no point within the squared distance of a query. True for all ranks if the owners are not
  /// known.
  FARPOINT_HD bool may_own(int rank, vec<Scalar> const& query, Scalar distance2) const noexcept {
    auto const* const frame = static_cast<detail::curve_frame<Scalar> const*>(frame_);
    detail::curve_reach<Scalar> const reach{frame, static_cast<detail::curve_border const*>(borders_), count_};
    return frame_ == nullptr || reach.may_own(rank, query, distance2);
  }

 private:
  // Without the types, which are hidden: a class of a program can have a member of this type.
  void const* frame_ = nullptr;
  void const* borders_ = nullptr;
  int count_ = 0;
};

/// One rank's part of a cloud, and the BVH that build_point_bvh() has built of its points: knn_shard() and
/// radius_shard() take it in place of the part, and build none. For many searches of points that do not move.
///
/// After a repartition set `indices` and `owners`: then rows have the indices of the cloud before it, and a query goes
/// only to ranks whose section of the curve is near enough, not to all whose bounding box is.
/// @tparam Bvh  point_bvh on the host, device_point_bvh on a stream; of one cloud
template <class Points, class Bvh>
struct indexed_shard {
  shard<Points> part;
  Bvh bvh;  ///< of part.points; its memory stays in use
  /// `[points]`: index of each point in the whole cloud, ascending, as repartition() writes them. Empty if indices
  /// count from part.first_index; otherwise first_index is not used.
  span<index_t const> indices = {};
  /// Owners of the points, if known: then all ranks have the points of the same repartition.
  curve_owners<typename Points::scalar> owners = {};
};
template <class Points, class Bvh>
indexed_shard(shard<Points>, Bvh) -> indexed_shard<Points, Bvh>;
template <class Points, class Bvh, class Indices>
indexed_shard(shard<Points>, Bvh, Indices) -> indexed_shard<Points, Bvh>;
template <class Points, class Bvh, class Indices, class Scalar>
indexed_shard(shard<Points>, Bvh, Indices, curve_owners<Scalar>) -> indexed_shard<Points, Bvh>;

namespace FARPOINT_HIDDEN detail {

template <class Points>
shard<Points> const& part_of(shard<Points> const& part) noexcept {
  return part;
}
template <class Points, class Bvh>
shard<Points> const& part_of(indexed_shard<Points, Bvh> const& indexed) noexcept {
  return indexed.part;
}

/// Indices of the points of a part; empty if they count from its first_index.
template <class Points>
span<index_t const> names_of(shard<Points> const&) noexcept {
  return {};
}
template <class Points, class Bvh>
span<index_t const> names_of(indexed_shard<Points, Bvh> const& indexed) noexcept {
  return indexed.indices;
}

/// View type of the points of a shard or of an indexed_shard.
template <class Part>
using points_of = std::decay_t<decltype(part_of(std::declval<Part const&>()).points)>;

/// True for an indexed_shard.
template <class Part>
inline constexpr bool has_bvh = false;
template <class Points, class Bvh>
inline constexpr bool has_bvh<indexed_shard<Points, Bvh>> = true;

/// Reach of ranks whose points are known only by their bounding box.
struct knn_any_place {
  template <class Scalar>
  FARPOINT_HD bool may_own(int, vec<Scalar> const&, Scalar) const noexcept {
    return true;
  }
};

template <class Points>
knn_any_place reach_of(shard<Points> const&) noexcept {
  return {};
}
template <class Points, class Bvh>
curve_owners<typename Points::scalar> reach_of(indexed_shard<Points, Bvh> const& indexed) noexcept {
  return indexed.owners;
}

/// Checks that a BVH has been built of the points.
template <class Points>
result check_built(shard<Points> const&) noexcept {
  return {};
}
template <class Points, class Bvh>
result check_built(indexed_shard<Points, Bvh> const& indexed) noexcept {
  index_t const points = indexed.part.points.size();
  if (indexed.bvh.size() != 1 || indexed.bvh.points() != points) {
    return reject("indexed_shard: the BVH was never built, or of other points");
  }
  if (indexed.indices.empty() || static_cast<index_t>(indexed.indices.size()) == points) return {};
  return reject("indexed_shard: the number of indices differs from the number of points");
}

}  // namespace detail
FARPOINT_END_NAMESPACE

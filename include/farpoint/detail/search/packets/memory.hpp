/// @file
/// Shared memory of a warp that answers 32 queries together.
///
/// Code of this folder in .hpp files takes the warp as a template parameter `Warp`: cuda_warp, or on a CPU a test's
/// warp of 32 fibers. It needs lane(), sync(), ballot(), shuffle(), shuffle_xor() and min() of std::uint32_t. Its
/// parameter `List` has the members of warp_topk.
#pragma once

#include <farpoint/spatial/point_bvh.hpp>

#include <cstring>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Number of queries of a packet: one for each lane of a warp.
inline constexpr int warp_packet_lanes = 32;

/// Loads a value that no thread writes while the kernel runs, on a GPU through the read-only cache.
template <class T>
FARPOINT_DEVICE FARPOINT_ALWAYS_INLINE T load_read_only(T const& from) noexcept {
  return FARPOINT_DEVICE_OR_HOST(__ldg(&from), from);
}

/// Loads eight values that no thread writes while the kernel runs, on a GPU 16 bytes at a time.
/// @param from  16-byte aligned
template <class Scalar>
FARPOINT_DEVICE FARPOINT_ALWAYS_INLINE void load_read_only(Scalar const (&from)[point_bvh_width],
                                                           Scalar (&to)[point_bvh_width]) noexcept {
#if defined(__CUDA_ARCH__)
  constexpr int values = 16 / int{sizeof(Scalar)};
  FARPOINT_UNROLL
  for (int i = 0; i < point_bvh_width; i += values) {
    uint4 const four = __ldg(reinterpret_cast<uint4 const*>(from + i));
    std::memcpy(to + i, &four, sizeof four);
  }
#else
  std::memcpy(to, from, sizeof to);
#endif
}

/// Adds one axis to the squared distances from a query to a box and to its farthest corner.
template <class Scalar>
FARPOINT_DEVICE FARPOINT_ALWAYS_INLINE void add_box_reach(Scalar low, Scalar high, Scalar q, Scalar& nearest2,
                                                          Scalar& farthest2) noexcept {
  Scalar const under = sub_rn(low, q);
  Scalar const over = sub_rn(q, high);
  Scalar const outside = max_number(max_number(under, over), Scalar(0));
  Scalar const farther = min_number(under, over);
  nearest2 = fma_rn(outside, outside, nearest2);
  farthest2 = fma_rn(farther, farther, farthest2);
}

/// Bits of a squared distance, rounded to a float. Monotone: an order by these bits puts no box behind a farther one by
/// more than the rounding, and by the low bits if these are replaced.
template <class Scalar>
FARPOINT_DEVICE FARPOINT_ALWAYS_INLINE std::uint32_t rounded_bits(Scalar distance2) noexcept {
  return float_bits(static_cast<float>(distance2));
}

/// Sort key of a box: boxes that contain the query come first, in the order of their farthest corners; then the others,
/// in the order of their distances.
template <class Scalar>
FARPOINT_DEVICE FARPOINT_ALWAYS_INLINE std::uint32_t box_order_bits(Scalar nearest2, Scalar farthest2) noexcept {
  return nearest2 > 0 ? rounded_bits(nearest2) | 0x80000000u : rounded_bits(farthest2);
}

/// Part of an index that waits for a test: a group of eight boxes with its level, or a leaf with the set of queries
/// that its points are tested for, see packet_memory::set_of(). Both have a number on their level.
struct packet_node {
  std::uint32_t bits;

  FARPOINT_HD static packet_node of(int level_or_set, std::uint32_t number) noexcept {
    return {static_cast<std::uint32_t>(level_or_set) << shift | number};
  }
  FARPOINT_HD int level() const noexcept { return static_cast<int>(bits >> shift); }
  FARPOINT_HD int set() const noexcept { return level(); }
  FARPOINT_HD std::uint32_t number() const noexcept { return bits & ((1u << shift) - 1); }

 private:
  static constexpr int shift = 3 * point_bvh_levels;
};

/// Shared memory of a warp.
template <class Scalar>
struct packet_memory {
  static constexpr int groups = warp_packet_lanes / point_bvh_width;

  /// Point of an index. Its distance overwrites z, next to the index, so that both form a neighbor_key.
  struct alignas(4 * sizeof(Scalar)) point {
    Scalar x;
    Scalar y;
    std::uint32_t index;
    Scalar z;
  };
  FARPOINT_DEVICE static point no_point() noexcept {
    return {infinity<Scalar>, infinity<Scalar>, no_index, infinity<Scalar>};
  }
  /// Box around several queries, and the largest of their bounds.
  struct alignas(4 * sizeof(Scalar)) box {
    Scalar low[3];
    Scalar bound;
    Scalar high[3];
    std::uint32_t bound_index;
  };

  /// Leaves whose points a traversal begins with.
  struct alignas(4 * sizeof(std::uint32_t)) first_leaves {
    std::uint32_t at[groups];

    FARPOINT_HD bool contain(std::uint32_t leaf) const noexcept {
      return (leaf == at[0]) | (leaf == at[1]) | (leaf == at[2]) | (leaf == at[3]);
    }
  };

  /// Capacity of the stack of groups. While it holds at most few_nodes groups, four are tested at a time; beyond, one
  /// at a time, which adds at most seven per level.
  static constexpr int max_nodes = 128;
  static constexpr int few_nodes = max_nodes - (warp_packet_lanes - groups) - (point_bvh_width - 1) * point_bvh_levels;
  static_assert(few_nodes >= point_bvh_levels, "farpoint: no room for the groups on the way to the root");

  /// Box of eight queries, or for `groups` the box of all queries.
  FARPOINT_DEVICE box const& set_of(int group) const noexcept { return group < groups ? eights[group] : all; }

  point_boxes<Scalar> const* levels[point_bvh_levels];
  box eights[groups];
  box all;
  point points[warp_packet_lanes + point_bvh_width];  ///< queue of points, tested eight at a time
  packet_node nodes[max_nodes];                       ///< stack of groups; the next is at the end
  packet_node leaves[warp_packet_lanes + groups];     ///< queue of leaves, tested four at a time
  first_leaves first;                                 ///< set by find_beam() only; no_index: none
};

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

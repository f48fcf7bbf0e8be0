/// @file
/// Shared memory of a warp that answers 32 queries together.
#pragma once

#include <farpoint/spatial/point_bvh.hpp>
#include <farpoint/warp/warp_topk.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Group of eight boxes of an index: its level, and its number on the level.
struct packet_node {
  std::uint32_t bits;

  __device__ static packet_node of(int level, std::uint32_t group) noexcept {
    return {static_cast<std::uint32_t>(level) << shift | group};
  }
  __device__ int level() const noexcept { return static_cast<int>(bits >> shift); }
  __device__ std::uint32_t group() const noexcept { return bits & ((1u << shift) - 1); }

 private:
  static constexpr int shift = 3 * point_bvh_levels;
};

/// Shared memory of a warp.
template <class Scalar>
struct packet_memory {
  static constexpr int groups = cuda_warp::lanes / point_bvh_width;

  /// Point of an index. Its distance overwrites z, next to the index, so that both form a neighbour_key.
  struct alignas(4 * sizeof(Scalar)) point {
    Scalar x;
    Scalar y;
    std::uint32_t index;
    Scalar z;
  };
  /// Box around several queries, and the largest of their bounds.
  struct alignas(4 * sizeof(Scalar)) box {
    Scalar low[3];
    Scalar bound;
    Scalar high[3];
    std::uint32_t bound_index;
  };

  /// Capacity of the stack of groups. While it holds at most few_nodes groups, four are tested at a time; beyond, one
  /// at a time, which adds at most seven per level.
  static constexpr int most_nodes = 128;
  static constexpr int few_nodes = most_nodes - (cuda_warp::lanes - groups) - (point_bvh_width - 1) * point_bvh_levels;
  static_assert(few_nodes >= point_bvh_levels, "farpoint: no room for the groups on the way to the root");

  point_boxes<Scalar> const* levels[point_bvh_levels];
  box eights[groups];
  box all;
  point points[cuda_warp::lanes + point_bvh_width];  ///< queue of points, tested eight at a time
  packet_node nodes[most_nodes];                     ///< stack of groups; the next is at the end
  std::uint32_t leaves[cuda_warp::lanes + groups];   ///< queue of leaves, tested four at a time
};

/// Bytes of shared memory of `warps` warps and their lists.
template <class Scalar, int Capacity>
FARPOINT_HD constexpr std::size_t packet_shared_bytes(int warps) noexcept {
  using list = warp_topk<Scalar, Capacity>;
  return static_cast<std::size_t>(warps) * (sizeof(typename list::storage) + sizeof(packet_memory<Scalar>));
}

/// True if `warps` warps fit into 48 KiB, the shared memory of a block on every device without an opt-in.
template <class Scalar, int Capacity>
FARPOINT_HD constexpr bool packets_fit(int warps) noexcept {
  return packet_shared_bytes<Scalar, Capacity>(warps) <= 48 * 1024;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// What the kernel that builds BVHs works on.
#pragma once

#include <farpoint/core/cloud_cursor.cuh>
#include <farpoint/detail/bvh/layout.hpp>
#include <farpoint/geometry/curve_grid.hpp>
#include <farpoint/grid/atomic_bounding_box.cuh>
#include <farpoint/grid/phased_radix_sort.cuh>
#include <farpoint/tuning/point_order.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Points of a cell that may stay in the order of their indices, on the first level and later.
inline constexpr std::uint32_t bvh_run_points = bvh_run_leaves * point_bvh_width;
inline constexpr std::uint32_t bvh_run_points_again = bvh_run_leaves_again * point_bvh_width;

/// Warps that search for the points of a view, which may have one cloud: the last leaf may be filled in part.
FARPOINT_HD constexpr std::uint32_t most_packets(std::uint32_t points) noexcept {
  return divide_up(points + std::uint32_t{point_bvh_width}, std::uint32_t{cuda_warp::lanes});
}

/// Classes of packets, by how far apart their points are.
inline constexpr int bvh_spreads = 256;
/// Level of boxes in whose phase packets are sorted.
inline constexpr int bvh_packet_level = 3;

/// Zero when a build starts.
struct bvh_build_state {
  point_bvh_faults faults;
  unsigned long long crowded[bvh_levels];  ///< runs in the high half, their points in the low one
  unsigned pieces[bvh_levels];             ///< of these runs
  std::uint32_t spreads[bvh_spreads];      ///< packets of each class
  std::uint32_t sorted[bvh_spreads];       ///< of them those that have a place in the order
};

/// What is known of a cloud; zero when a build starts.
template <class Scalar>
struct bvh_extent {
  atomic_bounding_box<Scalar> box;
  std::uint32_t count;  ///< finite points

  __device__ void grow(atomic_bounding_box<Scalar> const& by, std::uint32_t points) noexcept {
    by.grow(box);
    atomicAdd(&count, points);
  }
};

/// Consecutive points that are in one cell.
template <class Scalar>
struct bvh_run {
  atomic_bounding_box<Scalar> box;
  std::uint32_t count;
  std::uint32_t begin;   ///< in the order of all points
  std::uint32_t source;  ///< among the points of all runs of the level before
  std::uint32_t offset;  ///< among those of this level
};

/// Part of a run.
struct bvh_piece {
  std::uint32_t run;
  std::uint32_t first;  ///< of its points
};

/// How a key is made of the number of a cloud, or of a run, and a cell's code.
struct bvh_key_bits {
  int axis;  ///< of a cell, per axis
  int set;   ///< of a number

  /// @param most  of an axis: eight in a cloud make three passes of sorting, and leave to the next level what is
  ///              crowded
  FARPOINT_HD static bvh_key_bits of(std::uint32_t sets, int most) noexcept {
    int set = 0;
    while (set < 29 && std::uint32_t{1} << set < sets) ++set;
    int const axis = (32 - set) / 3;
    return {axis < most ? axis : most, set};
  }
  /// For runs: as many cells as they have points, and more where that costs no extra sorting pass.
  FARPOINT_HD static bvh_key_bits of_runs(std::uint32_t runs, std::uint32_t points) noexcept {
    bvh_key_bits bits = of(runs, 1);
    while (bits.axis < 10 && bits.all() <= 29 && (std::uint64_t{runs} << 3 * bits.axis) < points) ++bits.axis;
    while (bits.axis < 10 && radix_passes(bits.all() + 3) == radix_passes(bits.all())) ++bits.axis;
    return bits;
  }
  FARPOINT_HD int all() const noexcept { return set + 3 * axis; }
  /// A cell's code of `bits` an axis, unless it is the last one, which stands for "none".
  FARPOINT_HD static std::uint32_t below_none(std::uint32_t code, int bits) noexcept {
    std::uint32_t const none = (1u << 3 * bits) - 1;
    return code < none ? code : none - 1;
  }
  /// The code of a point that is not sorted again: above all others.
  FARPOINT_HD std::uint32_t none() const noexcept { return (1u << 3 * axis) - 1; }
  FARPOINT_HD bool is_none(std::uint32_t key) const noexcept { return (key & none()) == none(); }
  FARPOINT_HD std::uint32_t set_of(std::uint32_t key) const noexcept { return set == 0 ? 0 : key >> 3 * axis; }
  FARPOINT_HD std::uint32_t key(std::uint32_t of_set, std::uint32_t code) const noexcept {
    return (set == 0 ? 0 : of_set << 3 * axis) | code;
  }
};

/// A point's code among the cells around it, with `bits` an axis.
template <class Scalar>
__device__ FARPOINT_ALWAYS_INLINE std::uint32_t bvh_code_of(curve_grid<Scalar> const& cells,
                                                            vec<Scalar, 3> const& point, hilbert_table const& curve,
                                                            int bits) noexcept {
  return bvh_key_bits::below_none(cells.key_of(point, curve, bits), bits);
}

template <class Points>
struct bvh_build_args {
  using scalar = typename Points::scalar;

  batch<Points> points;
  point_bvh_arrays<scalar> index;
  bvh_build_state* state;
  grid_phase* phases;           ///< zero when a build starts
  bvh_extent<scalar>* extents;  ///< `[clouds]`
  std::uint32_t* order;         ///< `[points]`: the result, places in the view; cloud b's from begin_of(b) on
  radix_words words[2];         ///< `[points]` each; in the memory of the leaves, which are filled last
  bvh_run<scalar>* runs[2];     ///< of one level and the next
  bvh_piece* pieces;            ///< of a level's runs
  std::uint32_t* counters;      ///< of the sorts
  std::uint8_t* spreads;        ///< of packets; null: they need no order
  bvh_key_bits bits;            ///< of the first sort

  /// Points of the view.
  FARPOINT_HD std::uint32_t most() const noexcept { return static_cast<std::uint32_t>(points.points().size()); }
  /// Up to the end of the last cloud, which the device's offsets may say.
  __device__ std::uint32_t size() const noexcept {
    return points.is_ragged() ? static_cast<std::uint32_t>(points.begin_of(points.size())) : most();
  }
};

/// What the steps of putting points in order have in common, in a kernel.
/// @tparam Sorter  a phased_radix_sort
template <class Points, class Sorter>
struct bvh_sort_context {
  bvh_build_args<Points> const& args;
  grid_phases& phases;
  Sorter const& sorter;
  hilbert_table const& curve;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

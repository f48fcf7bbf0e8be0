/// @file
/// Arguments of the kernel that builds BVHs, and the keys that it sorts points by.
#pragma once

#include <farpoint/core/cloud_cursor.cuh>
#include <farpoint/detail/bvh/layout.hpp>
#include <farpoint/geometry/curve_grid.hpp>
#include <farpoint/grid/atomic_bounding_box.cuh>
#include <farpoint/grid/grid_phases.cuh>
#include <farpoint/grid/phased_radix_sort.cuh>
#include <farpoint/tuning/point_order.hpp>
#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The part of a phase that would be a block's, if all blocks of the grid ran at once.
template <int Threads>
class bvh_share {
 public:
  __device__ explicit bvh_share(unsigned number) noexcept : number_{number} {}

  __device__ static unsigned count() noexcept { return gridDim.x; }
  __device__ unsigned number() const noexcept { return number_; }

  /// The calling thread's number among the threads of all shares.
  __device__ std::uint32_t thread() const noexcept { return number_ * Threads + threadIdx.x; }
  __device__ static std::uint32_t threads() noexcept { return count() * Threads; }

  /// The share's part of `size`, in whole warps.
  struct range {
    std::uint32_t begin;
    std::uint32_t end;
  };
  __device__ range part_of(std::uint32_t size) const noexcept {
    constexpr std::uint32_t lanes = cuda_warp::lanes;
    std::uint32_t const each = (size / lanes / count() + 1) * lanes;
    std::uint64_t const begin = std::uint64_t{number_} * each;
    if (begin >= size) return {size, size};
    return {static_cast<std::uint32_t>(begin), size - begin < each ? size : static_cast<std::uint32_t>(begin) + each};
  }

 private:
  unsigned number_;
};

/// Runs a phase: `work(share)` for each share, and `finish()` after one or more shares of a block.
template <int Threads, class Work, class Finish>
__device__ void run_shares(grid_phases& phases, Work const& work, Finish const& finish) noexcept {
  phases.run(
      bvh_share<Threads>::count(), [&](unsigned number) { work(bvh_share<Threads>{number}); }, finish);
}
template <int Threads, class Work>
__device__ void run_shares(grid_phases& phases, Work const& work) noexcept {
  run_shares<Threads>(phases, work, [] {});
}

/// Points of a cell that may stay in the order of their indices, on the first level and on later levels.
inline constexpr std::uint32_t bvh_run_points = bvh_run_leaves * point_bvh_width;
inline constexpr std::uint32_t bvh_run_points_again = bvh_run_leaves_again * point_bvh_width;

/// Number of warps that search for all points of a view. A view may have a single cloud, whose last leaf may be partly
/// filled.
FARPOINT_HD constexpr std::uint32_t max_packets(std::uint32_t points) noexcept {
  return divide_up(points + std::uint32_t{point_bvh_width}, std::uint32_t{cuda_warp::lanes});
}

/// Number of classes of packets. A packet's class is its spread: the distance between its points.
inline constexpr int bvh_spreads = 256;
/// Level of boxes in whose phase the packets are sorted.
inline constexpr int bvh_packet_level = 3;

/// Counters of a build; all zero when a build starts.
struct bvh_build_state {
  point_bvh_faults faults;
  unsigned long long crowded[bvh_levels];  ///< number of runs in the high half, of their points in the low half
  unsigned pieces[bvh_levels];             ///< number of pieces of these runs
  std::uint32_t spreads[bvh_spreads];      ///< number of packets of each class
  std::uint32_t sorted[bvh_spreads];       ///< number of packets of each class that are in the order already
};

/// Bounding box and number of points of a cloud; zero when a build starts.
template <class Scalar>
struct bvh_extent {
  atomic_bounding_box<Scalar> box;
  std::uint32_t count;  ///< number of finite points

  __device__ void grow(atomic_bounding_box<Scalar> const& by, std::uint32_t points) noexcept {
    by.grow(box);
    atomicAdd(&count, points);
  }
};

/// Consecutive points of one crowded cell.
template <class Scalar>
struct bvh_run {
  atomic_bounding_box<Scalar> box;
  std::uint32_t count;
  std::uint32_t begin;   ///< position of the first point in the order of all points
  std::uint32_t source;  ///< position of the first point among the points of the level before
  std::uint32_t offset;  ///< position of the first point among the points of this level's runs
};

/// At most bvh_piece_points consecutive points of a run.
struct bvh_piece {
  std::uint32_t run;
  std::uint32_t first;  ///< position of the first point in the run
};

/// Layout of a sort key: the number of a set (a cloud or a run) in the high bits, the code of a cell in the low bits.
struct bvh_key_bits {
  int axis;  ///< bits of a cell's code per axis
  int set;   ///< bits of a set's number

  /// @param most  maximum of bits per axis: 8 for clouds, which makes three sorting passes and leaves crowded cells to
  ///              the next level
  FARPOINT_HD static bvh_key_bits of(std::uint32_t sets, int most) noexcept {
    int set = 0;
    while (set < 29 && std::uint32_t{1} << set < sets) ++set;
    int const axis = (32 - set) / 3;
    return {axis < most ? axis : most, set};
  }
  /// Layout for runs: at least one cell per point, and more where that costs no further sorting pass.
  FARPOINT_HD static bvh_key_bits of_runs(std::uint32_t runs, std::uint32_t points) noexcept {
    bvh_key_bits bits = of(runs, 1);
    while (bits.axis < 10 && bits.all() <= 29 && (std::uint64_t{runs} << 3 * bits.axis) < points) ++bits.axis;
    while (bits.axis < 10 && radix_passes(bits.all() + 3) == radix_passes(bits.all())) ++bits.axis;
    return bits;
  }
  FARPOINT_HD int all() const noexcept { return set + 3 * axis; }
  /// The code of a cell with `bits` per axis, lowered by one if it is the last code, which stands for "none".
  FARPOINT_HD static std::uint32_t below_none(std::uint32_t code, int bits) noexcept {
    std::uint32_t const none = (1u << 3 * bits) - 1;
    return code < none ? code : none - 1;
  }
  /// Code of a point that is not sorted again: the largest code.
  FARPOINT_HD std::uint32_t none() const noexcept { return (1u << 3 * axis) - 1; }
  FARPOINT_HD bool is_none(std::uint32_t key) const noexcept { return (key & none()) == none(); }
  FARPOINT_HD std::uint32_t set_of(std::uint32_t key) const noexcept { return set == 0 ? 0 : key >> 3 * axis; }
  FARPOINT_HD std::uint32_t key(std::uint32_t of_set, std::uint32_t code) const noexcept {
    return (set == 0 ? 0 : of_set << 3 * axis) | code;
  }
};

/// Code of the cell that holds `point`, with `bits` per axis; never none().
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
  std::uint32_t* order;         ///< `[points]`: result, indices into the view; cloud b's begin at begin_of(b)
  radix_words words[2];         ///< `[points]` each; share the memory of the leaves, which are filled last
  bvh_run<scalar>* runs[2];     ///< runs of even levels, and of odd levels
  bvh_piece* pieces;            ///< pieces of the runs of one level
  std::uint32_t* counters;      ///< counters of the sorts
  std::uint8_t* spreads;        ///< spreads of the packets; null if the packets need no order
  bvh_key_bits bits;            ///< layout of the keys of the first sort

  /// Number of points of the view.
  FARPOINT_HD std::uint32_t most() const noexcept { return static_cast<std::uint32_t>(points.points().size()); }
  /// End of the last cloud, which the offsets in device memory define for a ragged batch.
  __device__ std::uint32_t size() const noexcept {
    return points.is_ragged() ? static_cast<std::uint32_t>(points.begin_of(points.size())) : most();
  }
};

/// State that the steps of the sort share in a kernel.
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

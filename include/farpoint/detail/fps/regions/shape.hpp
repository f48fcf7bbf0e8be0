/// @file
/// Sizes and shared memory of a block that samples a cloud by regions; docs/design/fps.md has the rule.
#pragma once

#include <farpoint/detail/fps/local_maxima/rule.hpp>
#include <farpoint/geometry/curve_grid.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Compile-time sizes of a block. A region is the points of one warp: neighbors along a curve, and the box around them.
/// @tparam Scalar  float or double
/// @tparam Listed  number of candidates that a region publishes in a round, the best by key
/// @tparam Tested  number of published candidates, the first ones, that may become samples in the round
template <class Scalar, int Dim, int Warps, int PointsPerLane, int Listed, int Tested>
struct region_shape {
  using scalar = Scalar;
  static constexpr int dim = Dim;
  static constexpr int warps = Warps;
  static constexpr int block_size = 32 * Warps;
  static constexpr int each = PointsPerLane;
  static constexpr int capacity = block_size * PointsPerLane;
  static constexpr int listed = Listed;
  static constexpr int tested = Tested;
  /// Number of candidates that a warp tests at once: each lane tests one candidate against one region.
  static constexpr int abreast = 32 / Warps;
  static constexpr int passes = (Tested + abreast - 1) / abreast;

  using key = fps_key_for<Scalar>;
  using ball = fps_ball<Dim, Scalar>;
  using grid_type = curve_grid<Scalar, Dim>;
  /// Returns the number of bits of a cell's number, for about one cell per point.
  static constexpr int cell_bits() noexcept {
    int bits = 5;
    while (2 << bits <= capacity) ++bits;
    return bits;
  }
  static constexpr int cells = 1 << cell_bits();
  static constexpr int axis_bits = (cell_bits() + grid_type::axes - 1) / grid_type::axes;
  static constexpr int spare_bits = axis_bits * grid_type::axes - cell_bits();

  static_assert(Warps <= 32 && 32 % Warps == 0, "farpoint: a warp's lanes are shared out among the regions");
  static_assert(Tested <= Listed && Listed < 16 && PointsPerLane <= 16,
                "farpoint: a point's rank in the list has 4 bits");
};

/// A point and its index in the cloud.
template <class Scalar, int Dim>
struct alignas((Dim == 3 ? 4 : 1) * sizeof(Scalar)) region_point {
  vec<Scalar, Dim> point;
  std::uint32_t index;
};

template <class Shape>
struct region_memory {
  using scalar = typename Shape::scalar;
  using ball = typename Shape::ball;
  using key = typename Shape::key;
  static constexpr std::size_t inbox_size = std::size_t{Shape::tested} * Shape::warps;
  static constexpr unsigned chosen_words = (Shape::capacity + 31) / 32;

  struct sample_keys {
    key accepted[Shape::capacity];  ///< a slot for each point, 0 until the point is a sample
    key kept[Shape::capacity];      ///< scratch memory of the final sort
  };
  /// Points while they are sorted, keys of samples afterwards.
  union {
    region_point<scalar, Shape::dim> sorted[Shape::capacity];
    sample_keys keys;
  };
  /// In a sort, the size of each cell or bin, then its begin. Between the sorts, the samples that reach a region.
  union {
    std::uint32_t cells[Shape::cells + 1];
    ball inbox[Shape::warps][inbox_size];
  };
  std::uint32_t received[2][Shape::warps];  ///< number of samples in each inbox, in even and odd rounds

  // Candidates that regions publish, by rank. An empty entry has the distance 0 and the lower half 0: its key is 0.
  ball list[Shape::listed][Shape::warps];
  std::uint32_t list_low[Shape::listed][Shape::warps];  ///< lower half of the key
  scalar best_unlisted[Shape::warps];                   ///< largest unlisted distance, or no_candidate

  bounding_box<scalar, Shape::dim> box[Shape::warps];
  std::uint32_t warp_sum[32];
  lane_word<scalar> warp_least[32];
  std::uint32_t counter;
  std::uint32_t chosen[chosen_words];  ///< one bit per point of the cloud
};

/// Replaces the sizes of cells or bins by their begins, followed by the total: an exclusive sum. All threads of the
/// block call it, after a barrier; it ends with one.
template <class Shape, class Machine>
FARPOINT_DEVICE void scan_cells(region_memory<Shape>& shared) noexcept {
  constexpr int each = (Shape::cells + Shape::block_size - 1) / Shape::block_size;
  unsigned const first = Machine::thread() * each;
  unsigned const lane = Machine::thread() % 32;
  unsigned const warp = Machine::thread() / 32;
  std::uint32_t size[std::size_t{each}];
  std::uint32_t mine = 0;
  FARPOINT_UNROLL
  for (int i = 0; i < each; ++i) {
    size[i] =
        first + static_cast<unsigned>(i) < unsigned{Shape::cells} ? shared.cells[first + static_cast<unsigned>(i)] : 0;
    mine += size[i];
  }
  std::uint32_t const lower = Machine::exclusive_sum(mine);
  if (lane == 31) shared.warp_sum[warp] = lower + mine;
  Machine::sync();
  std::uint32_t begin = lower + Machine::sum(lane < warp ? shared.warp_sum[lane] : 0u);
  FARPOINT_UNROLL
  for (int i = 0; i < each; ++i) {
    if (first + static_cast<unsigned>(i) < unsigned{Shape::cells})
      shared.cells[first + static_cast<unsigned>(i)] = begin;
    begin += size[i];
  }
  if (Machine::thread() == Shape::block_size - 1) shared.cells[Shape::cells] = begin;
  Machine::sync();
}

/// Returns the sum over the block. All threads call it; the caller has a barrier before the next call.
template <class Shape, class Machine>
FARPOINT_DEVICE std::uint32_t block_sum(region_memory<Shape>& shared, std::uint32_t mine) noexcept {
  mine = Machine::sum(mine);
  unsigned const lane = Machine::thread() % 32;
  if (lane == 0) shared.warp_sum[Machine::thread() / 32] = mine;
  Machine::sync();
  return Machine::sum(lane < unsigned{Shape::warps} ? shared.warp_sum[lane] : 0u);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

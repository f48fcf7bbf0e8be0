/// @file
/// Region of fps(): the points of a warp in the registers of its lanes, and their distances to the samples.
#pragma once

#include <farpoint/core/ordered_bits.hpp>
#include <farpoint/detail/fps/regions/shape.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Points of the calling lane by ascending index, so that the first point of several at one distance is the best
/// candidate.
template <class Shape, class Machine>
class region_points {
 public:
  static constexpr int dim = Shape::dim;
  static constexpr int each = Shape::each;
  using scalar = typename Shape::scalar;
  using ball = typename Shape::ball;
  using point_type = vec<scalar, dim>;
  using box_type = bounding_box<scalar, dim>;

  /// Loads the warp's share of the first `size` sorted points, and writes the region's box. The caller has a barrier
  /// after it.
  FARPOINT_DEVICE void take_share(region_memory<Shape>& shared, unsigned size) noexcept {
    unsigned const share = divide_up(size, unsigned{Shape::warps});
    unsigned const of_lane = divide_up(share, 32u);
    unsigned const first = warp() * share + lane() * of_lane;
    unsigned const end = smaller(smaller(first + of_lane, (warp() + 1) * share), size);
    box_type box = box_type::empty();
    FARPOINT_UNROLL
    for (int e = 0; e < each; ++e) {
      bool const real = first + static_cast<unsigned>(e) < end;
      region_point<scalar, dim> const p = shared.sorted[real ? first + static_cast<unsigned>(e) : 0];
      point_[e] = p.point;
      index_[e] = real ? p.index : none;
      if (real) box.grow(p.point);
    }
    sort_by_index();
    FARPOINT_UNROLL
    for (int e = 0; e < each; ++e) distance_[e] = index_[e] != none ? not_yet_measured<scalar> : no_candidate<scalar>;
    box_ = over_warp(box);
    if (lane() == 0) shared.box[warp()] = box_;
  }

  /// Returns the box around the boxes of all lanes.
  FARPOINT_DEVICE static box_type over_warp(box_type box) noexcept {
    FARPOINT_UNROLL
    for (int axis = 0; axis < dim; ++axis) {
      box.low[axis] = ordered_value<scalar>(Machine::template min<32>(ordered_word(box.low[axis])));
      box.high[axis] = ordered_value<scalar>(Machine::template max<32>(ordered_word(box.high[axis])));
    }
    return box;
  }

  /// Lowers the distances by a sample.
  FARPOINT_DEVICE FARPOINT_ALWAYS_INLINE void lower(ball const& sample) noexcept {
    FARPOINT_UNROLL
    for (int e = 0; e < each; ++e) distance_[e] = fps_lowered(distance_[e], point_[e], sample);
  }

  /// Lowers the distances by samples in shared memory; a box test skips samples that do not reach the region.
  FARPOINT_DEVICE void lower_where_near(ball const* samples, unsigned count) noexcept {
    scalar largest = warp_largest();
    for (unsigned begin = 0; begin < count; begin += 32) {
      unsigned const mine = begin + lane();
      ball const sample = samples[mine < count ? mine : 0];
      unsigned hits =
          Machine::ballot(mine < count && box_.distance2(sample.center) < min_number(sample.radius2, largest));
      if (hits == 0) continue;
      for (; hits != 0; hits &= hits - 1) lower(samples[begin + static_cast<unsigned>(lowest_bit(hits))]);
      largest = warp_largest();
    }
  }

  /// Publishes the region's best candidates in shared memory. The caller has a barrier after it.
  FARPOINT_DEVICE void list(region_memory<Shape>& shared) noexcept {
    scalar left[std::size_t{each}];
    FARPOINT_UNROLL
    for (int e = 0; e < each; ++e) left[e] = distance_[e];
    ranks_ = 0;
    unsigned count = 0;
    FARPOINT_UNROLL
    for (int k = 0; k < Shape::listed; ++k) {
      scalar const best = largest_of(left);
      lane_word<scalar> const word = ordered_distance_word(best);
      lane_word<scalar> const top = Machine::template max<32>(word);
      count += top != 0;
      bool mine = word == top && top != 0;
      unsigned const who = Machine::ballot(mine);
      // If several lanes have this distance, the point with the lowest index is the best.
      if ((who & (who - 1)) != 0) {
        std::uint32_t const index = mine ? first_index_at(left, best) : none;
        mine = Machine::template min<32>(index) == index && mine;
      }
      FARPOINT_UNROLL
      for (int e = 0; e < each; ++e) {
        bool const is_it = mine && left[e] == best;
        mine = mine && !is_it;
        left[e] = is_it ? no_candidate<scalar> : left[e];
        ranks_ |= is_it ? ranks_type(k + 1) << (4 * e) : 0;
      }
    }
    FARPOINT_UNROLL
    for (int e = 0; e < each; ++e) {
      if (rank(e) < 0) continue;
      shared.list[rank(e)][warp()] = {point_[e], distance_[e]};
      shared.list_low[rank(e)][warp()] = ~index_[e];
    }
    if (lane() >= count && lane() < unsigned{Shape::listed}) {
      shared.list[lane()][warp()] = {};
      shared.list_low[lane()][warp()] = 0;
    }
    lane_word<scalar> const next = Machine::template max<32>(ordered_distance_word(largest_of(left)));
    if (lane() == 0) {
      shared.best_unlisted[warp()] = next == 0 ? no_candidate<scalar> : ordered_distance<scalar>(next);
    }
  }

  /// Turns listed points into samples: the points whose ranks are bits of `accepted`.
  FARPOINT_DEVICE void accept(region_memory<Shape>& shared, unsigned accepted) noexcept {
    FARPOINT_UNROLL
    for (int e = 0; e < each; ++e) {
      if (rank(e) < 0 || (accepted >> rank(e) & 1) == 0) continue;
      shared.keys.accepted[Machine::thread() * each + static_cast<unsigned>(e)] = fps_key_of(distance_[e], index_[e]);
      distance_[e] = no_candidate<scalar>;
    }
  }

 private:
  static constexpr std::uint32_t none = 0xffffffffu;
  using ranks_type = std::conditional_t<each <= 8, std::uint32_t, std::uint64_t>;

  FARPOINT_DEVICE static unsigned lane() noexcept { return Machine::thread() % 32; }
  FARPOINT_DEVICE static unsigned warp() noexcept { return Machine::thread() / 32; }

  /// Rank of point e in the region's list, or -1.
  FARPOINT_DEVICE int rank(int e) const noexcept { return static_cast<int>(ranks_ >> (4 * e) & 15) - 1; }

  FARPOINT_DEVICE static scalar largest_of(scalar const* left) noexcept {
    scalar best = left[0];
    FARPOINT_UNROLL
    for (int e = 1; e < each; ++e) best = max_number(best, left[e]);
    return best;
  }
  FARPOINT_DEVICE scalar warp_largest() const noexcept {
    lane_word<scalar> const word = Machine::template max<32>(ordered_distance_word(largest_of(distance_)));
    return word == 0 ? no_candidate<scalar> : ordered_distance<scalar>(word);
  }
  FARPOINT_DEVICE std::uint32_t first_index_at(scalar const* left, scalar best) const noexcept {
    std::uint32_t index = none;
    FARPOINT_UNROLL
    for (int e = each - 1; e >= 0; --e) index = left[e] == best ? index_[e] : index;
    return index;
  }

  /// Sorts the points by index: odd-even transposition, which needs no indexing of registers.
  FARPOINT_DEVICE void sort_by_index() noexcept {
    FARPOINT_UNROLL
    for (int pass = 0; pass < each; ++pass) {
      FARPOINT_UNROLL
      for (int e = pass % 2; e + 1 < each; e += 2) {
        bool const exchange = index_[e + 1] < index_[e];
        std::uint32_t const index = index_[e];
        point_type const point = point_[e];
        index_[e] = exchange ? index_[e + 1] : index;
        index_[e + 1] = exchange ? index : index_[e + 1];
        FARPOINT_UNROLL
        for (int axis = 0; axis < dim; ++axis) {
          point_[e][axis] = exchange ? point_[e + 1][axis] : point[axis];
          point_[e + 1][axis] = exchange ? point[axis] : point_[e + 1][axis];
        }
      }
    }
  }

  point_type point_[std::size_t{each}];
  scalar distance_[std::size_t{each}];
  std::uint32_t index_[std::size_t{each}];
  box_type box_;
  ranks_type ranks_ = 0;  ///< four bits for each point: 1 + its rank in the list, or 0
};

}  // namespace detail
FARPOINT_END_NAMESPACE

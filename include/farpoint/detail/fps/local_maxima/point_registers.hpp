/// @file
/// The points of a block in the registers of its threads, with their distances to the samples.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/detail/fps/local_maxima/team_memory.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Points of the calling thread.
///
/// With boxes, a warp has points that are neighbors, in the order of the cloud that `order` gives, and skips samples
/// whose balls do not reach the boxes around the points. Without boxes, points have the order of the cloud, and every
/// sample is compared with every point: 9 instructions each, which is faster as long as sorting takes longer.
template <class Config, class Machine>
class point_registers {
 public:
  static constexpr int dim = Config::dim;
  static constexpr int each = Config::points_per_thread;
  using scalar = typename Config::scalar;
  using word_type = typename Config::word;
  using ball = typename Config::ball;
  using point_type = vec<scalar, dim>;

  /// @param boxes  boxes of all warps, in shared memory
  FARPOINT_DEVICE explicit point_registers(bounding_box<scalar, dim>* boxes) noexcept
      : box_{boxes + warp() * boxes_per_warp} {}

  /// Loads the share of block `rank` of `blocks`. Points chosen before the call are no candidates. Returns the number
  /// of points of this thread that are not finite. The caller meets a barrier before the boxes are read.
  template <class Points>
  FARPOINT_DEVICE unsigned load(Points const& cloud, basic_local_maxima_order<scalar> const& order, unsigned rank,
                                unsigned blocks) noexcept {
    order_ = order.order;
    first_ = Config::boxes ? (warp() * blocks + rank) * (32u * each) + lane() : rank * Config::block_size + thread();
    step_ = Config::boxes ? 32u : blocks * Config::block_size;
    size_ = static_cast<std::uint32_t>(cloud.size());
    unsigned bad = 0;
    FARPOINT_UNROLL
    for (int e = 0; e < each; ++e) {
      distance_[e] = no_candidate<scalar>;
      point_[e] = {};
      std::uint32_t const index = index_of(e);
      if (index >= size_) continue;
      point_type const point = cloud[index];
      if (!is_finite(point)) {
        ++bad;
        continue;
      }
      if (order.chosen.has(index)) continue;
      point_[e] = point;
      distance_[e] = not_yet_measured<scalar>;
    }
    FARPOINT_UNROLL
    for (int k = 0; k < boxes_per_warp; ++k) enclose(k);
    measure();
    return bad;
  }

  /// Lowers the distances of all points by samples in shared memory. All threads of a warp call it.
  FARPOINT_DEVICE void lower(ball const* samples, unsigned count) noexcept {
    if constexpr (Config::boxes) {
      lower_near(samples, count);
    } else {
      constexpr unsigned abreast = each <= 2 ? 8 : each <= 4 ? 4 : 2;
      unsigned s = 0;
      for (; s + abreast <= count; s += abreast) {
        FARPOINT_UNROLL
        for (unsigned i = 0; i < abreast; ++i) lower_to(samples[s + i]);
      }
      // The last sample may be applied more than once, which changes nothing: the loop needs no other remainder.
      constexpr unsigned few = abreast / 2;
      for (; s < count; s += few) {
        FARPOINT_UNROLL
        for (unsigned i = 0; i < few; ++i) lower_to(samples[smaller(s + i, count - 1)]);
      }
      measure();
    }
  }

  /// Returns the largest distance in the calling thread's warp as an ordered word; 0 if the warp has no candidate.
  FARPOINT_DEVICE word_type largest_word() const noexcept { return largest_; }

  /// Returns the number of this thread's points above the cut. All threads of a warp call it.
  FARPOINT_DEVICE unsigned count_above(candidate_threshold<scalar> const& cut) const noexcept {
    unsigned count = 0;
    for_each_above(cut, [&](int) { ++count; });
    return count;
  }
  /// Calls act(e) for each of this thread's points above the cut, after count_above() with the same cut.
  template <class Act>
  FARPOINT_DEVICE void for_each_above(candidate_threshold<scalar> const& cut, Act const& act) const noexcept {
    if (!may_be_above(cut)) return;
    FARPOINT_UNROLL
    for (int e = 0; e < each; ++e) {
      if (is_above(e, cut)) act(e);
    }
  }

  FARPOINT_DEVICE ball candidate(int e) const noexcept { return {point_[e], distance_[e]}; }
  FARPOINT_DEVICE typename Config::key key(int e) const noexcept { return fps_key_of(distance_[e], index_of(e)); }

  /// Records that point e became a sample.
  FARPOINT_DEVICE void take(int e) noexcept {
    distance_[e] = no_candidate<scalar>;
    taken_ = true;
  }
  /// Records that the point with this index became a sample, if this thread has it.
  FARPOINT_DEVICE void take_index(std::uint32_t index, point_type const&) noexcept {
    FARPOINT_UNROLL
    for (int e = 0; e < each; ++e) {
      if (index_of(e) == index) take(e);
    }
  }

 private:
  FARPOINT_DEVICE static unsigned thread() noexcept { return Machine::thread(); }
  FARPOINT_DEVICE static unsigned lane() noexcept { return Machine::thread() % 32; }
  FARPOINT_DEVICE static unsigned warp() noexcept { return Machine::thread() / 32; }

  FARPOINT_DEVICE bool is_above(int e, candidate_threshold<scalar> const& cut) const noexcept {
    return distance_[e] > cut.distance || (cut.index != 0 && distance_[e] == cut.distance && index_of(e) < cut.index);
  }
  /// Returns false if no point of this thread can be above the cut; compares distances only.
  FARPOINT_DEVICE bool may_be_above(candidate_threshold<scalar> const& cut) const noexcept {
    if (ordered_distance_word(cut.distance) > largest_) return false;
    scalar mine = distance_[0];
    FARPOINT_UNROLL
    for (int e = 1; e < each; ++e) mine = max_number(mine, distance_[e]);
    return mine >= cut.distance;
  }

  /// Returns the index of point e in the cloud, or an index beyond the cloud if the thread has no point e.
  FARPOINT_DEVICE std::uint32_t index_of(int e) const noexcept {
    std::uint32_t const place = first_ + static_cast<unsigned>(e) * step_;
    if constexpr (Config::boxes) {
      return place < size_ ? order_[place] : 0xffffffffu;
    } else {
      return place;
    }
  }

  /// Lowers points Begin to End - 1 by a sample.
  template <int Begin = 0, int End = each>
  FARPOINT_DEVICE void lower_to(ball const& sample) noexcept {
    FARPOINT_UNROLL
    for (int e = Begin; e < End; ++e) distance_[e] = fps_lowered(distance_[e], point_[e], sample);
  }

  /// Computes box k of the warp around its candidates.
  FARPOINT_DEVICE void enclose(int k) noexcept {
    auto box = bounding_box<scalar, dim>::empty();
    FARPOINT_UNROLL
    for (int e = k * points_per_box; e < (k + 1) * points_per_box; ++e) {
      if (distance_[e] >= 0) box.grow(point_[e]);
    }
    FARPOINT_UNROLL
    for (int axis = 0; axis < dim; ++axis) {
      box.low[axis] = Machine::template min<32>(box.low[axis]);
      box.high[axis] = Machine::template max<32>(box.high[axis]);
    }
    if (lane() == 0) box_[k] = box;
  }

  /// Tests 32 samples at once, one per lane, against the warp's boxes. The samples that reach a box are then applied
  /// one after another by all lanes.
  FARPOINT_DEVICE void lower_near(ball const* samples, unsigned count) noexcept {
    bool const taken = Machine::ballot(taken_) != 0;
    taken_ = false;
    if (largest_ == 0 && !taken) return;
    unsigned changed = taken ? ~0u : 0;
    for (unsigned begin = 0; begin < count; begin += 32) {
      unsigned const mine = begin + lane();
      ball const sample = samples[mine < count ? mine : 0];
      lower_boxes<0>(samples + begin, sample, mine < count, changed);
    }
    if (changed != 0) measure(changed);
  }

  /// Applies the samples that reach box `Box`, and recurses to the next box. @param sample  the lane's own sample
  template <int Box>
  FARPOINT_DEVICE void lower_boxes(ball const* samples, ball const& sample, bool real, unsigned& changed) noexcept {
    if constexpr (Box < boxes_per_warp) {
      bounding_box<scalar, dim> const box = box_[Box];
      scalar const largest = distance_of_word(largest_in_[Box]);
      unsigned hits = Machine::ballot(real && box_distance2(box.low, box.high, sample.center) <
                                                  min_number(sample.radius2, largest));
      if (hits != 0) changed |= 1u << Box;
      for (; hits != 0; hits &= hits - 1) {
        lower_to<Box * points_per_box, (Box + 1) * points_per_box>(samples[static_cast<unsigned>(lowest_bit(hits))]);
      }
      lower_boxes<Box + 1>(samples, sample, real, changed);
    }
  }

  FARPOINT_DEVICE static scalar distance_of_word(word_type word) noexcept {
    return word == 0 ? no_candidate<scalar> : ordered_distance<scalar>(word);
  }

  /// Recomputes the largest distances of boxes that have changed.
  FARPOINT_DEVICE void measure(unsigned changed = ~0u) noexcept {
    largest_ = 0;
    FARPOINT_UNROLL
    for (int k = 0; k < parts; ++k) {
      if ((changed >> k & 1) != 0) {
        scalar mine = distance_[k * points_per_box];
        FARPOINT_UNROLL
        for (int e = k * points_per_box + 1; e < (k + 1) * points_per_box; ++e) mine = max_number(mine, distance_[e]);
        largest_in_[k] = Machine::max_word(ordered_distance_word(mine));
      }
      largest_ = larger(largest_, largest_in_[k]);
    }
  }

  static constexpr int boxes_per_warp = Config::boxes_per_warp;
  /// Number of parts of the points with separate largest distances.
  static constexpr int parts = Config::boxes ? boxes_per_warp : 1;
  static constexpr int points_per_box = each / parts;

  point_type point_[std::size_t{each}];
  scalar distance_[std::size_t{each}];
  std::uint32_t const* order_ = nullptr;
  std::uint32_t first_ = 0;
  std::uint32_t step_ = 0;
  std::uint32_t size_ = 0;
  word_type largest_ = 0;
  word_type largest_in_[std::size_t{parts}];
  bool taken_ = false;
  bounding_box<scalar, dim>* box_;  ///< boxes of the warp
};

}  // namespace detail
FARPOINT_END_NAMESPACE

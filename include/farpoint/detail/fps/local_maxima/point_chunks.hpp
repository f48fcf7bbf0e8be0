/// @file
/// The points of a block in memory, where registers do not hold them, with their distances to the samples.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/detail/fps/local_maxima/team_memory.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Points of the calling thread in memory. A *part* is a number of neighbors that a warp holds at once. A *chunk* has a
/// box, and consists of one part, or of several if a warp would have more than 64 chunks otherwise. The members are the
/// same as in point_registers.
template <class Config, class Machine>
class point_chunks {
 public:
  static constexpr int dim = Config::dim;
  static constexpr int each = Config::points_per_thread;  ///< points of a thread in each part
  static constexpr std::uint32_t part_points = 32 * each;
  using scalar = typename Config::scalar;
  using word_type = typename Config::word;
  using ball = typename Config::ball;
  using point_type = vec<scalar, dim>;

  /// Number of scalars of a part in memory: coordinates axis by axis, then distances.
  static constexpr std::size_t part_scalars = std::size_t{part_points} * (dim + 1);
  /// Returns the number of parts of all clouds. Each cloud begins with a part of its own.
  FARPOINT_HD static constexpr index_t parts(index_t points, index_t clouds) noexcept {
    return points / part_points + clouds;
  }
  /// Returns the bytes of shared memory for a block's chunks of one part, if they lie there.
  FARPOINT_HD static constexpr std::size_t shared_bytes(index_t points, index_t blocks) noexcept {
    index_t const all = divide_up<index_t>(points, part_points);
    return static_cast<std::size_t>(divide_up(all, blocks)) * part_scalars * sizeof(scalar);
  }
  /// Returns the maximum number of points of a cloud for which `blocks` blocks have boxes, with chunks of one part.
  FARPOINT_HD static constexpr index_t capacity(index_t blocks) noexcept {
    return blocks * Config::warps * max_chunks * part_points;
  }

  FARPOINT_DEVICE explicit point_chunks(bounding_box<scalar, dim>* boxes) noexcept
      : box_{boxes + warp() * max_chunks} {}

  /// Copies the share of block `rank` of `blocks` to memory. Points chosen before the call are no candidates. Returns
  /// the number of points of this thread that are not finite. The caller meets a barrier before the boxes are read.
  template <class Points>
  FARPOINT_DEVICE unsigned load(Points const& cloud, basic_local_maxima_order<scalar> const& order, unsigned rank,
                                unsigned blocks) noexcept {
    order_ = order.order;
    memory_ = order.chunks;
    first_ = warp() * blocks + rank;
    step_ = blocks * Config::warps;
    shift_ = order.part_shift;
    size_ = static_cast<std::uint32_t>(cloud.size());
    all_parts_ = divide_up(size_, part_points);
    std::uint32_t const all = divide_up(all_parts_, 1u << shift());
    count_ = first_ < all ? static_cast<int>(divide_up(all - first_, step_)) : 0;
    unsigned bad = 0;
    for (int j = 0; j < count_; ++j) {
      bounding_box<scalar, dim> box = bounding_box<scalar, dim>::empty();
      for_each_part(j, [&](std::uint32_t part) {
        for (int e = 0; e < each; ++e) {
          std::uint32_t const index = index_of(part, e);
          point_type const point = index < size_ ? point_type(cloud[index]) : point_type{};
          bool const finite = is_finite(point);
          bool const real = index < size_ && finite && !order.chosen.has(index);
          bad += !finite;
          if (real) box.grow(point);
          for (int axis = 0; axis < dim; ++axis) at(part, axis)[32 * e] = real ? point[axis] : 0;
          at(part, dim)[32 * e] = real ? not_yet_measured<scalar> : no_candidate<scalar>;
        }
      });
      for (int axis = 0; axis < dim; ++axis) {
        box.low[axis] = Machine::template min<32>(box.low[axis]);
        box.high[axis] = Machine::template max<32>(box.high[axis]);
      }
      if (lane() == 0) box_[j] = box;
      measure(j);
    }
    find_largest();
    return bad;
  }

  /// Lowers the distances of all points by samples in shared memory. All threads of a warp call it.
  FARPOINT_DEVICE void lower(ball const* samples, unsigned count) noexcept {
    std::uint64_t const taken = taken_;
    taken_ = 0;
    for (int j = 0; j < count_; ++j) {
      bool const lost = Machine::ballot((taken >> j & 1) != 0) != 0;
      word_type const word = word_of(j);
      if (word == 0 && !lost) continue;
      scalar const largest = word == 0 ? no_candidate<scalar> : ordered_distance<scalar>(word);
      bool changed = lost;
      for_each_part(j, [&](std::uint32_t part) { changed |= lower_part(part, largest, samples, count); });
      if (changed) measure(j);
    }
    find_largest();
  }

  /// Returns the largest distance in the calling thread's warp as an ordered word; 0 if the warp has no candidate.
  FARPOINT_DEVICE word_type largest_word() const noexcept { return largest_; }

  /// Returns the number of this thread's points above the cut. All threads of a warp call it.
  FARPOINT_DEVICE unsigned count_above(candidate_threshold<scalar> const& cut) noexcept {
    near_ = 0;
    if (ordered_distance_word(cut.distance) > largest_) return 0;
    for (int j = 0; j < count_; ++j) {
      if (word_of(j) >= ordered_distance_word(cut.distance)) near_ |= std::uint64_t{1} << j;
    }
    unsigned count = 0;
    for_each_above(cut, [&](std::uint32_t) { ++count; });
    return count;
  }
  /// Calls act(p) for each of this thread's points above the cut, after count_above() with the same cut.
  template <class Act>
  FARPOINT_DEVICE void for_each_above(candidate_threshold<scalar> const& cut, Act const& act) const noexcept {
    for (std::uint64_t left = near_; left != 0; left &= left - 1) {
      int const j = lowest_bit(left);
      for_each_part(j, [&](std::uint32_t part) {
        scalar distance[std::size_t{each}];
        FARPOINT_UNROLL
        for (int e = 0; e < each; ++e) distance[e] = at(part, dim)[32 * e];
        FARPOINT_UNROLL
        for (int e = 0; e < each; ++e) {
          bool const is_above = distance[e] > cut.distance ||
                                (cut.index != 0 && distance[e] == cut.distance && index_of(part, e) < cut.index);
          if (is_above) act(part * each + static_cast<std::uint32_t>(e));
        }
      });
    }
  }

  FARPOINT_DEVICE ball candidate(std::uint32_t p) const noexcept {
    ball b;
    for (int axis = 0; axis < dim; ++axis) b.center[axis] = at(part_of(p), axis)[32 * (p % each)];
    b.radius2 = distance(p);
    return b;
  }
  FARPOINT_DEVICE typename Config::key key(std::uint32_t p) const noexcept {
    return fps_key_of(distance(p), index_of(part_of(p), static_cast<int>(p % each)));
  }

  /// Records that point p became a sample.
  FARPOINT_DEVICE void take(std::uint32_t p) noexcept {
    std::uint32_t const part = part_of(p);
    at(part, dim)[32 * (p % each)] = no_candidate<scalar>;
    taken_ |= std::uint64_t{1} << (part >> shift());
  }
  /// Records that the point with this index became a sample, if this thread has it.
  FARPOINT_DEVICE void take_index(std::uint32_t index, point_type const& point) noexcept {
    for (int j = 0; j < count_; ++j) {
      if (box_distance2(box_[j].low, box_[j].high, point) > 0) continue;
      for_each_part(j, [&](std::uint32_t part) {
        for (int e = 0; e < each; ++e) {
          if (index_of(part, e) == index) take(part * each + static_cast<std::uint32_t>(e));
        }
      });
    }
  }

 private:
  static constexpr int max_chunks = Config::boxes_per_warp;
  static_assert(!Config::in_memory || max_chunks <= 64,
                "farpoint: chunks of a warp are bits of a word, and two for each lane");

  FARPOINT_DEVICE static unsigned lane() noexcept { return Machine::thread() % 32; }
  FARPOINT_DEVICE static unsigned warp() noexcept { return Machine::thread() / 32; }

  /// Returns the number of the warp's chunk j in the cloud. Neighboring chunks belong to different blocks.
  FARPOINT_DEVICE std::uint32_t number_of(std::uint32_t j) const noexcept { return first_ + j * step_; }
  /// Number of bits by which a chunk's number is shifted to get that of its first part.
  FARPOINT_DEVICE unsigned shift() const noexcept { return Config::in_parts ? shift_ : 0; }
  /// Calls act(part) for each of the warp's parts that chunk j consists of and that have points.
  template <class Act>
  FARPOINT_DEVICE void for_each_part(int j, Act const& act) const noexcept {
    auto const chunk = static_cast<std::uint32_t>(j);
    if constexpr (Config::in_parts) {
      std::uint32_t const count = smaller(all_parts_ - (number_of(chunk) << shift_), 1u << shift_);
      for (std::uint32_t part = chunk << shift_; part < (chunk << shift_) + count; ++part) act(part);
    } else {
      act(chunk);
    }
  }
  /// Returns the number in the cloud of a part of the warp.
  FARPOINT_DEVICE std::uint32_t part_in_cloud(std::uint32_t part) const noexcept {
    return (number_of(part >> shift()) << shift()) + (part & ((1u << shift()) - 1));
  }
  /// Returns the index of point e of a part in the cloud, or an index beyond the cloud where the part has no point.
  FARPOINT_DEVICE std::uint32_t index_of(std::uint32_t part, int e) const noexcept {
    std::uint32_t const place = part_in_cloud(part) * part_points + 32 * static_cast<std::uint32_t>(e) + lane();
    return place < size_ ? order_[place] : 0xffffffffu;
  }
  /// Returns the address of this thread's coordinates on an axis, every 32nd scalar; axis `dim` has the distances.
  FARPOINT_DEVICE scalar* at(std::uint32_t part, int axis) const noexcept {
    std::uint32_t const slot = Config::in_shared ? warp() + part * Config::warps : part_in_cloud(part);
    return memory_ + slot * part_scalars + static_cast<std::uint32_t>(axis) * part_points + lane();
  }
  FARPOINT_DEVICE static std::uint32_t part_of(std::uint32_t p) noexcept { return p / each; }
  FARPOINT_DEVICE scalar distance(std::uint32_t p) const noexcept { return at(part_of(p), dim)[32 * (p % each)]; }

  /// Returns the largest distance in chunk j, which lane j % 32 stores.
  FARPOINT_DEVICE word_type word_of(int j) const noexcept {
    return Machine::shuffle(j < 32 ? largest_in_[0] : largest_in_[1], j % 32);
  }
  /// Recomputes the largest distance in chunk j.
  FARPOINT_DEVICE void measure(int j) noexcept {
    scalar mine = no_candidate<scalar>;
    for_each_part(j, [&](std::uint32_t part) {
      FARPOINT_UNROLL
      for (int e = 0; e < each; ++e) mine = max_number(mine, at(part, dim)[32 * e]);
    });
    word_type const word = Machine::max_word(ordered_distance_word(mine));
    if (static_cast<int>(lane()) != j % 32) return;
    if (j < 32) {
      largest_in_[0] = word;
    } else {
      largest_in_[1] = word;
    }
  }
  FARPOINT_DEVICE void find_largest() noexcept { largest_ = Machine::max_word(larger(largest_in_[0], largest_in_[1])); }

  /// Tests 32 samples at once, one per lane, against the chunk's box. All lanes then apply the samples that reach it,
  /// one after another, to a part of the chunk. Returns false if no sample reaches the box.
  FARPOINT_DEVICE bool lower_part(std::uint32_t part, scalar largest, ball const* samples, unsigned count) noexcept {
    bounding_box<scalar, dim> const box = box_[part >> shift()];
    point_type point[std::size_t{each}];
    scalar distance[std::size_t{each}];
    bool any = false;
    for (unsigned begin = 0; begin < count; begin += 32) {
      unsigned const mine = begin + lane();
      ball const sample = samples[mine < count ? mine : 0];
      unsigned hits = Machine::ballot(mine < count && box_distance2(box.low, box.high, sample.center) <
                                                          min_number(sample.radius2, largest));
      if (hits == 0) continue;
      if (!any) read(part, point, distance);
      any = true;
      for (; hits != 0; hits &= hits - 1) {
        ball const s = samples[begin + static_cast<unsigned>(lowest_bit(hits))];
        FARPOINT_UNROLL
        for (int e = 0; e < each; ++e) distance[e] = fps_lowered(distance[e], point[e], s);
      }
    }
    if (!any) return false;
    FARPOINT_UNROLL
    for (int e = 0; e < each; ++e) at(part, dim)[32 * e] = distance[e];
    return true;
  }

  FARPOINT_DEVICE void read(std::uint32_t part, point_type* point, scalar* distance) const noexcept {
    FARPOINT_UNROLL
    for (int e = 0; e < each; ++e) {
      FARPOINT_UNROLL
      for (int axis = 0; axis < dim; ++axis) point[e][axis] = at(part, axis)[32 * e];
      distance[e] = at(part, dim)[32 * e];
    }
  }

  std::uint32_t const* order_ = nullptr;
  scalar* memory_ = nullptr;
  std::uint32_t first_ = 0;
  std::uint32_t step_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t all_parts_ = 0;  ///< number of parts of the cloud
  unsigned shift_ = 0;           ///< a chunk has 2^shift_ parts; see shift()
  int count_ = 0;                ///< number of chunks of this warp
  word_type largest_ = 0;
  word_type largest_in_[2] = {0, 0};
  std::uint64_t near_ = 0;          ///< bit j: chunk j may have candidates above the cut
  std::uint64_t taken_ = 0;         ///< bit j: a point of this thread in chunk j became a sample since lower()
  bounding_box<scalar, dim>* box_;  ///< boxes of the warp's chunks
};

}  // namespace detail
FARPOINT_END_NAMESPACE

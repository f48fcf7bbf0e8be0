/// @file
/// Inner loops of fps() on the host, compiled for several instruction sets.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/core/ordered_bits.hpp>
#include <farpoint/detail/fps/host_candidates.hpp>
#include <farpoint/geometry/axis_distance.hpp>
#include <farpoint/host/isa_dispatch.hpp>

#include <utility>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Limits of sampling from a list.
template <class Scalar>
struct fps_sample_limits {
  candidate_threshold<Scalar> threshold;  ///< samples must be above this
  Scalar stop2;                           ///< minimum squared distance of a sample
  std::uint32_t count;                    ///< maximum number of samples
};

/// Loops that g++ and clang++ vectorize at -O2 and -O3, for the target that they are inlined into. Each loop is not
/// nested, has a constant length that is too long to unroll, reads arrays of one object, which do not alias, and
/// reduces integers: compilers may reorder reductions of integers, not of floats.
template <class Scalar, int Dim, class Axes = std::make_index_sequence<std::size_t{Dim}>>
struct fps_loops;

template <class Scalar, int Dim, std::size_t... Axis>
struct fps_loops<Scalar, Dim, std::index_sequence<Axis...>> {
  using bucket = fps_bucket<Scalar, Dim>;
  using chunk = fps_bucket_chunk<Scalar, Dim>;
  using group = fps_sample_group<Scalar, Dim>;
  using point = vec<Scalar, Dim>;
  using bits = lane_word<Scalar>;
  using word = std::make_signed_t<bits>;

  /// Lowers the distances of a bucket by a sample, a point or a ball; returns the largest distance after that.
  template <class Sample>
  FARPOINT_ALWAYS_INLINE static Scalar lower_bucket(bucket& points, Sample const& sample) noexcept {
    word largest = ordered_integer(no_candidate<Scalar>);
    for (int i = 0; i < fps_bucket_points; ++i) {
      Scalar d = 0;
      ((d = add_axis(d, points.axis[Axis][i], fps_center(sample)[Axis])), ...);
      Scalar const lowered = d < fps_reach(sample, points.nearest[i]) ? d : points.nearest[i];
      points.nearest[i] = lowered;
      largest = ordered_integer(lowered) > largest ? ordered_integer(lowered) : largest;
    }
    return ordered_integer_value<Scalar>(largest);
  }

  /// Returns the buckets of a chunk that a sample may change, one bit each.
  template <class Sample>
  FARPOINT_ALWAYS_INLINE static std::uint32_t buckets_hit(chunk const& boxes, Sample const& sample) noexcept {
    bits hit = 0;
    for (int b = 0; b < fps_bucket_group; ++b) {
      Scalar d = 0;
      ((d = add_box_axis(d, boxes.low[Axis][b], boxes.high[Axis][b], fps_center(sample)[Axis])), ...);
      hit |= d < fps_reach(sample, boxes.largest[b]) ? bits{1} << b : bits{0};
    }
    return static_cast<std::uint32_t>(hit);
  }

  /// Returns the samples of a group that may change a chunk, one bit each.
  template <class Group>
  FARPOINT_ALWAYS_INLINE static std::uint32_t samples_that_hit(chunk const& boxes, Group const& samples) noexcept {
    Scalar const largest = boxes.box_largest;
    bits hit = 0;
    for (int s = 0; s < fps_bucket_group; ++s) {
      Scalar d = 0;
      ((d = add_box_axis(d, boxes.box_low[Axis], boxes.box_high[Axis], samples.axis[Axis][s])), ...);
      hit |= d < samples.reach(s, largest) ? bits{1} << s : bits{0};
    }
    return static_cast<std::uint32_t>(hit);
  }

  FARPOINT_ALWAYS_INLINE static Scalar largest_of(chunk const& boxes) noexcept {
    word largest = ordered_integer(no_candidate<Scalar>);
    for (int b = 0; b < fps_bucket_group; ++b) {
      word const order = ordered_integer(boxes.largest[b]);
      largest = order > largest ? order : largest;
    }
    return ordered_integer_value<Scalar>(largest);
  }

  /// Returns the buckets of a chunk whose largest distance is at least `distance`, one bit each.
  FARPOINT_ALWAYS_INLINE static std::uint32_t buckets_reaching(chunk const& boxes, Scalar distance) noexcept {
    bits reaching = 0;
    for (int b = 0; b < fps_bucket_group; ++b) reaching |= boxes.largest[b] >= distance ? bits{1} << b : bits{0};
    return static_cast<std::uint32_t>(reaching);
  }

  /// Returns the points in half of a bucket whose distance is at least `distance`, one bit each.
  FARPOINT_ALWAYS_INLINE static std::uint32_t points_reaching(Scalar const* nearest, Scalar distance) noexcept {
    bits reaching = 0;
    for (int i = 0; i < fps_bucket_group; ++i) reaching |= nearest[i] >= distance ? bits{1} << i : bits{0};
    return static_cast<std::uint32_t>(reaching);
  }

  /// Returns the lowest index of a bucket's points at this distance.
  FARPOINT_ALWAYS_INLINE static std::uint32_t lowest_index(bucket const& points, Scalar distance) noexcept {
    std::uint32_t lowest = 0xffffffffu;
    for (int i = 0; i < fps_bucket_points; ++i) {
      std::uint32_t const index = points.nearest[i] == distance ? points.index[i] : 0xffffffffu;
      lowest = index < lowest ? index : lowest;
    }
    return lowest;
  }

  FARPOINT_ALWAYS_INLINE static int lane_of(bucket const& points, std::uint32_t index) noexcept {
    int lowest = fps_bucket_points;
    for (int i = 0; i < fps_bucket_points; ++i) {
      int const lane = points.index[i] == index ? i : fps_bucket_points;
      lowest = lane < lowest ? lane : lowest;
    }
    return lowest;
  }

  template <class Sample>
  FARPOINT_ALWAYS_INLINE static void lower_chunk(chunk& boxes, bucket* buckets, Sample const& sample) noexcept {
    for (std::uint32_t hits = buckets_hit(boxes, sample); hits != 0; hits &= hits - 1) {
      int const b = lowest_bit(hits);
      boxes.largest[b] = lower_bucket(buckets[b], sample);
    }
  }

  /// Lowers the distances of a chunk by the first `count` samples.
  template <class Group>
  FARPOINT_ALWAYS_INLINE static void lower_chunk_to_all(chunk& boxes, bucket* buckets, Group const* samples,
                                                        std::uint32_t count) noexcept {
    bool lowered = false;
    for (std::uint32_t begin = 0; begin < count; begin += fps_bucket_group) {
      Group const& some = samples[begin / fps_bucket_group];
      std::uint32_t hits = samples_that_hit(boxes, some);
      if (count - begin < fps_bucket_group) hits &= (1u << (count - begin)) - 1;
      lowered = lowered || hits != 0;
      for (; hits != 0; hits &= hits - 1) lower_chunk(boxes, buckets, some.at(lowest_bit(hits)));
    }
    if (lowered) boxes.box_largest = largest_of(boxes);
  }

  /// Pushes all points of a chunk that are above the list's threshold; `slot` is the slot of the chunk's first point.
  FARPOINT_ALWAYS_INLINE static void collect(chunk const& boxes, bucket const* buckets, std::uint32_t slot,
                                             fps_host_candidates<Scalar>& list) noexcept {
    if (boxes.box_largest < list.threshold().distance) return;
    for (std::uint32_t there = buckets_reaching(boxes, list.threshold().distance); there != 0; there &= there - 1) {
      int const b = lowest_bit(there);
      for (int half = 0; half < fps_bucket_points; half += fps_bucket_group) {
        std::uint32_t points = points_reaching(buckets[b].nearest + half, list.threshold().distance);
        for (; points != 0; points &= points - 1) {
          int const lane = half + lowest_bit(points);
          list.push({buckets[b].nearest[lane], buckets[b].index[lane],
                     slot + static_cast<std::uint32_t>(b * fps_bucket_points + lane)});
        }
      }
    }
  }

  /// Samples from one chunk while its best point is within the limits and no duplicate of a sample. Writes the samples
  /// in order to `accepted` and `samples`; returns their number.
  FARPOINT_ALWAYS_INLINE static std::uint32_t sample(chunk& boxes, bucket* buckets,
                                                     fps_sample_limits<Scalar> const& limits,
                                                     fps_entry<Scalar>* accepted, group* samples) noexcept {
    std::uint32_t count = 0;
    while (count < limits.count) {
      Scalar const largest = largest_of(boxes);
      if (!(largest > Scalar(0)) || largest < limits.stop2) break;
      std::uint32_t index = 0xffffffffu;
      int bucket_of_best = 0;
      for (std::uint32_t there = buckets_reaching(boxes, largest); there != 0; there &= there - 1) {
        int const b = lowest_bit(there);
        std::uint32_t const candidate = lowest_index(buckets[b], largest);
        if (candidate < index) {
          index = candidate;
          bucket_of_best = b;
        }
      }
      if (!limits.threshold.admits(largest, index)) break;
      bucket& home = buckets[bucket_of_best];
      int const lane = lane_of(home, index);
      point const sample{{home.axis[Axis][lane]...}};
      accepted[count] = {largest, index, static_cast<std::uint32_t>(bucket_of_best * fps_bucket_points + lane)};
      samples[count / fps_bucket_group].set(static_cast<int>(count % fps_bucket_group), sample);
      ++count;
      // Each bucket's largest distance is exact: the sample is at distance 0 from itself, so that its own bucket is hit
      // and measured again.
      home.nearest[lane] = no_candidate<Scalar>;
      lower_chunk(boxes, buckets, sample);
    }
    return count;
  }
};

/// One chunk's part of a round: lowers the distances by the samples of the round before, and collects candidates.
/// @tparam Group  fps_sample_group or fps_ball_group
template <class Scalar, int Dim, class Group = fps_sample_group<Scalar, Dim>>
struct fps_pass {
  using loops = fps_loops<Scalar, Dim>;
  using function = void (*)(typename loops::chunk&, typename loops::bucket*, Group const*, std::uint32_t count,
                            std::uint32_t slot, fps_host_candidates<Scalar>&) noexcept;

  FARPOINT_ALWAYS_INLINE static void run(typename loops::chunk& boxes, typename loops::bucket* buckets,
                                         Group const* samples, std::uint32_t count, std::uint32_t slot,
                                         fps_host_candidates<Scalar>& list) noexcept {
    loops::lower_chunk_to_all(boxes, buckets, samples, count);
    loops::collect(boxes, buckets, slot, list);
  }
};

/// Serial part of a round: samples from the list.
template <class Scalar, int Dim>
struct fps_sample_list {
  using loops = fps_loops<Scalar, Dim>;
  using function = std::uint32_t (*)(typename loops::chunk&, typename loops::bucket*, fps_sample_limits<Scalar> const&,
                                     fps_entry<Scalar>*, typename loops::group*) noexcept;

  FARPOINT_ALWAYS_INLINE static std::uint32_t run(typename loops::chunk& boxes, typename loops::bucket* buckets,
                                                  fps_sample_limits<Scalar> const& limits, fps_entry<Scalar>* accepted,
                                                  typename loops::group* samples) noexcept {
    return loops::sample(boxes, buckets, limits, accepted, samples);
  }
};

/// Both functions, compiled for this processor.
template <class Scalar, int Dim>
struct fps_chosen_loops {
  typename fps_pass<Scalar, Dim>::function pass;
  typename fps_sample_list<Scalar, Dim>::function sample;

  fps_chosen_loops() noexcept {
    isa_dispatch<fps_pass<Scalar, Dim>>(pass);
    isa_dispatch<fps_sample_list<Scalar, Dim>>(sample);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

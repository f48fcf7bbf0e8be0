/// @file
/// How host fps keeps points: buckets of neighbours, and chunks of buckets with a box each.
#pragma once

#include <farpoint/core/types.hpp>
#include <farpoint/detail/fps/candidate_threshold.hpp>
#include <farpoint/detail/fps/local_maxima/rule.hpp>
#include <farpoint/tuning/fps.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Buckets in a chunk, and samples in a group: as many as a word has bits.
inline constexpr int fps_bucket_group = 32;
static_assert(fps_bucket_points % fps_bucket_group == 0, "farpoint: fps_bucket_points must be a multiple of 32");

/// Points that lie close together, as separate arrays. Lanes without a point hold no_candidate.
template <class Scalar, int Dim>
struct alignas(64) fps_bucket {
  Scalar axis[std::size_t{Dim}][fps_bucket_points];
  Scalar nearest[fps_bucket_points];       ///< squared distance to the nearest sample
  std::uint32_t index[fps_bucket_points];  ///< in the cloud
};

/// The boxes of buckets that follow one another, and the largest distance in each: a sample that is not nearer to a
/// box than its largest distance changes nothing in its bucket. Then the same once more for all of them.
template <class Scalar, int Dim>
struct alignas(64) fps_bucket_chunk {
  Scalar low[std::size_t{Dim}][fps_bucket_group];
  Scalar high[std::size_t{Dim}][fps_bucket_group];
  Scalar largest[fps_bucket_group];  ///< no_candidate for a bucket without candidates
  vec<Scalar, Dim> box_low;
  vec<Scalar, Dim> box_high;
  Scalar box_largest;
};

/// Samples, as separate arrays. They lower every point that they are nearer to than any before.
template <class Scalar, int Dim>
struct alignas(64) fps_sample_group {
  Scalar axis[std::size_t{Dim}][fps_bucket_group];

  vec<Scalar, Dim> at(int lane) const noexcept {
    vec<Scalar, Dim> sample{};
    FARPOINT_UNROLL
    for (int k = 0; k < Dim; ++k) sample[k] = axis[k][lane];
    return sample;
  }
  /// Lanes are set from 0 on.
  void set(int lane, vec<Scalar, Dim> const& sample) noexcept {
    if (lane == 0) *this = {};  // no loop reads what was never written
    FARPOINT_UNROLL
    for (int k = 0; k < Dim; ++k) axis[k][lane] = sample[k];
  }
  /// What a sample must be nearer than to lower a distance.
  static Scalar reach(int, Scalar distance) noexcept { return distance; }
};

/// The same of samples by local maxima, which lower points inside of their balls only.
template <class Scalar, int Dim>
struct alignas(64) fps_ball_group {
  Scalar axis[std::size_t{Dim}][fps_bucket_group];
  Scalar radius2[fps_bucket_group];

  fps_ball<Dim, Scalar> at(int lane) const noexcept {
    fps_ball<Dim, Scalar> ball{};
    FARPOINT_UNROLL
    for (int k = 0; k < Dim; ++k) ball.centre[k] = axis[k][lane];
    ball.radius2 = radius2[lane];
    return ball;
  }
  /// Lanes are set from 0 on.
  void set(int lane, fps_ball<Dim, Scalar> const& ball) noexcept {
    if (lane == 0) *this = {};
    FARPOINT_UNROLL
    for (int k = 0; k < Dim; ++k) axis[k][lane] = ball.centre[k];
    radius2[lane] = ball.radius2;
  }
  Scalar reach(int lane, Scalar distance) const noexcept { return radius2[lane] < distance ? radius2[lane] : distance; }
};

template <class Scalar, int Dim>
FARPOINT_ALWAYS_INLINE vec<Scalar, Dim> const& fps_centre(vec<Scalar, Dim> const& sample) noexcept {
  return sample;
}
template <class Scalar, int Dim>
FARPOINT_ALWAYS_INLINE vec<Scalar, Dim> const& fps_centre(fps_ball<Dim, Scalar> const& sample) noexcept {
  return sample.centre;
}
/// What a sample must be nearer than to lower a distance.
template <class Scalar, int Dim>
FARPOINT_ALWAYS_INLINE Scalar fps_reach(vec<Scalar, Dim> const&, Scalar distance) noexcept {
  return distance;
}
template <class Scalar, int Dim>
FARPOINT_ALWAYS_INLINE Scalar fps_reach(fps_ball<Dim, Scalar> const& sample, Scalar distance) noexcept {
  return sample.radius2 < distance ? sample.radius2 : distance;
}

/// A candidate: `slot` is its place, bucket * fps_bucket_points + lane.
template <class Scalar>
struct fps_entry {
  Scalar distance;
  std::uint32_t index;
  std::uint32_t slot;
};

/// Fills the boxes of a chunk one point at a time.
template <class Scalar, int Dim>
class fps_chunk_builder {
 public:
  using bucket = fps_bucket<Scalar, Dim>;

  fps_chunk_builder(fps_bucket_chunk<Scalar, Dim>& chunk, bucket* buckets) noexcept : chunk_{chunk}, buckets_{buckets} {
    chunk_ = {};
    for (auto& largest : chunk_.largest) largest = no_candidate<Scalar>;
    chunk_.box_largest = no_candidate<Scalar>;
  }

  /// Points of a bucket follow one another from lane 0; close() ends it.
  void put(int b, int lane, vec<Scalar, Dim> const& point, Scalar nearest, std::uint32_t index) noexcept {
    FARPOINT_UNROLL
    for (int k = 0; k < Dim; ++k) {
      buckets_[b].axis[k][lane] = point[k];
      widen(chunk_.low[k][b], chunk_.high[k][b], point[k], point[k], lane == 0);
    }
    buckets_[b].nearest[lane] = nearest;
    buckets_[b].index[lane] = index;
    if (nearest > chunk_.largest[b]) chunk_.largest[b] = nearest;
  }

  void close(int b, int lanes) noexcept {
    // One array after another: a loop over the lanes with one over the axes inside, g++ 12 vectorises with stores that
    // take the first lane for aligned as the bucket is (-O1 -ftree-vectorize).
    bucket& points = buckets_[b];
    for (auto& axis : points.axis) std::fill(axis + lanes, axis + fps_bucket_points, Scalar(0));
    std::fill(points.nearest + lanes, points.nearest + fps_bucket_points, no_candidate<Scalar>);
    std::fill(points.index + lanes, points.index + fps_bucket_points, 0xffffffffu);
    FARPOINT_UNROLL
    for (int k = 0; k < Dim; ++k) {
      widen(chunk_.box_low[k], chunk_.box_high[k], chunk_.low[k][b], chunk_.high[k][b], b == 0);
    }
    if (chunk_.largest[b] > chunk_.box_largest) chunk_.box_largest = chunk_.largest[b];
  }

 private:
  static void widen(Scalar& low, Scalar& high, Scalar new_low, Scalar new_high, bool first) noexcept {
    low = first || new_low < low ? new_low : low;
    high = first || new_high > high ? new_high : high;
  }

  fps_bucket_chunk<Scalar, Dim>& chunk_;
  bucket* buckets_;
};

/// Points of a cloud, in an order in which neighbours follow one another, on their way into buckets.
template <class Points>
struct fps_ordered_points {
  Points const& cloud;
  std::uint32_t const* order;
  index_t size;
  index_t fill;  ///< points of a bucket

  index_t buckets() const noexcept { return divide_up(size, fill); }
  index_t chunks() const noexcept { return divide_up<index_t>(buckets(), fps_bucket_group); }

  /// Fills chunk `c` and its buckets with points that nothing has been measured to.
  /// @param buckets  of chunk 0 and those behind it
  template <class Scalar, int Dim>
  void build(index_t c, fps_bucket_chunk<Scalar, Dim>& chunk, fps_bucket<Scalar, Dim>* all) const noexcept {
    index_t const first_bucket = c * fps_bucket_group;
    index_t const last_bucket = smaller(first_bucket + fps_bucket_group, buckets());
    fps_chunk_builder<Scalar, Dim> builder{chunk, all + first_bucket};
    for (index_t bucket = first_bucket; bucket < last_bucket; ++bucket) {
      int const b = static_cast<int>(bucket - first_bucket);
      int const lanes = static_cast<int>(smaller(fill, size - bucket * fill));
      for (int lane = 0; lane < lanes; ++lane) {
        std::uint32_t const index = order[bucket * fill + lane];
        builder.put(b, lane, cloud[index], not_yet_measured<Scalar>, index);
      }
      builder.close(b, lanes);
    }
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

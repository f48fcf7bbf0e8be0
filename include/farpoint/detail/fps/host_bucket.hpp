/// @file
/// Data structures of fps() on the host: buckets of neighboring points, and chunks of buckets with bounding boxes.
#pragma once

#include <farpoint/core/types.hpp>
#include <farpoint/detail/fps/candidate_threshold.hpp>
#include <farpoint/detail/fps/local_maxima/rule.hpp>
#include <farpoint/tuning/fps.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Number of buckets in a chunk, and of samples in a group: the number of bits of a word.
inline constexpr int fps_bucket_group = 32;
static_assert(fps_bucket_points % fps_bucket_group == 0, "farpoint: fps_bucket_points must be a multiple of 32");

/// Neighboring points, as one array per coordinate. Lanes without a point have the distance no_candidate.
template <class Scalar, int Dim>
struct alignas(64) fps_bucket {
  Scalar axis[std::size_t{Dim}][fps_bucket_points];
  Scalar nearest[fps_bucket_points];       ///< squared distance to the nearest sample
  std::uint32_t index[fps_bucket_points];  ///< index of the point in the cloud
};

/// Boxes and largest distances of consecutive buckets, and of the whole chunk. A sample that is no closer to a box than
/// the largest distance there lowers no distance in the bucket.
template <class Scalar, int Dim>
struct alignas(64) fps_bucket_chunk {
  Scalar low[std::size_t{Dim}][fps_bucket_group];
  Scalar high[std::size_t{Dim}][fps_bucket_group];
  Scalar largest[fps_bucket_group];  ///< largest distance in a bucket; no_candidate if the bucket has no candidate
  vec<Scalar, Dim> box_low;
  vec<Scalar, Dim> box_high;
  Scalar box_largest;
};

/// Samples of the serial order, as one array per coordinate. They lower the distance of every point that is closer to
/// them than to all samples before.
template <class Scalar, int Dim>
struct alignas(64) fps_sample_group {
  Scalar axis[std::size_t{Dim}][fps_bucket_group];

  vec<Scalar, Dim> at(int lane) const noexcept {
    vec<Scalar, Dim> sample{};
    FARPOINT_UNROLL
    for (int k = 0; k < Dim; ++k) sample[k] = axis[k][lane];
    return sample;
  }
  /// Sets one sample. Lane 0 is set first, and clears the others.
  void set(int lane, vec<Scalar, Dim> const& sample) noexcept {
    if (lane == 0) *this = {};  // loops over all lanes read no uninitialized memory
    FARPOINT_UNROLL
    for (int k = 0; k < Dim; ++k) axis[k][lane] = sample[k];
  }
  /// Returns the distance that a sample must be closer than to lower `distance`.
  static Scalar reach(int, Scalar distance) noexcept { return distance; }
};

/// Samples by local maxima with their balls, as one array per coordinate. They lower only points inside their balls.
template <class Scalar, int Dim>
struct alignas(64) fps_ball_group {
  Scalar axis[std::size_t{Dim}][fps_bucket_group];
  Scalar radius2[fps_bucket_group];

  fps_ball<Dim, Scalar> at(int lane) const noexcept {
    fps_ball<Dim, Scalar> ball{};
    FARPOINT_UNROLL
    for (int k = 0; k < Dim; ++k) ball.center[k] = axis[k][lane];
    ball.radius2 = radius2[lane];
    return ball;
  }
  /// Sets one sample. Lane 0 is set first, and clears the others.
  void set(int lane, fps_ball<Dim, Scalar> const& ball) noexcept {
    if (lane == 0) *this = {};
    FARPOINT_UNROLL
    for (int k = 0; k < Dim; ++k) axis[k][lane] = ball.center[k];
    radius2[lane] = ball.radius2;
  }
  /// Returns the distance that sample `lane` must be closer than to lower `distance`.
  Scalar reach(int lane, Scalar distance) const noexcept { return radius2[lane] < distance ? radius2[lane] : distance; }
};

template <class Scalar, int Dim>
FARPOINT_ALWAYS_INLINE vec<Scalar, Dim> const& fps_center(vec<Scalar, Dim> const& sample) noexcept {
  return sample;
}
template <class Scalar, int Dim>
FARPOINT_ALWAYS_INLINE vec<Scalar, Dim> const& fps_center(fps_ball<Dim, Scalar> const& sample) noexcept {
  return sample.center;
}
/// Returns the distance that a sample must be closer than to lower `distance`.
template <class Scalar, int Dim>
FARPOINT_ALWAYS_INLINE Scalar fps_reach(vec<Scalar, Dim> const&, Scalar distance) noexcept {
  return distance;
}
template <class Scalar, int Dim>
FARPOINT_ALWAYS_INLINE Scalar fps_reach(fps_ball<Dim, Scalar> const& sample, Scalar distance) noexcept {
  return sample.radius2 < distance ? sample.radius2 : distance;
}

/// Candidate of a round. `slot` is bucket * fps_bucket_points + lane.
template <class Scalar>
struct fps_entry {
  Scalar distance;
  std::uint32_t index;
  std::uint32_t slot;
};

/// Fills the buckets and boxes of a chunk, one point at a time.
template <class Scalar, int Dim>
class fps_chunk_builder {
 public:
  using bucket = fps_bucket<Scalar, Dim>;

  fps_chunk_builder(fps_bucket_chunk<Scalar, Dim>& chunk, bucket* buckets) noexcept : chunk_{chunk}, buckets_{buckets} {
    chunk_ = {};
    for (auto& largest : chunk_.largest) largest = no_candidate<Scalar>;
    chunk_.box_largest = no_candidate<Scalar>;
  }

  /// Adds a point to bucket `b`. The points of a bucket are added one after another, from lane 0 on, and close() ends
  /// the bucket.
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

  /// Ends bucket `b`, which has `lanes` points.
  void close(int b, int lanes) noexcept {
    // Fills one array after another. For a loop over the lanes with an inner loop over the axes, g++ 12 (-O1
    // -ftree-vectorize) emits aligned stores from the first lane on, as if that lane were aligned like the bucket.
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

/// Points of a cloud in an order in which neighbors are close together, to be put into buckets.
template <class Points>
struct fps_ordered_points {
  Points const& cloud;
  std::uint32_t const* order;
  index_t size;
  index_t fill;  ///< number of points per bucket

  index_t buckets() const noexcept { return divide_up(size, fill); }
  index_t chunks() const noexcept { return divide_up<index_t>(buckets(), fps_bucket_group); }

  /// Fills chunk `c` and its buckets with points without a measured distance.
  /// @param all  buckets of the cloud, from chunk 0 on
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

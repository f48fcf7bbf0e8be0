/// @file
/// How host fps keeps points: buckets of neighbours, and chunks of buckets with a box each.
#pragma once

#include <farpoint/core/types.hpp>
#include <farpoint/detail/fps/candidate_threshold.hpp>
#include <farpoint/tuning/fps.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Buckets in a chunk, and samples in a group: as many as a word has bits.
inline constexpr int fps_bucket_group = 32;
static_assert(fps_bucket_points % fps_bucket_group == 0, "farpoint: fps_bucket_points must be a multiple of 32");

/// Points that lie close together, as separate arrays. Lanes without a point hold no_candidate.
template <class Scalar, int Dim>
struct alignas(64) fps_bucket {
  Scalar axis[Dim][fps_bucket_points];
  Scalar nearest[fps_bucket_points];       ///< squared distance to the nearest sample
  std::uint32_t index[fps_bucket_points];  ///< in the cloud
};

/// The boxes of buckets that follow one another, and the largest distance in each: a sample that is not nearer to a
/// box than its largest distance changes nothing in its bucket. Then the same once more for all of them.
template <class Scalar, int Dim>
struct alignas(64) fps_bucket_chunk {
  Scalar low[Dim][fps_bucket_group];
  Scalar high[Dim][fps_bucket_group];
  Scalar largest[fps_bucket_group];  ///< no_candidate for a bucket without candidates
  vec<Scalar, Dim> box_low;
  vec<Scalar, Dim> box_high;
  Scalar box_largest;
};

/// Samples, as separate arrays.
template <class Scalar, int Dim>
struct alignas(64) fps_sample_group {
  Scalar axis[Dim][fps_bucket_group];

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
};

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
    for (int lane = lanes; lane < fps_bucket_points; ++lane) {
      FARPOINT_UNROLL
      for (int k = 0; k < Dim; ++k) buckets_[b].axis[k][lane] = 0;
      buckets_[b].nearest[lane] = no_candidate<Scalar>;
      buckets_[b].index[lane] = 0xffffffffu;
    }
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

}  // namespace detail
FARPOINT_END_NAMESPACE

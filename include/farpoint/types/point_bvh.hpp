/// @file
/// Index that build_point_bvh() creates on the host.
#pragma once

#include <farpoint/spatial/point_bvh_arrays.hpp>

FARPOINT_BEGIN_NAMESPACE

/// BVHs of a batch of clouds, in memory that build_point_bvh() has filled. Non-owning, trivially copyable; searching is
/// thread-safe. The points are no longer needed: a BVH contains copies.
template <class Scalar>
class point_bvh {
 public:
  point_bvh() = default;
  /// `offsets` is the address of the offsets of the points; null for a regular batch.
  point_bvh(detail::point_bvh_arrays<Scalar> const& arrays, index_t clouds, index_t points, index_t const* offsets,
            unsigned long long left_out, unsigned long long bad_offsets) noexcept
      : arrays_{arrays},
        clouds_{clouds},
        points_{points},
        offsets_{offsets},
        left_out_{left_out},
        bad_offsets_{bad_offsets} {}

  /// Number of clouds.
  index_t size() const noexcept { return clouds_; }
  /// Number of points of all clouds, including non-finite points.
  index_t points() const noexcept { return points_; }
  /// BVH of cloud b, b < size().
  point_bvh_ref<Scalar> operator[](index_t b) const noexcept { return arrays_[b]; }
  /// Address of the offsets that the BVHs were built with; null if the batch was regular.
  index_t const* offsets() const noexcept { return offsets_; }
  /// Number of non-finite points, which are in no BVH.
  unsigned long long non_finite_points() const noexcept { return left_out_; }
  /// Number of invalid offsets of the points; if not 0, all BVHs are empty.
  unsigned long long bad_offsets() const noexcept { return bad_offsets_; }
  detail::point_bvh_arrays<Scalar> const& arrays() const noexcept { return arrays_; }

 private:
  detail::point_bvh_arrays<Scalar> arrays_{};
  index_t clouds_ = 0;
  index_t points_ = 0;
  index_t const* offsets_ = nullptr;
  unsigned long long left_out_ = 0;
  unsigned long long bad_offsets_ = 0;
};

/// Deprecated name of point_bvh, until 0.2.
template <class Scalar>
using point_index [[deprecated("farpoint: use point_bvh")]] = point_bvh<Scalar>;

FARPOINT_END_NAMESPACE

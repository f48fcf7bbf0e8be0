/// @file
/// What build_point_bvh() sets on a CUDA stream. Also for files that nvcc does not compile, which pass it on.
#pragma once

#include <farpoint/spatial/point_bvh_arrays.hpp>

FARPOINT_BEGIN_NAMESPACE

/// The BVHs of a batch of clouds in device memory, ready once the stream has passed build_point_bvh(). Non-owning,
/// trivially copyable: pass it by value into kernels, where `index[b].nearest<8>(q)` searches. Searching is
/// thread-safe. The points are no longer needed.
template <class Scalar>
class device_point_bvh {
 public:
  device_point_bvh() = default;
  /// `offsets` is the address of the offsets of the points, null for a regular batch; `faults` lies in device memory.
  device_point_bvh(detail::point_bvh_arrays<Scalar> const& arrays, index_t clouds, index_t points,
                   index_t const* offsets, detail::point_bvh_faults const* faults) noexcept
      : arrays_{arrays}, clouds_{clouds}, points_{points}, offsets_{offsets}, faults_{faults} {}

  /// Clouds.
  FARPOINT_HD index_t size() const noexcept { return clouds_; }
  /// Points of all clouds, including non-finite ones.
  FARPOINT_HD index_t points() const noexcept { return points_; }
#if defined(__CUDACC__)
  /// The BVH of cloud b, b < size(). Empty if offsets were wrong.
  __device__ point_bvh_ref<Scalar> operator[](index_t b) const noexcept {
    return arrays_[b];
  }
#endif
  detail::point_bvh_arrays<Scalar> const& arrays() const noexcept {
    return arrays_;
  }
  /// Address of the offsets that the BVHs were built with; null: the batch was regular.
  index_t const* offsets() const noexcept {
    return offsets_;
  }
  /// The number of wrong offsets of the points, in device memory.
  unsigned const* bad_offsets() const noexcept {
    return faults_ == nullptr ? nullptr : &faults_->bad_offsets;
  }
  /// Faults of the points, in device memory.
  detail::point_bvh_faults const* faults() const noexcept {
    return faults_;
  }

 private:
  detail::point_bvh_arrays<Scalar> arrays_{};
  index_t clouds_ = 0;
  index_t points_ = 0;
  index_t const* offsets_ = nullptr;
  detail::point_bvh_faults const* faults_ = nullptr;
};

/// Deprecated name of device_point_bvh, until 0.2.
template <class Scalar>
using device_point_index [[deprecated("farpoint: use device_point_bvh")]] = device_point_bvh<Scalar>;

FARPOINT_END_NAMESPACE

/// @file
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/offsets.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Number of the cloud that point `i` of the view is in, or else of one beside it. Fewer than 2^32 points, at least one
/// cloud.
template <class Points>
FARPOINT_HD index_t cloud_of(batch<Points> const& clouds, index_t i) noexcept {
  if (clouds.size() == 1) return 0;
  if (!clouds.is_ragged()) {
    return static_cast<index_t>(static_cast<std::uint32_t>(i) / static_cast<std::uint32_t>(clouds.largest()));
  }
  return segment_of(clouds.size(), i, [&clouds](index_t b) { return clouds.begin_of(b); });
}

/// The clouds of points that are looked at one after the other: found again where another one begins.
template <class Points>
class cloud_cursor {
 public:
  __device__ explicit cloud_cursor(batch<Points> const& clouds) noexcept : clouds_{clouds} {}

  /// Goes to the cloud that point `i` of the view is in, or to one beside it.
  __device__ void go_to(std::uint32_t i) noexcept {
    if (i >= begin_ && i < next_) return;
    number_ = static_cast<std::uint32_t>(cloud_of(clouds_, i));
    begin_ = static_cast<std::uint32_t>(clouds_.begin_of(number_));
    end_ = begin_ + static_cast<std::uint32_t>(clouds_[number_].size());
    next_ = number_ + 1 < clouds_.size() ? static_cast<std::uint32_t>(clouds_.begin_of(number_ + 1)) : ~0u;
  }
  __device__ std::uint32_t number() const noexcept { return number_; }
  __device__ bool has(std::uint32_t i) const noexcept { return i >= begin_ && i < end_; }
  /// True before the first cloud, and where the offsets do not ascend.
  __device__ bool is_before(std::uint32_t i) const noexcept { return i < begin_; }

 private:
  batch<Points> const& clouds_;
  std::uint32_t number_ = 0;
  std::uint32_t begin_ = 1;
  std::uint32_t end_ = 0;
  std::uint32_t next_ = 0;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// The cloud of each point, for a thread that iterates over the points of a batch.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/batch.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Remembers the cloud of the last point, and searches again only when a point is in another one.
/// Fewer than 2^32 points, at least one cloud.
template <class Points>
class cloud_cursor {
 public:
  __device__ explicit cloud_cursor(batch<Points> const& clouds) noexcept : clouds_{clouds} {}

  /// Goes to batch::cloud_of(i).
  __device__ void go_to(std::uint32_t i) noexcept {
    if (i >= begin_ && i < next_) return;
    range const cloud = find(clouds_, i);
    number_ = cloud.number;
    begin_ = cloud.begin;
    end_ = cloud.end;
    next_ = cloud.next;
  }
  __device__ std::uint32_t number() const noexcept { return number_; }
  /// True for a point of this cloud.
  __device__ bool has(std::uint32_t i) const noexcept { return i >= begin_ && i < end_; }
  /// True for a point before this cloud: before the first one, or where the offsets do not ascend.
  __device__ bool is_before(std::uint32_t i) const noexcept { return i < begin_; }

 private:
  struct range {
    std::uint32_t number;
    std::uint32_t begin;
    std::uint32_t end;
    std::uint32_t next;  ///< begin of the next cloud
  };
  // Out of line: the search is rare, and inlined at each of several points in a row it would be most of a kernel's
  // code.
  __device__ FARPOINT_NO_INLINE static range find(batch<Points> const& clouds, std::uint32_t i) noexcept {
    auto const number = static_cast<std::uint32_t>(clouds.cloud_of(i));
    auto const begin = static_cast<std::uint32_t>(clouds.begin_of(number));
    return {number, begin, begin + static_cast<std::uint32_t>(clouds[number].size()),
            number + 1 < clouds.size() ? static_cast<std::uint32_t>(clouds.begin_of(number + 1)) : ~0u};
  }

  batch<Points> const& clouds_;
  std::uint32_t number_ = 0;
  std::uint32_t begin_ = 1;
  std::uint32_t end_ = 0;
  std::uint32_t next_ = 0;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Marks of a cloud's points, a bit each.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/core/math.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// A set of the points of a cloud. Does not own its words, which are zero for the empty set; a default-constructed set
/// is empty and cannot be added to. Any number of threads may add points at the same time.
class point_marks {
 public:
  point_marks() = default;
  FARPOINT_HD explicit point_marks(std::uint32_t* words) noexcept : words_{words} {}

  /// Words of a cloud of `points`.
  FARPOINT_HD static constexpr index_t words_of(index_t points) noexcept { return divide_up<index_t>(points, 32); }

  FARPOINT_HD void add(index_t index) const noexcept {
    atomic_or(words_ + index / 32, std::uint32_t{1} << (index % 32));
  }
  FARPOINT_HD bool has(std::uint32_t index) const noexcept {
    return words_ != nullptr && (words_[index / 32] >> (index % 32) & 1) != 0;
  }

 private:
  std::uint32_t* words_ = nullptr;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Checks of arguments that every call makes.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/status.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Largest number of points whose indices fit in 32 bits.
inline constexpr index_t max_narrow_points = 2147483647;

constexpr result reject(char const* reason) noexcept {
  return {status::bad_argument, 0, reason};
}

/// True when `clouds * each` elements fit in a range of `size`; 0 clouds or elements always do.
constexpr bool holds(index_t size, index_t clouds, index_t each) noexcept {
  return each == 0 || clouds <= size / each;
}

/// True when offsets that can be read ascend inside the view.
template <class Points>
bool offsets_ascend(batch<Points> const& clouds) noexcept {
  index_t before = 0;
  for (index_t const offset : clouds.offsets()) {
    if (offset < before || offset > clouds.points().size()) return false;
    before = offset;
  }
  return true;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

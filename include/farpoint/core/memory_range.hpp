/// @file
/// The memory that a strided view reads.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/core/features.hpp>
#include <farpoint/core/points.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Consecutive bytes; none where `size` is 0.
struct memory_range {
  unsigned char const* begin = nullptr;  ///< lowest address
  std::size_t size = 0;
};

/// Returns the memory from the lowest to the highest of the bytes [low, high) of all records, in either direction from
/// the first record.
/// @param base    first record; the last in memory where the stride is negative
/// @param stride  bytes between records
/// @return no bytes for records that are farther from each other than an address can say
inline memory_range records_range(unsigned char const* base, index_t records, index_t stride, index_t low,
                                  index_t high) noexcept {
  if (base == nullptr || records <= 0 || low >= high || !is_distance(records, stride)) return {};
  index_t const last = (records - 1) * stride;
  low += smaller(last, index_t{0});
  high += larger(last, index_t{0});
  return {base + low, static_cast<std::size_t>(high - low)};
}

/// Memory of all coordinates of a view.
template <class Points>
memory_range range_of(Points const& points) noexcept {
  index_t low = points.offset(0);
  index_t high = low;
  for (int axis = 0; axis < Points::dim; ++axis) {
    low = smaller<index_t>(low, points.offset(axis));
    high = larger<index_t>(high, points.offset(axis) + index_t{sizeof(typename Points::coord)});
  }
  return records_range(points.base(), points.size(), points.stride(), low, high);
}

/// Memory of all features of a view. None for numbers of features that calls refuse.
inline memory_range range_of(feature_view const& features) noexcept {
  if (features.count() <= 0 || features.count() > feature_view::max_count) return {};
  index_t low = features.offset(0);
  index_t high = low;
  for (int i = 0; i < features.count(); ++i) {
    low = smaller<index_t>(low, features.offset(i));
    high = larger<index_t>(high, features.offset(i) + index_t{size_of(features.type(i))});
  }
  return records_range(features.base(), features.size(), features.stride(), low, high);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

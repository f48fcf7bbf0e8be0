/// @file
/// Sizes, spans and small vectors shared by host and device code.
#pragma once

#include <farpoint/core/span.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

FARPOINT_BEGIN_NAMESPACE

/// Sizes and offsets, in elements.
using index_t = std::int64_t;

/// Raw scratch memory.
using bytes = span<unsigned char>;

namespace detail {
/// T, where a template argument must not be deduced from it.
template <class T>
struct type_identity {
  using type = T;
};
template <class T>
using type_identity_t = typename type_identity<T>::type;

/// Range of elements whose type only the class knows that derives from it.
/// @tparam Void  void, or void const
template <class Void>
class untyped_range {
 public:
  FARPOINT_HD constexpr index_t size() const noexcept { return size_; }
  FARPOINT_HD constexpr bool empty() const noexcept { return size_ == 0; }
  FARPOINT_HD constexpr Void* data() const noexcept { return data_; }

 protected:
  constexpr untyped_range() = default;
  template <class Container>
  constexpr explicit untyped_range(Container& elements) noexcept
      : data_{data_of(elements)}, size_{static_cast<index_t>(elements.size())} {}

  Void* data_ = nullptr;
  index_t size_ = 0;
};
}  // namespace detail

/// A point of `Dim` coordinates (meters unless a function says otherwise).
template <class Scalar, int Dim = 3>
struct vec {
  static_assert(Dim >= 1 && Dim <= 16, "farpoint: a point has 1 to 16 coordinates");
  Scalar at[std::size_t{Dim}];

  FARPOINT_HD constexpr Scalar& operator[](int axis) noexcept { return at[axis]; }
  FARPOINT_HD constexpr Scalar const& operator[](int axis) const noexcept { return at[axis]; }
};

FARPOINT_END_NAMESPACE

/// @file
/// Ranges of int32 or int64 indices behind one type, so that kernels are not compiled twice.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

namespace detail {
/// Largest number of points whose indices fit in 32 bits.
inline constexpr index_t max_narrow_points = 2147483647;

template <class Integer, bool = std::is_integral_v<Integer>&& std::is_signed_v<Integer>>
inline constexpr bool is_index = false;
template <class Integer>
inline constexpr bool is_index<Integer, true> = sizeof(Integer) == 4 || sizeof(Integer) == 8;
}  // namespace detail

/// Read-only range of signed 32- or 64-bit indices in host or device memory. Non-owning, trivially copyable.
class index_view : public detail::untyped_range<void const> {
 public:
  constexpr index_view() = default;

  /// From std::vector, std::array, a span, ... of a signed 32- or 64-bit integer; not from a temporary that owns them.
  template <class Container, class Integer = std::remove_const_t<detail::element_of<Container>>,
            std::enable_if_t<detail::is_index<Integer>, int> = 0>
  constexpr index_view(Container&& indices) noexcept : untyped_range{indices}, wide_{sizeof(Integer) == 8} {
    FARPOINT_REFUSE_TEMPORARY_OWNER(detail::is_temporary_owner<Container>);
  }

  /// True for 64-bit indices.
  FARPOINT_HD constexpr bool wide() const noexcept { return wide_; }

  FARPOINT_HD index_t operator[](index_t i) const noexcept {
    return wide_ ? static_cast<std::int64_t const*>(data_)[i] : static_cast<std::int32_t const*>(data_)[i];
  }

 private:
  bool wide_ = false;
};

/// Writable range of signed 32- or 64-bit indices in host or device memory. Non-owning, trivially copyable.
class index_span : public detail::untyped_range<void> {
 public:
  constexpr index_span() = default;

  /// From std::vector, std::array, a span, ... of a signed 32- or 64-bit integer; not from a temporary that owns them.
  template <class Container, class Integer = detail::element_of<Container>,
            std::enable_if_t<detail::is_index<Integer> && !std::is_const_v<Integer>, int> = 0>
  constexpr index_span(Container&& indices) noexcept : untyped_range{indices}, wide_{sizeof(Integer) == 8} {
    FARPOINT_REFUSE_TEMPORARY_OWNER(detail::is_temporary_owner<Container>);
  }

  /// Does not compile: the elements are const, or no signed 32- or 64-bit integers.
  template <
      class Container, class Element = detail::element_of<Container>,
      std::enable_if_t<!std::is_void_v<Element> && (!detail::is_index<Element> || std::is_const_v<Element>), char> = 0>
  constexpr index_span(Container&&) noexcept {
    static_assert(!std::is_const_v<Element>, "farpoint: this output is const: indices cannot be written to it");
    static_assert(std::is_const_v<Element> || detail::is_index<Element>,
                  "farpoint: indices are written as signed 32- or 64-bit integers, and this output has other elements");
  }

  /// True for 64-bit indices.
  FARPOINT_HD constexpr bool wide() const noexcept { return wide_; }

  /// The indices from `first` on, 0 <= first <= size().
  index_span from(index_t first) const noexcept {
    index_span rest = *this;
    rest.data_ = static_cast<unsigned char*>(data_) + first * (wide_ ? 8 : 4);
    rest.size_ -= first;
    return rest;
  }

  FARPOINT_HD index_t get(index_t i) const noexcept {
    return wide_ ? static_cast<std::int64_t const*>(data_)[i] : static_cast<std::int32_t const*>(data_)[i];
  }
  FARPOINT_HD void set(index_t i, index_t value) const noexcept {
    if (wide_) {
      static_cast<std::int64_t*>(data_)[i] = value;
    } else {
      static_cast<std::int32_t*>(data_)[i] = static_cast<std::int32_t>(value);
    }
  }

 private:
  bool wide_ = false;
};

/// Writable range of counts in host or device memory: signed 32- or 64-bit integers, or floats, as some networks take
/// them. Non-owning, trivially copyable.
class count_span : public detail::untyped_range<void> {
 public:
  constexpr count_span() = default;

  /// From std::vector, std::array, a span, ... of a signed 32- or 64-bit integer, or of float; not from a temporary
  /// that owns them.
  template <
      class Container, class Value = detail::element_of<Container>,
      std::enable_if_t<(detail::is_index<Value> || std::is_same_v<Value, float>)&&!std::is_const_v<Value>, int> = 0>
  constexpr count_span(Container&& counts) noexcept
      : untyped_range{counts},
        type_{std::is_same_v<Value, float> ? type::float32
              : sizeof(Value) == 8         ? type::int64
                                           : type::int32} {
    FARPOINT_REFUSE_TEMPORARY_OWNER(detail::is_temporary_owner<Container>);
  }

  /// True for 64-bit integers.
  FARPOINT_HD constexpr bool wide() const noexcept { return type_ == type::int64; }

  /// A range of equal size and type, in other memory.
  constexpr count_span over(void* memory) const noexcept {
    count_span other = *this;
    other.data_ = memory;
    return other;
  }

  FARPOINT_HD index_t get(index_t i) const noexcept {
    if (type_ == type::int64) return static_cast<std::int64_t const*>(data_)[i];
    if (type_ == type::float32) return static_cast<index_t>(static_cast<float const*>(data_)[i]);
    return static_cast<std::int32_t const*>(data_)[i];
  }
  /// Floats are the nearest to the count.
  FARPOINT_HD void set(index_t i, index_t count) const noexcept {
    if (type_ == type::int64) {
      static_cast<std::int64_t*>(data_)[i] = count;
    } else if (type_ == type::float32) {
      static_cast<float*>(data_)[i] = static_cast<float>(count);
    } else {
      static_cast<std::int32_t*>(data_)[i] = static_cast<std::int32_t>(count);
    }
  }

 private:
  enum class type : unsigned char { int32, int64, float32 };

  type type_ = type::int32;
};

FARPOINT_END_NAMESPACE

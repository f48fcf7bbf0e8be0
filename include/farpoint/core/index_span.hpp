/// @file
/// Ranges of int32 or int64 indices behind one type, so that kernels are not compiled twice.
#pragma once

#include <farpoint/core/types.hpp>

#include <utility>

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
class index_view {
 public:
  constexpr index_view() = default;

  /// From std::vector, std::array, a span, ... of a signed 32- or 64-bit integer; not from a temporary that owns them.
  template <class Container, class Integer = std::remove_const_t<detail::element_of<Container>>,
            std::enable_if_t<detail::is_index<Integer>, int> = 0>
  constexpr index_view(Container&& indices) noexcept
      : data_{detail::data_of(indices)}, size_{static_cast<index_t>(indices.size())}, wide_{sizeof(Integer) == 8} {
    FARPOINT_REFUSE_TEMPORARY_OWNER(detail::is_temporary_owner<Container>);
  }

  FARPOINT_HD constexpr index_t size() const noexcept { return size_; }
  FARPOINT_HD constexpr bool empty() const noexcept { return size_ == 0; }
  FARPOINT_HD constexpr void const* data() const noexcept { return data_; }

  FARPOINT_HD index_t operator[](index_t i) const noexcept {
    return wide_ ? static_cast<std::int64_t const*>(data_)[i] : static_cast<std::int32_t const*>(data_)[i];
  }

 private:
  void const* data_ = nullptr;
  index_t size_ = 0;
  bool wide_ = false;
};

/// Writable range of signed 32- or 64-bit indices in host or device memory. Non-owning, trivially copyable.
class index_span {
 public:
  constexpr index_span() = default;

  /// From std::vector, std::array, a span, ... of a signed 32- or 64-bit integer; not from a temporary that owns them.
  template <class Container, class Integer = detail::element_of<Container>,
            std::enable_if_t<detail::is_index<Integer> && !std::is_const_v<Integer>, int> = 0>
  constexpr index_span(Container&& indices) noexcept
      : data_{detail::data_of(indices)}, size_{static_cast<index_t>(indices.size())}, wide_{sizeof(Integer) == 8} {
    FARPOINT_REFUSE_TEMPORARY_OWNER(detail::is_temporary_owner<Container>);
  }

  FARPOINT_HD constexpr index_t size() const noexcept { return size_; }
  FARPOINT_HD constexpr bool empty() const noexcept { return size_ == 0; }
  FARPOINT_HD constexpr void* data() const noexcept { return data_; }
  /// True for 64-bit indices.
  FARPOINT_HD constexpr bool wide() const noexcept { return wide_; }

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
  void* data_ = nullptr;
  index_t size_ = 0;
  bool wide_ = false;
};

FARPOINT_END_NAMESPACE

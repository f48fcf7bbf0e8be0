/// @file
#pragma once

#include <farpoint/core/contiguous.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

FARPOINT_BEGIN_NAMESPACE

template <class T>
class span;

namespace detail {

/// True for elements of type `Element` in a span of T: the same but for T's const.
template <class T, class Element>
inline constexpr bool is_element = std::is_same_v<std::remove_const_t<T>, std::remove_const_t<Element>> &&
                                   (std::is_const_v<T> || !std::is_const_v<Element>);

/// True for what has data() and size(), of such elements.
template <class T, class Container, class = void>
inline constexpr bool is_spanned = false;
template <class T, class Container>
inline constexpr bool is_spanned<T, Container, std::enable_if_t<!std::is_void_v<element_of<Container>>>> =
    is_element<T, element_of<Container>> && !std::is_same_v<std::decay_t<Container>, span<T>>;

}  // namespace detail

/// Non-owning range of `size()` consecutive elements in host or device memory; usable in kernels.
///
/// The part of std::span that farpoint needs, in C++17: built from a pointer and a size, from arrays, and from
/// everything that has data() and size(), such as std::vector, std::array, std::span, cuda::std::span and the vectors
/// of Thrust and RMM. A temporary that owns its memory (see is_borrowed) can only be read, as an argument of a call.
/// Unchecked; trivially copyable.
template <class T>
class span {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;
  using iterator = T*;

  constexpr span() = default;
  FARPOINT_HD constexpr span(T* data, size_type size) noexcept : data_{data}, size_{size} {}
  FARPOINT_HD constexpr span(T* begin, T* end) noexcept : data_{begin}, size_{static_cast<size_type>(end - begin)} {}
  template <std::size_t Size>
  FARPOINT_HD constexpr span(T (&array)[Size]) noexcept : data_{array}, size_{Size} {}
  FARPOINT_CALLS_BACK
  template <class Container, std::enable_if_t<detail::is_spanned<T, Container>, int> = 0>
  FARPOINT_HD constexpr span(Container&& elements) noexcept
      : data_{detail::data_of(elements)}, size_{static_cast<size_type>(elements.size())} {
    FARPOINT_REFUSE_TEMPORARY_OWNER(!std::is_const_v<T> && detail::is_temporary_owner<Container>);
  }

  FARPOINT_HD constexpr T* data() const noexcept { return data_; }
  FARPOINT_HD constexpr size_type size() const noexcept { return size_; }
  FARPOINT_HD constexpr size_type size_bytes() const noexcept { return size_ * sizeof(T); }
  FARPOINT_HD constexpr bool empty() const noexcept { return size_ == 0; }
  FARPOINT_HD constexpr T& operator[](size_type i) const noexcept { return data_[i]; }
  FARPOINT_HD constexpr T& front() const noexcept { return data_[0]; }
  FARPOINT_HD constexpr T& back() const noexcept { return data_[size_ - 1]; }
  FARPOINT_HD constexpr T* begin() const noexcept { return data_; }
  FARPOINT_HD constexpr T* end() const noexcept { return data_ + size_; }

  FARPOINT_HD constexpr span first(size_type count) const noexcept { return {data_, count}; }
  FARPOINT_HD constexpr span last(size_type count) const noexcept { return {data_ + (size_ - count), count}; }
  FARPOINT_HD constexpr span subspan(size_type offset) const noexcept { return {data_ + offset, size_ - offset}; }
  FARPOINT_HD constexpr span subspan(size_type offset, size_type count) const noexcept {
    return {data_ + offset, count};
  }

 private:
  T* data_ = nullptr;
  size_type size_ = 0;
};

namespace detail {

/// A parameter of what makes a view: a span that is not of a temporary that owns its memory, even if it is only read.
template <class T>
class kept_span : public span<T> {
 public:
  using span<T>::span;
  constexpr kept_span(span<T> elements) noexcept : span<T>{elements} {}
  FARPOINT_CALLS_BACK
  template <class Container, std::enable_if_t<is_spanned<T, Container>, int> = 0>
  FARPOINT_HD constexpr kept_span(Container&& elements) noexcept : span<T>{elements} {
    FARPOINT_REFUSE_TEMPORARY_OWNER(is_temporary_owner<Container>);
  }
};

}  // namespace detail

FARPOINT_END_NAMESPACE

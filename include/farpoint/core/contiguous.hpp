/// @file
/// Which objects give memory of consecutive elements, and whether that memory outlives them.
#pragma once

#include <farpoint/core/config.hpp>

#include <array>
#include <type_traits>
#include <utility>
#if defined(__cpp_lib_ranges)
#include <ranges>
#endif

FARPOINT_BEGIN_NAMESPACE

/// True for a type that does not own the memory that its data() points to, so that a temporary of it may be viewed.
///
/// Known: views that are trivially copyable, such as std::span, and in C++20 what has
/// std::ranges::enable_borrowed_range. Specialize it for a view of your own that is not.
#if defined(__cpp_lib_ranges)
template <class Container>
inline constexpr bool is_borrowed =
    std::is_trivially_copyable_v<Container> || std::ranges::enable_borrowed_range<Container>;
#else
template <class Container>
inline constexpr bool is_borrowed = std::is_trivially_copyable_v<Container>;
#endif
template <class T, std::size_t Size>
inline constexpr bool is_borrowed<std::array<T, Size>> = false;

namespace detail {

/// The plain pointer of a pointer, or of what has one by get(): thrust::device_ptr, std::unique_ptr.
template <class T>
FARPOINT_HD constexpr T* plain_pointer(T* pointer) noexcept {
  return pointer;
}
FARPOINT_CALLS_BACK
template <class Pointer, class = std::enable_if_t<std::is_pointer_v<decltype(std::declval<Pointer const&>().get())>>>
FARPOINT_HD constexpr auto plain_pointer(Pointer const& pointer) noexcept {
  return pointer.get();
}

/// The elements of what has data() and size(); SFINAE-friendly.
template <class Container>
using element_of =
    std::enable_if_t<!std::is_void_v<decltype(std::declval<Container&>().size())>,
                     std::remove_pointer_t<decltype(detail::plain_pointer(std::declval<Container&>().data()))>>;

/// The elements of a container whose data() is a plain pointer, as for memory that the host can read; data() of a
/// thrust::device_vector is a thrust::device_ptr.
template <class Container>
using host_elements =
    std::enable_if_t<std::is_pointer_v<decltype(std::declval<Container&>().data())>, element_of<Container>>;

/// Plain pointer to the first element.
FARPOINT_CALLS_BACK
template <class Container>
FARPOINT_HD constexpr auto data_of(Container& elements) noexcept {
  return detail::plain_pointer(elements.data());
}

/// True for a temporary that owns its memory. `Container` is deduced as a forwarding reference's.
template <class Container>
inline constexpr bool is_temporary_owner =
    !std::is_lvalue_reference_v<Container> && !is_borrowed<std::remove_cv_t<Container>>;

/// False: for the static_assert of an overload that only says why a call does not compile.
template <class...>
inline constexpr bool never = false;

}  // namespace detail
FARPOINT_END_NAMESPACE

// In functions that make a view of a `Container&&`.
#define FARPOINT_REFUSE_TEMPORARY_OWNER(refused)                               \
  static_assert(!(refused),                                                    \
                "farpoint: a temporary owns this memory, which ends with it: " \
                "view a variable that lives as long as the view")

// The body of an overload that lacks the workspace.
#define FARPOINT_NEEDS_WORKSPACE(function, Type)                                                                \
  static_assert(detail::never<Type>, "farpoint: " function                                                      \
                                     "() needs a workspace as its last argument: "                              \
                                     "memory of " function "_workspace_bytes() bytes, such as a host_scratch"); \
  return {}

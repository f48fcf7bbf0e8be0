/// @file
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/core/types.hpp>

#include <new>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Alignment that every workspace has.
inline constexpr std::size_t workspace_alignment = 256;

inline bool is_workspace_aligned(bytes workspace) noexcept {
  return reinterpret_cast<std::uintptr_t>(workspace.data()) % workspace_alignment == 0;
}

/// Cuts a workspace into consecutive arrays. Without memory it only adds up their sizes, so that one function gives
/// both a layout and its size.
/// @tparam Line  bytes that each array is aligned to
template <std::size_t Line>
class basic_workspace_cutter {
 public:
  explicit basic_workspace_cutter(unsigned char* memory = nullptr) noexcept
      : memory_{reinterpret_cast<std::uintptr_t>(memory)} {}

  /// Array of `count` elements.
  template <class T>
  T* take(index_t count) noexcept {
    static_assert(alignof(T) <= Line && Line <= workspace_alignment);
    std::size_t const begin = used_;
    used_ += divide_up(static_cast<std::size_t>(count) * sizeof(T), Line) * Line;
    return memory_ == 0 ? nullptr : reinterpret_cast<T*>(memory_ + begin);
  }

  std::size_t used() const noexcept { return used_; }

 private:
  std::uintptr_t memory_;  ///< a number: a layout that the memory has no room for may be cut, if it is not used
  std::size_t used_ = 0;
};

using workspace_cutter = basic_workspace_cutter<64>;

/// Workspace that a convenience function owns; throws std::bad_alloc.
class host_workspace {
 public:
  explicit host_workspace(std::size_t size)
      : size_{size}, data_{::operator new (size, std::align_val_t{workspace_alignment})} {}
  host_workspace(host_workspace const&) = delete;
  host_workspace& operator=(host_workspace const&) = delete;
  ~host_workspace() { ::operator delete (data_, std::align_val_t{workspace_alignment}); }

  bytes get() const noexcept { return {static_cast<unsigned char*>(data_), size_}; }

 private:
  std::size_t size_;
  void* data_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

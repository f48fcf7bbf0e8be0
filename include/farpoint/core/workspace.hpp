/// @file
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/core/types.hpp>

#include <new>
#include <stdexcept>
#include <utility>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Alignment of every workspace in bytes.
inline constexpr std::size_t workspace_alignment = 256;

/// Rounds `size` up to workspace_alignment: the offset at which another workspace may begin.
constexpr std::size_t workspace_aligned(std::size_t size) noexcept {
  return divide_up(size, workspace_alignment) * workspace_alignment;
}

/// Size and address of owned workspace memory, in any memory space; base of host_scratch and device_scratch.
class scratch_memory {
 public:
  std::size_t size() const noexcept { return size_; }
  bytes get() const noexcept { return {static_cast<unsigned char*>(data_), size_}; }
  operator bytes() const noexcept { return get(); }

 protected:
  scratch_memory() = default;
  scratch_memory(std::size_t size, void* data) noexcept : size_{size}, data_{data} {}
  /// Leaves `other` empty.
  scratch_memory(scratch_memory&& other) noexcept
      : size_{std::exchange(other.size_, 0)}, data_{std::exchange(other.data_, nullptr)} {}
  ~scratch_memory() = default;
  void swap(scratch_memory& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
  }

  std::size_t size_ = 0;
  void* data_ = nullptr;
};

}  // namespace detail

/// Owner of host memory for the workspaces of calls, 256-byte aligned. device_scratch is its counterpart on a stream.
///
/// Converts to `bytes`, so that it can be passed as a workspace. Movable; a move does not change the memory's address.
class host_scratch : public detail::scratch_memory {
 public:
  host_scratch() = default;
  /// @throws std::bad_alloc
  explicit host_scratch(std::size_t size)
      : scratch_memory{size, ::operator new (size, std::align_val_t{detail::workspace_alignment})} {}
  host_scratch(host_scratch&&) noexcept = default;
  host_scratch& operator=(host_scratch&& other) noexcept {
    swap(other);
    return *this;
  }
  ~host_scratch() { release(); }

  /// Grows the memory to at least `size` bytes. Growing discards the contents.
  /// @return ok | out_of_memory; on failure nothing changes
  result reserve(std::size_t size) noexcept {
    if (size <= size_) return {};
    void* const data = ::operator new (size, std::align_val_t{detail::workspace_alignment}, std::nothrow);
    if (data == nullptr) return {status::out_of_memory, 0, "scratch: the host has not so much memory"};
    release();
    size_ = size;
    data_ = data;
    return {};
  }
  void release() noexcept {
    ::operator delete (data_, std::align_val_t{detail::workspace_alignment});
    data_ = nullptr;
    size_ = 0;
  }
};

namespace detail {

inline bool is_workspace_aligned(bytes workspace) noexcept {
  return reinterpret_cast<std::uintptr_t>(workspace.data()) % workspace_alignment == 0;
}

/// Cuts a workspace into consecutive arrays. Without memory it only adds up their sizes, so that one function defines
/// both a layout and its size.
/// @tparam Line  alignment of each array in bytes
template <std::size_t Line>
class basic_workspace_cutter {
 public:
  explicit basic_workspace_cutter(unsigned char* memory = nullptr) noexcept
      : memory_{reinterpret_cast<std::uintptr_t>(memory)} {}

  /// Returns an array of `count` elements, or null without memory.
  template <class T>
  T* take(index_t count) noexcept {
    static_assert(alignof(T) <= Line && Line <= workspace_alignment);
    std::size_t const begin = used_;
    used_ += divide_up(static_cast<std::size_t>(count) * sizeof(T), Line) * Line;
    return memory_ == 0 ? nullptr : reinterpret_cast<T*>(memory_ + begin);
  }

  /// Returns memory that can be the workspace of another call.
  bytes take_workspace(std::size_t size) noexcept {
    used_ = workspace_aligned(used_);
    return {take<unsigned char>(static_cast<index_t>(size)), size};
  }

  std::size_t used() const noexcept { return used_; }

 private:
  std::uintptr_t memory_;  ///< integer, since cuts may lie beyond the end of the memory
  std::size_t used_ = 0;
};

using workspace_cutter = basic_workspace_cutter<64>;

/// Workspace of a function that allocates its own memory.
using host_workspace = host_scratch;

#if defined(__cpp_exceptions)
/// @throws std::invalid_argument with the reason if `outcome` is a failure
inline void require_ok(result const& outcome) {
  if (!outcome) throw std::invalid_argument{outcome.reason};
}
#endif

}  // namespace detail
FARPOINT_END_NAMESPACE

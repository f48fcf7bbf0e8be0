/// @file
#pragma once

#include <farpoint/core/types.hpp>

#include <new>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Alignment that every workspace has.
inline constexpr std::size_t workspace_alignment = 256;

inline bool is_workspace_aligned(bytes workspace) noexcept {
  return reinterpret_cast<std::uintptr_t>(workspace.data()) % workspace_alignment == 0;
}

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

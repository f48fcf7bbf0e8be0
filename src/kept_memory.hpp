// Memory of an object that stays on the backend of its calls.
#pragma once

#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/runtime/host_calls.hpp>

#if defined(FARPOINT_WITH_CUDA)
#include "thread_memory.hpp"
#endif

FARPOINT_BEGIN_NAMESPACE
namespace library {

/// Owner of host or device memory, aligned to 256 bytes. The type of the execution that reserve() gets decides which.
class kept_memory {
 public:
  kept_memory() = default;
  kept_memory(kept_memory const&) = delete;
  kept_memory& operator=(kept_memory const&) = delete;
  ~kept_memory() { release(); }

  /// Returns at least `size` bytes, or none if memory ran out. Contents are lost if the memory grows.
  bytes reserve(host_exec, std::size_t size) noexcept {
    if (!on_host_.reserve(size)) return {};
    where_ = runtime::backend::host;
    return on_host_;
  }
#if defined(FARPOINT_WITH_CUDA)
  bytes reserve(cuda_exec, std::size_t size) noexcept {
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess) return {};
    if (size > size_ || device != device_) {
      release();
      cudaError_t error = cudaSuccess;
      thread_memory* const memory = thread_memory::get(error);
      if (memory == nullptr || memory->allocate(&on_device_, size) != cudaSuccess) return {};
      size_ = size;
      device_ = device;
    }
    where_ = runtime::backend::cuda;
    return {static_cast<unsigned char*>(on_device_), size_};
  }
#endif

  /// Returns the backend of the last reserve(); backend::automatic before it.
  runtime::backend where() const noexcept {
    return where_;
  }
  /// Returns true if calls on the current device can use the memory.
  bool is_here() const noexcept {
#if defined(FARPOINT_WITH_CUDA)
    int device = -1;
    if (where_ == runtime::backend::cuda) return cudaGetDevice(&device) == cudaSuccess && device == device_;
#endif
    return where_ == runtime::backend::host;
  }

  void release() noexcept {
    on_host_.release();
#if defined(FARPOINT_WITH_CUDA)
    // Freeing is safe: every call that used the memory has waited for its stream.
    if (on_device_ != nullptr) static_cast<void>(cudaFree(on_device_));
    on_device_ = nullptr;
    size_ = 0;
#endif
    where_ = runtime::backend::automatic;
  }

 private:
  runtime::backend where_ = runtime::backend::automatic;
  host_scratch on_host_;
#if defined(FARPOINT_WITH_CUDA)
  void* on_device_ = nullptr;
  std::size_t size_ = 0;
  int device_ = -1;
#endif
};

}  // namespace library
FARPOINT_END_NAMESPACE

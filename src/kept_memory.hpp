// Memory of an object that stays where its calls work.
#pragma once

#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/runtime/host_calls.hpp>

#if defined(FARPOINT_WITH_CUDA)
#include "thread_memory.hpp"
#endif

FARPOINT_BEGIN_NAMESPACE
namespace library {

/// Host or device memory, 256-byte aligned, which it owns. reserve() chooses by the execution.
class kept_memory {
 public:
  kept_memory() = default;
  kept_memory(kept_memory const&) = delete;
  kept_memory& operator=(kept_memory const&) = delete;
  ~kept_memory() { release(); }

  /// Returns `size` bytes or more, or none if memory ran out. Contents are lost if the memory grows.
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

  /// Backend of the last reserve(); backend::automatic before it.
  runtime::backend where() const noexcept {
    return where_;
  }
  /// True if calls on the current device can use it.
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
    // All calls that used it have blocked until they were done.
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

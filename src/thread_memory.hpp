// Stream and memory that a thread keeps from one host-memory call to the next.
#pragma once

#include <farpoint/core/config.hpp>

#include <cuda_runtime_api.h>
#include <array>
#include <cstddef>

FARPOINT_BEGIN_NAMESPACE
namespace library {

/// The stream, the device memory and the page-locked memory of one thread's calls on one device.
///
/// Device memory comes from a pool of the library's own, which gives nothing back to the driver, in the order of the
/// stream; it grows and never shrinks, so that a call no larger than an earlier one allocates nothing and takes no
/// lock. Not thread-safe.
class thread_memory {
 public:
  /// Page-locked memory for the bytes between the caller's arrays and the device: used in turn, so that the processor
  /// fills one part while the device reads others.
  static constexpr int slots = 16;
  static constexpr std::size_t slot_bytes = std::size_t{512} * 1024;

  /// Memory of the calling thread, for the current device. Null if allocating it failed; `error` is then set.
  static thread_memory* get(cudaError_t& error) noexcept;
  /// Releases all memory of the calling thread.
  static void release() noexcept;

  thread_memory(thread_memory const&) = delete;
  thread_memory& operator=(thread_memory const&) = delete;
  ~thread_memory();

  /// Makes the device memory at least so large; what it held is lost.
  cudaError_t reserve(std::size_t size) noexcept;

  /// Memory of the same pool that the caller keeps, ready when this returns.
  cudaError_t allocate(void** memory, std::size_t size) noexcept;

  cudaStream_t stream() const noexcept { return stream_; }
  /// Aligned to 256 bytes.
  unsigned char* device_memory() const noexcept { return static_cast<unsigned char*>(device_memory_); }
  unsigned char* slot(int i) const noexcept { return staging_ + static_cast<std::size_t>(i) * slot_bytes; }
  /// Recorded after the last copy that used slot i.
  cudaEvent_t copied(int i) const noexcept { return copied_[static_cast<std::size_t>(i)]; }
  /// Two events that measure time.
  cudaEvent_t begun() const noexcept { return begun_; }
  cudaEvent_t ended() const noexcept { return ended_; }
  char const* device_name() const noexcept { return name_; }

 private:
  thread_memory() = default;
  cudaError_t open(int device) noexcept;

  int device_ = -1;
  char name_[256] = "";
  cudaMemPool_t pool_ = nullptr;
  cudaStream_t stream_ = nullptr;
  void* device_memory_ = nullptr;
  std::size_t size_ = 0;
  unsigned char* staging_ = nullptr;
  std::array<cudaEvent_t, slots> copied_{};
  cudaEvent_t begun_ = nullptr;
  cudaEvent_t ended_ = nullptr;
};

}  // namespace library
FARPOINT_END_NAMESPACE

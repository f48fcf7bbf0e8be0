// Stream and memory that a thread keeps from one host-memory call to the next.
#pragma once

#include <farpoint/core/config.hpp>

#include <cuda_runtime_api.h>
#include <array>
#include <cstddef>

FARPOINT_BEGIN_NAMESPACE
namespace library {

/// Stream, device memory and page-locked memory of one thread's calls on one device.
///
/// Device memory comes from the library's own pool, in the order of the stream. The pool returns no memory to the
/// driver, and the thread's memory never shrinks, so that a call no larger than an earlier one allocates nothing and
/// takes no lock. Not thread-safe.
class thread_memory {
 public:
  /// Number and size of the page-locked slots between the caller's arrays and the device. Slots are used cyclically, so
  /// that the processor fills one slot while the device reads others.
  static constexpr int slots = 16;
  static constexpr std::size_t slot_bytes = std::size_t{512} * 1024;

  /// Returns the memory of the calling thread for the current device. If an allocation failed, returns null and sets
  /// `error`.
  static thread_memory* get(cudaError_t& error) noexcept;
  /// Releases all memory of the calling thread.
  static void release() noexcept;

  thread_memory(thread_memory const&) = delete;
  thread_memory& operator=(thread_memory const&) = delete;
  ~thread_memory();

  /// Enlarges the device memory to at least `size` bytes; its contents are lost.
  cudaError_t reserve(std::size_t size) noexcept;

  /// Allocates memory of the library's pool that the caller owns, and waits until it is usable.
  cudaError_t allocate(void** memory, std::size_t size) noexcept;

  cudaStream_t stream() const noexcept { return stream_; }
  /// Returns the device memory, aligned to 256 bytes.
  unsigned char* device_memory() const noexcept { return static_cast<unsigned char*>(device_memory_); }
  unsigned char* slot(int i) const noexcept { return staging_ + static_cast<std::size_t>(i) * slot_bytes; }
  /// Returns the event that is recorded after the last copy that used slot i.
  cudaEvent_t copied(int i) const noexcept { return copied_[static_cast<std::size_t>(i)]; }
  /// Returns the events that measure the time of a call.
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

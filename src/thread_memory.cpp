#include "thread_memory.hpp"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

FARPOINT_BEGIN_NAMESPACE
namespace library {

namespace {

/// Returns the library's pool of a device, which exists as long as the process.
cudaError_t pool_of(int device, cudaMemPool_t& pool) noexcept {
  static std::mutex mutex;
  static std::vector<cudaMemPool_t> pools;
  std::lock_guard<std::mutex> const lock{mutex};
  auto const place = static_cast<std::size_t>(device);
  try {
    if (pools.size() <= place) pools.resize(place + 1, nullptr);
  } catch (std::bad_alloc const&) {
    return cudaErrorMemoryAllocation;
  }
  if (pools[place] == nullptr) {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device;
    cudaMemPool_t made = nullptr;
    cudaError_t error = cudaMemPoolCreate(&made, &properties);
    if (error != cudaSuccess) return error;
    std::uint64_t everything = UINT64_MAX;
    error = cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &everything);
    if (error != cudaSuccess) {
      // A pool that returns memory to the driver would cost each call an allocation. The next call tries again.
      cudaMemPoolDestroy(made);
      return error;
    }
    pools[place] = made;
  }
  pool = pools[place];
  return cudaSuccess;
}

/// Memory of the calling thread, by number of the device.
thread_local std::vector<std::unique_ptr<thread_memory>> memory_of_thread;

}  // namespace

thread_memory* thread_memory::get(cudaError_t& error) noexcept {
  int device = 0;
  error = cudaGetDevice(&device);
  if (error != cudaSuccess) return nullptr;
  auto const place = static_cast<std::size_t>(device);
  if (place < memory_of_thread.size() && memory_of_thread[place] != nullptr) return memory_of_thread[place].get();
  try {
    if (memory_of_thread.size() <= place) memory_of_thread.resize(place + 1);
    std::unique_ptr<thread_memory> made{new thread_memory};
    error = made->open(device);
    if (error != cudaSuccess) return nullptr;
    memory_of_thread[place] = std::move(made);
  } catch (std::bad_alloc const&) {
    error = cudaErrorMemoryAllocation;
    return nullptr;
  }
  return memory_of_thread[place].get();
}

void thread_memory::release() noexcept {
  memory_of_thread.clear();
}

cudaError_t thread_memory::open(int device) noexcept {
  device_ = device;
  cudaDeviceProp properties{};
  cudaError_t error = cudaGetDeviceProperties(&properties, device);
  if (error == cudaSuccess) std::snprintf(name_, sizeof name_, "%s", properties.name);
  if (error == cudaSuccess) error = pool_of(device, pool_);
  if (error == cudaSuccess) error = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
  void* staging = nullptr;
  if (error == cudaSuccess) error = cudaHostAlloc(&staging, slots * slot_bytes, cudaHostAllocDefault);
  staging_ = static_cast<unsigned char*>(staging);
  for (auto& event : copied_) {
    if (error == cudaSuccess) error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  }
  if (error == cudaSuccess) error = cudaEventCreate(&begun_);
  if (error == cudaSuccess) error = cudaEventCreate(&ended_);
  return error;
}

thread_memory::~thread_memory() {
  // Errors are ignored: the CUDA runtime may have shut down at the end of the process.
  if (device_memory_ != nullptr) cudaFreeAsync(device_memory_, stream_);
  for (auto& event : copied_) {
    if (event != nullptr) cudaEventDestroy(event);
  }
  if (begun_ != nullptr) cudaEventDestroy(begun_);
  if (ended_ != nullptr) cudaEventDestroy(ended_);
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
  if (staging_ != nullptr) cudaFreeHost(staging_);
}

cudaError_t thread_memory::reserve(std::size_t size) noexcept {
  if (size <= size_) return cudaSuccess;
  // A margin of 1/8 keeps slowly growing frames from reallocating each time.
  size += size / 8;
  if (device_memory_ != nullptr) {
    cudaError_t const error = cudaFreeAsync(device_memory_, stream_);
    device_memory_ = nullptr;
    size_ = 0;
    if (error != cudaSuccess) return error;
  }
  cudaError_t const error = cudaMallocFromPoolAsync(&device_memory_, size, pool_, stream_);
  if (error != cudaSuccess) device_memory_ = nullptr;
  if (error == cudaSuccess) size_ = size;
  return error;
}

cudaError_t thread_memory::allocate(void** memory, std::size_t size) noexcept {
  cudaError_t error = cudaMallocFromPoolAsync(memory, size, pool_, stream_);
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream_);
  if (error != cudaSuccess) *memory = nullptr;
  return error;
}

}  // namespace library
FARPOINT_END_NAMESPACE

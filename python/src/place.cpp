#include "place.hpp"

#include <farpoint/core/describe.hpp>

#include "arrays.hpp"

#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#if FARPOINT_PYTHON_CUDA
#include <cuda_runtime_api.h>
#endif

namespace farpoint_python {
namespace {

constexpr std::size_t alignment = 256;

[[maybe_unused]] void check_cuda(int error, char const* sentence) {
  if (error != 0) throw std::runtime_error(std::string{sentence} + " (CUDA error " + std::to_string(error) + ")");
}

}  // namespace

call_times& call_times::of_process() {
  static call_times all;
  return all;
}

void check(farpoint::result const& outcome) {
  switch (outcome.code) {
    case farpoint::status::ok: return;
    case farpoint::status::bad_argument: throw nb::value_error(outcome.reason);
    case farpoint::status::out_of_memory: throw std::bad_alloc();
    default: break;
  }
  throw std::runtime_error(std::string{farpoint::to_string(outcome.code)} + ": " + farpoint::describe(outcome));
}

#if FARPOINT_PYTHON_CUDA
current_device::current_device(place const& where) {
  if (where.on_host()) return;
  int now = -1;
  check_cuda(cudaGetDevice(&now), "no current CUDA device");
  if (now == where.device) return;
  check_cuda(cudaSetDevice(where.device), "the tensor's CUDA device cannot be used");
  previous_ = now;
}

current_device::~current_device() {
  if (previous_ >= 0) (void)cudaSetDevice(previous_);
}

void finish(place const& where) {
  if (where.on_host() || !where.waits) return;
  cudaError_t error = cudaSuccess;
  {
    nb::gil_scoped_release const unlocked;
    error = cudaStreamSynchronize(where.exec().stream);
  }
  check_cuda(error, "the stream cannot be waited for");
}
#else
current_device::current_device(place const&) {
  throw std::runtime_error("this farpoint is built without CUDA: pass arrays in host memory (farpoint.has_cuda)");
}

current_device::~current_device() = default;

void finish(place const&) {}
#endif

device_memory::device_memory(place const& where, std::size_t size) : size_{size}, stream_{where.stream} {
  if (size == 0) return;
  if (!where.allocate.is_none()) {
    allocate(where);
  } else if (where.torch_memory) {
    address_ = memory_of_torch(where.device, size, owner_);
  } else {
#if FARPOINT_PYTHON_CUDA
    check_cuda(cudaMallocAsync(&address_, size, where.exec().stream),
               "the device's pool has no memory for a workspace");
    from_pool_ = true;
#endif
  }
}

void device_memory::allocate(place const& where) {
  owner_ = where.allocate(size_);
  if (nb::isinstance<nb::int_>(owner_)) {
    address_ = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(owner_));
  } else {
    bool const is_array = memory_.read(owner_) || nb::hasattr(owner_, "__dlpack__");
    if (!is_array) refuse("the allocator returned neither an address nor an array");
    if (memory_.nbytes() < size_) refuse("the allocator's array is smaller than what was asked for");
    address_ = memory_.data();
  }
  if (reinterpret_cast<std::uintptr_t>(address_) % alignment != 0)
    refuse("the allocator's memory is not 256-byte aligned");
}

device_memory::device_memory(device_memory&& other) noexcept {
  *this = std::move(other);
}

device_memory& device_memory::operator=(device_memory&& other) noexcept {
  if (this == &other) return *this;
  release();
  address_ = std::exchange(other.address_, nullptr);
  size_ = std::exchange(other.size_, 0);
  stream_ = other.stream_;
  from_pool_ = std::exchange(other.from_pool_, false);
  owner_ = std::move(other.owner_);
  memory_ = std::move(other.memory_);
  return *this;
}

device_memory::~device_memory() {
  release();
}

void device_memory::release() noexcept {
#if FARPOINT_PYTHON_CUDA
  if (from_pool_) (void)cudaFreeAsync(address_, reinterpret_cast<cudaStream_t>(stream_));
#endif
  from_pool_ = false;
  address_ = nullptr;
}

}  // namespace farpoint_python

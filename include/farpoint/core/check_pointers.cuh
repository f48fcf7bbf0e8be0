/// @file
/// Optional check that the arrays of a call are memory that its kernels can access.
///
/// A kernel that is given a host pointer makes an illegal access later, which destroys the context. Querying the driver
/// about an array costs microseconds, so arrays are checked in debug builds (without NDEBUG) only. Defining
/// FARPOINT_CHECK_POINTERS as 1 or 0, for all files of a program, forces the check on or off. A checked call is legal
/// during stream capture, and leaves a pending error of other work pending.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/batch.hpp>
#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/driver_function.cuh>
#include <farpoint/core/features.hpp>
#include <farpoint/core/index_span.hpp>
#include <farpoint/core/memory_range.hpp>
#include <farpoint/core/status.hpp>

#if !defined(FARPOINT_CHECK_POINTERS) && defined(NDEBUG)
#define FARPOINT_CHECK_POINTERS 0
#elif !defined(FARPOINT_CHECK_POINTERS)
#define FARPOINT_CHECK_POINTERS 1
#endif

#if FARPOINT_CHECK_POINTERS
#include <cuda.h>
#include <cuda_runtime.h>
#endif

FARPOINT_BEGIN_NAMESPACE
namespace detail {

#if FARPOINT_CHECK_POINTERS

/// Messages for a rejected array, which name it.
struct pointer_reasons {
  char const* on_host;
  char const* on_other_device;
  char const* too_long;
};

/// Attributes of an address, as the driver reports them.
struct memory_attributes {
  unsigned type = 0;  ///< CUmemorytype; 0 for memory unknown to CUDA
  unsigned managed = 0;
  int device = 0;
  CUdeviceptr on_device = 0;  ///< address on the device
  CUdeviceptr begin = 0;      ///< first address of the allocation
  std::size_t size = 0;
  unsigned single = 0;  ///< 1 if allocated by cudaMalloc(), in one piece

  /// @return false if the driver cannot query the address
  bool read(CUdeviceptr address) noexcept {
    using get_attributes = CUresult(unsigned, CUpointer_attribute*, void**, CUdeviceptr);
    static auto* const get = driver_function<get_attributes>("cuPointerGetAttributes", 7000);
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                        CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                        CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                        CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                        CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE};
    void* values[] = {&type, &managed, &device, &on_device, &begin, &size, &single};
    return get != nullptr && get(7, attributes, values, address) == CUDA_SUCCESS;
  }
};

/// Checks arrays of a call until it rejects one.
class pointer_checker {
 public:
  explicit pointer_checker(cuda_exec exec) noexcept {
    cudaError_t const error = cudaGetDevice(&device_);
    if (error != cudaSuccess) outcome_ = cuda_failure(error, "exec: there is no current device");
    // The default stream belongs to the current device.
    if (outcome_ && exec.stream != nullptr) check_device_of(exec.stream);
  }

  result const& outcome() const noexcept { return outcome_; }

  template <class Points>
  void add(batch<Points> const& clouds) noexcept {
    static constexpr pointer_reasons points{"points: host memory, in a call on a stream",
                                            "points: memory of a device that the current one cannot reach",
                                            "points: more than the memory at their address holds"};
    check(range_of(clouds.points()), points);
    add(clouds.offsets());
  }
  void add(bytes workspace) noexcept {
    static constexpr pointer_reasons reasons{"workspace: host memory, in a call on a stream",
                                             "workspace: memory of a device that the current one cannot reach",
                                             "workspace: larger than the memory at its address"};
    check(workspace.data(), workspace.size(), reasons);
  }
  void add(index_view indices) noexcept { check(indices.data(), bytes_of(indices.size(), 4), inputs); }
  void add(feature_view const& features) noexcept { check(range_of(features), inputs); }
  void add(index_span indices) noexcept {
    check(indices.data(), bytes_of(indices.size(), indices.wide() ? 8 : 4), outputs);
  }
  void add(count_span counts) noexcept {
    check(counts.data(), bytes_of(counts.size(), counts.wide() ? 8 : 4), outputs);
  }
  template <class Value>
  void add(basic_feature_span<Value> values) noexcept {
    check(values.data(), bytes_of(values.size(), static_cast<std::size_t>(size_of(values.type()))), outputs);
  }
  template <class T>
  void add(span<T> values) noexcept {
    check(values.data(), values.size() * sizeof(T), std::is_const_v<T> ? inputs : outputs);
  }
  /// Checks the memory of a report.
  template <class T>
  void add(T* report) noexcept {
    check(report, sizeof(T), outputs);
  }

 private:
  /// Rejects a stream of another device. Skips a stream that is being captured: querying its device would end the
  /// capture.
  void check_device_of(CUstream stream) noexcept {
    using is_capturing = CUresult(CUstream, CUstreamCaptureStatus*);
    using get_device = CUresult(CUstream, CUdevice*);
    static auto* const status_of = driver_function<is_capturing>("cuStreamIsCapturing", 10000);
    static auto* const device_of = driver_function<get_device>("cuStreamGetDevice", 12080);
    if (status_of == nullptr || device_of == nullptr) return;
    CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
    CUresult refused = status_of(stream, &capture);
    if (refused == CUDA_SUCCESS && capture != CU_STREAM_CAPTURE_STATUS_NONE) return;
    CUdevice of_stream = device_;
    if (refused == CUDA_SUCCESS) refused = device_of(stream, &of_stream);
    outcome_ = cuda_failure(refused, "exec: the stream cannot be used");
    if (outcome_ && of_stream != device_)
      outcome_ = reject("exec: the stream is of another device than the current one");
  }

  static constexpr pointer_reasons inputs{"an input: host memory, in a call on a stream",
                                          "an input: memory of a device that the current one cannot reach",
                                          "an input: longer than the memory at its address"};
  static constexpr pointer_reasons outputs{"an output: host memory, in a call on a stream",
                                           "an output: memory of a device that the current one cannot reach",
                                           "an output: longer than the memory at its address"};

  static std::size_t bytes_of(index_t size, std::size_t each) noexcept {
    return size > 0 ? static_cast<std::size_t>(size) * each : 0;
  }

  void check(memory_range const& range, pointer_reasons const& reasons) noexcept {
    check(range.begin, range.size, reasons);
  }
  void check(void const* begin, std::size_t size, pointer_reasons const& reasons) noexcept {
    if (!outcome_ || begin == nullptr || size == 0) return;
    auto const address = reinterpret_cast<CUdeviceptr>(begin);
    memory_attributes memory;
    if (!memory.read(address) || memory.managed != 0) return;
    if (memory.type == CU_MEMORYTYPE_DEVICE) {
      int reachable = 1;
      if (memory.device != device_ && cudaDeviceCanAccessPeer(&reachable, device_, memory.device) != cudaSuccess)
        return;
      if (reachable == 0) {
        outcome_ = reject(reasons.on_other_device);
      } else if (!holds_range(memory, address, size)) {
        outcome_ = reject(reasons.too_long);
      }
    } else if (memory.on_device != address && !reads_host_memory()) {
      outcome_ = reject(reasons.on_host);
    } else if (memory.type == CU_MEMORYTYPE_HOST && !holds_range(memory, address, size)) {
      outcome_ = reject(reasons.too_long);
    }
  }

  /// True on systems where kernels can access all memory of the process.
  bool reads_host_memory() const noexcept {
    int value = 0;
    return cudaDeviceGetAttribute(&value, cudaDevAttrPageableMemoryAccess, device_) == cudaSuccess && value != 0;
  }

  /// Returns false if an allocation is known to end before `size` bytes. A reservation may consist of several pieces of
  /// physical memory, which are checked piece by piece.
  static bool holds_range(memory_attributes memory, CUdeviceptr address, std::size_t size) noexcept {
    CUdeviceptr const end = address + size;
    if (end < address) return false;
    while (memory.size != 0 && memory.begin + memory.size < end) {
      CUdeviceptr const next = memory.begin + memory.size;
      if (memory.single != 0 || memory.type == CU_MEMORYTYPE_HOST) return false;
      memory = {};
      if (!memory.read(next)) return true;
      if (memory.type != CU_MEMORYTYPE_DEVICE) return false;
    }
    return true;
  }

  result outcome_;
  int device_ = 0;
};

#endif  // FARPOINT_CHECK_POINTERS

/// Checks, if FARPOINT_CHECK_POINTERS is 1, that the stream is of the current device (skipped while it is being
/// captured), and that kernels on the stream can access the arrays of a call: device memory, managed memory, pool
/// memory, or host memory pinned and mapped at the given address. Checks lengths if the driver knows them. Null
/// pointers and empty arrays pass.
///
/// Not detected: freed memory, and overruns within one pool allocation.
/// @tparam Checks  makes instantiations differ, so that files with and without checks can be linked together
/// @param arrays   batches, spans, views, pointers to reports
template <bool Checks = FARPOINT_CHECK_POINTERS != 0, class... Arrays>
result check_pointers([[maybe_unused]] cuda_exec exec, [[maybe_unused]] Arrays const&... arrays) noexcept {
#if FARPOINT_CHECK_POINTERS
  pointer_checker checker{exec};
  (checker.add(arrays), ...);
  return checker.outcome();
#else
  return {};
#endif
}

}  // namespace detail
FARPOINT_END_NAMESPACE

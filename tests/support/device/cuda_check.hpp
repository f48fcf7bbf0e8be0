// CUDA calls in tests: a failure ends the test case with the call's name.
#pragma once

#include <cuda_runtime.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "../poison.hpp"

namespace farpoint_tests {

inline void require_cuda(cudaError_t error, char const* call) {
  if (error != cudaSuccess) throw std::runtime_error{std::string{call} + ": " + cudaGetErrorString(error)};
}

#define REQUIRE_CUDA(call) farpoint_tests::require_cuda((call), #call)

/// Device memory for a test, between two guards.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t size) : size_{size} {
    REQUIRE_CUDA(cudaMalloc(&memory_, size * sizeof(T) + 2 * guard));
    REQUIRE_CUDA(cudaMemset(memory_, poison, size * sizeof(T) + 2 * guard));
    // The memset is asynchronous, and a test_stream does not wait for it.
    REQUIRE_CUDA(cudaStreamSynchronize(nullptr));
  }
  explicit device_array(std::vector<T> const& values) : device_array(values.size()) { upload(values); }
  device_array(device_array const&) = delete;
  device_array& operator=(device_array const&) = delete;
  ~device_array() { cudaFree(memory_); }

  T* data() const { return reinterpret_cast<T*>(memory_ + guard); }
  std::size_t size() const { return size_; }

  void upload(std::vector<T> const& values) {
    if (values.empty()) return;
    REQUIRE_CUDA(cudaMemcpy(data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    // From pageable memory it may return with the last part on its way, and a test_stream does not wait for it.
    REQUIRE_CUDA(cudaStreamSynchronize(nullptr));
  }
  std::vector<T> download() const {
    std::vector<T> values(size_);
    if (size_ != 0) REQUIRE_CUDA(cudaMemcpy(values.data(), data(), size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }
  /// Back to the poison, as if nothing had been written.
  void refill() {
    REQUIRE_CUDA(cudaMemset(data(), poison, size_ * sizeof(T)));
    REQUIRE_CUDA(cudaStreamSynchronize(nullptr));
  }
  /// No byte outside was written.
  bool intact() const { return is_poison(memory_, guard) && is_poison(memory_ + guard + size_ * sizeof(T), guard); }
  bool untouched() const { return is_poison(memory_, size_ * sizeof(T) + 2 * guard); }

 private:
  static constexpr std::size_t guard = 4096;

  static bool is_poison(unsigned char const* device, std::size_t size) {
    std::vector<unsigned char> bytes(size);
    REQUIRE_CUDA(cudaMemcpy(bytes.data(), device, size, cudaMemcpyDeviceToHost));
    for (unsigned char const byte : bytes) {
      if (byte != poison) return false;
    }
    return true;
  }

  unsigned char* memory_ = nullptr;
  std::size_t size_;
};

/// A stream that does not wait for the legacy default stream.
class test_stream {
 public:
  test_stream() { REQUIRE_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  test_stream(test_stream const&) = delete;
  test_stream& operator=(test_stream const&) = delete;
  ~test_stream() { cudaStreamDestroy(stream_); }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace farpoint_tests

// Device memory of a call.
#pragma once

#include <cuda_runtime.h>

#include "cuda_check.hpp"

namespace farpoint_stress {

/// Memory of the arrays of cuda_exec. Every function returns when it is done: the streams of the calls do not wait for
/// the default one. All but allocate() and release() may be called while a kernel runs that does not end.
struct device_space {
  static constexpr std::size_t guard = 4096;

  static void* allocate(std::size_t size) {
    void* memory = nullptr;
    REQUIRE_CUDA(cudaMalloc(&memory, size));
    return memory;
  }
  static void release(void* memory) { cudaFree(memory); }
  static void fill(void* memory, unsigned char byte, std::size_t size) {
    REQUIRE_CUDA(cudaMemsetAsync(memory, byte, size, cudaStreamPerThread));
    REQUIRE_CUDA(cudaStreamSynchronize(cudaStreamPerThread));
  }
  static void upload(void* to, void const* from, std::size_t size) { copy(to, from, size, cudaMemcpyHostToDevice); }
  static void download(void* to, void const* from, std::size_t size) { copy(to, from, size, cudaMemcpyDeviceToHost); }

 private:
  static void copy(void* to, void const* from, std::size_t size, cudaMemcpyKind kind) {
    REQUIRE_CUDA(cudaMemcpyAsync(to, from, size, kind, cudaStreamPerThread));
    REQUIRE_CUDA(cudaStreamSynchronize(cudaStreamPerThread));
  }
};

}  // namespace farpoint_stress

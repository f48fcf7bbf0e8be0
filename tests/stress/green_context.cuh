// A stream that has a part of the GPU's multiprocessors.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>
#include <stdexcept>
#include <string>

namespace farpoint_stress {

#if CUDART_VERSION >= 12050

/// A function of the driver, found at run time: the program needs no libcuda to be linked.
template <class Function>
Function driver_function(char const* name, Function) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult how{};
  cudaError_t const error = cudaGetDriverEntryPointByVersion(name, &found, CUDART_VERSION, cudaEnableDefault, &how);
  if (error != cudaSuccess || found == nullptr) throw std::runtime_error{std::string{"the driver has no "} + name};
  return reinterpret_cast<Function>(found);
}
#define FARPOINT_STRESS_DRIVER(name) farpoint_stress::driver_function(#name, static_cast<decltype(&name)>(nullptr))

class green_context {
 public:
  /// @param wanted  multiprocessors; it may be some more
  explicit green_context(int wanted) {
    CUdevice device = 0;
    require(FARPOINT_STRESS_DRIVER(cuDeviceGet)(&device, 0), "cuDeviceGet");
    CUdevResource all{}, part{}, rest{};
    require(FARPOINT_STRESS_DRIVER(cuDeviceGetDevResource)(device, &all, CU_DEV_RESOURCE_TYPE_SM),
            "cuDeviceGetDevResource");
    unsigned groups = 1;
    require(FARPOINT_STRESS_DRIVER(cuDevSmResourceSplitByCount)(&part, &groups, &all, &rest, 0,
                                                                static_cast<unsigned>(wanted)),
            "cuDevSmResourceSplitByCount");
    CUdevResourceDesc description{};
    require(FARPOINT_STRESS_DRIVER(cuDevResourceGenerateDesc)(&description, &part, 1), "cuDevResourceGenerateDesc");
    require(FARPOINT_STRESS_DRIVER(cuGreenCtxCreate)(&context_, description, device, CU_GREEN_CTX_DEFAULT_STREAM),
            "cuGreenCtxCreate");
    require(FARPOINT_STRESS_DRIVER(cuGreenCtxStreamCreate)(&stream_, context_, CU_STREAM_NON_BLOCKING, 0),
            "cuGreenCtxStreamCreate");
    multiprocessors_ = static_cast<int>(part.sm.smCount);
  }
  green_context(green_context const&) = delete;
  green_context& operator=(green_context const&) = delete;
  ~green_context() {
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
    FARPOINT_STRESS_DRIVER(cuGreenCtxDestroy)(context_);
  }

  cudaStream_t stream() const { return stream_; }
  int multiprocessors() const { return multiprocessors_; }

  /// Makes it the current context of this thread, for as long as the object lives.
  class current {
   public:
    explicit current(green_context const& green) {
      CUcontext context = nullptr;
      require(FARPOINT_STRESS_DRIVER(cuCtxFromGreenCtx)(&context, green.context_), "cuCtxFromGreenCtx");
      require(FARPOINT_STRESS_DRIVER(cuCtxGetCurrent)(&before_), "cuCtxGetCurrent");
      require(FARPOINT_STRESS_DRIVER(cuCtxSetCurrent)(context), "cuCtxSetCurrent");
    }
    current(current const&) = delete;
    current& operator=(current const&) = delete;
    ~current() { FARPOINT_STRESS_DRIVER(cuCtxSetCurrent)(before_); }

   private:
    CUcontext before_ = nullptr;
  };

 private:
  static void require(CUresult result, char const* call) {
    if (result != CUDA_SUCCESS) {
      throw std::runtime_error{std::string{call} + ": driver error " + std::to_string(static_cast<int>(result))};
    }
  }

  CUgreenCtx context_ = nullptr;
  CUstream stream_ = nullptr;
  int multiprocessors_ = 0;
};

#endif  // CUDART_VERSION >= 12050

}  // namespace farpoint_stress

#include "on_stream.hpp"

FARPOINT_BEGIN_NAMESPACE
namespace library {

namespace {

/// Kernel of this build, for cudaFuncGetAttributes().
__global__ void probe_kernel() {}

}  // namespace

bool cuda_usable() noexcept {
  cudaError_t const pending = cudaPeekAtLastError();
  int devices = 0;
  cudaFuncAttributes attributes{};
  // The runtime returns an error if this build has no code for the device.
  bool const usable = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0 &&
                      cudaFuncGetAttributes(&attributes, probe_kernel) == cudaSuccess;
  // A missing device is a valid result here: clear the error, or the caller's next check would report it.
  if (!usable && pending == cudaSuccess) cudaGetLastError();
  return usable;
}

}  // namespace library
FARPOINT_END_NAMESPACE

// The calls of CUDA's runtime that src/frame.cpp and src/thread_memory.cpp make, on host memory: what they copy, and
// where to, is tested without a GPU.
#include "fake_cuda.hpp"

#include <cstdlib>
#include <cstring>

namespace farpoint_tests {

std::size_t copied_to_device = 0;
int open_pools = 0;
int current_device = 0;
cudaError_t outcome_of_attributes = cudaSuccess;

}  // namespace farpoint_tests

extern "C" {

cudaError_t cudaGetDevice(int* device) {
  *device = farpoint_tests::current_device;
  return cudaSuccess;
}
#undef cudaGetDeviceProperties
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp* properties, int device) {
  return cudaGetDeviceProperties(properties, device);
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, cudaMemPoolProps const*) {
  *pool = reinterpret_cast<cudaMemPool_t>(pool);
  ++farpoint_tests::open_pools;
  return cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t) {
  --farpoint_tests::open_pools;
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  return farpoint_tests::outcome_of_attributes;
}
cudaError_t cudaMallocFromPoolAsync(void** memory, std::size_t size, cudaMemPool_t, cudaStream_t) {
  *memory = std::aligned_alloc(256, (size + 255) / 256 * 256);
  return *memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t) {
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** memory, std::size_t size, unsigned) {
  return cudaMallocFromPoolAsync(memory, size, {}, {});
}
cudaError_t cudaFreeHost(void* memory) {
  return cudaFreeAsync(memory, {});
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = {};
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = {};
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return cudaEventCreate(event);
}
cudaError_t cudaEventDestroy(cudaEvent_t) {
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, void const*) {
  attributes->type = cudaMemoryTypeUnregistered;
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, void const* from, std::size_t size, cudaMemcpyKind kind, cudaStream_t) {
  std::memcpy(to, from, size);
  if (kind == cudaMemcpyHostToDevice) farpoint_tests::copied_to_device += size;
  return cudaSuccess;
}

}  // extern "C"

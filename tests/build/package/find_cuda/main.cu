#include <farpoint/gather.cuh>

#include <cstdio>

farpoint::result gather_elsewhere(cudaStream_t stream);

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("SKIPPED: no CUDA device");
    return 77;
  }
  farpoint::result const here = farpoint::gather(farpoint::cuda_exec{cudaStreamPerThread},
                                                 farpoint::span<float const>{}, 3, {}, farpoint::span<float>{});
  return here && gather_elsewhere(cudaStreamPerThread) ? 0 : 1;
}

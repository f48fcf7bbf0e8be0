#include <farpoint/fps.cuh>

#include <cstdio>

farpoint::result sample_elsewhere(cudaStream_t stream);

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("SKIPPED: no CUDA device");
    return 77;
  }
  farpoint::batch<farpoint::point_view<float>> const nothing{farpoint::point_view<float>{}};
  farpoint::result const here = farpoint::fps(farpoint::cuda_exec{cudaStreamPerThread}, nothing, {}, {}, {});
  return here && sample_elsewhere(cudaStreamPerThread) ? 0 : 1;
}

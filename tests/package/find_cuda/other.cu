#include <farpoint/fps.cuh>

farpoint::result sample_elsewhere(cudaStream_t stream);

farpoint::result sample_elsewhere(cudaStream_t stream) {
  farpoint::batch<farpoint::point_view<float>> const nothing{farpoint::point_view<float>{}};
  return farpoint::fps(farpoint::cuda_exec{stream}, nothing, {}, {}, {});
}

// The consumer on a GPU gives the bits that it gives on the host.
#include "distance_to_mean.hpp"

#include <farpoint/search/for_each_neighborhood.cuh>

#include <cstdio>
#include <cstring>

namespace {

template <class T>
T* on_device(std::size_t size) {
  void* memory = nullptr;
  return cudaMalloc(&memory, size * sizeof(T)) == cudaSuccess ? static_cast<T*>(memory) : nullptr;
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("SKIPPED: no CUDA device");
    return 77;
  }
  std::vector<float> const all = user::coordinates();
  auto const n = all.size() / 3;
  auto const size = static_cast<farpoint::index_t>(n);
  std::vector<float> expected(2 * n);
  if (!user::answer({all.data(), size}, expected.data(), expected.data() + n)) return 1;

  float* const coordinates = on_device<float>(all.size());
  float* const found = on_device<float>(2 * n);
  farpoint::point_view<float> const points{coordinates, size};
  farpoint::batch const cloud{points};
  farpoint::cuda_exec const exec{cudaStreamPerThread};
  farpoint::neighborhood_params params;
  params.exclude_self = true;
  std::size_t const bytes = knn_workspace_bytes(exec, cloud, params.with_k(user::neighbors));
  farpoint::bytes const workspace{on_device<unsigned char>(bytes), bytes};
  cudaMemcpy(coordinates, all.data(), all.size() * sizeof(float), cudaMemcpyHostToDevice);
  user::distance_to_mean const consumer{points, found, found + n};
  if (!farpoint::for_each_neighborhood<user::neighbors>(exec, cloud, params, consumer, workspace)) return 1;
  std::vector<float> answer(2 * n);
  cudaStreamSynchronize(exec.stream);
  if (cudaMemcpy(answer.data(), found, 2 * n * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  bool const is_same = std::memcmp(answer.data(), expected.data(), 2 * n * sizeof(float)) == 0;
  std::puts(is_same ? "the bits of the host" : "other bits than the host's");
  return is_same ? 0 : 1;
}

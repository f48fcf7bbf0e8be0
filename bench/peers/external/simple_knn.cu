/// @file
/// Mean squared distance to the three nearest points by simple-knn, which 3D Gaussian splatting uses; its source as it
/// is.

#include "peers/external/device_peers.hpp"
#include "support/cuda_handles.hpp"

// Its header needs CUDA's types.
#include <cuda_runtime.h>

#include <simple_knn.h>

#include <cstddef>
#include <vector>

namespace farpoint_bench {
namespace {

/// It allocates memory and waits for the device in each call.
class simple_knn final : public device_mean_distance {
 public:
  explicit simple_knn(input const& in) : in_{in}, means_{static_cast<std::size_t>(in.points)} {}

  static bool suits(input const& in) { return in.k == 3; }
  void enqueue(cudaStream_t) override {
    // The function reads points only.
    auto* const points = const_cast<float3*>(reinterpret_cast<float3 const*>(in_.xyz));
    SimpleKNN::knn(in_.points, points, means_.data());
    check(cudaGetLastError(), "SimpleKNN::knn");
  }
  std::vector<float> means() const override { return means_.download(); }

 private:
  input in_;
  device_buffer<float> means_;
};

register_device_peer<device_mean_distance, simple_knn> const means{"simple_knn", peer_stream::standard};

}  // namespace
}  // namespace farpoint_bench

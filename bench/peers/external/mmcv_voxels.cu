/// @file
/// Voxels by mmcv, its sources as they are, and the mean features that detectors compute of them. Needs PyTorch.

#include "peers/external/device_peers.hpp"
#include "peers/external/torch_tensors.hpp"

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <ATen/cuda/CUDAApplyUtils.cuh>
#include <THC/THCAtomics.cuh>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <vector>

namespace farpoint_bench {
namespace {

// The sources' headers have been included: their names stay in this namespace.
namespace mmcv {
#include "pytorch/cuda/voxelization_cuda.cu"
}  // namespace mmcv

/// It clears its outputs and waits for the number of voxels in each call, as mmcv's Python package does.
/// @tparam IsDeterministic  voxels and points are in the order of the input
template <bool IsDeterministic>
class mmcv_voxels final : public device_voxelize {
 public:
  explicit mmcv_voxels(input const& in)
      : in_{in}, records_{tensor_of(in.records, {in.points, 5})}, size_{in.size, in.size + 3}, range_{in.lower[0],
                                                                                                      in.lower[1],
                                                                                                      in.lower[2],
                                                                                                      in.upper[0],
                                                                                                      in.upper[1],
                                                                                                      in.upper[2]} {}

  // The deterministic kernel compares all pairs of points.
  static bool suits(input const& in) { return !IsDeterministic || in.points <= 300'000; }

  void enqueue(cudaStream_t) override {
    auto const integers = records_.options().dtype(at::kInt);
    at::Tensor voxels = at::zeros({in_.max_voxels, in_.max_points, 5}, records_.options());
    at::Tensor coords = at::zeros({in_.max_voxels, 3}, integers);
    at::Tensor counts = at::zeros({in_.max_voxels}, integers);
    auto const call = IsDeterministic ? mmcv::HardVoxelizeForwardCUDAKernelLauncher
                                      : mmcv::NondeterministicHardVoxelizeForwardCUDAKernelLauncher;
    int const size = call(records_, voxels, coords, counts, size_, range_, in_.max_points, in_.max_voxels, 3);
    coords_ = coords.narrow(0, 0, size);
    counts_ = counts.narrow(0, 0, size);
    means_ = voxels.narrow(0, 0, size).sum(1) / counts_.unsqueeze(1);
  }

  answer voxels() const override {
    at::Tensor const means = means_.contiguous().cpu();
    auto const* const data = means.data_ptr<float>();
    // Its coordinates are z, y, x.
    return {download(coords_.flip(1)), download(counts_), {data, data + means.numel()}};
  }

 private:
  input in_;
  at::Tensor records_;
  std::vector<float> size_;
  std::vector<float> range_;
  at::Tensor coords_;
  at::Tensor counts_;
  at::Tensor means_;
};

register_device_peer<device_voxelize, mmcv_voxels<true>> const in_order{"mmcv", peer_stream::standard};
register_device_peer<device_voxelize, mmcv_voxels<false>> const in_any_order{"mmcv_nondeterministic",
                                                                             peer_stream::standard};

}  // namespace
}  // namespace farpoint_bench

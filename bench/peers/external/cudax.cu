/// @file
/// The hash map of CCCL's cudax, fixed_capacity_map, which cuCollections is continued in.

#include "peers/external/device_peers.hpp"
#include "support/cuda_handles.hpp"

#include <cuda/experimental/__cuco/fixed_capacity_map.cuh>
#include <cuda/experimental/__cuco/types.cuh>
#include <cuda/memory_resource>
#include <cuda/std/utility>
#include <cuda/stream>

#include <cstddef>
#include <cstdint>

namespace farpoint_bench {
namespace {

__global__ void pair_kernel(std::uint32_t const* keys, std::uint32_t const* values, std::size_t size,
                            cuda::std::pair<std::uint32_t, std::uint32_t>* pairs) {
  std::size_t const i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) pairs[i] = {keys[i], values[i]};
}

/// Keys and values have the same size, as in cudax's own benchmark.
class cudax_map final : public device_map<std::uint32_t> {
 public:
  using key = std::uint32_t;
  using pair = cuda::std::pair<key, std::uint32_t>;
  using map = cuda::experimental::cuco::fixed_capacity_map<key, std::uint32_t>;

  explicit cudax_map(input const& in)
      : pairs_{in.keys},
        map_{stream_.get(), cuda::device_default_memory_pool(cuda::device_ref{0}), in.slots,
             cuda::experimental::cuco::empty_key<key>{~key{0}},
             cuda::experimental::cuco::empty_value<std::uint32_t>{~std::uint32_t{0}}} {}

  static bool suits(input const&) { return true; }

  void clear(cudaStream_t stream) override { map_.clear_async(cuda::stream_ref{stream}); }
  void prepare(cudaStream_t stream, key const* keys, std::uint32_t const* values) override {
    auto const blocks = static_cast<unsigned>((pairs_.size() + 255) / 256);
    pair_kernel<<<blocks, 256, 0, stream>>>(keys, values, pairs_.size(), pairs_.data());
    check(cudaGetLastError(), "pair_kernel");
  }
  void insert(cudaStream_t stream) override {
    map_.insert_async(cuda::stream_ref{stream}, pairs_.data(), pairs_.data() + pairs_.size());
  }
  void find(cudaStream_t stream, key const* keys, std::uint32_t* values) override {
    map_.find_async(cuda::stream_ref{stream}, keys, keys + pairs_.size(), values);
  }

 private:
  owned_stream stream_;
  device_buffer<pair> pairs_;
  map map_;
};

register_device_map<std::uint32_t, cudax_map> const registered{"cudax"};

}  // namespace
}  // namespace farpoint_bench

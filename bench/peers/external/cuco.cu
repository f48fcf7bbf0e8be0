/// @file
/// The hash map of cuCollections, static_map.

#include "peers/external/device_peers.hpp"
#include "support/cuda_handles.hpp"

#include <cuco/static_map.cuh>

#include <cstddef>
#include <cstdint>

namespace farpoint_bench {
namespace {

using pair = cuco::pair<std::uint32_t, std::uint32_t>;

__global__ void pair_kernel(std::uint32_t const* keys, std::uint32_t const* values, std::size_t size, pair* pairs) {
  std::size_t const i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) pairs[i] = pair{keys[i], values[i]};
}

/// Its defaults: double hashing, by groups of four threads.
class cuco_map final : public device_map<std::uint32_t> {
 public:
  using key = std::uint32_t;

  explicit cuco_map(input const& in)
      : pairs_{in.keys},
        map_{in.slots, cuco::empty_key<key>{~key{0}}, cuco::empty_value<std::uint32_t>{~std::uint32_t{0}}} {}

  static bool suits(input const&) { return true; }

  void clear(cudaStream_t stream) override { map_.clear_async({stream}); }
  void prepare(cudaStream_t stream, key const* keys, std::uint32_t const* values) override {
    auto const blocks = static_cast<unsigned>((pairs_.size() + 255) / 256);
    pair_kernel<<<blocks, 256, 0, stream>>>(keys, values, pairs_.size(), pairs_.data());
    check(cudaGetLastError(), "pair_kernel");
  }
  void insert(cudaStream_t stream) override {
    map_.insert_async(pairs_.data(), pairs_.data() + pairs_.size(), {stream});
  }
  void find(cudaStream_t stream, key const* keys, std::uint32_t* values) override {
    map_.find_async(keys, keys + pairs_.size(), values, {stream});
  }

 private:
  device_buffer<pair> pairs_;
  cuco::static_map<key, std::uint32_t> map_;
};

register_device_map<std::uint32_t, cuco_map> const registered{"cuco"};

}  // namespace
}  // namespace farpoint_bench

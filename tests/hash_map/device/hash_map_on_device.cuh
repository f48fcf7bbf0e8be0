// A hash map with its memory on a device.
#pragma once

#include <farpoint/hash_map.cuh>

#include "../../support/device/cuda_check.hpp"
#include "../hash_map_bulk.hpp"

namespace farpoint_tests {

/// A stream of its own.
class device_backend {
 public:
  template <class T>
  using array = device_array<T>;

  cudaStream_t stream() const { return stream_.get(); }
  farpoint::cuda_exec exec() const { return stream(); }
  void wait() const { REQUIRE_CUDA(cudaStreamSynchronize(stream())); }

 private:
  test_stream stream_;
};

template <class Map>
using device_map = map_owner<Map, device_backend>;
template <class Map>
using bulk_backend = bulk_calls<Map, device_backend>;

}  // namespace farpoint_tests

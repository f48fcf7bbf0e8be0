/// @file
/// Check of the lists that a call of knn on the GPU returns. Needs nvcc.
#pragma once

#include "knn/expected.hpp"
#include "support/device_lists.cuh"

#include <string>

namespace farpoint_bench {

/// Runs a contender once, from cleared lists; throws unless it returns `expected`.
/// @param launch  `launch(stream)` fills `lists`
template <class Launch>
void verify_lists(device_lists& lists, cudaStream_t stream, Launch&& launch, knn_lists const& expected,
                  farpoint::index_t k, std::string const& who) {
  lists.clear(stream);
  launch(stream);
  expect_equal({lists.download_indices(), lists.download_distances()}, expected, k, who);
}

}  // namespace farpoint_bench

// Memory for workspaces on a stream.
#include <farpoint/device_scratch.cuh>

#include <utility>

#include "../../support/catch.hpp"
#include "../../support/device/cuda_check.hpp"

using namespace farpoint_tests;
using farpoint::device_scratch;

TEST_CASE("device_scratch: aligned, grows and moves, in the order of its stream", "[owning][device]") {
  test_stream const stream;
  test_stream const other;
  device_scratch scratch;
  CHECK(scratch.size() == 0);
  REQUIRE(scratch.reserve(stream.get(), 1000));
  unsigned char* const first = scratch.get().data();
  CHECK(reinterpret_cast<std::uintptr_t>(first) % 256 == 0);
  REQUIRE_CUDA(cudaMemsetAsync(first, 7, scratch.size(), stream.get()));
  REQUIRE(scratch.reserve(stream.get(), 10));
  CHECK(scratch.get().data() == first);
  device_scratch moved = std::move(scratch);
  CHECK(moved.get().data() == first);
  CHECK(scratch.size() == 0);
  REQUIRE(moved.reserve(stream.get(), 100000));
  CHECK(moved.size() == 100000);
  farpoint::bytes const workspace = moved;
  REQUIRE_CUDA(cudaMemsetAsync(workspace.data(), 9, workspace.size(), stream.get()));
  // reserve() on another stream reallocates, also for a smaller size.
  REQUIRE(moved.reserve(other.get(), 10));
  CHECK(moved.size() == 10);
  REQUIRE(moved.release());
  CHECK(moved.get().empty());
  REQUIRE(moved.release());
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  auto const refused = moved.reserve(stream.get(), std::size_t{1} << 55);
  CHECK(refused.code == farpoint::status::out_of_memory);
  CHECK(moved.size() == 0);
  cudaGetLastError();
}

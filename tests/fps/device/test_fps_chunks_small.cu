// fps() on cuda_exec with chunks of less than a warp: the same bits.
#include "fps_chunks.cuh"

using namespace farpoint_tests;

FPS_CHUNK_TEST(8, 8)
FPS_CHUNK_TEST(16, 6)

TEST_CASE("fps, device: chunks of 16 doubles", "[fps][device]") {
  check_tuning<chunked<16, 4>, double>();
}

TEST_CASE("fps, device: chunks of 8 and 16 points under the sanitizers", "[fps][device][sanitize]") {
  check_small_chunks<only<chunked<8, 8>, fps_kernel::in_block>>();
  check_small_chunks<only<chunked<16, 6>, fps_kernel::in_grid>>();
}

TEST_CASE("fps, device: slices of small chunks that shared memory does not hold", "[fps][device][large]") {
  check_large_slices<chunked<8, 8>>();
  check_large_slices<chunked<16, 6>>();
}

TEST_CASE("fps, device: boxes of a batch of small chunks that shared memory does not hold", "[fps][device][large]") {
  check_large_batch<chunked<8, 8>>(2000000);
}

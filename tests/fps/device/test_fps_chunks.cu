// fps() on cuda_exec with chunks of a warp and more: the same bits.
#include "fps_chunks.cuh"

using namespace farpoint_tests;

// Groups of one, of a power of two and of others. Chunks of 128 are the default.
FPS_CHUNK_TEST(32, 1)
FPS_CHUNK_TEST(64, 2)
FPS_CHUNK_TEST(256, 3)

TEST_CASE("fps, device: chunks of 64 points under the sanitizers", "[fps][device][sanitize]") {
  check_small_chunks<only<chunked<64, 2>, fps_kernel::in_grid>>();
}

TEST_CASE("fps, device: slices that shared memory does not hold", "[fps][device][large]") {
  check_large_slices<farpoint::fps_selector>();
  check_large_slices<chunked<64, 2>>();
}

TEST_CASE("fps, device: boxes of a batch that shared memory does not hold", "[fps][device][large]") {
  check_large_batch<farpoint::fps_selector>(8000000);
  check_large_batch<chunked<64, 2>>(9000000);
}

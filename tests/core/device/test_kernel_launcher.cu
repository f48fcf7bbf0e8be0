// Grids of launches. A grid that would be too large is refused before a kernel is enqueued.
#include <farpoint/grid/kernel_launcher.cuh>

#include "../../support/catch.hpp"

using farpoint::index_t;
using farpoint::detail::blocks_for;
using farpoint::detail::fits_grid;
using farpoint::detail::kernel_launcher;
using farpoint::detail::max_blocks;

namespace {

struct nothing {};
__global__ void do_nothing(nothing) {}

}  // namespace

TEST_CASE("kernel_launcher: the largest grid, and one thread more", "[kernel_launcher][device]") {
  for (int const block_size : {32, 256, 1024}) {
    CAPTURE(block_size);
    index_t const most = index_t{max_blocks} * block_size;
    CHECK(fits_grid(most, block_size));
    CHECK_FALSE(fits_grid(most + 1, block_size));
    CHECK(blocks_for(0, block_size) == 1);
    CHECK(blocks_for(block_size + 1, block_size) == 2);
    CHECK(blocks_for(most, block_size) == max_blocks);
    CHECK(blocks_for(most - block_size, block_size) == max_blocks - 1);
    // A kernel with a stride of the grid gets the largest grid for more threads.
    CHECK(blocks_for(most + 1, block_size) == max_blocks);
    CHECK(blocks_for(most + 1, block_size, 1000) == 1000);

    kernel_launcher launcher{nullptr};
    launcher.launch_for(0, block_size, do_nothing, nothing{});
    CHECK(launcher.error() == cudaSuccess);
    launcher.launch_for(most + 1, block_size, do_nothing, nothing{});
    CHECK(launcher.error() == cudaErrorInvalidConfiguration);
    bool is_enqueued = false;
    launcher.then([&] {
      is_enqueued = true;
      return cudaSuccess;
    });
    CHECK_FALSE(is_enqueued);
  }
}

// grid_barrier in cooperative kernels: all blocks read after it the words that blocks wrote before it.
#include <farpoint/grid/grid_barrier.cuh>

#include "../../support/catch.hpp"
#include "../../support/device/cuda_check.hpp"

#include <algorithm>
#include <vector>

using namespace farpoint_tests;

namespace {

struct barrier_args {
  std::uint32_t* words;  ///< `[2, blocks, threads]`
  unsigned* arrivals;    ///< `[groups]`
  unsigned* wrong;
  int groups;  ///< blocks are dealt out to them in turn
  int rounds;
};

__host__ __device__ inline std::uint32_t word_of(std::uint32_t round, std::uint32_t at) {
  return round * 2654435761u ^ at * 40503u;
}

/// In each round, each thread writes a word and, behind the barrier, reads words of two other blocks of its group.
__global__ void barrier_kernel(barrier_args const args) {
  int const group = static_cast<int>(blockIdx.x) % args.groups;
  int const rank = static_cast<int>(blockIdx.x) / args.groups;
  int const size = (static_cast<int>(gridDim.x) - group + args.groups - 1) / args.groups;
  farpoint::grid_barrier barrier{rank, size, &args.arrivals[group]};
  if (barrier.block_rank() != rank || barrier.num_blocks() != size) atomicAdd(args.wrong, 1u);
  auto const place_of = [&](int block) {
    return static_cast<std::uint32_t>((block % size * args.groups + group) * static_cast<int>(blockDim.x));
  };
  for (int round = 0; round < args.rounds; ++round) {
    std::uint32_t* const words = args.words + std::size_t{static_cast<unsigned>(round) % 2} * gridDim.x * blockDim.x;
    std::uint32_t const mine = place_of(rank) + threadIdx.x;
    words[mine] = word_of(static_cast<std::uint32_t>(round), mine);
    barrier.sync();
    // The word of another thread, too: visibility must not be limited to the thread that waited.
    for (int const step : {1, 1 + round % size}) {
      std::uint32_t const other = place_of(rank + step) + (threadIdx.x + static_cast<unsigned>(round)) % blockDim.x;
      if (words[other] != word_of(static_cast<std::uint32_t>(round), other)) atomicAdd(args.wrong, 1u);
    }
  }
}

void check_barrier(int blocks, int threads, int groups, int rounds) {
  CAPTURE(blocks, threads, groups, rounds);
  device_array<std::uint32_t> const words{2 * static_cast<std::size_t>(blocks) * static_cast<std::size_t>(threads)};
  device_array<unsigned> const arrivals{std::vector<unsigned>(static_cast<std::size_t>(groups))};
  device_array<unsigned> const wrong{std::vector<unsigned>(1)};
  barrier_args args{words.data(), arrivals.data(), wrong.data(), groups, rounds};
  void* arguments[] = {&args};
  REQUIRE_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<void const*>(barrier_kernel),
                                           dim3(static_cast<unsigned>(blocks)), dim3(static_cast<unsigned>(threads)),
                                           arguments, 0, nullptr));
  REQUIRE_CUDA(cudaDeviceSynchronize());
  CHECK(wrong.download()[0] == 0);
  bool const intact = words.intact() && arrivals.intact();
  CHECK(intact);
  for (int group = 0; group < groups; ++group) {
    int const size = (blocks - group + groups - 1) / groups;
    // A group of one block does not count arrivals.
    unsigned const expected = size > 1 ? static_cast<unsigned>(size) * static_cast<unsigned>(rounds) : 0;
    CHECK(arrivals.download()[static_cast<std::size_t>(group)] == expected);
  }
}

int resident_blocks(int threads) {
  int multiprocessors = 0;
  int each = 0;
  REQUIRE_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  REQUIRE_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, barrier_kernel, threads, 0));
  return multiprocessors * each;
}

}  // namespace

TEST_CASE("grid_barrier: blocks see what others wrote", "[grid_barrier][device][sanitize]") {
  for (int const blocks : {1, 2, 3, 16}) check_barrier(blocks, 32, 1, 50);
  check_barrier(4, 1, 1, 50);
  check_barrier(5, 100, 2, 50);
}
TEST_CASE("grid_barrier: as many blocks as the device holds, many rounds", "[grid_barrier][device]") {
  for (int const threads : {32, 128, 1024}) {
    int const most = resident_blocks(threads);
    check_barrier(most, threads, 1, 2000);
    check_barrier(most / 2, threads, 1, 2000);
    check_barrier(most, threads, std::min(7, most), 2000);
  }
  check_barrier(2, 32, 1, 100000);
}

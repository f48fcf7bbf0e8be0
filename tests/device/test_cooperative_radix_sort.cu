// cooperative_radix_sort in cooperative kernels, against std::stable_sort.
#include <farpoint/grid/cooperative_radix_sort.cuh>

#include "radix_sort_problem.cuh"

using namespace farpoint_tests;

namespace {

template <int Threads, int Items>
__global__ void __launch_bounds__(Threads) sort_kernel(radix_sort_call const call, unsigned* arrivals) {
  using sorter = farpoint::cooperative_radix_sort<Threads, Items>;
  __shared__ typename sorter::storage shared;
  farpoint::grid_barrier barrier{static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x), arrivals};
  sorter sort{barrier, call.workspace, shared};
  barrier.sync();
  call.repeat([&](auto const& from, auto const& to, bool has_values) {
    sort.sort(from, to, call.size, call.bits, has_values);
  });
}

template <int Threads, int Items>
void check_sort(radix_problem const& wished, std::uint64_t seed) {
  CAPTURE(Threads, Items);
  auto const words = farpoint::cooperative_radix_sort_workspace_words(wished.blocks);
  device_array<unsigned> const arrivals{std::vector<unsigned>(1)};
  // By whole digits.
  int const compared = farpoint::radix_passes(wished.bits) * farpoint::radix_bits;
  check_radix_sort(wished, compared, static_cast<std::size_t>(words), seed, [&](radix_sort_call call) {
    unsigned* counter = arrivals.data();
    void* arguments[] = {&call, &counter};
    REQUIRE_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<void const*>(sort_kernel<Threads, Items>),
                                             dim3(static_cast<unsigned>(wished.blocks)), dim3(Threads), arguments, 0,
                                             nullptr));
  });
  CHECK(arrivals.intact());
}

template <int Threads, int Items>
int resident_blocks() {
  int multiprocessors = 0;
  int each = 0;
  REQUIRE_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  REQUIRE_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, sort_kernel<Threads, Items>, Threads, 0));
  return multiprocessors * each;
}

}  // namespace

TEST_CASE("cooperative_radix_sort: few keys", "[cooperative_radix_sort][device][sanitize]") {
  check_radix_blocks({1, 2, 17}, {0, 1, 31, 32, 33, 1023, 1024, 1025, 5000}, 1, check_sort<256, 4>);
  check_radix_bits(check_sort<256, 4>);
}
TEST_CASE("cooperative_radix_sort: groups of blocks", "[cooperative_radix_sort][device]") {
  check_radix_blocks({1, 15, 16, 17, 33}, {32 * 33, 2048 * 16, 2048 * 17 + 1, 100000}, 100, check_sort<512, 4>);
  check_radix_blocks({16}, {100000}, 200, check_sort<1024, 2>);
}
TEST_CASE("cooperative_radix_sort: as many blocks as the device holds", "[cooperative_radix_sort][device]") {
  int const small = resident_blocks<512, 4>();
  int const large = resident_blocks<512, 16>();
  check_radix_blocks({small}, {100000, (1 << 20) + 7}, 300, check_sort<512, 4>);
  check_radix_blocks({large}, {(1 << 20) + 7, 5000000}, 400, check_sort<512, 16>);
  for (int const bits : {9, 16, 31}) check_sort<512, 16>({(1 << 20) + 7, large, bits, true, 2}, 500);
}

// phased_radix_sort in kernels of several phases, against std::stable_sort.
#include <farpoint/grid/phased_radix_sort.cuh>

#include "radix_sort_problem.cuh"

using namespace farpoint_tests;

namespace {

template <int Threads, int Items, int Window>
__global__ void __launch_bounds__(Threads) sort_kernel(radix_sort_call const call, farpoint::grid_phase* all_phases) {
  using sorter = farpoint::phased_radix_sort<Threads, Items, Window>;
  __shared__ typename sorter::storage shared;
  __shared__ farpoint::grid_phases::storage phase;
  farpoint::grid_phases phases{all_phases, phase};
  sorter const sort{call.workspace, shared};
  call.repeat([&](auto const& from, auto const& to, bool has_values) {
    phases.run(1, [&](unsigned) { sort.clear_counts(); });
    sort.start_counting();
    // Units of other sizes than tiles.
    unsigned const units = 1 + call.size / 777;
    phases.run(
        units,
        [&](unsigned unit) {
          sort.clear_sums(call.size, unit, units);
          for (std::uint32_t at = unit * Threads + threadIdx.x; at < call.size; at += units * Threads) {
            sort.count(from.keys[at], call.bits);
          }
        },
        [&] { sort.add_counts(call.bits); });
    sort.sort(phases, from, to, call.size, call.bits, has_values);
  });
}

template <int Threads, int Items, int Window>
void check_sort(radix_problem const& problem, std::uint64_t seed) {
  CAPTURE(Threads, Items, Window);
  auto const words = farpoint::phased_radix_sort_workspace_words(static_cast<farpoint::index_t>(problem.size),
                                                                 farpoint::index_t{Threads} * Items);
  device_array<farpoint::grid_phase> const phases{
      std::vector<farpoint::grid_phase>(static_cast<std::size_t>(problem.times) * 6 + 1)};
  check_radix_sort(problem, problem.bits, static_cast<std::size_t>(words), seed, [&](radix_sort_call const& call) {
    sort_kernel<Threads, Items, Window><<<static_cast<unsigned>(problem.blocks), Threads>>>(call, phases.data());
  });
  CHECK(phases.intact());
}

}  // namespace

TEST_CASE("phased_radix_sort: few keys", "[phased_radix_sort][device][sanitize]") {
  check_radix_blocks({1, 2, 17}, {0, 1, 31, 32, 33, 1023, 1024, 1025, 5000}, 1, check_sort<256, 4, 1>);
  check_radix_bits(check_sort<256, 4, 3>);
}
TEST_CASE("phased_radix_sort: fewer blocks than tiles, and more", "[phased_radix_sort][device]") {
  check_radix_blocks({1, 15, 100, 1000}, {32 * 33, 2048 * 16, 2048 * 17 + 1, 100000}, 100, check_sort<512, 4, 16>);
  check_radix_blocks({132, 500}, {100000, (1 << 20) + 7}, 200, check_sort<384, 16, 4>);
  check_radix_blocks({132, 500}, {(1 << 20) + 7, 5000000}, 300, check_sort<512, 16, 8>);
  for (int const bits : {9, 16, 31}) check_sort<512, 16, 8>({(1 << 20) + 7, 132, bits, true, 2}, 400);
}

/// @file
/// Radix sort by one block: all keys stay in registers and shared memory from the first digit to the last.
#pragma once

#include <farpoint/block/dynamic_shared.cuh>
#include <farpoint/grid/radix_sweep.cuh>

#include <cub/block/block_radix_rank.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Arguments of radix_block_kernel().
struct radix_block_args {
  std::uint32_t const* keys;
  std::uint32_t const* values;
  std::uint32_t* sorted_keys;    ///< may be `keys`
  std::uint32_t* sorted_values;  ///< may be `values`
  radix_size size;
  int bits;  ///< low bits of the keys that are sorted by
};

/// CUB's class that ranks the keys of a full tile by one digit. A warp finds the lanes that share a digit by eight
/// ballots, so that the cost does not depend on the distribution of the digits.
template <int Threads>
using radix_block_rank = CUB_NS_QUALIFIER::BlockRadixRankMatch<Threads, radix_bits, false>;

template <int Threads, int Items>
union radix_block_storage {
  typename radix_block_rank<Threads>::TempStorage rank;
  std::uint32_t words[std::size_t{Threads * Items}];
};

/// Sorts up to Threads x Items pairs by one block. Its shared memory is dynamic, because it may exceed the 48 KB that
/// static shared memory is limited to.
template <int Threads, int Items>
__global__ void __launch_bounds__(Threads) radix_block_kernel(radix_block_args const args) {
  using place_type = radix_tile<Threads>;
  auto& shared = *static_cast<radix_block_storage<Threads, Items>*>(dynamic_shared());
  std::uint32_t const size = args.size.get();
  std::uint32_t keys[Items];
  std::uint32_t values[Items];
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    std::uint32_t const at = place_type::template place_of<Items>(i);
    // Padding keys have the highest digits. The sort is stable, so that they end behind keys with the same bits.
    keys[i] = at < size ? args.keys[at] : ~0u;
    values[i] = at < size ? args.values[at] : 0;
  }

  int places[Items];
  auto const exchange = [&](std::uint32_t(&words)[Items]) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Items; ++i) shared.words[places[i]] = words[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Items; ++i) words[i] = shared.words[place_type::template place_of<Items>(i)];
  };
#pragma unroll 1
  for (int pass = 0; pass < radix_passes(args.bits); ++pass) {
    __syncthreads();
    radix_block_rank<Threads>{shared.rank}.RankKeys(keys, places,
                                                    radix_digit_extractor{radix_digit::of_pass(pass, args.bits)});
    exchange(keys);
    exchange(values);
  }

#pragma unroll
  for (int i = 0; i < Items; ++i) {
    std::uint32_t const at = place_type::template place_of<Items>(i);
    if (at >= size) continue;
    args.sorted_keys[at] = keys[i];
    args.sorted_values[at] = values[i];
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE

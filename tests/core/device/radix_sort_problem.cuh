// Keys and values for the radix sorts that run inside kernels, compared with std::stable_sort.
#pragma once

#include <farpoint/block/radix_tile.cuh>

#include <algorithm>
#include <numeric>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/device/cuda_check.hpp"
#include "../../support/random.hpp"

namespace farpoint_tests {

struct radix_problem {
  std::size_t size;
  int blocks;
  int bits;
  bool has_values = true;
  int times = 1;
  unsigned values = 0;  ///< number of distinct keys; 0: no limit
};

/// Arguments of a kernel that sorts 32-bit words.
struct radix_sort_call {
  farpoint::radix_words buffers[2];
  std::uint32_t* workspace;
  std::uint32_t size;
  int bits;
  int times;  ///< number of sorts, each from the buffer that holds the last result
  bool has_values;

  /// Calls `sort(from, to, has_values)` `times` times.
  template <class Sort>
  __device__ void repeat(Sort&& sort) const {
    int from = 0;
    for (int i = 0; i < times; ++i) {
      sort(buffers[from], buffers[1 - from], has_values || i > 0);
      from = (from + farpoint::radix_passes(bits)) % 2;
    }
  }
};

/// @param compared  bits of the keys that the order is by
/// @param sort      `sort(radix_sort_call)`: launches the kernel
template <class Sort>
void check_radix_sort(radix_problem const& problem, int compared, std::size_t workspace_words, std::uint64_t seed,
                      Sort const& sort) {
  using words = std::vector<std::uint32_t>;
  CAPTURE(problem.size, problem.blocks, problem.bits, problem.has_values, problem.times, problem.values, seed);
  random_source random{seed};
  words keys(problem.size);
  words values(problem.size);
  for (std::size_t i = 0; i < problem.size; ++i) {
    auto const number = static_cast<std::uint32_t>(random.next());
    keys[i] = problem.values == 0 ? number : number % problem.values * 0x01030507u;
    values[i] = problem.has_values ? static_cast<std::uint32_t>(random.next()) : static_cast<std::uint32_t>(i);
  }
  device_array<std::uint32_t> const first_keys{keys};
  device_array<std::uint32_t> const first_values{problem.has_values ? values : words(problem.size, 77)};
  device_array<std::uint32_t> const second_keys{problem.size};
  device_array<std::uint32_t> const second_values{problem.size};
  device_array<std::uint32_t> const workspace{workspace_words};
  sort(radix_sort_call{{{first_keys.data(), first_values.data()}, {second_keys.data(), second_values.data()}},
                       workspace.data(),
                       static_cast<std::uint32_t>(problem.size),
                       problem.bits,
                       problem.times,
                       problem.has_values});
  REQUIRE_CUDA(cudaGetLastError());
  REQUIRE_CUDA(cudaDeviceSynchronize());

  std::uint32_t const mask = compared == 32 ? ~0u : (1u << compared) - 1;
  words places(problem.size);
  std::iota(places.begin(), places.end(), 0u);
  std::stable_sort(places.begin(), places.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return (keys[a] & mask) < (keys[b] & mask); });
  bool const in_first = farpoint::radix_passes(problem.bits) * problem.times % 2 == 0;
  words const sorted_keys = (in_first ? first_keys : second_keys).download();
  words const sorted_values = (in_first ? first_values : second_values).download();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < problem.size; ++i) {
    if (sorted_keys[i] != keys[places[i]] || sorted_values[i] != values[places[i]]) ++wrong;
  }
  CHECK(wrong == 0);
  bool const intact = first_keys.intact() && first_values.intact() && second_keys.intact() && second_values.intact() &&
                      workspace.intact();
  CHECK(intact);
}

/// Calls `check(problem, seed)` for random keys, equal keys and two distinct keys, and without input values: the sort
/// then writes the keys' indices.
template <class Check>
void check_radix_blocks(std::initializer_list<int> all, std::initializer_list<std::size_t> sizes, std::uint64_t seed,
                        Check const& check) {
  for (int const blocks : all) {
    for (std::size_t const size : sizes) {
      check(radix_problem{size, blocks, 32}, ++seed);
      check(radix_problem{size, blocks, 32, false}, ++seed);
      check(radix_problem{size, blocks, 32, true, 1, 1}, ++seed);
      check(radix_problem{size, blocks, 32, true, 1, 2}, ++seed);
    }
  }
}

/// Calls `check(problem, seed)` for keys of each number of digits, sorted once and several times.
template <class Check>
void check_radix_bits(Check const& check) {
  for (int const bits : {0, 1, 7, 8, 9, 16, 24, 31, 32}) {
    check(radix_problem{3000, 3, bits}, std::uint64_t{50});
    check(radix_problem{3000, 3, bits, bits == 0, 3}, std::uint64_t{51});
  }
}

}  // namespace farpoint_tests

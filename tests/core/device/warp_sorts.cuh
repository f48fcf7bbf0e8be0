// Sorts of keys in shared memory by one warp: the result ascends and holds the same keys.
#pragma once

#include <farpoint/container/neighbor_key.hpp>
#include <farpoint/warp/cuda_warp.cuh>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/device/cuda_check.hpp"
#include "../../support/for_each_value.hpp"
#include "../../support/random.hpp"

namespace farpoint_tests {

using farpoint::index_key;
using farpoint::neighbor_key;

/// Warps of a block, each with a problem of its own.
inline constexpr int sort_warps = 3;

/// Base of a sort under test. Derived types add a `storage` with member `keys`, and `sort(storage, size)`.
template <class Key, int Capacity>
struct shared_sort {
  using key = Key;
  static constexpr int capacity = Capacity;
};

/// Sorts `size` keys per warp. Counts in `overwritten` the guard words around each warp's storage that changed.
template <class Sort, class Key>
__global__ void sort_in_shared(Key* keys, int size, unsigned* overwritten) {
  struct guarded {
    unsigned before[4];
    typename Sort::storage storage;
    unsigned after[4];
  };
  __shared__ guarded shared[sort_warps];
  int const lane = static_cast<int>(threadIdx.x) % 32;
  int const warp = static_cast<int>(threadIdx.x) / 32;
  guarded& mine = shared[warp];
  if (lane < 4) mine.before[lane] = mine.after[lane] = 0xabcdefu;
  Key* const all = keys + (static_cast<std::size_t>(blockIdx.x) * sort_warps + warp) * static_cast<std::size_t>(size);
  for (int i = lane; i < size; i += 32) mine.storage.keys[i] = all[i];
  __syncwarp();
  Sort::sort(mine.storage, size);
  for (int i = lane; i < size; i += 32) all[i] = mine.storage.keys[i];
  if (lane < 4 && (mine.before[lane] != 0xabcdefu || mine.after[lane] != 0xabcdefu)) atomicAdd(overwritten, 1u);
}

template <class Key>
Key sort_key(std::uint64_t number) {
  if constexpr (std::is_arithmetic_v<Key>) {
    return static_cast<Key>(number);
  } else {
    // Ties in the distance.
    return Key{static_cast<decltype(Key{}.distance2())>(number % 5), static_cast<std::uint32_t>(number / 5)};
  }
}

/// Returns the numbers of one problem, by kind: 0 random, 1 few distinct, 2 all equal, 3 ascending, 4 descending,
/// 5 ascending and then descending.
inline std::vector<std::uint64_t> sort_numbers(int size, int kind, random_source& random) {
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < size; ++i) {
    std::int64_t const by_kind[] = {random.below(1 << 24),      random.below(3), 7, i, size - i,
                                    i < size / 2 ? i : size - i};
    numbers.push_back(static_cast<std::uint64_t>(by_kind[kind]));
  }
  return numbers;
}

template <class Key>
bool same_bytes(Key const& a, Key const& b) {
  if constexpr (std::is_arithmetic_v<Key>) {
    return std::memcmp(&a, &b, sizeof a) == 0;
  } else {
    return a.distance2() == b.distance2() && a.index() == b.index();
  }
}

/// Returns true if each group of `size` keys of `sorted` ascends and is a permutation of the same group of `given`.
/// Keys that are equal by operator< may come in any order, for example index_keys of one index and two distances.
template <class Key>
bool are_sorted(std::vector<Key> sorted, std::vector<Key> given, int size) {
  if (sorted.size() != given.size()) return false;
  auto const by_value = [](Key const& a, Key const& b) {
    if constexpr (std::is_arithmetic_v<Key>) {
      return a < b;
    } else {
      return std::make_pair(a.index(), a.distance2()) < std::make_pair(b.index(), b.distance2());
    }
  };
  for (std::ptrdiff_t begin = 0; begin < static_cast<std::ptrdiff_t>(given.size()); begin += size) {
    if (!std::is_sorted(sorted.begin() + begin, sorted.begin() + begin + size)) return false;
    std::sort(sorted.begin() + begin, sorted.begin() + begin + size, by_value);
    std::sort(given.begin() + begin, given.begin() + begin + size, by_value);
  }
  return std::equal(sorted.begin(), sorted.end(), given.begin(), given.end(), same_bytes<Key>);
}

template <class Sort>
void check_shared_sort(int size, int kind, std::uint64_t seed) {
  using key = typename Sort::key;
  CAPTURE(size, kind, seed, sizeof(key));
  constexpr int blocks = 2;
  random_source random{seed};
  std::vector<key> keys;
  for (int problem = 0; problem < blocks * sort_warps; ++problem) {
    for (std::uint64_t const number : sort_numbers(size, kind, random)) keys.push_back(sort_key<key>(number));
  }
  device_array<key> const memory{keys};
  device_array<unsigned> const overwritten{std::vector<unsigned>{0}};
  sort_in_shared<Sort><<<blocks, 32 * sort_warps>>>(memory.data(), size, overwritten.data());
  REQUIRE_CUDA(cudaGetLastError());
  REQUIRE_CUDA(cudaDeviceSynchronize());
  CHECK(are_sorted(memory.download(), keys, size));
  CHECK(overwritten.download()[0] == 0);
  CHECK(memory.intact());
}

/// Checks size 0 and all powers of two up to the capacity.
template <class Sort>
void check_sizes() {
  for (int size = 0; size <= Sort::capacity; size = size == 0 ? 1 : 2 * size) {
    for (int kind = 0; kind < 6; ++kind) {
      std::uint64_t const problems = kind < 2 ? 3 : 1;
      for (std::uint64_t seed = 1; seed <= problems; ++seed) check_shared_sort<Sort>(size, kind, seed);
    }
  }
}

template <class... Sorts>
void check_shared_sorts() {
  (check_sizes<Sorts>(), ...);
}

}  // namespace farpoint_tests

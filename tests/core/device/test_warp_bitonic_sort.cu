// warp_bitonic_sort() of keys in shared memory and of pairs in registers, and the networks of one thread in a kernel.
#include <farpoint/warp/sorting_network.hpp>
#include <farpoint/warp/warp_bitonic_sort.cuh>

#include <limits>

#include "warp_sorts.cuh"

using namespace farpoint_tests;

namespace {

template <class Key, int Capacity>
struct bitonic : shared_sort<Key, Capacity> {
  struct storage {
    Key keys[Capacity];
  };
  __device__ static void sort(storage& shared, int size) { farpoint::warp_bitonic_sort(shared.keys, size); }
};

struct three_words {
  std::uint32_t at[3];
};

template <class Value>
FARPOINT_HD Value value_number(std::uint32_t number) {
  if constexpr (std::is_same_v<Value, three_words>) {
    return {{number, ~number, number * 7}};
  } else {
    return static_cast<Value>(number);
  }
}

template <class Key, class Value>
__global__ void sort_in_registers(Key* keys, std::uint32_t* numbers, unsigned* torn) {
  std::size_t const i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  Key key = keys[i];
  auto value = value_number<Value>(numbers[i]);
  farpoint::warp_bitonic_sort(key, value);
  std::uint32_t number;
  if constexpr (std::is_same_v<Value, three_words>) {
    number = value.at[0];
    if (value.at[1] != ~number || value.at[2] != number * 7) atomicAdd(torn, 1u);
  } else {
    number = static_cast<std::uint32_t>(value);
  }
  keys[i] = key;
  numbers[i] = number;
}

/// Each warp's keys ascend, and each value is still with its key, whichever of equal ones comes first.
template <class Key, class Value>
void check_registers(int kind, std::uint64_t seed) {
  CAPTURE(kind, seed, sizeof(Key), sizeof(Value));
  constexpr std::size_t warps = 6;
  random_source random{seed};
  std::vector<Key> keys;
  std::vector<std::uint32_t> numbers;
  for (std::size_t warp = 0; warp < warps; ++warp) {
    for (std::uint64_t const number : sort_numbers(32, kind, random)) {
      // Signs where there are any.
      keys.push_back(static_cast<Key>(static_cast<Key>(number) - static_cast<Key>(std::is_signed_v<Key> ? 12 : 0)));
      numbers.push_back(static_cast<std::uint32_t>(numbers.size()));
    }
  }
  device_array<Key> const key_memory{keys};
  device_array<std::uint32_t> const number_memory{numbers};
  device_array<unsigned> const torn{std::vector<unsigned>{0}};
  sort_in_registers<Key, Value><<<2, 32 * warps / 2>>>(key_memory.data(), number_memory.data(), torn.data());
  REQUIRE_CUDA(cudaGetLastError());
  REQUIRE_CUDA(cudaDeviceSynchronize());
  auto const sorted = key_memory.download();
  auto const moved = number_memory.download();
  CHECK(torn.download()[0] == 0);
  bool right = true;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i % 32 != 0) right = right && !(sorted[i] < sorted[i - 1]);
    right = right && moved[i] / 32 == i / 32 && keys[moved[i]] == sorted[i];
  }
  auto once = moved;
  std::sort(once.begin(), once.end());
  CHECK(once == numbers);
  CHECK(right);
}

template <class Key, class Value>
void check_all_registers() {
  for (int kind = 0; kind < 6; ++kind) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) check_registers<Key, Value>(kind, seed);
  }
}

/// A thread sorts its `Size` keys, then folds them into a bitonic sequence and merges it.
template <int Size, class Key>
__global__ void sort_by_network(Key* keys, Key* merged, int threads) {
  int const thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (thread >= threads) return;
  Key mine[Size];
#pragma unroll
  for (int i = 0; i < Size; ++i) mine[i] = keys[thread * Size + i];
  farpoint::network_sort(mine);
#pragma unroll
  for (int i = 0; i < Size; ++i) keys[thread * Size + i] = mine[i];
  // Every other key up, the others down again.
  Key bitonic[Size];
#pragma unroll
  for (int i = 0; i < Size; ++i) bitonic[i] = mine[i < (Size + 1) / 2 ? 2 * i : 2 * (Size - 1 - i) + 1];
  farpoint::bitonic_merge(bitonic);
#pragma unroll
  for (int i = 0; i < Size; ++i) merged[thread * Size + i] = bitonic[i];
}

/// `size` keys for each of the threads, of every kind in turn.
template <class Key>
std::vector<Key> thread_keys(int threads, int size, std::uint64_t seed) {
  random_source random{seed};
  std::vector<Key> keys;
  for (int thread = 0; thread < threads; ++thread) {
    for (std::uint64_t const number : sort_numbers(size, thread % 6, random)) keys.push_back(sort_key<Key>(number));
  }
  return keys;
}

template <int Size, class Key>
void check_network(std::uint64_t seed) {
  CAPTURE(Size, seed, sizeof(Key));
  constexpr int threads = 1000;
  auto const keys = thread_keys<Key>(threads, Size, seed);
  device_array<Key> const memory{keys};
  device_array<Key> const merged{keys.size()};
  sort_by_network<Size><<<(threads + 127) / 128, 128>>>(memory.data(), merged.data(), threads);
  REQUIRE_CUDA(cudaGetLastError());
  REQUIRE_CUDA(cudaDeviceSynchronize());
  CHECK(are_sorted(memory.download(), keys, Size));
  CHECK(are_sorted(merged.download(), keys, Size));
}

template <class Key>
void check_networks() {
  for_each_value<1, 2, 4, 8, 16, 32>([](auto size) { check_network<size, Key>(size); });
}

/// A thread carries the lowest of its keys through a loop to their end: one register holds it in all exchanges.
template <class Key>
__global__ void carry_lowest(Key* keys, int size) {
  Key* const mine = keys + static_cast<std::size_t>(threadIdx.x) * static_cast<std::size_t>(size);
  Key lowest = mine[0];
#pragma unroll 1
  for (int i = 1; i < size; ++i) {
    Key next = mine[i];
    sort_pair(lowest, next);
    mine[i - 1] = next;
  }
  mine[size - 1] = lowest;
}

template <class Key>
void check_carried(int size, std::uint64_t seed) {
  CAPTURE(size, seed, sizeof(Key));
  constexpr int threads = 32;
  auto keys = thread_keys<Key>(threads, size, seed);
  device_array<Key> const memory{keys};
  carry_lowest<<<1, threads>>>(memory.data(), size);
  REQUIRE_CUDA(cudaGetLastError());
  REQUIRE_CUDA(cudaDeviceSynchronize());
  for (auto begin = keys.begin(); begin != keys.end(); begin += size) {
    for (int i = 1; i < size; ++i) {
      if (begin[i - 1] < begin[i]) std::swap(begin[i - 1], begin[i]);
    }
  }
  auto const carried = memory.download();
  CHECK(std::equal(carried.begin(), carried.end(), keys.begin(), keys.end(), same_bytes<Key>));
}

}  // namespace

TEST_CASE("warp_bitonic_sort: keys in shared memory", "[warp][device][sanitize]") {
  check_shared_sorts<bitonic<std::uint32_t, 2048>, bitonic<float, 64>, bitonic<neighbor_key<float>, 1024>,
                     bitonic<neighbor_key<double>, 256>>();
}

TEST_CASE("warp_bitonic_sort: NaN moves keys, and loses none", "[warp][device]") {
  std::vector<float> keys;
  for (int i = 0; i < 2 * sort_warps * 64; ++i) {
    keys.push_back(i % 3 == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(i * 37 % 64));
  }
  device_array<float> const memory{keys};
  device_array<unsigned> const overwritten{std::vector<unsigned>{0}};
  sort_in_shared<bitonic<float, 64>><<<2, 32 * sort_warps>>>(memory.data(), 64, overwritten.data());
  REQUIRE_CUDA(cudaDeviceSynchronize());
  auto sorted = memory.download();
  auto const by_bits = [](float a, float b) { return std::memcmp(&a, &b, sizeof a) < 0; };
  for (int problem = 0; problem < 2 * sort_warps; ++problem) {
    std::sort(sorted.begin() + problem * 64, sorted.begin() + problem * 64 + 64, by_bits);
    std::sort(keys.begin() + problem * 64, keys.begin() + problem * 64 + 64, by_bits);
  }
  CHECK(std::equal(sorted.begin(), sorted.end(), keys.begin(), keys.end(), same_bytes<float>));
}

TEST_CASE("warp_bitonic_sort: a key and a value of each lane", "[warp][device][sanitize]") {
  check_all_registers<std::uint64_t, std::uint32_t>();
  check_all_registers<std::int32_t, three_words>();
  check_all_registers<float, double>();
}

TEST_CASE("sorting networks in a kernel", "[warp][device]") {
  check_networks<std::uint32_t>();
  check_networks<neighbor_key<float>>();
  check_networks<neighbor_key<double>>();
  check_networks<index_key<float>>();
}

TEST_CASE("sort_pair of a key that a loop carries", "[warp][device]") {
  for (int const size : {2, 3, 40}) {
    check_carried<neighbor_key<float>>(size, 1);
    check_carried<neighbor_key<double>>(size, 2);
  }
}

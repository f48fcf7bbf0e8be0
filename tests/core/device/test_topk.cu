// The top-k lists of a thread in a kernel.
#include "../../support/catch.hpp"
#include "../../support/device/cuda_check.hpp"
#include "../../support/for_each_value.hpp"
#include "../topk_problem.hpp"

using namespace farpoint_tests;
using farpoint::index_key;
using farpoint::neighbor_key;

namespace {

template <class List, class Key>
__global__ void run_lists(Key const* keys, int size, int k, Key limit, Key* out, int problems) {
  int const problem = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (problem < problems) List::run(keys + problem * size, size, k, limit, out + problem * k);
}

template <class List, class Key, class Scalar, class Less>
void check_lists(int size, int k, Less const& less) {
  constexpr int problems = 70;
  CAPTURE(size, k, sizeof(Key));
  std::vector<Key> keys;
  for (int problem = 0; problem < problems; ++problem) {
    // Compared by index alone, keys with equal indices are equal, and a list may keep any: such kinds of keys are left
    // out.
    int const kind = std::is_same_v<Less, of_lower_index> ? 2 + problem % 3 : problem % 5;
    auto const some = topk_keys<Key, Scalar>(static_cast<std::size_t>(size), kind, static_cast<std::uint64_t>(problem));
    keys.insert(keys.end(), some.begin(), some.end());
  }
  for (Key const limit : {Key{std::numeric_limits<Scalar>::infinity(), farpoint::no_index}, Key{Scalar(0.5), 20}}) {
    device_array<Key> const memory{keys};
    device_array<Key> const out{static_cast<std::size_t>(problems * k)};
    run_lists<List><<<3, 32>>>(memory.data(), size, k, limit, out.data(), problems);
    REQUIRE_CUDA(cudaGetLastError());
    REQUIRE_CUDA(cudaDeviceSynchronize());
    auto const found = out.download();
    for (int problem = 0; problem < problems; ++problem) {
      CAPTURE(problem);
      std::vector<Key> const mine(found.begin() + problem * k, found.begin() + (problem + 1) * k);
      std::vector<Key> const given(keys.begin() + problem * size, keys.begin() + (problem + 1) * size);
      CHECK(same_keys(mine, smallest_keys(given, k, limit, less)));
    }
    CHECK(out.intact());
  }
}

template <class List>
void check_all() {
  for (int const k : {1, 3, 8, 32}) {
    if (k > List::most) continue;
    for (int const size : {0, 1, 7, 8, 9, 33, 200}) {
      check_lists<List, neighbor_key<float>, float>(size, k, nearer{});
      check_lists<List, neighbor_key<double>, double>(size, k, nearer{});
      check_lists<List, index_key<float>, float>(size, k, of_lower_index{});
    }
  }
}

}  // namespace

TEST_CASE("topk_list in a kernel", "[topk][device][sanitize]") {
  for_each_value<1, 8, 32>([](auto capacity) { check_all<in_registers<capacity>>(); });
}

TEST_CASE("topk_heap in a kernel", "[topk][device][sanitize]") {
  check_all<in_heap>();
}

namespace {

using key = neighbor_key<float>;

/// Key j that is offered to the list of query i; distances tie.
FARPOINT_HD key shown_key(std::uint32_t i, std::uint32_t j) {
  std::uint32_t const mixed = (i * 2654435761u ^ j * 40503u) * 2246822519u;
  return {static_cast<float>(mixed >> 22), j};
}

template <class List>
FARPOINT_HD void show_keys(List& list, std::uint32_t i, std::uint32_t keys) {
  for (std::uint32_t j = 0; j < keys; ++j) {
    if (shown_key(i, j) < list.worst()) list.push(shown_key(i, j));
  }
}

/// @param found  `[threads, k]`
template <int Capacity>
__global__ void registers_kernel(int k, std::uint32_t keys, key limit, key* found) {
  std::uint32_t const i = blockIdx.x * blockDim.x + threadIdx.x;
  farpoint::topk_list<key, Capacity> list{k, limit};
  show_keys(list, i, keys);
  list.write(found + std::size_t{i} * static_cast<std::size_t>(k), k);
}

/// Each thread's heap is a part of the block's shared memory, or the thread's own.
__global__ void heap_kernel(int k, std::uint32_t keys, key limit, key* found) {
  __shared__ unsigned long long shared[4 * 1024];
  unsigned long long local[100];
  std::uint32_t const i = blockIdx.x * blockDim.x + threadIdx.x;
  auto* const memory = reinterpret_cast<key*>(k > 100 ? shared + threadIdx.x * static_cast<unsigned>(k) : local);
  farpoint::topk_heap<key> heap{memory, k, limit};
  show_keys(heap, i, keys);
  heap.sort();
  for (int j = 0; j < k; ++j)
    found[std::size_t{i} * static_cast<std::size_t>(k) + j] = j < heap.count() ? memory[j] : limit;
}

/// The k best of each query's keys, by sorting all.
std::vector<std::uint32_t> best_indices(std::uint32_t queries, int k, std::uint32_t keys) {
  std::vector<std::uint32_t> best;
  for (std::uint32_t i = 0; i < queries; ++i) {
    std::vector<key> all;
    for (std::uint32_t j = 0; j < keys; ++j) all.push_back(shown_key(i, j));
    std::sort(all.begin(), all.end());
    for (std::size_t j = 0; j < static_cast<std::size_t>(k); ++j) {
      best.push_back(j < all.size() ? all[j].index() : farpoint::no_index);
    }
  }
  return best;
}

template <class Launch>
void check_shown(int k, std::uint32_t keys, Launch const& launch) {
  constexpr std::uint32_t queries = 8;
  CAPTURE(k, keys);
  device_array<std::uint64_t> const found{static_cast<std::size_t>(queries) * static_cast<std::size_t>(k)};
  static_assert(sizeof(key) == sizeof(std::uint64_t));
  key const limit{std::numeric_limits<float>::infinity(), farpoint::no_index};
  launch(reinterpret_cast<key*>(found.data()), limit);
  REQUIRE_CUDA(cudaGetLastError());
  REQUIRE_CUDA(cudaDeviceSynchronize());
  std::vector<std::uint32_t> indices;
  for (std::uint64_t const word : found.download()) indices.push_back(static_cast<std::uint32_t>(word));
  CHECK((found.intact() && indices == best_indices(queries, k, keys)));
}

}  // namespace

TEST_CASE("topk, device: lists in registers, and heaps in local and shared memory", "[topk][device][sanitize]") {
  for (std::uint32_t const keys : {0u, 1u, 7u, 500u, 3000u}) {
    for (int const k : {1, 2, 4, 7, 8}) {
      check_shown(k, keys, [&](key* found, key limit) { registers_kernel<8><<<2, 4>>>(k, keys, limit, found); });
    }
    for (int const k : {9, 31, 32}) {
      check_shown(k, keys, [&](key* found, key limit) { registers_kernel<32><<<2, 4>>>(k, keys, limit, found); });
    }
    for (int const k : {1, 33, 100, 101, 1024}) {
      check_shown(k, keys, [&](key* found, key limit) { heap_kernel<<<2, 4>>>(k, keys, limit, found); });
    }
  }
}

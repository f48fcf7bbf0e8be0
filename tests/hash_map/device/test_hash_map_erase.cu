// Keys that are erased from a hash_map_ref in kernels, and maps that kernels rehash.
#include <farpoint/hash_map.cuh>

#include "../../support/catch.hpp"
#include "hash_map_on_device.cuh"

using namespace farpoint_tests;

namespace {

/// Makes random calls: a thread with keys of its own, and keys that all threads share.
template <class Map>
__global__ void call_at_random(Map map, int threads, int calls, std::uint64_t seed,
                               modeled_key<typename Map::value_type>* model, std::uint32_t* live, unsigned* wrong) {
  auto const rank = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (rank >= threads) return;
  random_calls<Map> own{map, static_cast<std::uint32_t>(rank), seed, live};
  int const mistakes = own.run(calls, model + index_t{rank} * own_keys);
  if (mistakes != 0) atomicAdd(wrong, static_cast<unsigned>(mistakes));
}

/// A block makes random calls on a map in shared memory, and then rehashes it into one in global memory.
template <class Map, int Buckets>
__global__ void call_in_shared(Map to, int calls, modeled_key<typename Map::value_type>* model, std::uint32_t* live,
                               unsigned* wrong) {
  __shared__ farpoint::hash_map_bucket buckets[Buckets];
  Map const map{{buckets, Buckets}};
  map.clear(threadIdx.x, blockDim.x);
  __syncthreads();
  random_calls<Map> own{map, threadIdx.x, 5, live};
  int mistakes = own.run(calls, model + index_t{threadIdx.x} * own_keys);
  __syncthreads();
  mistakes += static_cast<int>(map.rehash_into(to, threadIdx.x, blockDim.x));
  if (mistakes != 0) atomicAdd(wrong, static_cast<unsigned>(mistakes));
}

template <class Map>
void check_random_calls(int threads, int calls, index_t buckets, std::uint64_t seed) {
  using model_type = modeled_key<typename Map::value_type>;
  CAPTURE(threads, calls, buckets, seed, sizeof(typename Map::key_type), sizeof(typename Map::value_type));
  device_map<Map> const owner{buckets};
  auto const keys = static_cast<std::size_t>(threads) * own_keys;
  device_array<model_type> const model{std::vector<model_type>(keys)};
  device_array<std::uint32_t> const live{std::vector<std::uint32_t>(shared_keys, 0)};
  device_array<unsigned> const wrong{std::vector<unsigned>{0}};
  call_at_random<<<static_cast<unsigned>((threads + 127) / 128), 128, 0, owner.stream()>>>(
      owner.map(), threads, calls, seed, model.data(), live.data(), wrong.data());
  REQUIRE_CUDA(cudaGetLastError());
  owner.wait();
  CHECK(wrong.download()[0] == 0);
  CHECK(agrees_with_models<Map>(owner.contents(), model.download(), live.download()));
  CHECK(owner.intact());
}

template <class Map>
void check_in_shared() {
  using model_type = modeled_key<typename Map::value_type>;
  constexpr int threads = 96, calls = 20;
  device_map<Map> const owner{Map::buckets_for(threads * own_keys + shared_keys)};
  device_array<model_type> const model{std::vector<model_type>(threads * own_keys)};
  device_array<std::uint32_t> const live{std::vector<std::uint32_t>(shared_keys, 0)};
  device_array<unsigned> const wrong{std::vector<unsigned>{0}};
  call_in_shared<Map, 900>
      <<<1, threads, 0, owner.stream()>>>(owner.map(), calls, model.data(), live.data(), wrong.data());
  REQUIRE_CUDA(cudaGetLastError());
  owner.wait();
  CHECK(wrong.download()[0] == 0);
  CHECK(agrees_with_models<Map>(owner.contents(), model.download(), live.download()));
}

template <class Check>
void for_each_erasing_kind(Check&& check) {
  check(erasing_map<std::uint32_t>{});
  check(erasing_map<std::uint64_t>{});
  check(erasing_map<std::int64_t, std::uint64_t>{});
  check(erasing_split_map<std::uint32_t>{});
}

}  // namespace

TEST_CASE("hash_map_ref in a kernel: random calls and erasures against a model", "[hash_map][device]") {
  for_each_erasing_kind([](auto kind) {
    using map_type = decltype(kind);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      check_random_calls<map_type>(20000, 100, map_type::buckets_for(2000000), seed);
      check_random_calls<map_type>(20000, 30, map_type::buckets_for(150000, 1), seed);
    }
  });
  check_random_calls<erasing_map<std::uint32_t, std::uint32_t, last_bucket_hash>>(300, 30, 2000, 1);
  check_random_calls<erasing_split_map<std::uint64_t, std::uint64_t, last_bucket_hash>>(300, 30, 2000, 1);
}

TEST_CASE("hash_map_ref in a kernel: random calls and erasures, briefly", "[hash_map][device][sanitize]") {
  for_each_erasing_kind([](auto kind) {
    using map_type = decltype(kind);
    check_random_calls<map_type>(200, 20, map_type::buckets_for(4000), 7);
    check_random_calls<map_type>(200, 20, map_type::buckets_for(100, 1), 7);
  });
}

TEST_CASE("hash_map_ref in a kernel: random calls and erasures in shared memory, key and value in one word",
          "[hash_map][device][sanitize]") {
  check_in_shared<erasing_map<std::uint32_t>>();
}

// [no_racecheck]: a value in a word of its own is set by st.relaxed, which racecheck (CUDA 13.0) takes for a plain
// store. All hazards that it reported were between such a store and another one, an ld.relaxed or an atomic operation
// on the value, which are no data race in the memory model of PTX. The map above changes values by compare-and-swap
// only.
TEST_CASE("hash_map_ref in a kernel: random calls and erasures in shared memory, values in words of their own",
          "[hash_map][device][sanitize][no_racecheck]") {
  check_in_shared<erasing_map<std::uint64_t>>();
  check_in_shared<erasing_map<std::int64_t, std::uint64_t>>();
  check_in_shared<erasing_split_map<std::uint32_t>>();
}

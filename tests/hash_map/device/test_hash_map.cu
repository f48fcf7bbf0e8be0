// hash_map_ref in kernels, in global and in shared memory, and the bulk operations on cuda_exec.
#include <farpoint/hash_map.cuh>

#include <limits>
#include <thread>
#include <unordered_set>

#include "../../core/device/radix_sort_kernels.cuh"
#include "../../support/catch.hpp"
#include "../../support/device/stream_citizen.cuh"
#include "../hash_map_bulk.hpp"
#include "hash_map_on_device.cuh"

using namespace farpoint_tests;
using farpoint::hash_map_bucket;
using farpoint::hash_map_ref;

#define BACKEND_NAME "device"
#define BACKEND_TAG "[device]"
#include "../hash_map_bulk_tests.inc"

namespace {

/// Output arrays of hash_map_extract().
template <class Map>
struct extraction {
  device_array<typename Map::key_type> keys;
  device_array<typename Map::value_type> values;
  device_array<std::uint64_t> count{1};
  device_array<unsigned char> workspace;

  extraction(farpoint::cuda_exec exec, Map const& map, std::size_t size)
      : keys{size}, values{size}, workspace{farpoint::hash_map_extract_workspace_bytes(exec, map)} {}

  farpoint::hash_map_pairs<typename Map::key_type, typename Map::value_type> pairs() const {
    return {as_span(keys), as_span(values), count.data()};
  }
};

/// Inserts entry i and checks at once what holds during concurrent insertions: the key is in the returned slot, and its
/// value is at most the inserted value.
template <class Map>
__global__ void insert_and_look(Map map, typename Map::key_type const* keys, typename Map::value_type const* values,
                                index_t size, unsigned* wrong) {
  index_t const i = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size) return;
  index_t const slot = map.insert_or_min(keys[i], values[i]).slot;
  bool const right = slot >= 0 && slot < map.capacity() && map.find(keys[i]) == slot && map.key(slot) == keys[i] &&
                     map.value(slot).load() <= values[i] && map.value_or(keys[i], ~values[i]) <= values[i];
  if (!right) atomicAdd(wrong, 1u);
}

/// Counts keys.
template <class Map>
__global__ void count_keys(Map map, typename Map::key_type const* keys, index_t size) {
  index_t const i = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size) return;
  index_t const slot = map.find_or_insert(keys[i]);
  if (slot != Map::npos) map.value(slot).fetch_add(1);
}

/// All threads insert each key at once; for exactly one thread the insertion must succeed.
template <class Map>
__global__ void insert_by_all(Map map, typename Map::key_type const* keys, index_t size, unsigned* winners,
                              index_t* slots, unsigned* wrong) {
  index_t const thread = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (index_t i = 0; i < size; ++i) {
    auto const did = map.insert(keys[i], 5);
    if (did.state == farpoint::insert_result::inserted) {
      atomicAdd(&winners[i], 1u);
      slots[i] = did.slot;
    }
    if (did.slot == Map::npos || (thread % 7 == 0 && map.find(keys[i]) != did.slot)) atomicAdd(wrong, 1u);
  }
}

/// Inserts more keys than the map can hold, and the empty key. A key is in the returned slot; or the full map refused
/// it, and then no later insertion of it can succeed either.
template <class Map>
__global__ void insert_beyond_room(Map map, typename Map::key_type const* keys, index_t size, unsigned* winners,
                                   unsigned* wrong) {
  index_t const i = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size) return;
  auto const did = map.insert(keys[i], 5);
  bool const is_empty = keys[i] == map.empty();
  bool right = map.find(keys[i]) == did.slot;
  if (did.slot == Map::npos) {
    right = right && did.state == (is_empty ? farpoint::insert_result::refused : farpoint::insert_result::full);
  } else {
    right = right && !is_empty && did.slot < map.capacity() && map.key(did.slot) == keys[i];
    if (right && did.state == farpoint::insert_result::inserted) atomicAdd(&winners[did.slot], 1u);
  }
  if (!right) atomicAdd(wrong, 1u);
}

/// Each block counts the keys of its part in a map in shared memory, then adds the counts to the map in global memory.
template <class Map, int Buckets>
__global__ void count_in_shared(Map all, typename Map::key_type const* keys, index_t each, index_t size) {
  __shared__ hash_map_bucket buckets[Buckets];
  Map const mine{{buckets, Buckets}, {all.empty()}, {0}};
  mine.clear(threadIdx.x, blockDim.x);
  __syncthreads();
  index_t const begin = index_t{blockIdx.x} * each;
  index_t const end = begin + each < size ? begin + each : size;
  for (index_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
    index_t const slot = mine.find_or_insert(keys[i]);
    // Keys that do not fit into shared memory go to the map in global memory.
    if (slot != Map::npos) {
      mine.value(slot).fetch_add(1);
    } else {
      all.value(all.find_or_insert(keys[i])).fetch_add(1);
    }
  }
  __syncthreads();
  mine.for_each([&all](auto key, auto count, index_t) { all.value(all.find_or_insert(key)).fetch_add(count); },
                threadIdx.x, blockDim.x);
}

unsigned blocks_for(std::size_t threads, unsigned block_size) {
  return static_cast<unsigned>((threads + block_size - 1) / block_size);
}

template <class Map>
void check_contention(std::size_t count, std::size_t distinct, double load, key_shape shape) {
  using key = typename Map::key_type;
  using value = typename Map::value_type;
  CAPTURE(count, distinct, load, static_cast<int>(shape), sizeof(key), sizeof(value));
  auto const pairs = make_pairs_of<key, value>(shape, count, distinct, count + distinct);
  auto const keys_on_host = keys_of(pairs);
  device_array<key> const keys{keys_on_host};
  device_array<value> const values{values_of(pairs)};
  device_array<unsigned> const wrong{std::vector<unsigned>{0}};
  index_t const buckets = Map::buckets_for(static_cast<index_t>(distinct), load);
  device_map<Map> const minima{buckets};
  insert_and_look<<<blocks_for(count, 256), 256, 0, minima.stream()>>>(minima.map(), keys.data(), values.data(),
                                                                       static_cast<index_t>(count), wrong.data());
  REQUIRE_CUDA(cudaGetLastError());
  minima.wait();
  CHECK(wrong.download()[0] == 0);
  CHECK(same_contents(minima.contents(), smallest_values(pairs)));
  CHECK(minima.intact());

  device_map<Map> const counts{buckets, {0}};
  count_keys<<<blocks_for(count, 256), 256, 0, counts.stream()>>>(counts.map(), keys.data(),
                                                                  static_cast<index_t>(count));
  REQUIRE_CUDA(cudaGetLastError());
  counts.wait();
  CHECK(same_contents(counts.contents(), multiplicities(pairs)));

  device_map<Map> const shared{buckets, {0}};
  constexpr index_t each = 3000;
  count_in_shared<Map, 301><<<blocks_for(count, each), 192, 0, shared.stream()>>>(shared.map(), keys.data(), each,
                                                                                  static_cast<index_t>(count));
  REQUIRE_CUDA(cudaGetLastError());
  shared.wait();
  CHECK(same_contents(shared.contents(), multiplicities(pairs)));
}

template <class Map>
void check_overfull(std::size_t count, std::size_t distinct, index_t buckets) {
  using key = typename Map::key_type;
  CAPTURE(count, distinct, buckets, sizeof(key));
  device_map<Map> const owner{buckets};
  auto keys_on_host = keys_of(make_pairs_of<key, std::uint32_t>(key_shape::random, count, distinct, distinct));
  std::unordered_set<key> const given{keys_on_host.begin(), keys_on_host.end()};
  for (std::size_t i = 0; i < count; i += 10) keys_on_host[i] = owner.map().empty();
  device_array<key> const keys{keys_on_host};
  auto const capacity = static_cast<std::size_t>(owner.map().capacity());
  device_array<unsigned> const winners{std::vector<unsigned>(capacity, 0)};
  device_array<unsigned> const wrong{std::vector<unsigned>{0}};
  insert_beyond_room<<<blocks_for(count, 256), 256, 0, owner.stream()>>>(
      owner.map(), keys.data(), static_cast<index_t>(count), winners.data(), wrong.data());
  REQUIRE_CUDA(cudaGetLastError());
  owner.wait();
  CHECK(wrong.download()[0] == 0);
  CHECK(winners.download() == std::vector<unsigned>(capacity, 1));
  auto const entries = owner.contents();
  CHECK(entries.size() == capacity);
  CHECK(std::all_of(entries.begin(), entries.end(),
                    [&given](auto const& entry) { return given.count(entry.key) == 1 && entry.value == 5; }));
  CHECK(owner.intact());
}

}  // namespace

TEST_CASE("hash_map_ref in a kernel: contended keys, in global and in shared memory", "[hash_map][device][sanitize]") {
  for (std::size_t const distinct : {1u, 3u, 64u, 1000u}) {
    check_contention<hash_map_ref<std::uint32_t>>(7000, distinct, 1, key_shape::grid);
    check_contention<hash_map_ref<std::uint64_t>>(7000, distinct, 1, key_shape::strided);
    check_contention<hash_map_ref<std::int64_t, std::uint64_t>>(7000, distinct, 0.5, key_shape::sequential);
    check_contention<split_map<std::uint32_t>>(7000, distinct, 1, key_shape::random);
  }
}

TEST_CASE("hash_map_ref in a kernel: millions of insertions", "[hash_map][device]") {
  for (key_shape const shape : all_key_shapes) {
    check_contention<hash_map_ref<std::uint32_t>>(3000000, 1000000, 0.8, shape);
    check_contention<hash_map_ref<std::uint64_t>>(3000000, 1000000, 0.8, shape);
  }
  for (std::size_t const distinct : {1u, 10u, 2000u}) {
    check_contention<hash_map_ref<std::uint32_t>>(4000000, distinct, 1, key_shape::random);
    check_contention<hash_map_ref<std::uint64_t>>(4000000, distinct, 1, key_shape::random);
  }
  check_contention<hash_map_ref<std::uint32_t, std::uint64_t>>(2000000, 500000, 0.5, key_shape::random);
  check_contention<split_map<std::uint64_t>>(3000000, 1000000, 0.8, key_shape::random);
  check_contention<split_map<std::uint32_t>>(4000000, 10, 1, key_shape::random);
}

TEST_CASE("hash_map_ref in a kernel: more keys than there is room for", "[hash_map][device]") {
  for (index_t const buckets : {1, 3, 100}) {
    check_overfull<hash_map_ref<std::uint32_t>>(2000000, 5000, buckets);
    check_overfull<hash_map_ref<std::uint64_t>>(2000000, 5000, buckets);
    check_overfull<hash_map_ref<std::int64_t, std::uint64_t>>(2000000, 5000, buckets);
    check_overfull<split_map<std::uint32_t>>(2000000, 5000, buckets);
  }
  // The map fills up only at the end: the last keys probe many buckets, and few are refused.
  check_overfull<hash_map_ref<std::uint32_t>>(1000000, 4500, 1000);
  check_overfull<split_map<std::uint64_t>>(1000000, 3000, 1000);
}

TEST_CASE("hash_map_ref in a kernel: more keys than there is room for, briefly", "[hash_map][device][sanitize]") {
  check_overfull<hash_map_ref<std::uint32_t>>(5000, 500, 10);
  check_overfull<split_map<std::uint64_t>>(5000, 500, 10);
}

TEST_CASE("hash_map_ref in a kernel: of all threads that insert a key, one does", "[hash_map][device]") {
  using map_type = hash_map_ref<std::uint64_t>;
  auto const keys_on_host = keys_of(make_pairs_of<std::uint64_t, std::uint32_t>(key_shape::random, 300, 300, 4));
  device_array<std::uint64_t> const keys{keys_on_host};
  device_array<unsigned> const winners{std::vector<unsigned>(300, 0)};
  device_array<unsigned> const wrong{std::vector<unsigned>{0}};
  device_array<index_t> const slots{300};
  device_map<map_type> const owner{map_type::buckets_for(300, 1)};
  insert_by_all<<<264, 512, 0, owner.stream()>>>(owner.map(), keys.data(), index_t{300}, winners.data(), slots.data(),
                                                 wrong.data());
  REQUIRE_CUDA(cudaGetLastError());
  owner.wait();
  CHECK(wrong.download()[0] == 0);
  CHECK(winners.download() == std::vector<unsigned>(300, 1));
  auto found = slots.download();
  std::sort(found.begin(), found.end());
  CHECK(std::unique(found.begin(), found.end()) == found.end());
}

TEST_CASE("hash_map, device: one map filled from several streams and threads", "[hash_map][device]") {
  using map_type = hash_map_ref<std::uint32_t>;
  auto const pairs = make_pairs_of<std::uint32_t, std::uint32_t>(key_shape::random, 400000, 50000, 9);
  device_array<std::uint32_t> const keys{keys_of(pairs)};
  device_array<std::uint32_t> const values{values_of(pairs)};
  device_map<map_type> const owner{map_type::buckets_for(50000)};
  constexpr std::size_t parts = 8;
  constexpr std::size_t each = 50000;
  std::vector<farpoint::result> outcomes(parts);
  std::vector<std::thread> callers;
  for (std::size_t part = 0; part < parts; ++part) {
    callers.emplace_back([&, part] {
      test_stream const stream;
      outcomes[part] =
          farpoint::hash_map_insert_or_min(stream.get(), owner.map(), as_const_span(keys).subspan(part * each, each),
                                           as_const_span(values).subspan(part * each, each));
      REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
    });
  }
  for (auto& caller : callers) caller.join();
  for (auto const& outcome : outcomes) CHECK(outcome);
  CHECK(same_contents(owner.contents(), smallest_values(pairs)));
}

TEST_CASE("hash_map, device: captured calls replay on new keys", "[hash_map][device][graph][sanitize]") {
  using map_type = hash_map_ref<std::uint64_t>;
  auto const before = make_pairs_of<std::uint64_t, std::uint32_t>(key_shape::random, 3000, 700, 1);
  auto const after = make_pairs_of<std::uint64_t, std::uint32_t>(key_shape::grid, 3000, 650, 2);
  device_array<std::uint64_t> keys{keys_of(before)};
  device_array<std::uint32_t> values{values_of(before)};
  device_map<map_type> const owner{map_type::buckets_for(700)};
  device_array<farpoint::hash_map_report> const report{1};
  device_array<std::uint32_t> const seen{3000};
  farpoint::cuda_exec const exec{owner.stream()};
  extraction<map_type> const out{exec, owner.map(), 700};

  std::vector<farpoint::result> outcomes;
  captured_graph const graph{owner.stream(), [&] {
                               outcomes = {
                                   farpoint::hash_map_clear(exec, owner.map()),
                                   farpoint::hash_map_insert_or_min(exec, owner.map(), as_const_span(keys),
                                                                    as_const_span(values), report.data()),
                                   farpoint::hash_map_find(exec, owner.map(), as_const_span(keys), 0, as_span(seen)),
                                   farpoint::hash_map_extract(exec, owner.map(), out.pairs(), as_span(out.workspace))};
                             }};
  for (auto const& outcome : outcomes) REQUIRE(outcome);
  for (auto const* pairs : {&after, &before, &after}) {
    keys.upload(keys_of(*pairs));
    values.upload(values_of(*pairs));
    REQUIRE_CUDA(cudaStreamSynchronize(nullptr));
    graph.replay();
    auto const expected = smallest_values(*pairs);
    CHECK(same_contents(owner.contents(), expected));
    CHECK(out.count.download()[0] == expected.size());
    auto const found = seen.download();
    bool right = true;
    for (std::size_t i = 0; i < found.size(); ++i) right = right && found[i] == expected.at((*pairs)[i].key);
    CHECK(right);
    auto sorted = by_key<map_type>(expected);
    auto const keys_out = out.keys.download();
    for (std::size_t i = 0; right && i < sorted.size(); ++i) right = keys_out[i] == sorted[i].key;
    CHECK(right);
  }
}

TEST_CASE("hash_map, device: an error of somebody else's is neither reported nor cleared", "[hash_map][device]") {
  using map_type = hash_map_ref<std::uint32_t>;
  device_map<map_type> const owner{10};
  device_array<std::uint32_t> const keys{std::vector<std::uint32_t>{1, 2, 3}};
  device_array<std::uint32_t> const values{3};
  device_array<std::int32_t> const slots{3};
  device_array<farpoint::hash_map_report> const report{1};
  farpoint::cuda_exec const exec{owner.stream()};
  extraction<map_type> const out{exec, owner.map(), 3};
  check_foreign_error(owner.stream(), [&] {
    auto const slot_span = as_span(slots);
    CHECK(farpoint::hash_map_clear(exec, owner.map()));
    CHECK(farpoint::hash_map_insert(exec, owner.map(), as_const_span(keys), as_const_span(keys), report.data()));
    CHECK(farpoint::hash_map_insert_or_min(exec, owner.map(), as_const_span(keys), as_const_span(keys), report.data()));
    CHECK(farpoint::hash_map_insert_or_min(exec, owner.map(), {}, {}, report.data()));
    CHECK(farpoint::hash_map_find_or_insert(exec, owner.map(), as_const_span(keys), slot_span));
    CHECK(farpoint::hash_map_find(exec, owner.map(), as_const_span(keys), 0, as_span(values)));
    CHECK(farpoint::hash_map_extract(exec, owner.map(), {as_span(out.keys), {}, out.count.data()},
                                     as_span(out.workspace)));
  });
  CHECK(out.count.download()[0] == 3);
}

TEST_CASE("hash_map, device: a refused call is reported with the runtime's own code", "[hash_map][device]") {
  using map_type = hash_map_ref<std::uint32_t>;
  device_map<map_type> const owner{10};
  check_refused_call([&](cudaStream_t capturing) { return farpoint::hash_map_clear(capturing, owner.map()); });
}

TEST_CASE("hash_map, device: arguments are checked at the door", "[hash_map][device]") {
  using map_type = hash_map_ref<std::uint32_t>;
  using farpoint::status;
  device_map<map_type> const owner{4};
  farpoint::cuda_exec const exec{owner.stream()};
  device_array<std::uint32_t> const keys{3}, two{2};
  CHECK(farpoint::hash_map_insert(exec, owner.map(), as_const_span(keys), as_const_span(two)).code ==
        status::bad_argument);
  CHECK(farpoint::hash_map_find(exec, owner.map(), as_const_span(keys), 0, as_span(two)).code == status::bad_argument);
  auto* const off =
      reinterpret_cast<hash_map_bucket*>(reinterpret_cast<unsigned char*>(owner.map().buckets().data()) + 16);
  CHECK(farpoint::hash_map_clear(exec, map_type{{off, 1}}).code == status::bad_argument);
  std::size_t const needed = farpoint::hash_map_extract_workspace_bytes(exec, owner.map());
  device_array<unsigned char> const workspace{needed};
  CHECK(farpoint::hash_map_extract(exec, owner.map(), {as_span(two)}, as_span(workspace).first(needed - 1)).code ==
        status::workspace_too_small);
  CHECK(keys.untouched());
  CHECK(two.untouched());
  CHECK(workspace.untouched());
}

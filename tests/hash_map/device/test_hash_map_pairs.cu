// Keys and values that are written together: 16-byte compare-and-swap, the map in global and in shared memory, and
// equal bytes on host and device.
#include <farpoint/hash_map.cuh>

#include <cstring>

#include "../../support/catch.hpp"
#include "hash_map_on_device.cuh"

using namespace farpoint_tests;
using farpoint::hash_map_bucket;
using farpoint::hash_map_ref;
using farpoint::word_pair;

namespace {

using wide_map = hash_map_ref<std::uint64_t>;
using wider_map = hash_map_ref<std::int64_t, std::uint64_t>;
using mixed_map = hash_map_ref<std::uint32_t, std::uint64_t>;

/// Calls check(map type) for each layout and each way of exchanging pairs.
template <class Check>
void for_each_layout(Check&& check) {
  check(hash_map_ref<std::uint32_t>{});
  check(wide_map{});
  check(wider_map{});
  check(mixed_map{});
  check(split_map<std::uint64_t, std::uint64_t>{});
}

constexpr unsigned block_size = 192;
unsigned blocks_for(std::size_t threads) {
  return static_cast<unsigned>((threads + block_size - 1) / block_size);
}

/// Every second thread increments the first word by exchanging the pair; the other threads add to the second word, and
/// no exchange may undo that. It is a template so that devices without 16-byte exchange do not compile the body.
template <class Pair>
__device__ void count_in(Pair* pair, int rounds) {
  if constexpr (farpoint::has_pair_exchange() && sizeof(Pair) == 16) {
    for (int i = 0; i < rounds; ++i) {
      if (threadIdx.x % 2 == 1) {
        farpoint::atomic_add(&pair->second, std::uint64_t{3});
        continue;
      }
      Pair expected{0, 0};
      while (true) {
        Pair const seen = atomic_compare_exchange(pair, expected, Pair{expected.first + 1, expected.second});
        if (seen.first == expected.first && seen.second == expected.second) break;
        expected = seen;
      }
    }
  }
}

template <class Pair>
__global__ void count_in_pairs(Pair* global, Pair* from_shared, int rounds, unsigned* is_there) {
  *is_there = farpoint::has_pair_exchange() ? 1 : 0;
  __shared__ Pair shared;
  if (threadIdx.x == 0) shared = Pair{0, 0};
  __syncthreads();
  count_in(global, rounds);
  count_in(&shared, rounds);
  __syncthreads();
  if (threadIdx.x == 0) from_shared[blockIdx.x] = shared;
}

/// Inserts the entries serially, so that slots are deterministic, with three functions in turn.
template <class Map>
FARPOINT_HD void fill_in_order(Map const& map, typename Map::key_type const* keys,
                               typename Map::value_type const* values, index_t size) {
  for (index_t i = 0; i < size; ++i) {
    if (i % 3 == 0) map.insert(keys[i], values[i]);
    if (i % 3 == 1) map.insert_or_min(keys[i], values[i]);
    if (i % 3 == 2) map.find_or_insert(keys[i]);
  }
}
template <class Map>
__global__ void fill_kernel(Map map, typename Map::key_type const* keys, typename Map::value_type const* values,
                            index_t size) {
  fill_in_order(map, keys, values, size);
}

template <class Map>
void check_bytes(double load) {
  using key = typename Map::key_type;
  using value = typename Map::value_type;
  CAPTURE(sizeof(key), sizeof(value), load);
  auto const pairs = make_pairs_of<key, value>(key_shape::random, 300, 120, 8);
  auto const keys_on_host = keys_of(pairs);
  auto const values_on_host = values_of(pairs);
  device_array<key> const keys{keys_on_host};
  device_array<value> const values{values_on_host};
  auto const count = static_cast<std::size_t>(Map::buckets_for(120, load));
  device_array<hash_map_bucket> const buckets{count};
  test_stream const stream;
  Map const map{{buckets.data(), count}, {}, {value{1} << 31}};
  REQUIRE(farpoint::hash_map_clear(stream.get(), map));
  fill_kernel<<<1, 1, 0, stream.get()>>>(map, keys.data(), values.data(), index_t{300});
  REQUIRE_CUDA(cudaGetLastError());
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));

  std::vector<hash_map_bucket> on_host(count);
  Map const host_map{{on_host.data(), count}, {}, {value{1} << 31}};
  host_map.clear();
  fill_in_order(host_map, keys_on_host.data(), values_on_host.data(), index_t{300});
  CHECK(std::memcmp(buckets.download().data(), on_host.data(), count * sizeof(hash_map_bucket)) == 0);
  CHECK(buckets.intact());
}

/// Inserts entry i, and stores whether this insertion created the slot.
template <class Map>
__global__ void insert_all(Map map, typename Map::key_type const* keys, typename Map::value_type const* values,
                           index_t size, char* won) {
  index_t const i = index_t{blockIdx.x} * block_size + threadIdx.x;
  if (i < size) won[i] = map.insert(keys[i], values[i]).state == farpoint::insert_result::inserted;
}

/// Inserts entry i unless its key is in the map, and stores the key's value after that.
template <class Map>
__global__ void note_values(Map map, typename Map::key_type const* keys, typename Map::value_type const* values,
                            index_t size, typename Map::value_type* seen) {
  index_t const i = index_t{blockIdx.x} * block_size + threadIdx.x;
  if (i < size) seen[i] = map.value_or_insert(keys[i], values[i]);
}

/// Runs `insert`, a kernel with the arguments of insert_all(), with one thread per pair.
/// @return the value that each thread stored
template <class Noted, class Map, class Pairs, class Kernel>
std::vector<Noted> insert_pairs(device_map<Map> const& owner, Pairs const& pairs, Kernel insert) {
  std::size_t const count = pairs.size();
  device_array<typename Map::key_type> const keys{keys_of(pairs)};
  device_array<typename Map::value_type> const values{values_of(pairs)};
  device_array<Noted> const noted{count};
  insert<<<blocks_for(count), block_size, 0, owner.stream()>>>(owner.map(), keys.data(), values.data(),
                                                               static_cast<index_t>(count), noted.data());
  REQUIRE_CUDA(cudaGetLastError());
  owner.wait();
  return noted.download();
}

/// Random pairs that a kernel inserted, one per thread, and the value that each thread stored.
template <class Map, class Noted>
class random_insertion {
 public:
  using key = typename Map::key_type;
  using value = typename Map::value_type;
  using contents = std::unordered_map<key, value>;
  using kernel = void (*)(Map, key const*, value const*, index_t, Noted*);

  random_insertion(std::size_t count, std::size_t distinct, double load, kernel insert)
      : pairs_{make_pairs_of<key, value>(key_shape::random, count, distinct, count)},
        owner_{Map::buckets_for(static_cast<index_t>(distinct), load)},
        noted_{insert_pairs<Noted>(owner_, pairs_, insert)} {}

  std::vector<Noted> const& noted() const { return noted_; }
  key key_of(std::size_t i) const { return pairs_[i].key; }
  value value_of(std::size_t i) const { return pairs_[i].value; }

  void check(contents const& expected) const {
    CHECK(same_contents(owner_.contents(), expected));
    CHECK(owner_.intact());
  }

 private:
  std::vector<hash_map_pair<key, value>> pairs_;
  device_map<Map> owner_;
  std::vector<Noted> noted_;
};

/// Checks that all threads with one key see one value: a value that one of these threads inserted, and that stays.
void check_first_values(std::size_t count, std::size_t distinct, double load) {
  using map_type = hash_map_ref<std::uint32_t>;
  CAPTURE(count, distinct, load);
  random_insertion<map_type, std::uint32_t> const inserted{count, distinct, load, note_values<map_type>};
  decltype(inserted)::contents expected;
  std::unordered_map<std::uint32_t, bool> is_given;
  bool same = true;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t const seen = inserted.noted()[i];
    same = expected.emplace(inserted.key_of(i), seen).first->second == seen && same;
    bool& given = is_given[inserted.key_of(i)];
    given = given || inserted.value_of(i) == seen;
  }
  for (auto const& key : is_given) same = same && key.second;
  CHECK(same);
  CHECK(expected.size() == distinct);
  inserted.check(expected);
}

/// Checks that exactly one thread per key creates the slot, and that this thread's value stays.
template <class Map>
void check_winners(std::size_t count, std::size_t distinct, double load) {
  CAPTURE(count, distinct, load, sizeof(typename Map::key_type), sizeof(typename Map::value_type));
  random_insertion<Map, char> const inserted{count, distinct, load, insert_all<Map>};
  typename random_insertion<Map, char>::contents expected;
  bool once = true;
  for (std::size_t i = 0; i < count; ++i) {
    if (inserted.noted()[i] == 1) once = expected.emplace(inserted.key_of(i), inserted.value_of(i)).second && once;
  }
  CHECK(once);
  CHECK(expected.size() == distinct);
  inserted.check(expected);
}

/// Fills a map that was cleared with another initial value: threads insert 100 keys more than the map has slots.
template <class Map>
void check_cleared_with_another() {
  using key = typename Map::key_type;
  using value = typename Map::value_type;
  device_map<Map> owner{200};
  owner.clear_with({12345});
  auto const capacity = static_cast<std::size_t>(owner.map().capacity());
  CAPTURE(sizeof(key), sizeof(value), capacity);
  std::size_t const count = capacity + 100;
  auto const pairs = make_pairs_of<key, value>(key_shape::random, count, count, 3);
  auto const inserted = insert_pairs<char>(owner, pairs, insert_all<Map>);
  std::unordered_map<key, value> expected;
  for (std::size_t i = 0; i < count; ++i) {
    if (inserted[i] == 1) expected.emplace(pairs[i].key, pairs[i].value);
  }
  CHECK(expected.size() == capacity);
  CHECK(same_contents(owner.contents(), expected));
  CHECK(owner.intact());
}

/// Each block collects the entries of its part in a map in shared memory, with each key's minimum or any of its values,
/// and then inserts them into the map in global memory.
template <bool Minimum, class Map, int Buckets>
__global__ void insert_in_shared(Map all, typename Map::key_type const* keys, typename Map::value_type const* values,
                                 index_t each, index_t size) {
  __shared__ hash_map_bucket buckets[Buckets];
  Map const mine{{buckets, Buckets}};
  mine.clear(threadIdx.x, blockDim.x);
  __syncthreads();
  index_t const begin = index_t{blockIdx.x} * each;
  index_t const end = begin + each < size ? begin + each : size;
  for (index_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
    index_t const slot = Minimum ? mine.insert_or_min(keys[i], values[i]).slot : mine.insert(keys[i], values[i]).slot;
    // The map in shared memory is full.
    if (slot == Map::npos) all.insert_or_min(keys[i], values[i]);
  }
  __syncthreads();
  mine.for_each([&all](auto key, auto value, index_t) { all.insert_or_min(key, value); }, threadIdx.x, blockDim.x);
}

/// Checks the map in global memory after insert_in_shared() of `pairs`.
template <bool Minimum, class Map, class Pairs>
void check_shared(Pairs const& pairs, index_t buckets) {
  constexpr index_t each = 3000;
  auto const count = static_cast<index_t>(pairs.size());
  device_array<typename Map::key_type> const keys{keys_of(pairs)};
  device_array<typename Map::value_type> const values{values_of(pairs)};
  device_map<Map> const all{buckets};
  insert_in_shared<Minimum, Map, 301>
      <<<static_cast<unsigned>((count + each - 1) / each), block_size, 0, all.stream()>>>(all.map(), keys.data(),
                                                                                          values.data(), each, count);
  REQUIRE_CUDA(cudaGetLastError());
  all.wait();
  CHECK(same_contents(all.contents(), smallest_values(pairs)));
  CHECK(all.intact());
}

template <class Map>
void check_shared(std::size_t count, std::size_t distinct) {
  using key = typename Map::key_type;
  using value = typename Map::value_type;
  CAPTURE(count, distinct, sizeof(key), sizeof(value));
  auto pairs = make_pairs_of<key, value>(key_shape::grid, count, distinct, distinct);
  index_t const buckets = Map::buckets_for(static_cast<index_t>(distinct), 0.8);
  check_shared<true, Map>(pairs, buckets);
  // All copies of a key have one value, so the value that stays is known.
  for (auto& pair : pairs) pair.value = static_cast<value>(farpoint::mix_bits(static_cast<std::uint64_t>(pair.key)));
  check_shared<false, Map>(pairs, buckets);
}

}  // namespace

TEST_CASE("atomic_compare_exchange of 16 bytes: nothing is lost, beside atomics of 8 bytes too",
          "[atomic][hash_map][device][sanitize]") {
  constexpr unsigned blocks = 3;
  constexpr int rounds = 10;
  device_array<word_pair> const global{std::vector<word_pair>{word_pair{0, 0}}};
  device_array<word_pair> const shared{blocks};
  device_array<unsigned> const is_there{1};
  test_stream const stream;
  count_in_pairs<<<blocks, block_size, 0, stream.get()>>>(global.data(), shared.data(), rounds, is_there.data());
  REQUIRE_CUDA(cudaGetLastError());
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  std::uint64_t const each = is_there.download()[0] == 1 ? std::uint64_t{block_size} / 2 * rounds : 0;
  CHECK(global.download()[0].first == blocks * each);
  CHECK(global.download()[0].second == 3 * blocks * each);
  for (word_pair const& pair : shared.download()) {
    CHECK(pair.first == each);
    CHECK(pair.second == 3 * each);
  }
  int major = 0;
  int device = 0;
  REQUIRE_CUDA(cudaGetDevice(&device));
  REQUIRE_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  if (major < 9) CHECK(each == 0);
}

TEST_CASE("hash_map, device: the bytes of the map are those that the host writes", "[hash_map][device][sanitize]") {
  for (double const load : {0.5, 1.0}) {
    for_each_layout([load](auto kind) { check_bytes<decltype(kind)>(load); });
  }
}

TEST_CASE("hash_map, device: each thread inserts a value of its own, and the winner's stays", "[hash_map][device]") {
  for (std::size_t const distinct : {1u, 7u, 400u, 100000u}) {
    check_winners<wide_map>(1000000, distinct, 0.8);
    check_winners<wider_map>(1000000, distinct, 1);
    check_winners<mixed_map>(500000, distinct, 1);
    check_winners<hash_map_ref<std::uint32_t>>(500000, distinct, 1);
  }
}

TEST_CASE("hash_map, device: all threads that insert a key see the value of the first", "[hash_map][device]") {
  for (std::size_t const distinct : {1u, 7u, 400u, 100000u}) check_first_values(1000000, distinct, 1);
}

TEST_CASE("hash_map, device: the winner's value stays, briefly", "[hash_map][device][sanitize]") {
  check_first_values(3000, 5, 1);
  check_winners<wide_map>(3000, 5, 1);
  check_winners<wider_map>(3000, 300, 1);
}

TEST_CASE("hash_map_ref in a kernel: keys and values in shared memory", "[hash_map][device][sanitize]") {
  for (std::size_t const distinct : {1u, 3u, 500u, 1000u}) {
    check_shared<wide_map>(7000, distinct);
    check_shared<wider_map>(7000, distinct);
    check_shared<mixed_map>(7000, distinct);
  }
}

TEST_CASE("hash_map_ref in a kernel: millions of keys and values through shared memory", "[hash_map][device]") {
  check_shared<wide_map>(3000000, 200000);
  check_shared<wider_map>(3000000, 10);
}

TEST_CASE("hash_map_ref in a kernel: a map that was cleared with another initial value takes keys",
          "[hash_map][device][sanitize]") {
  for_each_layout([](auto kind) { check_cleared_with_another<decltype(kind)>(); });
}

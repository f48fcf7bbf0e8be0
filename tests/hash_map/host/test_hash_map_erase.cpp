// Keys that are erased from a hash_map_ref, by one host thread and by many. ThreadSanitizer builds run it too.
#include <farpoint/container/hash_map_ref.hpp>

#include "../../support/catch.hpp"
#include "../../support/test_scale.hpp"
#include "../../support/together.hpp"
#include "../hash_map_random_calls.hpp"

using namespace farpoint_tests;
using farpoint::hash_map_bucket;
using farpoint::insert_result;

namespace {

template <class Map>
auto entries_of(Map const& map) {
  std::vector<hash_map_entry<typename Map::key_type, typename Map::value_type>> entries;
  map.for_each([&entries](auto key, auto value, index_t slot) { entries.push_back({key, value, slot}); });
  return entries;
}

/// Runs random_calls on `threads` threads.
template <class Map>
void check_random_calls(int threads, int calls, index_t buckets, std::uint64_t seed) {
  CAPTURE(threads, calls, buckets, seed, sizeof(typename Map::key_type), sizeof(typename Map::value_type));
  std::vector<hash_map_bucket> memory(static_cast<std::size_t>(buckets));
  Map const map{{memory.data(), memory.size()}};
  map.clear();
  std::vector<modeled_key<typename Map::value_type>> model(static_cast<std::size_t>(threads * own_keys));
  std::vector<std::uint32_t> live(shared_keys, 0);
  std::vector<int> wrong(static_cast<std::size_t>(threads), -1);
  together(threads, [&](int rank) {
    random_calls<Map> own{map, static_cast<std::uint32_t>(rank), seed, live.data()};
    wrong[static_cast<std::size_t>(rank)] = own.run(calls, model.data() + rank * own_keys);
  });
  CHECK(wrong == std::vector<int>(wrong.size(), 0));
  CHECK(agrees_with_models<Map>(entries_of(map), model, live));
}

template <class Check>
void for_each_erasing_kind(Check&& check) {
  check(erasing_map<std::uint32_t>{});
  check(erasing_map<std::int32_t, std::uint32_t, last_bucket_hash>{});
  check(erasing_map<std::uint64_t>{});
  check(erasing_map<std::uint32_t, std::uint64_t>{});
  check(erasing_map<std::int64_t, std::uint64_t, last_bucket_hash>{});
  check(erasing_split_map<std::uint32_t>{});
  check(erasing_split_map<std::uint64_t, std::uint64_t, last_bucket_hash>{});
}

}  // namespace

TEST_CASE("hash_map_ref: random calls and erasures by many threads against a model", "[hash_map]") {
  for_each_erasing_kind([](auto kind) {
    using map_type = decltype(kind);
    for (std::uint64_t seed = 0; seed < rounds(20); ++seed) {
      // Slots for all insertions, for some, for few, and for none.
      check_random_calls<map_type>(4, 400, map_type::buckets_for(2000), seed);
      check_random_calls<map_type>(4, 400, map_type::buckets_for(150, 1), seed);
      check_random_calls<map_type>(3, 100, 2, seed);
    }
    check_random_calls<map_type>(1, 2000, map_type::buckets_for(2500), 99);
    check_random_calls<map_type>(2, 50, 0, 99);
  });
}

TEST_CASE("hash_map_ref: an erased key is gone, its slot is used up, and clear() gives it back", "[hash_map]") {
  for_each_erasing_kind([](auto kind) {
    using map_type = decltype(kind);
    using key = typename map_type::key_type;
    using value = typename map_type::value_type;
    std::vector<hash_map_bucket> memory(5);
    map_type const map{{memory.data(), memory.size()}};
    map.clear();
    index_t const room = map.capacity();
    for (index_t i = 0; i < room; ++i) REQUIRE(map.insert(static_cast<key>(i), static_cast<value>(i + 7)).slot >= 0);
    index_t const slot = map.find(1);
    CHECK(map.erase(1));
    CHECK_FALSE(map.erase(1));
    CHECK_FALSE(map.contains(1));
    CHECK_FALSE(map.contains(1, farpoint::unchanging));
    CHECK(map.find(1) == map_type::npos);
    CHECK(map.value_or(1, 5) == 5);
    CHECK(map.key(slot) == map.empty());
    CHECK(map.entry(slot).key == map.empty());
    CHECK(map.size() == room - 1);
    // The map is as full as before.
    CHECK(map.insert(1, 3).state == insert_result::full);
    CHECK(map.insert_or_assign(1000, 3).state == insert_result::full);
    CHECK_FALSE(map.erase(1000));
    // Changes of the value of an erased slot reach nothing.
    map.value(slot).fetch_add(3);
    map.value(slot).fetch_min(0);
    map.value(slot).store(9);
    CHECK(map.find(1) == map_type::npos);
    CHECK(map.key(slot) == map.empty());
    for (index_t i = 0; i < room; ++i) {
      if (i != 1) CHECK(map.value_or(static_cast<key>(i), 0) == static_cast<value>(i + 7));
    }
    for (index_t i = 0; i < room; ++i) CHECK(map.erase(static_cast<key>(i)) == (i != 1));
    CHECK(map.size() == 0);
    CHECK(entries_of(map).empty());
    CHECK(map.insert(1, 3).state == insert_result::full);
    map.clear();
    CHECK(map.insert(1, 3).state == insert_result::inserted);
    CHECK(map.value_or(1, 0) == 3);
  });
}

TEST_CASE("hash_map_ref: a map that erases refuses the key beside its empty one, and others do not", "[hash_map]") {
  for_each_erasing_kind([](auto kind) {
    using map_type = decltype(kind);
    using key = typename map_type::key_type;
    using plain_map = farpoint::hash_map_ref<key, typename map_type::value_type>;
    for (key const empty : {static_cast<key>(-1), key{0}, key{77}}) {
      auto const erased = static_cast<key>(empty ^ 1);
      std::vector<hash_map_bucket> memory(7);
      map_type const map{{memory.data(), memory.size()}, {empty}};
      map.clear();
      CHECK(map.insert(5, 1).state == insert_result::inserted);
      CHECK(map.erase(5));
      for (key const k : {empty, erased}) {
        CHECK(map.is_reserved(k));
        CHECK(map.find(k) == map_type::npos);
        CHECK_FALSE(map.contains(k));
        CHECK(map.value_or(k, 9) == 9);
        CHECK(map.insert(k).state == insert_result::refused);
        CHECK(map.insert(k, 1).state == insert_result::refused);
        CHECK(map.insert_or_assign(k, 1).state == insert_result::refused);
        CHECK(map.insert_or_add(k, 1).state == insert_result::refused);
        CHECK(map.insert_or_min(k, 1).state == insert_result::refused);
        CHECK_FALSE(map.erase(k));
      }
      CHECK(map.size() == 0);
      plain_map const plain{{memory.data(), memory.size()}, {empty}};
      plain.clear();
      CHECK_FALSE(plain.is_reserved(erased));
      CHECK(plain.insert(erased, 1).state == insert_result::inserted);
      CHECK(plain.contains(erased));
    }
  });
}

TEST_CASE("hash_map_ref: threads that erase the same keys share them out", "[hash_map]") {
  for_each_erasing_kind([](auto kind) {
    using map_type = decltype(kind);
    using key = typename map_type::key_type;
    constexpr int threads = 4, keys = 60;
    std::vector<hash_map_bucket> memory(static_cast<std::size_t>(map_type::buckets_for(keys, 1)));
    map_type const map{{memory.data(), memory.size()}};
    for (std::uint64_t round = 0; round < rounds(20); ++round) {
      map.clear();
      for (int i = 0; i < keys; ++i) REQUIRE(map.insert(static_cast<key>(i), 1).slot >= 0);
      std::vector<std::uint32_t> erased(keys, 0);
      together(threads, [&](int rank) {
        for (int i = 0; i < keys; ++i) {
          // A value that changes makes the others' compare-and-swaps fail.
          if (rank == 0) map.insert_or_add(static_cast<key>(i), 1);
          if (map.erase(static_cast<key>(i))) farpoint::atomic_add(&erased[static_cast<std::size_t>(i)], 1u);
        }
      });
      // A key comes back at most once, if there is a slot for it.
      bool right = map.size() == 0;
      for (std::uint32_t const count : erased) right = right && count >= 1 && count <= 2;
      CHECK(right);
    }
  });
}

TEST_CASE("hash_map_ref: threads rehash a map into another one", "[hash_map]") {
  for_each_erasing_kind([](auto kind) {
    using map_type = decltype(kind);
    using key = typename map_type::key_type;
    using value = typename map_type::value_type;
    constexpr int threads = 4;
    std::vector<hash_map_bucket> memory(60), larger(200), smaller(3);
    map_type const from{{memory.data(), memory.size()}};
    map_type const to{{larger.data(), larger.size()}};
    map_type const tight{{smaller.data(), smaller.size()}};
    for (map_type const& map : {from, to, tight}) map.clear();
    std::unordered_map<key, value> expected;
    for (index_t i = 0; i < from.capacity(); ++i) {
      from.insert(static_cast<key>(i * 3), static_cast<value>(i));
      if (i % 2 == 0) expected[static_cast<key>(i * 3)] = static_cast<value>(i);
    }
    for (index_t i = 1; i < from.capacity(); i += 2) REQUIRE(from.erase(static_cast<key>(i * 3)));
    std::vector<index_t> left(threads), left_of_tight(threads);
    together(threads, [&](int rank) {
      left[static_cast<std::size_t>(rank)] = from.rehash_into(to, rank, threads);
      left_of_tight[static_cast<std::size_t>(rank)] = from.rehash_into(tight, rank, threads);
    });
    CHECK(left == std::vector<index_t>(threads, 0));
    CHECK(same_contents(entries_of(to), expected));
    index_t all = 0;
    for (index_t const each : left_of_tight) all += each;
    CHECK(all == static_cast<index_t>(expected.size()) - tight.capacity());
    CHECK(tight.size() == tight.capacity());
  });
}

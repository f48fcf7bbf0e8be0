// Bulk calls on hash maps that assign, add, erase, rehash and extract, with keys as they come and sorted by part.
#include <farpoint/hash_map.cuh>

#include "../hash_map/hash_map_problem.hpp"
#include "two_sides.cuh"

using namespace farpoint_tests;
using farpoint::hash_map_call;
using farpoint::hash_map_layout;

namespace {

/// Tuning of a map that erases, and sorts the keys of calls with a workspace by that many parts.
template <hash_map_layout Layout, int Parts>
struct erasing : sorted_tuning<Parts, Layout> {
  static constexpr bool erases = true;
};

/// Values of keys after each update of a map, whatever slots they are in, then the keys and values of a larger map.
template <class Key, class Value, hash_map_layout Layout, int Parts>
void check_updates() {
  using map_type = farpoint::hash_map_ref<Key, Value, farpoint::default_hash, erasing<Layout, Parts>>;
  CAPTURE(sizeof(Key), sizeof(Value), static_cast<int>(Layout), Parts);
  constexpr std::size_t size = 20000, calls = 5;
  random_source random{7};
  std::vector<Key> keys(size);
  std::vector<Value> values(size);
  // Odd multiples of the index: no two are equal.
  for (std::size_t i = 0; i < size; ++i) keys[i] = static_cast<Key>((i + 1) * 0x9e3779b97f4a7c15ull);
  for (Value& value : values) value = static_cast<Value>(random.next() >> 1);
  check_both_sides([&](auto side) {
    using type = decltype(side);
    using memory_type = typename type::template array<unsigned char>;
    auto const buckets_of = [](std::size_t count) {
      return static_cast<std::size_t>(map_type::buckets_for(static_cast<index_t>(count)));
    };
    typename type::template array<farpoint::hash_map_bucket> const buckets{buckets_of(size)};
    typename type::template array<farpoint::hash_map_bucket> const more_buckets{buckets_of(2 * size)};
    typename type::template array<Key> const all_keys{keys}, extracted_keys{size};
    typename type::template array<Value> const given{values}, found{calls * size}, extracted_values{size};
    typename type::template array<farpoint::hash_map_report> const reports{calls};
    typename type::template array<std::uint64_t> const count{1};
    memory_type const contained{size};  // of bool
    map_type const map{all_of(buckets)}, larger{all_of(more_buckets)};
    span<Key const> const asked = all_of(all_keys);
    span<Value const> const amounts = all_of(given);

    // Makes one of the calls on a part of the keys, and looks all keys up.
    std::size_t made = 0;
    auto const look_up = [&](map_type const& at) {
      memory_type const memory{
          static_cast<std::size_t>(hash_map_workspace_bytes(side.exec(), at, hash_map_call::find, index_t{size}))};
      REQUIRE(
          hash_map_find(side.exec(), at, asked, Value(1), all_of(found).subspan(made * size, size), all_of(memory)));
      side.wait();
      CHECK(memory.intact());
      ++made;
    };
    auto const update = [&](hash_map_call call, auto const& enqueue) {
      memory_type const memory{
          static_cast<std::size_t>(hash_map_workspace_bytes(side.exec(), map, call, index_t{size}))};
      REQUIRE(enqueue(reports.data() + made, all_of(memory)));
      side.wait();
      CHECK(memory.intact());
      look_up(map);
    };
    REQUIRE(hash_map_clear(side.exec(), map));
    REQUIRE(hash_map_clear(side.exec(), larger));
    update(hash_map_call::insert_or_assign, [&](auto* report, farpoint::bytes memory) {
      return hash_map_insert_or_assign(side.exec(), map, asked.subspan(0, size / 2), amounts, report, memory);
    });
    update(hash_map_call::insert_or_add, [&](auto* report, farpoint::bytes memory) {
      return hash_map_insert_or_add(side.exec(), map, asked.subspan(size / 4, size / 2), amounts, report, memory);
    });
    update(hash_map_call::insert_or_assign, [&](auto* report, farpoint::bytes memory) {
      return hash_map_insert_or_assign(side.exec(), map, asked.subspan(0, size / 3), amounts.subspan(size / 3), report,
                                       memory);
    });
    // Keys of the last quarter are absent.
    update(hash_map_call::erase, [&](auto* report, farpoint::bytes memory) {
      return hash_map_erase(side.exec(), map, asked.subspan(size / 2), report, memory);
    });
    REQUIRE(hash_map_rehash(side.exec(), map, larger, reports.data() + made));
    look_up(larger);
    REQUIRE(hash_map_contains(side.exec(), larger, asked,
                              span<bool>{reinterpret_cast<bool*>(contained.data()), contained.size()}));
    memory_type const memory{static_cast<std::size_t>(hash_map_extract_workspace_bytes(side.exec(), larger))};
    REQUIRE(hash_map_extract(
        side.exec(), larger,
        farpoint::hash_map_pairs<Key, Value>{all_of(extracted_keys), all_of(extracted_values), count.data()},
        all_of(memory)));
    side.wait();
    CHECK(buckets.intact());
    CHECK(more_buckets.intact());
    CHECK(memory.intact());
    return written_to(found, reports, contained, extracted_keys, extracted_values, count);
  });
}

template <class Key, class Value>
void check_tunings() {
  check_updates<Key, Value, hash_map_layout::pairs, 1>();
  check_updates<Key, Value, hash_map_layout::split, 16>();
}

}  // namespace

TEST_CASE("compiled for another GPU: hash maps that assign, add, erase, rehash and extract", "[hash_map][device]") {
  check_tunings<std::uint32_t, std::uint32_t>();
  check_tunings<std::uint64_t, std::uint32_t>();
  check_updates<std::uint64_t, std::uint64_t, hash_map_layout::pairs, 16>();
}

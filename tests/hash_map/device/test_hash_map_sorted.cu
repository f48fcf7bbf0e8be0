// The bulk operations on a hash map that sort their keys by part of the map first.
#include <farpoint/hash_map.cuh>

#include <unordered_set>

#include "../../support/catch.hpp"
#include "../../support/device/stream_citizen.cuh"
#include "hash_map_on_device.cuh"

using namespace farpoint_tests;
using farpoint::hash_map_call;

namespace {

using narrow_map = farpoint::hash_map_ref<std::uint32_t, std::uint32_t, farpoint::seeded_hash, sorted_tuning<7>>;
using wide_map = farpoint::hash_map_ref<std::int64_t, std::uint64_t, farpoint::default_hash,
                                        sorted_tuning<512, farpoint::hash_map_layout::split>>;
using paired_map = farpoint::hash_map_ref<std::uint64_t, std::uint32_t, farpoint::default_hash, sorted_tuning<16>>;

/// Calls check(map type) for each.
template <class Check>
void for_each_map(Check&& check) {
  check(narrow_map{});
  check(wide_map{});
  check(paired_map{});
}

/// The smallest values, look-ups and slots, of pairs some of which have the empty key, in a map with room for all.
template <class Map>
void check_calls(std::vector<hash_map_pair<typename Map::key_type, typename Map::value_type>> pairs, double load) {
  using key = typename Map::key_type;
  auto expected = smallest_values(pairs);
  std::uint64_t const refused = expected.erase(Map{}.empty());
  std::uint64_t empty_keys = 0;
  for (auto const& pair : pairs) empty_keys += pair.key == Map{}.empty() ? 1 : 0;
  REQUIRE((refused > 0) == (empty_keys > 0));
  CAPTURE(pairs.size(), expected.size(), load, sizeof(key));
  index_t const buckets = Map::buckets_for(static_cast<index_t>(expected.size()), load);
  bulk_backend<Map> backend{buckets};
  auto const report = backend.insert_or_min(pairs);
  CHECK(report.refused == empty_keys);
  CHECK(report.no_room == 0);
  CHECK(same_contents(backend.contents(), expected));

  auto keys = keys_of(pairs);
  keys.push_back(static_cast<key>(123456789));
  auto const values = backend.find(keys, 5);
  auto const slots = backend.find_slots(keys, true);
  CHECK(backend.find_or_insert(keys_of(pairs), false) == std::vector<index_t>(slots.begin(), slots.end() - 1));
  bool right = values.size() == keys.size() && slots.size() == keys.size();
  std::unordered_map<key, index_t> slot_of;
  for (std::size_t i = 0; right && i < keys.size(); ++i) {
    auto const at = expected.find(keys[i]);
    bool const is_there = at != expected.end();
    right = values[i] == (is_there ? at->second : 5) && (slots[i] >= 0) == is_there &&
            slot_of.emplace(keys[i], slots[i]).first->second == slots[i];
  }
  CHECK(right);

  bulk_backend<Map> others{buckets, {0}};
  CHECK(others.insert_keys(keys_of(pairs)).refused == empty_keys);
  for (auto& pair : expected) pair.second = 0;
  CHECK(same_contents(others.contents(), expected));
}

template <class Map>
auto pairs_of(std::size_t count, std::size_t distinct) {
  return make_pairs_for<Map>(key_shape::random, count, distinct, count + distinct);
}

}  // namespace

TEST_CASE("hash_map, sorted: around the size of a block's tile", "[hash_map][device]") {
  for_each_map([](auto kind) {
    using map_type = decltype(kind);
    for (std::size_t const count : {1u, 2u, 31u, 511u, 513u, 4095u, 4096u, 4097u, 8191u, 8192u, 8193u, 20000u}) {
      check_calls<map_type>(pairs_of<map_type>(count, count), 0.5);
    }
    check_calls<map_type>(pairs_of<map_type>(400000, 200000), 0.8);
    check_calls<map_type>(pairs_of<map_type>(300000, 300000), 1);
  });
}

TEST_CASE("hash_map, sorted: small calls under the sanitizers", "[hash_map][device][sanitize]") {
  for_each_map([](auto kind) {
    using map_type = decltype(kind);
    check_calls<map_type>(pairs_of<map_type>(900, 300), 0.8);
    check_calls<map_type>(pairs_of<map_type>(9000, 3), 0.8);
  });
}

TEST_CASE("hash_map, sorted: more keys of one part than it has room for", "[hash_map][device]") {
  // The sorting kernel applies the operation to overflowing keys at once.
  for_each_map([](auto kind) {
    using map_type = decltype(kind);
    for (std::size_t const distinct : {1u, 2u, 40u}) {
      check_calls<map_type>(pairs_of<map_type>(100000, distinct), 0.5);
    }
    auto pairs = pairs_of<map_type>(60000, 100);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (i % 3 != 0) pairs[i].key = map_type{}.empty();
    }
    check_calls<map_type>(pairs, 0.5);
    for (auto& pair : pairs) pair.key = map_type{}.empty();
    check_calls<map_type>(pairs, 0.5);
  });
}

TEST_CASE("hash_map, sorted: searches that wrap around the end of the map", "[hash_map][device]") {
  for_each_map([](auto kind) {
    using map_type = decltype(kind);
    using key = typename map_type::key_type;
    // Keys of the last hundredth of the map: four keys for each of its slots.
    std::vector<hash_map_pair<key, typename map_type::value_type>> pairs;
    for (key k = 0; pairs.size() < 5000; ++k) {
      if (map_type{}.part_of(k, 100) == 99) pairs.push_back({k, static_cast<typename map_type::value_type>(k % 97)});
    }
    auto const expected = smallest_values(pairs);
    bulk_backend<map_type> backend{map_type::buckets_for(125000, 1)};
    CHECK(backend.insert_or_min(pairs).no_room == 0);
    auto const entries = backend.contents();
    CHECK(same_contents(entries, expected));
    CHECK(entries.front().slot == 0);
  });
}

TEST_CASE("hash_map, sorted: a full map counts the keys that find no room", "[hash_map][device]") {
  for_each_map([](auto kind) {
    using map_type = decltype(kind);
    for (index_t const buckets : {index_t{0}, index_t{1}, index_t{33}, index_t{2000}}) {
      CAPTURE(buckets);
      bulk_backend<map_type> backend{buckets};
      auto const capacity = static_cast<std::size_t>(backend.map().capacity());
      auto pairs = pairs_of<map_type>(capacity + 1000, capacity + 1000);
      auto const all = smallest_values(pairs);
      for (std::size_t i = 0; i < 70; ++i) pairs.insert(pairs.begin() + 2 * i, {backend.map().empty(), 1});
      auto const report = backend.insert_or_min(pairs);
      CHECK(report.refused == 70);
      CHECK(report.no_room == 1000);
      auto const entries = backend.contents();
      CHECK(entries.size() == capacity);
      bool right = true;
      for (auto const& entry : entries) right = right && all.count(entry.key) == 1 && all.at(entry.key) == entry.value;
      CHECK(right);
    }
  });
}

TEST_CASE("hash_map, sorted: memory that was cleared with another initial value, or never, takes keys",
          "[hash_map][device]") {
  for_each_map([](auto kind) { check_foreign_memory<bulk_backend<decltype(kind)>>(300); });
}

TEST_CASE("hash_map, sorted: the value of insert() is one of those given", "[hash_map][device]") {
  for_each_map([](auto kind) {
    using map_type = decltype(kind);
    auto const pairs = pairs_of<map_type>(50000, 7000);
    bulk_backend<map_type> backend{map_type::buckets_for(7000)};
    backend.insert(pairs);
    backend.insert(pairs);
    std::unordered_map<typename map_type::key_type, std::unordered_set<typename map_type::value_type>> given;
    for (auto const& pair : pairs) given[pair.key].insert(pair.value);
    auto const entries = backend.contents();
    CHECK(entries.size() == given.size());
    bool right = true;
    for (auto const& entry : entries) right = right && given.at(entry.key).count(entry.value) == 1;
    CHECK(right);
  });
}

TEST_CASE("hash_map, sorted: a seed, arrays that begin anywhere, and replays on new keys",
          "[hash_map][device][graph]") {
  farpoint::seeded_hash const seeded{0x9876543210};
  device_array<farpoint::hash_map_bucket> const buckets{static_cast<std::size_t>(narrow_map::buckets_for(3000))};
  narrow_map const map{as_span(buckets), {}, {}, seeded};
  auto const before = pairs_of<narrow_map>(9001, 3000);
  auto const after = pairs_of<narrow_map>(9001, 2500);
  device_array<std::uint32_t> keys{keys_of(before)};
  device_array<std::uint32_t> values{values_of(before)};
  device_array<std::uint32_t> const found{9001};
  test_stream const stream;
  farpoint::cuda_exec const exec{stream.get()};
  device_array<unsigned char> const workspace{
      std::max(farpoint::hash_map_workspace_bytes(exec, map, hash_map_call::insert_or_min, 8998),
               farpoint::hash_map_workspace_bytes(exec, map, hash_map_call::find, 8998))};
  std::vector<farpoint::result> outcomes;
  captured_graph const graph{
      stream.get(), [&] {
        outcomes = {
            farpoint::hash_map_clear(exec, map),
            farpoint::hash_map_insert_or_min(exec, map, as_const_span(keys).subspan(1, 8998),
                                             as_const_span(values).subspan(1, 8998), nullptr, as_span(workspace)),
            farpoint::hash_map_find(exec, map, as_const_span(keys).subspan(1, 8998), 0, as_span(found).subspan(3, 8998),
                                    as_span(workspace))};
      }};
  for (auto const& outcome : outcomes) REQUIRE(outcome);
  for (auto const* pairs : {&after, &before, &after}) {
    keys.upload(keys_of(*pairs));
    values.upload(values_of(*pairs));
    graph.replay();
    std::vector<hash_map_pair<std::uint32_t, std::uint32_t>> const used{pairs->begin() + 1, pairs->begin() + 8999};
    auto const expected = smallest_values(used);
    auto const answers = found.download();
    bool right = true;
    for (std::size_t i = 0; i < used.size(); ++i) right = right && answers[i + 3] == expected.at(used[i].key);
    CHECK(right);
  }
  CHECK(found.intact());
  CHECK(workspace.intact());
  CHECK(buckets.intact());
}

TEST_CASE("hash_map, sorted: the workspace is checked, and none is none", "[hash_map][device]") {
  using farpoint::status;
  device_map<narrow_map> const owner{40};
  farpoint::cuda_exec const exec{owner.stream()};
  device_array<std::uint32_t> const keys{std::vector<std::uint32_t>{1, 2, 3}};
  device_array<std::uint32_t> const found{3};
  std::size_t const needed = farpoint::hash_map_workspace_bytes(exec, owner.map(), hash_map_call::find, 3);
  REQUIRE(needed > 0);
  device_array<unsigned char> const workspace{needed + 1};
  auto const find = [&](farpoint::bytes memory) {
    return farpoint::hash_map_find(exec, owner.map(), as_const_span(keys), 7, as_span(found), memory);
  };
  CHECK(find(as_span(workspace).first(needed - 1)).code == status::workspace_too_small);
  CHECK(find(as_span(workspace).subspan(1, needed)).code == status::bad_argument);
  owner.wait();
  CHECK(found.untouched());
  CHECK(workspace.untouched());
  CHECK(find({}));
  owner.wait();
  CHECK(found.download() == std::vector<std::uint32_t>(3, 7));
  CHECK(workspace.untouched());
  CHECK(find(as_span(workspace).first(needed)));
  owner.wait();
  CHECK(found.download() == std::vector<std::uint32_t>(3, 7));
  CHECK(!workspace.untouched());

  std::size_t bound = 0;
  CHECK(farpoint::hash_map_workspace_bound<narrow_map>(exec, hash_map_call::find, -1, bound).code ==
        status::bad_argument);
  for (index_t const count : {index_t{0}, index_t{3}, index_t{1000}, index_t{100000}, index_t{2000000000}}) {
    std::size_t const before = bound;
    REQUIRE(farpoint::hash_map_workspace_bound<wide_map>(exec, hash_map_call::find, count, bound));
    CHECK(bound >= before);
    CHECK(bound >= farpoint::hash_map_workspace_bytes(exec, wide_map{}, hash_map_call::find, count));
    index_t const most = farpoint::detail::hash_map_max_room(count);
    for (index_t parts = 2; parts <= 512; ++parts) {
      if (parts * farpoint::detail::hash_map_part_room(count, parts) > most) FAIL("parts " << parts);
    }
  }
}

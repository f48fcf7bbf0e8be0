// The bulk operations on a hash map for host_exec, with several numbers of threads.
#include <farpoint/hash_map.hpp>

#include <limits>

#include "../catch.hpp"
#include "../shared/hash_map_problem.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;

namespace {

template <class Map>
class bulk_backend {
 public:
  using key = typename Map::key_type;
  using value = typename Map::value_type;
  using pair = hash_map_pair<key, value>;

  struct extracted {
    std::vector<key> keys;
    std::vector<value> values;
    std::uint64_t count = 0;
    bool intact = true;
  };

  explicit bulk_backend(index_t buckets, farpoint::initial_value<value> initial = {},
                        farpoint::empty_key<key> empty = {})
      : buckets_(static_cast<std::size_t>(buckets), farpoint::hash_map_bucket{{1, 2, 3, 4}}),
        map_{{buckets_.data(), buckets_.size()}, empty, initial} {
    clear();
  }
  Map const& map() const { return map_; }

  void clear() { REQUIRE(farpoint::hash_map_clear(exec(), map_)); }

  farpoint::hash_map_report insert(std::vector<pair> const& pairs) {
    auto const split = split_of(pairs);
    farpoint::hash_map_report report{99, 99};
    REQUIRE(farpoint::hash_map_insert(exec(), map_, split.first, split.second, &report));
    return report;
  }
  farpoint::hash_map_report insert_or_min(std::vector<pair> const& pairs) {
    auto const split = split_of(pairs);
    farpoint::hash_map_report report{99, 99};
    REQUIRE(farpoint::hash_map_insert_or_min(exec(), map_, split.first, split.second, &report));
    return report;
  }
  farpoint::hash_map_report insert_keys(std::vector<key> const& keys) {
    farpoint::hash_map_report report{99, 99};
    REQUIRE(farpoint::hash_map_insert_keys(exec(), map_, keys, &report));
    return report;
  }
  std::vector<index_t> find_or_insert(std::vector<key> const& keys, bool wide) {
    std::vector<index_t> slots(keys.size());
    std::vector<std::int32_t> narrow(keys.size());
    farpoint::index_span const output = wide ? farpoint::index_span{slots} : farpoint::index_span{narrow};
    REQUIRE(farpoint::hash_map_find_or_insert(exec(), map_, keys, output));
    if (!wide) slots.assign(narrow.begin(), narrow.end());
    return slots;
  }
  std::vector<index_t> find_slots(std::vector<key> const& keys, bool wide) {
    std::vector<index_t> slots(keys.size());
    std::vector<std::int32_t> narrow(keys.size());
    farpoint::index_span const output = wide ? farpoint::index_span{slots} : farpoint::index_span{narrow};
    REQUIRE(farpoint::hash_map_find_slots(exec(), map_, keys, output));
    if (!wide) slots.assign(narrow.begin(), narrow.end());
    return slots;
  }
  std::vector<value> find(std::vector<key> const& keys, value missing) {
    std::vector<value> values(keys.size());
    REQUIRE(farpoint::hash_map_find(exec(), map_, keys, missing, values));
    return values;
  }
  extracted extract(std::size_t room) {
    extracted out{std::vector<key>(room), std::vector<value>(room)};
    farpoint::detail::host_workspace const workspace{farpoint::hash_map_extract_workspace_bytes(exec(), map_)};
    REQUIRE(farpoint::hash_map_extract(exec(), map_, {out.keys, out.values, &out.count}, workspace.get()));
    return out;
  }
  std::vector<hash_map_entry<key, value>> contents() const {
    std::vector<hash_map_entry<key, value>> entries;
    map_.for_each([&entries](key k, value v, index_t slot) { entries.push_back({k, v, slot}); });
    return entries;
  }

 private:
  // One thread, then two, three and as many as there are cores.
  host_exec exec() { return {++calls_ % 4}; }

  static std::pair<std::vector<key>, std::vector<value>> split_of(std::vector<pair> const& pairs) {
    std::pair<std::vector<key>, std::vector<value>> split;
    for (auto const& one : pairs) {
      split.first.push_back(one.key);
      split.second.push_back(one.value);
    }
    return split;
  }

  int calls_ = 0;
  std::vector<farpoint::hash_map_bucket> buckets_;
  Map map_;
};

}  // namespace

#define BACKEND_NAME "host"
#define BACKEND_TAG "[host]"
#include "../shared/hash_map_bulk_tests.inc"

TEST_CASE("hash_map, host: many threads on large arrays", "[hash_map][host]") {
  using map_type = farpoint::hash_map_ref<std::uint32_t>;
  auto const pairs = make_pairs_of<std::uint32_t, std::uint32_t>(key_shape::random, 60000, 15000, 3);
  std::vector<std::uint32_t> keys, values;
  for (auto const& pair : pairs) {
    keys.push_back(pair.key);
    values.push_back(pair.value);
  }
  auto const expected = smallest_values(pairs);
  for (int const threads : {1, 2, 5, 16}) {
    std::vector<farpoint::hash_map_bucket> buckets(static_cast<std::size_t>(map_type::buckets_for(15000, 0.9)));
    map_type const map{{buckets.data(), buckets.size()}};
    REQUIRE(farpoint::hash_map_clear(host_exec{threads}, map));
    REQUIRE(farpoint::hash_map_insert_or_min(host_exec{threads}, map, keys, values));
    std::vector<hash_map_entry<std::uint32_t, std::uint32_t>> entries;
    map.for_each([&](auto key, auto value, index_t slot) { entries.push_back({key, value, slot}); });
    CHECK(same_contents(entries, expected));
  }
}

TEST_CASE("hash_map, host: arguments are checked at the door", "[hash_map][host]") {
  using map_type = farpoint::hash_map_ref<std::uint32_t>;
  using farpoint::status;
  std::vector<farpoint::hash_map_bucket> buckets(2);
  map_type const map{{buckets.data(), buckets.size()}};
  host_exec const exec{1};
  REQUIRE(farpoint::hash_map_clear(exec, map));
  std::vector<std::uint32_t> keys{1, 2, 3}, values{1, 2};
  CHECK(farpoint::hash_map_insert(exec, map, keys, values).code == status::bad_argument);
  CHECK(farpoint::hash_map_insert_or_min(exec, map, keys, values).code == status::bad_argument);
  CHECK(farpoint::hash_map_find(exec, map, keys, 0, values).code == status::bad_argument);
  std::vector<std::int32_t> slots(2);
  CHECK(farpoint::hash_map_find_or_insert(exec, map, keys, slots).code == status::bad_argument);
  CHECK(farpoint::hash_map_find_slots(exec, map, keys, slots).code == status::bad_argument);
  CHECK(map.size() == 0);
  CHECK(farpoint::hash_map_clear(host_exec{-1}, map).code == status::bad_argument);

  auto* const off = reinterpret_cast<farpoint::hash_map_bucket*>(reinterpret_cast<unsigned char*>(buckets.data()) + 8);
  CHECK(farpoint::hash_map_clear(exec, map_type{{off, 1}}).code == status::bad_argument);
  CHECK(farpoint::hash_map_clear(exec, map_type{{static_cast<farpoint::hash_map_bucket*>(nullptr), 1}}).code ==
        status::bad_argument);

  farpoint::detail::host_workspace const workspace{256};
  farpoint::bytes const all = workspace.get();
  std::size_t const needed = farpoint::hash_map_extract_workspace_bytes(exec, map);
  CHECK(needed <= 16 * 8);
  std::uint64_t count = 7;
  CHECK(farpoint::hash_map_extract(exec, map, {keys, values, &count}, all).code == status::bad_argument);
  CHECK(farpoint::hash_map_extract(exec, map, {values, values, &count}, all.first(needed - 1)).code ==
        status::workspace_too_small);
  CHECK(farpoint::hash_map_extract(exec, map, {values, values, &count}, all.subspan(8)).code == status::bad_argument);
  CHECK(count == 7);
  CHECK(farpoint::hash_map_extract(exec, map, {values, {}, &count}, all.first(needed)));
  CHECK(count == 0);
}

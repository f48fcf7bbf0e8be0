// The bulk operations on a hash map for host_exec, with several numbers of threads.
#include <farpoint/hash_map.hpp>

#include <limits>

#include "../../support/catch.hpp"
#include "../../support/host_array.hpp"
#include "../hash_map_bulk.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;

namespace {

class host_backend {
 public:
  template <class T>
  using array = host_array<T>;

  // One thread, then two, then three, then one per core.
  host_exec exec() { return {++calls_ % 4}; }
  void wait() const {}

 private:
  int calls_ = 0;
};

template <class Map>
using bulk_backend = bulk_calls<Map, host_backend>;

}  // namespace

#define BACKEND_NAME "host"
#define BACKEND_TAG "[host]"
#include "../hash_map_bulk_tests.inc"

TEST_CASE("hash_map, host: many threads on large arrays", "[hash_map][host]") {
  using map_type = farpoint::hash_map_ref<std::uint32_t>;
  auto const pairs = make_pairs_of<std::uint32_t, std::uint32_t>(key_shape::random, 60000, 15000, 3);
  auto const keys = keys_of(pairs);
  auto const values = values_of(pairs);
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

TEST_CASE("hash_map, host: a value that is -1 as a slot's number is no key without room", "[hash_map][host]") {
  using map_type = farpoint::hash_map_ref<std::uint64_t, std::uint64_t>;
  using operation = farpoint::detail::hash_map_find_operation<map_type>;
  std::vector<farpoint::hash_map_bucket> buckets(2);
  map_type const map{{buckets.data(), buckets.size()}};
  map.clear();
  map.insert(1, ~std::uint64_t{0});
  std::vector<std::uint64_t> const keys{1, 2};
  std::vector<std::uint64_t> values(2);
  farpoint::hash_map_report report{7, 7};
  REQUIRE(hash_map_run(host_exec{1}, farpoint::detail::hash_map_args_of(
                                         map, {keys}, operation{values.data(), ~std::uint64_t{0}}, {}, &report)));
  CHECK(values == std::vector<std::uint64_t>(2, ~std::uint64_t{0}));
  CHECK(report.no_room == 0);
  CHECK(report.refused == 0);
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
  CHECK(farpoint::hash_map_insert_or_assign(exec, map, keys, values).code == status::bad_argument);
  CHECK(farpoint::hash_map_insert_or_add(exec, map, keys, values).code == status::bad_argument);
  bool found[2];
  CHECK(farpoint::hash_map_contains(exec, map, keys, found).code == status::bad_argument);
  CHECK(farpoint::hash_map_contains(exec, map, keys, {}).code == status::bad_argument);
  std::vector<std::int32_t> slots(2);
  CHECK(farpoint::hash_map_find_or_insert(exec, map, keys, slots).code == status::bad_argument);
  CHECK(farpoint::hash_map_find_slots(exec, map, keys, slots).code == status::bad_argument);
  CHECK(map.size() == 0);
  CHECK(farpoint::hash_map_clear(host_exec{-1}, map).code == status::bad_argument);

  map_type const part{{buckets.data() + 1, 1}};
  CHECK(farpoint::hash_map_rehash(exec, map, map).code == status::bad_argument);
  CHECK(farpoint::hash_map_rehash(exec, map, part).code == status::bad_argument);
  CHECK(farpoint::hash_map_rehash(exec, map_type{}, map));
  CHECK(farpoint::hash_map_rehash(host_exec{-1}, map_type{}, map).code == status::bad_argument);
  CHECK(farpoint::hash_map_rehash(exec, map_type{{buckets.data(), 1}}, part));

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

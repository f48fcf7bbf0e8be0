// hash_map_ref on one host thread and on many: the source that runs in kernels. ThreadSanitizer builds run it too.
#include <farpoint/container/hash_map_ref.hpp>

#include <cmath>
#include <limits>

#include "../../support/catch.hpp"
#include "../../support/test_scale.hpp"
#include "../../support/together.hpp"
#include "../hash_map_problem.hpp"

using namespace farpoint_tests;
using farpoint::empty_key;
using farpoint::hash_map_bucket;
using farpoint::hash_map_ref;
using farpoint::initial_value;
using farpoint::insert_result;

namespace {

/// Sends all keys to one slot, for the longest probe sequences.
struct colliding_hash {
  template <class Key>
  FARPOINT_HD constexpr std::uint32_t operator()(Key) const noexcept {
    return 0xfffffff0u;
  }
};

/// Slots that change the value of an empty slot before each exchange.
template <class Key, class Value>
class restless_slots : public farpoint::detail::paired_slots<Key, Value> {
  using base = farpoint::detail::paired_slots<Key, Value>;

 public:
  using base::base;

  template <bool WithValue>
  static typename base::entry take(std::uint64_t* head, typename base::entry empty,
                                   typename base::entry wanted) noexcept {
    *head -= std::uint64_t{1} << 32;
    return base::template take<WithValue>(head, empty, wanted);
  }
};

/// Keys that default_hash sends to the first thousandth of any map.
template <class Key>
std::vector<Key> colliding_keys(std::size_t count) {
  std::vector<Key> keys;
  for (Key key = 0; keys.size() < count; ++key) {
    if (farpoint::default_hash{}(key) < 0xffffffffu / 1024) keys.push_back(key);
  }
  return keys;
}

/// Returns the mean number of buckets that a search for one of `keys` reads in a map that they fill to one half.
template <class Key, class Hash>
double mean_probes(std::vector<Key> const& keys, Hash hash) {
  using map_type = hash_map_ref<Key, std::uint32_t, Hash>;
  std::vector<hash_map_bucket> memory(
      static_cast<std::size_t>(map_type::buckets_for(static_cast<index_t>(keys.size()))));
  map_type const map{{memory.data(), memory.size()}, {}, {}, hash};
  map.clear();
  index_t const buckets = map.capacity() / map_type::bucket_slots;
  double probes = 0;
  for (Key const key : keys) map.insert_or_min(key, 1);
  for (Key const key : keys) {
    index_t const home = map.part_of(key, static_cast<std::uint32_t>(buckets));
    index_t const at = map.find(key) / map_type::bucket_slots;
    probes += static_cast<double>((at - home + buckets) % buckets + 1);
  }
  return probes / static_cast<double>(keys.size());
}

template <class Key>
void check_colliding_keys() {
  auto const keys = colliding_keys<Key>(2000);
  CHECK(mean_probes(keys, farpoint::default_hash{}) > 100);
  CHECK(mean_probes(keys, farpoint::seeded_hash{0}) > 100);
  for (std::uint64_t const seed : {std::uint64_t{1}, std::uint64_t{77}, ~std::uint64_t{0}}) {
    CHECK(mean_probes(keys, farpoint::seeded_hash{seed}) < 1.5);
  }
}

/// Memory with a map in it.
template <class Map>
class owned_map {
 public:
  using key = typename Map::key_type;
  using value = typename Map::value_type;

  explicit owned_map(index_t buckets, empty_key<key> empty = {}, initial_value<value> initial = {})
      : buckets_(static_cast<std::size_t>(buckets), hash_map_bucket{{1, 2, 3, 4}}),
        map_{{buckets_.data(), buckets_.size()}, empty, initial} {
    map_.clear();
  }
  Map const& get() const { return map_; }

  std::vector<hash_map_entry<key, value>> entries() const {
    std::vector<hash_map_entry<key, value>> entries;
    map_.for_each([&entries](key k, value v, index_t slot) { entries.push_back({k, v, slot}); });
    std::size_t seen = 0;
    for (index_t bucket = 0; bucket < map_.capacity() / Map::bucket_slots; ++bucket) {
      map_.for_each_in_bucket(
          [&](key k, value v, index_t slot) {
            REQUIRE(slot / Map::bucket_slots == bucket);
            auto const& entry = entries.at(seen++);
            REQUIRE((entry.key == k && entry.value == v && entry.slot == slot));
          },
          bucket);
    }
    REQUIRE(seen == entries.size());
    return entries;
  }

 private:
  std::vector<hash_map_bucket> buckets_;
  Map map_;
};

/// Runs `work(i)` for all i below `count` on `threads` threads, in stride: adjacent elements go to different threads,
/// so that copies of a key race.
template <class Work>
void in_turns(int threads, std::size_t count, Work const& work) {
  together(threads, [&](int rank) {
    for (auto i = static_cast<std::size_t>(rank); i < count; i += static_cast<std::size_t>(threads)) work(i);
  });
}

/// Calls check(map type) for each kind of slot: packed words, and pairs of words with either size of value.
template <class Check>
void for_each_kind(Check&& check) {
  auto const of = [&check](auto kind) {
    CAPTURE(sizeof(typename decltype(kind)::key_type), sizeof(typename decltype(kind)::value_type));
    check(kind);
  };
  of(hash_map_ref<std::uint32_t>{});
  of(hash_map_ref<std::int32_t>{});
  of(hash_map_ref<std::uint64_t>{});
  of(hash_map_ref<std::int64_t, std::uint64_t>{});
  of(hash_map_ref<std::uint32_t, std::uint64_t>{});
  of(hash_map_ref<std::uint32_t, std::uint32_t, colliding_hash>{});
  of(hash_map_ref<std::uint64_t, std::uint32_t, colliding_hash>{});
  of(split_map<std::int32_t>{});
  of(split_map<std::uint64_t>{});
  of(split_map<std::uint32_t, std::uint64_t>{});
  of(split_map<std::uint64_t, std::uint64_t, colliding_hash>{});
}

}  // namespace

NUMBERS_TEST_CASE("hash_map: keys that are made to collide do not, with a seed", "[hash_map][host][numbers]") {
  check_colliding_keys<std::uint32_t>();
  check_colliding_keys<std::uint64_t>();
}

ONE_THREAD_TEST_CASE("hash_map_ref: random calls against std::unordered_map", "[hash_map][one_thread]") {
  for_each_kind([](auto kind) {
    using map_type = decltype(kind);
    using key = typename map_type::key_type;
    using value = typename map_type::value_type;
    for (std::uint64_t seed = 0; seed < rounds(300); ++seed) {
      CAPTURE(seed);
      random_source random{seed};
      auto const initial = random.below(2) == 0 ? value{1u << 30} : static_cast<value>(-1);
      key const empty = random.below(2) == 0 ? static_cast<key>(-1) : static_cast<key>(3);
      owned_map<map_type> const owner{random.below(40), {empty}, {initial}};
      map_type const map = owner.get();
      std::unordered_map<key, value> oracle;
      auto const shape = all_key_shapes[random.below(4)];
      auto const distinct = 1 + random.below(120);
      bool right = true;
      for (int call = 0; call < 300; ++call) {
        key const k = key_number<key>(shape, static_cast<std::uint64_t>(random.below(distinct)), seed);
        auto const v = static_cast<value>(random.next());
        auto const known = oracle.find(k);
        bool const is_known = known != oracle.end();
        bool const fits = k != empty && (is_known || static_cast<index_t>(oracle.size()) < map.capacity());
        index_t slot = -2;
        switch (random.below(8)) {
          case 7:
            slot = map.insert_or_assign(k, v).slot;
            if (fits) oracle[k] = v;
            break;
          case 6:
            slot = map.insert_or_add(k, v).slot;
            if (fits) oracle[k] = static_cast<value>((is_known ? known->second : value{0}) + v);
            break;
          case 5:
            if constexpr (map_type::is_packed) {
              right = right && map.value_or_insert(k, v) == (is_known ? known->second : v);
              slot = map.find(k);
              if (fits) oracle.emplace(k, v);
            }
            break;
          case 0:
            slot = map.find_or_insert(k);
            if (fits) oracle.emplace(k, initial);
            break;
          case 1:
            slot = map.insert_or_min(k, v).slot;
            if (fits) oracle[k] = std::min(v, is_known ? known->second : initial);
            break;
          case 2: {
            auto const did = map.insert(k, v);
            slot = did.slot;
            right = right && did.state == (k == empty ? insert_result::refused
                                           : is_known ? insert_result::duplicate
                                           : fits     ? insert_result::inserted
                                                      : insert_result::full);
            if (fits) oracle.emplace(k, v);
            break;
          }
          case 3:
            slot = map.find(k);
            right = right && (slot != map_type::npos) == is_known;
            right = right && map.find(k, farpoint::unchanging) == slot;
            right = right && map.contains(k) == is_known && map.contains(k, farpoint::unchanging) == is_known;
            right = right && map.value_or(k, 7, farpoint::unchanging) == map.value_or(k, 7);
            right = right && map.value_or(k, 7) == (is_known ? known->second : 7);
            break;
          default:
            if (is_known) {
              slot = map.find(k);
              right = right && map.value(slot).fetch_add(v) == known->second;
              known->second = static_cast<value>(known->second + v);
            }
            break;
        }
        if (slot != -2) {
          bool const is_there = oracle.count(k) == 1;
          right = right && (slot != map_type::npos) == is_there;
          if (is_there) {
            right = right && slot >= 0 && slot < map.capacity() && map.key(slot) == k && map.find(k) == slot &&
                    map.value(slot).load() == oracle[k] && map.entry(slot).key == k &&
                    map.entry(slot).value == oracle[k];
          }
        }
      }
      REQUIRE(right);
      REQUIRE(map.size() == static_cast<index_t>(oracle.size()));
      REQUIRE(same_contents(owner.entries(), oracle));
    }
  });
}

TEST_CASE("hash_map_ref: no bucket, one bucket, and full", "[hash_map]") {
  for_each_kind([](auto kind) {
    using map_type = decltype(kind);
    using key = typename map_type::key_type;
    for (index_t const buckets : {0, 1, 2, 3, 7}) {
      owned_map<map_type> const owner{buckets};
      auto const map = owner.get();
      CHECK(map.buckets().size() == static_cast<std::size_t>(buckets));
      CHECK(map_type::buckets_for(map.capacity(), 1) <= buckets);
      CHECK(map_type::buckets_for(map.capacity() + 1, 1) > buckets);
      for (index_t i = 0; i < map.capacity(); ++i) CHECK(map.find_or_insert(static_cast<key>(i)) != map_type::npos);
      CHECK(map.size() == map.capacity());
      key const another = 1000000;
      CHECK(map.find(another) == map_type::npos);
      CHECK(map.value_or(another, 5) == 5);
      CHECK(map.find_or_insert(another) == map_type::npos);
      CHECK(map.insert_or_min(another, 1).slot == map_type::npos);
      CHECK(map.insert_or_min(another, 1).state == insert_result::full);
      CHECK(map.insert(another, 1).slot == map_type::npos);
      CHECK(map.insert(another, 1).state == insert_result::full);
      CHECK(map.insert(another).state == insert_result::full);
      CHECK(map.insert_or_assign(another, 1).state == insert_result::full);
      CHECK(map.insert_or_add(another, 1).state == insert_result::full);
      CHECK_FALSE(map.contains(another));
      CHECK(map.insert(map.empty()).state == insert_result::refused);
      if constexpr (map_type::is_packed) CHECK(map.value_or_insert(another, 5) == 5);
      for (index_t i = 0; i < map.capacity(); ++i)
        CHECK(map.find(static_cast<key>(i)) == map.find_or_insert(static_cast<key>(i)));
      map.clear();
      CHECK(map.size() == 0);
    }
    map_type const none;
    CHECK(none.capacity() == 0);
    CHECK(none.find_or_insert(1) == map_type::npos);
  });
}

TEST_CASE("hash_map_ref: a map that was cleared with another initial value takes keys, and no more than fit",
          "[hash_map]") {
  for_each_kind([](auto kind) {
    using map_type = decltype(kind);
    using key = typename map_type::key_type;
    using value = typename map_type::value_type;
    owned_map<map_type> const owner{9, {}, {12345}};
    map_type const other{owner.get().buckets()};
    std::unordered_map<key, value> expected;
    for (index_t i = 0; i < other.capacity(); ++i) {
      auto const k = static_cast<key>(i);
      auto const v = static_cast<value>(100 + i);
      switch (i % (map_type::is_packed ? 4 : 3)) {
        case 0: CHECK(other.insert(k, v).state == insert_result::inserted); break;
        case 1: CHECK(other.insert_or_min(k, v).state == insert_result::inserted); break;
        case 2: other.value(other.find_or_insert(k)).store(v); break;
        default:
          if constexpr (map_type::is_packed) CHECK(other.value_or_insert(k, v) == v);
          break;
      }
      expected[k] = v;
      CHECK(other.value_or(k, 0) == v);
    }
    CHECK(same_contents(owner.entries(), expected));
    CHECK(other.insert(1000000, 1).slot == map_type::npos);
    CHECK(other.insert_or_min(1000000, 1).slot == map_type::npos);
    CHECK(other.find_or_insert(1000000) == map_type::npos);
    if constexpr (map_type::is_packed) CHECK(other.value_or_insert(1000000, 5) == 5);
    CHECK(same_contents(owner.entries(), expected));
  });
}

TEST_CASE("hash_map_ref: memory that somebody else writes to ends a search without a slot", "[hash_map]") {
  using slots = restless_slots<std::uint32_t, std::uint32_t>;
  using probe = farpoint::detail::hash_map_probe<std::uint32_t, std::uint32_t, farpoint::default_hash, slots>;
  hash_map_bucket bucket{{~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}}};
  probe const map{slots{&bucket, 1}, 0xffffffffu, 0xffffffffu, {}};
  auto const found = map.find_or_take<true, false>(5, 7);
  CHECK(found.slot == probe::npos);
  CHECK(found.state == insert_result::full);
  for (auto const word : bucket.words) CHECK(static_cast<std::uint32_t>(word) == 0xffffffffu);
}

TEST_CASE("hash_map_ref: the empty key is refused, whichever it is", "[hash_map]") {
  for_each_kind([](auto kind) {
    using map_type = decltype(kind);
    using key = typename map_type::key_type;
    for (key const empty : {static_cast<key>(-1), key{0}, key{77}}) {
      owned_map<map_type> const owner{5, {empty}, {0}};
      auto const map = owner.get();
      CHECK(map.find(empty) == map_type::npos);
      CHECK(map.value_or(empty, 9) == 9);
      CHECK(map.find_or_insert(empty) == map_type::npos);
      CHECK(map.insert_or_min(empty, 0).slot == map_type::npos);
      CHECK(map.insert(empty, 0).state == insert_result::refused);
      if constexpr (map_type::is_packed) CHECK(map.value_or_insert(empty, 9) == 9);
      CHECK(map.size() == 0);
      for (key const other : {static_cast<key>(-1), key{0}, key{77}}) {
        if (other != empty) CHECK(map.find_or_insert(other) != map_type::npos);
      }
      CHECK(map.size() == 2);
    }
  });
}

TEST_CASE("hash_map_ref: buckets for a number of keys", "[hash_map]") {
  using packed = hash_map_ref<std::uint32_t>;
  using wide = hash_map_ref<std::uint64_t>;
  CHECK(packed::buckets_for(0) == 0);
  CHECK(packed::buckets_for(-3) == 0);
  CHECK(packed::buckets_for(1) == 1);
  CHECK(packed::buckets_for(2) == 1);
  CHECK(packed::buckets_for(3) == 2);
  CHECK(packed::buckets_for(8, 1) == 2);
  CHECK(packed::buckets_for(8, 0.8) == 3);
  CHECK(wide::buckets_for(8, 0.8) == 5);
  CHECK(packed::buckets_for(100000000, 0.5) == 50000000);
  CHECK(split_map<std::uint32_t>::buckets_for(9, 1) == 3);
  CHECK(split_map<std::uint32_t, std::uint64_t>::buckets_for(8, 1) == 3);
  CHECK(split_map<std::uint64_t>::buckets_for(8, 1) == 3);
  CHECK(split_map<std::uint64_t>::buckets_for(6, 1) == 3);
  for (double const load : {0.0, -1.0, 1.5, std::nan("")}) CHECK(packed::buckets_for(100, load) == 50);
  for (index_t keys = 1; keys < 3000; ++keys) {
    for (double const load : {0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0}) {
      auto const slots = static_cast<double>(wide::buckets_for(keys, load) * wide::bucket_slots);
      REQUIRE(slots * load >= static_cast<double>(keys));
      REQUIRE((slots - 3) * load < static_cast<double>(keys));
    }
  }
}

TEST_CASE("hash_map_ref: buckets for more keys than there can be", "[hash_map]") {
  using map_type = farpoint::hash_map_ref<std::uint32_t>;
  index_t const most = map_type::buckets_for(index_t{1} << 40, 1);
  for (index_t const keys : {index_t{1} << 40, index_t{1} << 62, std::numeric_limits<index_t>::max()}) {
    for (double const load : {1.0, 0.5, 1e-300, std::numeric_limits<double>::denorm_min()}) {
      CHECK(map_type::buckets_for(keys, load) == most);
      CHECK(split_map<std::uint64_t>::buckets_for(keys, load) > 0);
    }
  }
  CHECK(map_type::buckets_for(1, std::numeric_limits<double>::denorm_min()) == most);
  CHECK(map_type::buckets_for(std::numeric_limits<index_t>::min()) == 0);
}

TEST_CASE("default_hash: known values, and keys of every shape spread like random ones", "[hash_map]") {
  STATIC_REQUIRE(farpoint::mix_bits(std::uint32_t{0}) == 0);
  STATIC_REQUIRE(farpoint::mix_bits(std::uint32_t{1}) == 0x514e28b7u);
  STATIC_REQUIRE(farpoint::mix_bits(std::uint64_t{0x9e3779b97f4a7c15u}) == 0xe220a8397b1dcdafu);
  auto const check = [](auto key) {
    using key_type = decltype(key);
    for (key_shape const shape : all_key_shapes) {
      CAPTURE(static_cast<int>(shape), sizeof(key_type));
      // 16 keys per bucket on average, with standard deviation 4; more than 40 in fewer than one bucket of a million.
      std::vector<int> counts(4096, 0);
      for (std::uint64_t i = 0; i < 65536; ++i) {
        ++counts[farpoint::default_hash{}(key_number<key_type>(shape, i, 1)) >> 20];
      }
      CHECK(*std::max_element(counts.begin(), counts.end()) <= 16 + 6 * 4);
      double squares = 0;
      for (int const count : counts) squares += (count - 16) * (count - 16) / 16.0;
      // Chi-squared with 4,095 degrees of freedom has standard deviation 90.5.
      CHECK(std::abs(squares - 4095) < 6 * 90.5);
    }
  };
  check(std::uint32_t{});
  check(std::uint64_t{});
}

TEST_CASE("hash_map_ref: many threads insert keys with values of their own, and the winner's stays", "[hash_map]") {
  few_for_races cases;
  for_each_kind([&](auto kind) {
    using map_type = decltype(kind);
    using key = typename map_type::key_type;
    using value = typename map_type::value_type;
    for (std::size_t const distinct : {1u, 40u, 700u}) {
      CAPTURE(distinct);
      if (cases.skip()) continue;
      auto const pairs = make_pairs_of<key, value>(key_shape::random, 4000, distinct, 5 + distinct);
      owned_map<map_type> const owner{map_type::buckets_for(static_cast<index_t>(distinct), 1)};
      auto const map = owner.get();
      std::vector<char> won(pairs.size(), 0);
      in_turns(4, pairs.size(), [&](std::size_t i) {
        won[i] = map.insert(pairs[i].key, pairs[i].value).state == insert_result::inserted;
      });
      std::unordered_map<key, value> expected;
      bool once = true;
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (won[i] == 1) once = expected.emplace(pairs[i].key, pairs[i].value).second && once;
      }
      CHECK(once);
      CHECK(same_contents(owner.entries(), expected));
      if constexpr (map_type::is_packed) {
        map.clear();
        std::vector<value> seen(pairs.size());
        in_turns(4, pairs.size(), [&](std::size_t i) { seen[i] = map.value_or_insert(pairs[i].key, pairs[i].value); });
        bool same = true;
        for (std::size_t i = 0; i < pairs.size(); ++i) same = same && seen[i] == map.value_or(pairs[i].key, 0);
        CHECK(same);
        CHECK(map.size() == static_cast<index_t>(distinct));
      }
    }
  });
}

TEST_CASE("hash_map_ref: many threads add and assign; sums are exact, and an assigned value stays", "[hash_map]") {
  few_for_races cases;
  for_each_kind([&](auto kind) {
    using map_type = decltype(kind);
    using key = typename map_type::key_type;
    using value = typename map_type::value_type;
    for (std::size_t const distinct : {1u, 40u, 700u}) {
      for (value const initial : {value{0}, static_cast<value>(-1)}) {
        CAPTURE(distinct, initial);
        if (cases.skip()) continue;
        auto const pairs = make_pairs_of<key, value>(key_shape::random, 4000, distinct, 5 + distinct);
        owned_map<map_type> const owner{map_type::buckets_for(static_cast<index_t>(distinct), 1), {}, {initial}};
        auto const map = owner.get();
        in_turns(4, pairs.size(), [&](std::size_t i) { map.insert_or_add(pairs[i].key, pairs[i].value); });
        CHECK(same_contents(owner.entries(), sums_of(pairs)));

        std::vector<insert_result> states(pairs.size());
        map.clear();
        in_turns(4, pairs.size(),
                 [&](std::size_t i) { states[i] = map.insert_or_assign(pairs[i].key, pairs[i].value).state; });
        CHECK(std::count(states.begin(), states.end(), insert_result::inserted) == static_cast<index_t>(distinct));
        CHECK(std::count(states.begin(), states.end(), insert_result::full) == 0);
        bool right = map.size() == static_cast<index_t>(distinct);
        std::unordered_map<key, bool> is_given;
        for (auto const& pair : pairs) {
          bool& given = is_given[pair.key];
          given = given || map.value_or(pair.key, 0) == pair.value;
        }
        for (auto const& each : is_given) right = right && each.second;
        CHECK(right);
      }
    }
  });
}

TEST_CASE("hash_map_ref: where keys and values lie in a bucket", "[hash_map]") {
  // The first four words of a map after insertions: other views of this memory rely on the layout.
  auto const words = [](auto kind, auto first, auto second) {
    using map_type = decltype(kind);
    owned_map<map_type> const owner{1};
    owner.get().insert(first, 0x77);
    owner.get().insert_or_min(second, 0x99);
    auto const bucket = owner.get().buckets()[0];
    return std::vector<std::uint64_t>{bucket.words, bucket.words + 4};
  };
  using all = std::vector<std::uint64_t>;
  std::uint64_t const none = ~std::uint64_t{0};
  CHECK(words(hash_map_ref<std::uint32_t>{}, 5u, 6u) == all{0x77'0000'0005, 0x99'0000'0006, none, none});
  CHECK(words(hash_map_ref<std::uint64_t>{}, std::uint64_t{5} << 40, std::uint64_t{6}) ==
        all{0x500'0000'0000, 0x77'0000'0000, 6, 0x99'0000'0000});
  CHECK(words(hash_map_ref<std::int64_t, std::uint64_t>{}, std::int64_t{-2}, std::int64_t{6}) ==
        all{none - 1, 0x77, 6, 0x99});
  CHECK(words(hash_map_ref<std::uint32_t, std::uint64_t>{}, 5u, 6u) == all{5, 0x77, 6, 0x99});
  CHECK(words(split_map<std::uint64_t>{}, std::uint64_t{5}, std::uint64_t{6})[2] == 0x99'0000'0077);
  CHECK(words(split_map<std::int64_t, std::uint64_t>{}, std::int64_t{5}, std::int64_t{6}) == all{5, 6, 0x77, 0x99});
}

TEST_CASE("hash_map_ref: many threads, contended keys, every key once", "[hash_map]") {
  few_for_races cases;
  for_each_kind([&](auto kind) {
    using map_type = decltype(kind);
    for (std::size_t const distinct : {1u, 5u, 300u, 2000u}) {
      for (key_shape const shape : all_key_shapes) {
        CAPTURE(distinct, static_cast<int>(shape));
        if (cases.skip()) continue;
        auto const pairs = make_pairs_for<map_type>(shape, for_memory ? 2500 : 4000, distinct, 17 + distinct);
        // A table with exactly enough slots: the last keys probe many buckets.
        index_t const buckets = map_type::buckets_for(static_cast<index_t>(distinct), distinct == 2000 ? 0.8 : 1);
        owned_map<map_type> const owner{buckets};
        auto const map = owner.get();
        std::vector<index_t> slots(pairs.size());
        in_turns(4, pairs.size(),
                 [&](std::size_t i) { slots[i] = map.insert_or_min(pairs[i].key, pairs[i].value).slot; });
        CHECK(same_contents(owner.entries(), smallest_values(pairs)));
        bool right = true;
        for (std::size_t i = 0; i < pairs.size(); ++i)
          right = right && slots[i] >= 0 && map.find(pairs[i].key) == slots[i];
        CHECK(right);

        owned_map<map_type> const counting{buckets, {}, {0}};
        auto const counts = counting.get();
        in_turns(4, pairs.size(),
                 [&](std::size_t i) { counts.value(counts.find_or_insert(pairs[i].key)).fetch_add(1); });
        CHECK(same_contents(counting.entries(), multiplicities(pairs)));
      }
    }
  });
}

// A hash map with its memory, and the bulk operations on it: one source for every backend.
//
// A backend has
//   array<T>  memory made of a size or of a std::vector, with data(), size(), download() and intact()
//   exec()    the execution of the next call
//   wait()    until all calls are done
#pragma once

#include <farpoint/hash_map.hpp>

#include "../support/catch.hpp"
#include "hash_map_random_calls.hpp"

namespace farpoint_tests {

template <class Array>
auto as_span(Array const& array) {
  return farpoint::span<std::remove_pointer_t<decltype(array.data())>>{array.data(), array.size()};
}
template <class Array>
auto as_const_span(Array const& array) {
  return farpoint::span<std::remove_pointer_t<decltype(array.data())> const>{array.data(), array.size()};
}

template <class Key, class Value>
std::vector<Key> keys_of(std::vector<hash_map_pair<Key, Value>> const& pairs) {
  std::vector<Key> keys;
  for (auto const& pair : pairs) keys.push_back(pair.key);
  return keys;
}
template <class Key, class Value>
std::vector<Value> values_of(std::vector<hash_map_pair<Key, Value>> const& pairs) {
  std::vector<Value> values;
  for (auto const& pair : pairs) values.push_back(pair.value);
  return values;
}

/// A map, empty at first, in a backend's memory.
template <class Map, class Backend>
class map_owner : public Backend {
 public:
  using key = typename Map::key_type;
  using value = typename Map::value_type;

  explicit map_owner(index_t buckets, farpoint::initial_value<value> initial = {}, farpoint::empty_key<key> empty = {})
      : buckets_{static_cast<std::size_t>(buckets)}, map_{as_span(buckets_), empty, initial} {
    clear();
  }
  Map const& map() const { return map_; }
  bool intact() const { return buckets_.intact(); }

  void clear() { clear_with({map_.initial()}); }
  /// Clears the memory by a view with another initial value.
  void clear_with(farpoint::initial_value<value> initial) {
    REQUIRE(farpoint::hash_map_clear(this->exec(), Map{as_span(buckets_), {map_.empty()}, initial}));
    this->wait();
  }
  /// Overwrites the memory by random words, half of whose halves have all bits set.
  void spoil() {
    random_source random{buckets_.size()};
    auto const half = [&random] { return (random.next() & 1) == 0 ? 0xffffffffu : random.next() >> 32; };
    std::vector<farpoint::hash_map_bucket> buckets(buckets_.size());
    for (auto& bucket : buckets) {
      for (auto& word : bucket.words) word = half() << 32 | half();
    }
    buckets_.upload(buckets);
  }

  /// Returns the entries in the order of slots, read on the host by a map of this type.
  std::vector<hash_map_entry<key, value>> contents() const {
    auto buckets = buckets_.download();
    std::vector<hash_map_entry<key, value>> entries;
    Map const copy{{buckets.data(), buckets.size()}, {map_.empty()}, {map_.initial()}};
    copy.for_each([&entries](key k, value v, index_t slot) { entries.push_back({k, v, slot}); });
    return entries;
  }

 private:
  typename Backend::template array<farpoint::hash_map_bucket> buckets_;
  Map map_;
};

/// The bulk operations, with vectors in and out.
template <class Map, class Backend>
class bulk_calls : public map_owner<Map, Backend> {
  template <class T>
  using array = typename Backend::template array<T>;

 public:
  using base = map_owner<Map, Backend>;
  using typename base::key;
  using typename base::value;
  using pairs = std::vector<hash_map_pair<key, value>>;

  struct extracted {
    std::vector<key> keys;
    std::vector<value> values;
    std::uint64_t count = 0;
    bool intact = true;
  };

  using base::base;
  ~bulk_calls() { CHECK(this->intact()); }

  farpoint::hash_map_report insert(pairs const& given) {
    return insert_pairs(call_name::insert, given, [&](auto exec, auto keys, auto values, auto* report, auto memory) {
      return farpoint::hash_map_insert(exec, this->map(), keys, values, report, memory);
    });
  }
  farpoint::hash_map_report insert_or_assign(pairs const& given) {
    auto const call = call_name::insert_or_assign;
    return insert_pairs(call, given, [&](auto exec, auto keys, auto values, auto* report, auto memory) {
      return farpoint::hash_map_insert_or_assign(exec, this->map(), keys, values, report, memory);
    });
  }
  farpoint::hash_map_report insert_or_add(pairs const& given) {
    auto const call = call_name::insert_or_add;
    return insert_pairs(call, given, [&](auto exec, auto keys, auto values, auto* report, auto memory) {
      return farpoint::hash_map_insert_or_add(exec, this->map(), keys, values, report, memory);
    });
  }
  farpoint::hash_map_report insert_or_min(pairs const& given) {
    auto const call = call_name::insert_or_min;
    return insert_pairs(call, given, [&](auto exec, auto keys, auto values, auto* report, auto memory) {
      return farpoint::hash_map_insert_or_min(exec, this->map(), keys, values, report, memory);
    });
  }
  farpoint::hash_map_report insert_keys(std::vector<key> const& given) {
    array<key> const keys{given};
    return reported([&](auto* report) {
      run(call_name::insert_keys, given.size(), [&](auto exec, farpoint::bytes memory) {
        return farpoint::hash_map_insert_keys(exec, this->map(), as_const_span(keys), report, memory);
      });
    });
  }
  farpoint::hash_map_report erase(std::vector<key> const& given) {
    array<key> const keys{given};
    return reported([&](auto* report) {
      run(call_name::erase, given.size(), [&](auto exec, farpoint::bytes memory) {
        return farpoint::hash_map_erase(exec, this->map(), as_const_span(keys), report, memory);
      });
    });
  }
  template <class Other>
  farpoint::hash_map_report rehash_into(Other const& other) {
    return reported([&](auto* report) {
      REQUIRE(farpoint::hash_map_rehash(this->exec(), this->map(), other.map(), report));
      this->wait();
    });
  }
  std::vector<index_t> find_or_insert(std::vector<key> const& given, bool wide) {
    auto const call = call_name::find_or_insert;
    return slots_of(call, given, wide, [&](auto exec, auto keys, farpoint::index_span slots, farpoint::bytes memory) {
      return farpoint::hash_map_find_or_insert(exec, this->map(), keys, slots, nullptr, memory);
    });
  }
  std::vector<index_t> find_slots(std::vector<key> const& given, bool wide) {
    auto const call = call_name::find_slots;
    return slots_of(call, given, wide, [&](auto exec, auto keys, farpoint::index_span slots, farpoint::bytes memory) {
      return farpoint::hash_map_find_slots(exec, this->map(), keys, slots, memory);
    });
  }
  /// 1 for each key that is in the map, and 0 for the others.
  std::vector<unsigned char> contains(std::vector<key> const& given) {
    array<key> const keys{given};
    array<unsigned char> const found{std::vector<unsigned char>(given.size(), 7)};
    run(call_name::contains, given.size(), [&](auto exec, farpoint::bytes memory) {
      farpoint::span<bool> const output{reinterpret_cast<bool*>(found.data()), given.size()};
      return farpoint::hash_map_contains(exec, this->map(), as_const_span(keys), output, memory);
    });
    CHECK(found.intact());
    return found.download();
  }
  std::vector<value> find(std::vector<key> const& given, value missing) {
    array<key> const keys{given};
    array<value> const values{given.size()};
    run(call_name::find, given.size(), [&](auto exec, farpoint::bytes memory) {
      return farpoint::hash_map_find(exec, this->map(), as_const_span(keys), missing, as_span(values), memory);
    });
    CHECK(values.intact());
    return values.download();
  }
  extracted extract(std::size_t room) {
    array<key> const keys{room};
    array<value> const values{room};
    array<std::uint64_t> const count{1};
    auto const exec = this->exec();
    array<unsigned char> const workspace{farpoint::hash_map_extract_workspace_bytes(exec, this->map())};
    REQUIRE(farpoint::hash_map_extract(exec, this->map(), {as_span(keys), as_span(values), count.data()},
                                       as_span(workspace)));
    this->wait();
    return {keys.download(), values.download(), count.download()[0],
            keys.intact() && values.intact() && count.intact() && workspace.intact()};
  }

 private:
  using call_name = farpoint::hash_map_call;

  /// Makes a call with exactly hash_map_workspace_bytes() of workspace.
  template <class Call>
  void run(call_name name, std::size_t keys, Call const& call) {
    auto const exec = this->exec();
    auto const count = static_cast<index_t>(keys);
    std::size_t const wanted = farpoint::hash_map_workspace_bytes(exec, this->map(), name, count);
    std::size_t bound = 0;
    REQUIRE(farpoint::hash_map_workspace_bound<Map>(exec, name, count, bound));
    CHECK(wanted <= bound);
    array<unsigned char> const memory{wanted};
    REQUIRE(call(exec, as_span(memory)));
    this->wait();
    CHECK(memory.intact());
  }
  template <class Call>
  farpoint::hash_map_report reported(Call const& call) {
    array<farpoint::hash_map_report> const report{1};
    call(report.data());
    CHECK(report.intact());
    return report.download()[0];
  }
  template <class Call>
  farpoint::hash_map_report insert_pairs(call_name name, pairs const& given, Call const& call) {
    array<key> const keys{keys_of(given)};
    array<value> const values{values_of(given)};
    return reported([&](auto* report) {
      run(name, given.size(), [&](auto exec, farpoint::bytes memory) {
        return call(exec, as_const_span(keys), as_const_span(values), report, memory);
      });
    });
  }
  template <class Call>
  std::vector<index_t> slots_of(call_name name, std::vector<key> const& given, bool wide, Call const& call) {
    return wide ? slots_as<std::int64_t>(name, given, call) : slots_as<std::int32_t>(name, given, call);
  }
  template <class Index, class Call>
  std::vector<index_t> slots_as(call_name name, std::vector<key> const& given, Call const& call) {
    array<key> const keys{given};
    array<Index> const slots{given.size()};
    auto const output = as_span(slots);
    run(name, given.size(), [&](auto exec, farpoint::bytes memory) {
      return call(exec, as_const_span(keys), farpoint::index_span{output}, memory);
    });
    CHECK(slots.intact());
    auto const host = slots.download();
    return {host.begin(), host.end()};
  }
};

/// Checks that each empty slot takes a key, whatever value it has, and that keys for which none is left are counted.
/// @param prepare  leaves the map with slots that are empty
template <class Owner, class Prepare>
void check_empty_slots_take_keys(Owner& backend, Prepare const& prepare) {
  using key = typename Owner::key;
  using value = typename Owner::value;
  prepare();
  auto const capacity = static_cast<std::size_t>(backend.map().capacity());
  std::size_t const room = capacity - backend.contents().size();
  REQUIRE(room > 0);
  CAPTURE(sizeof(key), sizeof(value), capacity, room);
  auto pairs = make_pairs_of<key, value>(key_shape::random, room + 100, room + 100, 3);
  for (auto& pair : pairs) pair.value %= 10000;
  auto const given = smallest_values(pairs);
  auto const keys = keys_of(pairs);

  // The number of slots that took a key, if they are all and `is_right(value, given)` of each.
  auto const taken_if = [&](auto const& is_right) {
    auto const entries = backend.contents();
    std::size_t taken = 0;
    bool right = entries.size() == capacity;
    for (auto const& entry : entries) {
      auto const at = given.find(entry.key);
      if (at == given.end()) continue;
      ++taken;
      right = right && is_right(entry.value, at->second);
    }
    return right ? taken : capacity + 1;
  };
  auto const any = [](value, value) { return true; };
  CHECK(backend.insert(pairs).no_room == 100);
  CHECK(taken_if([](value now, value wanted) { return now == wanted; }) == room);
  prepare();
  CHECK(backend.insert_or_min(pairs).no_room == 100);
  CHECK(taken_if([](value now, value wanted) { return now <= wanted; }) == room);
  prepare();
  CHECK(backend.insert_keys(keys).no_room == 100);
  CHECK(taken_if(any) == room);
  prepare();
  auto const slots = backend.find_or_insert(keys, true);
  CHECK(std::count(slots.begin(), slots.end(), -1) == 100);
  CHECK(taken_if(any) == room);
  CHECK(backend.find_slots(keys, true) == slots);
}

/// Checks that memory takes keys which was cleared with another initial value, or never.
template <class Owner>
void check_foreign_memory(index_t buckets) {
  Owner backend{buckets};
  check_empty_slots_take_keys(backend, [&backend] { backend.clear_with({12345}); });
  check_empty_slots_take_keys(backend, [&backend] { backend.spoil(); });
}

}  // namespace farpoint_tests

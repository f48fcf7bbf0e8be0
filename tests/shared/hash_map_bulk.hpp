// A hash map with its memory, and the bulk operations on it: one source for every backend.
//
// A backend has
//   array<T>  memory made of a size or of a std::vector, with data(), size(), download() and intact()
//   exec()    the execution of the next call
//   wait()    until all calls are done
#pragma once

#include <farpoint/hash_map.hpp>

#include "../catch.hpp"
#include "hash_map_problem.hpp"

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

  void clear() {
    REQUIRE(farpoint::hash_map_clear(this->exec(), map_));
    this->wait();
  }

  /// By slot; read by the same map on the host.
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
    return insert_pairs(given, [&](auto keys, auto values, auto* report) {
      return farpoint::hash_map_insert(this->exec(), this->map(), keys, values, report);
    });
  }
  farpoint::hash_map_report insert_or_min(pairs const& given) {
    return insert_pairs(given, [&](auto keys, auto values, auto* report) {
      return farpoint::hash_map_insert_or_min(this->exec(), this->map(), keys, values, report);
    });
  }
  farpoint::hash_map_report insert_keys(std::vector<key> const& given) {
    array<key> const keys{given};
    return reported([&](auto* report) {
      return farpoint::hash_map_insert_keys(this->exec(), this->map(), as_const_span(keys), report);
    });
  }
  std::vector<index_t> find_or_insert(std::vector<key> const& given, bool wide) {
    return slots_of(given, wide, [&](auto keys, farpoint::index_span slots) {
      return farpoint::hash_map_find_or_insert(this->exec(), this->map(), keys, slots);
    });
  }
  std::vector<index_t> find_slots(std::vector<key> const& given, bool wide) {
    return slots_of(given, wide, [&](auto keys, farpoint::index_span slots) {
      return farpoint::hash_map_find_slots(this->exec(), this->map(), keys, slots);
    });
  }
  std::vector<value> find(std::vector<key> const& given, value missing) {
    array<key> const keys{given};
    array<value> const values{given.size()};
    REQUIRE(farpoint::hash_map_find(this->exec(), this->map(), as_const_span(keys), missing, as_span(values)));
    this->wait();
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
  template <class Call>
  farpoint::hash_map_report reported(Call const& call) {
    array<farpoint::hash_map_report> const report{1};
    REQUIRE(call(report.data()));
    this->wait();
    CHECK(report.intact());
    return report.download()[0];
  }
  template <class Call>
  farpoint::hash_map_report insert_pairs(pairs const& given, Call const& call) {
    array<key> const keys{keys_of(given)};
    array<value> const values{values_of(given)};
    return reported([&](auto* report) { return call(as_const_span(keys), as_const_span(values), report); });
  }
  template <class Call>
  std::vector<index_t> slots_of(std::vector<key> const& given, bool wide, Call const& call) {
    return wide ? slots_as<std::int64_t>(given, call) : slots_as<std::int32_t>(given, call);
  }
  template <class Index, class Call>
  std::vector<index_t> slots_as(std::vector<key> const& given, Call const& call) {
    array<key> const keys{given};
    array<Index> const slots{given.size()};
    auto const output = as_span(slots);
    REQUIRE(call(as_const_span(keys), farpoint::index_span{output}));
    this->wait();
    CHECK(slots.intact());
    auto const host = slots.download();
    return {host.begin(), host.end()};
  }
};

}  // namespace farpoint_tests

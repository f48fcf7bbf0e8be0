/// @file
/// HashMap: a hash map that is kept on the host or on a device, for whole arrays.
#include "arrays.hpp"
#include "module.hpp"

#include <farpoint/hash_map.hpp>
#include <farpoint/runtime/host_hash_map.hpp>
#include <farpoint/runtime/stream_hash_map.hpp>

namespace farpoint_python {
namespace {

using farpoint::hash_map_report;

/// Values of any integer type of the size, as bits.
template <class Value, class Array>
auto bits_of(Array const& array) {
  using element = std::conditional_t<std::is_same_v<Array, input>, Value const, Value>;
  if (item_bytes(array) != static_cast<index_t>(sizeof(Value)) || !array.is_packed()) {
    refuse("HashMap: an array has another type than the map, or is not contiguous");
  }
  return farpoint::span<element>{static_cast<element*>(array.data()), array.size()};
}

template <class Key, class Value>
class hash_map {
 public:
  hash_map(place const& where, index_t keys, double load) : where_{where} {
    if (where.on_host()) {
      farpoint::result outcome;
      {
        nb::gil_scoped_release const unlocked;
        outcome = host_.reset(keys, load, where.options());
      }
      check(outcome);
      return;
    }
    if (keys < 0) refuse("HashMap: the number of keys is negative");
    if (!(load > 0 && load <= 1)) refuse("HashMap: the load factor is not above 0 and at most 1");
    auto const buckets = static_cast<std::size_t>(map_type::buckets_for(keys, load));
    current_device const current{where};
    memory_ = device_memory{where, buckets * sizeof(farpoint::hash_map_bucket)};
    map_ = map_type{{reinterpret_cast<farpoint::hash_map_bucket*>(memory_.bytes().data()), buckets}};
    check(farpoint::hash_map_clear(where.exec(), map_));
    finish(where);
  }

  index_t capacity() const { return where_.on_host() ? host_.capacity() : map_.capacity(); }

  void insert(place const& where, input const& keys, input const& values, bool minimum) {
    auto const from = bits_of<Key>(keys);
    auto const with = bits_of<Value>(values);
    run(
        where, minimum ? farpoint::hash_map_call::insert_or_min : farpoint::hash_map_call::insert, from.size(),
        [&](auto* report) {
          return minimum ? host_.insert_or_min(from, with, report) : host_.insert(from, with, report);
        },
        [&](auto exec, auto workspace) {
          return minimum ? farpoint::hash_map_insert_or_min(exec, map_, from, with, nullptr, workspace)
                         : farpoint::hash_map_insert(exec, map_, from, with, nullptr, workspace);
        });
  }

  void insert_keys(place const& where, input const& keys) {
    auto const from = bits_of<Key>(keys);
    run(
        where, farpoint::hash_map_call::insert_keys, from.size(),
        [&](auto* report) { return host_.insert_keys(from, report); },
        [&](auto exec, auto workspace) {
          return farpoint::hash_map_insert_keys(exec, map_, from, nullptr, workspace);
        });
  }

  void find_or_insert(place const& where, input const& keys, output const& slots) {
    auto const from = bits_of<Key>(keys);
    auto const to = indices_of(slots);
    run(
        where, farpoint::hash_map_call::find_or_insert, from.size(),
        [&](auto*) { return host_.find_or_insert(from, to); },
        [&](auto exec, auto workspace) {
          return farpoint::hash_map_find_or_insert(exec, map_, from, to, nullptr, workspace);
        });
  }

  void find(place const& where, input const& keys, std::uint64_t missing, output const& values) {
    auto const from = bits_of<Key>(keys);
    auto const to = bits_of<Value>(values);
    auto const otherwise = static_cast<Value>(missing);
    run(
        where, farpoint::hash_map_call::find, from.size(), [&](auto*) { return host_.find(from, otherwise, to); },
        [&](auto exec, auto workspace) { return farpoint::hash_map_find(exec, map_, from, otherwise, to, workspace); });
  }

  void find_slots(place const& where, input const& keys, output const& slots) {
    auto const from = bits_of<Key>(keys);
    auto const to = indices_of(slots);
    run(
        where, farpoint::hash_map_call::find_slots, from.size(), [&](auto*) { return host_.find_slots(from, to); },
        [&](auto exec, auto workspace) { return farpoint::hash_map_find_slots(exec, map_, from, to, workspace); });
  }

  void extract(place const& where, output const& keys, output const& values, output const& count) {
    farpoint::hash_map_pairs<Key, Value> pairs{bits_of<Key>(keys), bits_of<Value>(values)};
    pairs.count = bits_of<std::uint64_t>(count).data();
    same_device(where);
    call(
        where, [&](auto const&) { return host_.extract(pairs); },
        [&](auto exec) { return farpoint::hash_map_extract_workspace_bytes(exec, map_); },
        [&](auto exec, auto workspace) { return farpoint::hash_map_extract(exec, map_, pairs, workspace); });
  }

 private:
  using map_type = farpoint::hash_map_ref<Key, Value>;

  void same_device(place const& where) const {
    if (where.device != where_.device) refuse("HashMap: keys are on another device than the map");
  }

  /// On the host, keys that were not inserted are an error; on a device nothing waits to see them.
  template <class OnHost, class OnStream>
  void run(place const& where, farpoint::hash_map_call which, std::size_t keys, OnHost const& on_host,
           OnStream const& on_stream) {
    same_device(where);
    hash_map_report report;
    call(
        where, [&](auto const&) { return on_host(&report); },
        [&](auto exec) { return farpoint::hash_map_workspace_bytes(exec, map_, which, static_cast<index_t>(keys)); },
        on_stream);
    if (report.refused != 0) refuse("HashMap: the key whose bits are all set cannot be inserted; other keys were");
    if (report.no_room != 0) refuse("HashMap: the map is full; some keys were not inserted");
  }

  place where_;
  farpoint::runtime::hash_map<Key, Value> host_;
  device_memory memory_;
  map_type map_;
};

template <class Key, class Value>
void add(nb::module_& m, char const* name) {
  using map = hash_map<Key, Value>;
  nb::class_<map>(m, name)
      .def(nb::init<place const&, index_t, double>(), nb::arg("place"), nb::arg("keys"), nb::arg("load"))
      .def("capacity", &map::capacity)
      .def("insert", &map::insert, nb::arg("place"), nb::arg("keys"), nb::arg("values"), nb::arg("minimum"))
      .def("insert_keys", &map::insert_keys, nb::arg("place"), nb::arg("keys"))
      .def("find_or_insert", &map::find_or_insert, nb::arg("place"), nb::arg("keys"), nb::arg("slots"))
      .def("find", &map::find, nb::arg("place"), nb::arg("keys"), nb::arg("missing"), nb::arg("values"))
      .def("find_slots", &map::find_slots, nb::arg("place"), nb::arg("keys"), nb::arg("slots"))
      .def("extract", &map::extract, nb::arg("place"), nb::arg("keys"), nb::arg("values"), nb::arg("count"));
}

}  // namespace

void add_hash_map(nb::module_& m) {
  add<std::uint32_t, std::uint32_t>(m, "HashMap32To32");
  add<std::uint32_t, std::uint64_t>(m, "HashMap32To64");
  add<std::uint64_t, std::uint32_t>(m, "HashMap64To32");
  add<std::uint64_t, std::uint64_t>(m, "HashMap64To64");
}

}  // namespace farpoint_python

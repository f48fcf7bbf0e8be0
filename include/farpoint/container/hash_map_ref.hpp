/// @file
/// A lock-free hash map in memory that the caller owns, for kernels and host threads.
#pragma once

#include <farpoint/container/hash.hpp>
#include <farpoint/container/hash_map_layout.hpp>
#include <farpoint/container/hash_map_probe.hpp>
#include <farpoint/container/hash_map_value.hpp>
#include <farpoint/core/math.hpp>

FARPOINT_BEGIN_NAMESPACE

/// A lock-free hash map in memory that the caller owns: global memory, shared memory or the host's. A non-owning,
/// trivially copyable view: pass it by value into kernels.
///
/// **Races.** Any number of threads of one device, or of the host, may insert, find and erase keys and change values at
/// the same time, through copies of one view. clear(), size(), for_each() and rehash_into() require that no thread
/// changes the map: a barrier, the end of a kernel or a join has to separate them from other calls.
/// - A key stays in its slot until it is erased or the map is cleared. When threads insert one key, exactly one
///   gets `inserted` and all get the slot. When threads erase one key, exactly one gets `true`.
/// - An erased slot is not used again before clear(), so that a change of its value reaches no other key. A change that
///   runs together with the erasure of its key counts as made before it.
/// - Slots, and which keys a full map refuses, differ from run to run. The set of keys does not, and the value of a key
///   after insert_or_min() and sums does not.
/// - A value of 32 bits appears together with its key of 32 bits in the layout of pairs. In other maps a search that
///   runs together with an insertion may find the key with the initial value.
/// - When several threads insert() one key, one value stays; which one is undefined if a thread also changes it.
/// - All operations are relaxed: they order no other memory; hash_map_value can.
///
/// Linear probing by buckets: one load of 16 or 32 bytes per step, and a load before every compare-and-swap. A search
/// ends at an empty slot, or after all buckets, whatever the memory holds: keep the load factor, erased slots included,
/// at 0.8 or below, since in a full map a search for an absent key walks through all of it.
///
/// @tparam Key    integer of 32 or 64 bits
/// @tparam Value  unsigned integer of 32 or 64 bits
/// @tparam Hash   see default_hash
/// @tparam Tuning see hash_map_tuning: the layout, and whether keys can be erased. Changes the speed otherwise
template <class Key, class Value = std::uint32_t, class Hash = default_hash, class Tuning = hash_map_tuning>
class hash_map_ref {
  static_assert(std::is_integral_v<Key> && (sizeof(Key) == 4 || sizeof(Key) == 8),
                "farpoint: the keys of a hash map are integers of 32 or 64 bits");
  static_assert(std::is_unsigned_v<Value> && (sizeof(Value) == 4 || sizeof(Value) == 8),
                "farpoint: the values of a hash map are unsigned integers of 32 or 64 bits");

  using slots = detail::hash_map_slots<Key, Value, Tuning>;
  using probe = detail::hash_map_probe<Key, Value, Hash, slots, Tuning::erases>;
  using head = typename probe::head;
  using head_word = typename probe::head_word;

 public:
  using key_type = Key;
  using value_type = Value;
  using tuning = Tuning;
  using value_ref = typename head::value_ref;

  /// No slot.
  static constexpr index_t npos = probe::npos;
  static constexpr int bucket_slots = slots::bucket_slots;
  /// A key and its value are one word, as of 32 bits each in the layout of pairs.
  static constexpr bool is_packed = slots::is_packed;

  using insertion = typename probe::insertion;

  /// Buckets of memory that hold `keys` keys at load factor `load` or below, 0 < load <= 1 (anything else counts as
  /// 0.5). No keys take no bucket; more than 2^40 slots count as 2^40, which no map uses.
  FARPOINT_HD static constexpr index_t buckets_for(index_t keys, double load = 0.5) noexcept {
    if (keys <= 0) return 0;
    if (!(load > 0 && load <= 1)) load = 0.5;
    constexpr index_t most = index_t{1} << 40;
    if (!(static_cast<double>(keys) / load < static_cast<double>(most))) return buckets_for(most - 1, 1);
    auto needed = static_cast<index_t>(static_cast<double>(keys) / load);
    // The conversion rounds down.
    if (needed < keys || static_cast<double>(needed) * load < static_cast<double>(keys)) ++needed;
    return slots::memory_for(detail::divide_up<index_t>(needed, bucket_slots));
  }

  /// A map without slots, which is full.
  constexpr hash_map_ref() = default;

  /// @param buckets  memory, any amount; what is beyond 2^32 - 1 buckets is not used. clear() it before the first use
  /// @param empty    a key that is never inserted. All views of one memory have the same
  /// @param initial  value of a key that is inserted without one, and the largest that insert_or_min() leaves to a new
  ///                 one. In memory that was cleared with another initial value, it is one of the two
  /// @param hash     where keys go
  FARPOINT_HD explicit constexpr hash_map_ref(span<hash_map_bucket> buckets, empty_key<Key> empty = {},
                                              initial_value<Value> initial = {}, Hash hash = {}) noexcept
      : probe_{{buckets.data(), at_most(slots::buckets_in(at_most(buckets.size())))}, empty.value, initial.value, hash},
        count_{at_most(buckets.size())} {}

  FARPOINT_HD constexpr span<hash_map_bucket> buckets() const noexcept { return {memory().memory(), count_}; }
  /// Number of slots, and of the keys that fit.
  FARPOINT_HD constexpr index_t capacity() const noexcept { return index_t{memory().buckets()} * bucket_slots; }
  FARPOINT_HD constexpr Key empty() const noexcept { return probe_.empty(); }
  FARPOINT_HD constexpr Value initial() const noexcept { return probe_.initial(); }

  /// Number of the part in which the search for a key begins, if the map's memory is cut into `parts` equal parts.
  FARPOINT_HD std::uint32_t part_of(Key key, std::uint32_t parts) const noexcept {
    return static_cast<std::uint32_t>(std::uint64_t{probe_.hash(key)} * parts >> 32);
  }

  /// True for keys that cannot be inserted: the empty one, and in a map that erases empty() ^ 1, the mark of erased
  /// slots.
  FARPOINT_HD constexpr bool is_reserved(Key key) const noexcept { return probe_.is_reserved(key); }

  /// Slot of a key, or npos. Never writes.
  FARPOINT_HD index_t find(Key key) const noexcept { return probe_.template find<false, false>(key).slot; }
  FARPOINT_HD index_t find(Key key, unchanging_t) const noexcept { return probe_.template find<false, true>(key).slot; }

  /// True if the map has the key. Never writes.
  FARPOINT_HD bool contains(Key key) const noexcept { return find(key) != npos; }
  FARPOINT_HD bool contains(Key key, unchanging_t) const noexcept { return find(key, unchanging) != npos; }

  /// Value of a key, or `otherwise`. Never writes; costs what find() costs where keys and values are pairs.
  FARPOINT_HD Value value_or(Key key, Value otherwise) const noexcept {
    auto const at = probe_.template find<true, false>(key);
    if (at.slot == npos) return otherwise;
    return slots::values_with_heads ? value_ref::value_of(at.value) : value(at.slot).load();
  }
  FARPOINT_HD Value value_or(Key key, Value otherwise, unchanging_t) const noexcept {
    auto const at = probe_.template find<true, true>(key);
    if (at.slot == npos) return otherwise;
    return slots::values_with_heads ? value_ref::value_of(at.value) : value(at.slot).load(unchanging);
  }

  /// Slot of a key, which is inserted with the initial value if it is absent; npos if the map is full or refuses the
  /// key.
  FARPOINT_HD index_t find_or_insert(Key key) const noexcept { return insert(key).slot; }

  /// Inserts a key with the initial value, unless it is present.
  FARPOINT_HD insertion insert(Key key) const noexcept {
    return probe_.template find_or_take<false, false>(key, initial());
  }

  /// Inserts a key with a value. The value of a key that is present stays.
  FARPOINT_HD insertion insert(Key key, Value value) const noexcept {
    auto const at = probe_.template find_or_take<true, false>(key, value);
    if (!slots::takes_values() && at.state == insert_result::inserted) {
      atomic_store(memory().value(at.slot), value_ref::shifted(value));
    }
    return at;
  }

  /// Sets the value of a key; inserts the key if it is absent. If several threads do so, one of the values stays.
  FARPOINT_HD insertion insert_or_assign(Key key, Value value) const noexcept {
    auto const at = probe_.template find_or_take<true, false>(key, value);
    bool const is_written = slots::takes_values() && at.state == insert_result::inserted;
    if (at.slot != npos && !is_written) this->value(at.slot).store(value);
    return at;
  }

  /// Adds to the value of a key; inserts the key with `amount` if it is absent. The value of a key that only this
  /// function changes is the sum of all amounts, modulo 2^bits, in any order and with any initial value.
  FARPOINT_HD insertion insert_or_add(Key key, Value amount) const noexcept {
    auto const at = probe_.template find_or_take<true, false>(key, amount);
    bool const is_new = at.state == insert_result::inserted;
    if (at.slot == npos || (slots::takes_values() && is_new)) return at;
    // A new slot has the initial value, to which other threads may have added.
    value(at.slot).fetch_add(is_new ? static_cast<Value>(amount - initial()) : amount);
    return at;
  }

  /// Lowers the value of a key to `value`, if that is smaller; inserts the key if it is absent. The value of a key that
  /// only this function changes is the smallest of the given values and the initial one.
  FARPOINT_HD insertion insert_or_min(Key key, Value value) const noexcept {
    Value const least = value < initial() ? value : initial();
    auto const at = probe_.template find_or_take<true, true>(key, least);
    bool const is_new = at.state == insert_result::inserted;
    if (at.slot == npos || (slots::takes_values() && is_new)) return at;
    if constexpr (slots::values_with_heads) {
      // Words that were loaded whole are compared whole.
      auto const shifted = value_ref::shifted(value);
      bool const is_larger = slots::is_packed ? value_ref::value_of(at.value) > value : at.value > shifted;
      if (is_larger && slots::is_packed && Tuning::erases) {
        this->value(at.slot).fetch_min(value);
      } else if (is_larger) {
        atomic_min(memory().value(at.slot), (slots::is_packed ? head::of(key) : 0) | shifted);
      }
    } else if (!is_new) {
      this->value(at.slot).fetch_min(value);
    } else if (value < initial()) {
      atomic_min(memory().value(at.slot), value_ref::shifted(value));
    }
    return at;
  }

  /// Value of a key, which is inserted with `value` if it is absent; `value` if the map is full or refuses the key.
  /// Threads that call it with one key and several values all return the value that was first. Only where is_packed:
  /// elsewhere a key may appear before its value.
  FARPOINT_HD Value value_or_insert(Key key, Value value) const noexcept {
    static_assert(is_packed, "farpoint: value_or_insert() is for maps whose keys and values are one word");
    auto const at = probe_.template find_or_take<true, true>(key, value);
    return at.state == insert_result::duplicate ? value_ref::value_of(at.value) : value;
  }

  /// Erases a key. Searches walk past its slot until clear(); a later insertion of the key takes another slot.
  /// @return true if this call erased the key; false if it is absent, or another thread erased it
  template <class T = Tuning>
  FARPOINT_HD bool erase(Key key) const noexcept {
    static_assert(T::erases, "farpoint: erase() is for maps whose tuning says that it erases");
    return probe_.erase(key);
  }

  /// Inserts the keys of buckets first, first + step, ... with their values into another map, which keeps the values of
  /// keys that it has. No thread may change this map; any number of threads may insert into the other one.
  /// @return number of keys that the other map has no room for, or refuses
  template <class Other>
  FARPOINT_HD index_t rehash_into(Other const& other, index_t first = 0, index_t step = 1) const noexcept {
    index_t left = 0;
    auto const insert_one = [&](Key k, Value v, index_t) { left += other.insert(k, v).slot == Other::npos ? 1 : 0; };
    for_each(insert_one, first, step);
    return left;
  }

  /// Value of a slot that holds a key.
  FARPOINT_HD value_ref value(index_t slot) const noexcept { return value_ref{memory().value(slot)}; }

  /// Key of a slot, 0 <= slot < capacity(); the empty key if it holds none.
  FARPOINT_HD Key key(index_t slot) const noexcept { return key_in(atomic_load(memory().head(slot))); }

  /// Key and value of a slot together; the empty key if it holds none.
  struct entry_type {
    Key key;
    Value value;
  };
  FARPOINT_HD entry_type entry(index_t slot) const noexcept {
    auto const seen = memory().load_slot(slot);
    return {key_in(seen.head), value_ref::value_of(seen.value)};
  }

  /// Empties the map by stores of 16 bytes: first, first + step, ... Threads that share the work then need a barrier.
  FARPOINT_HD void clear(index_t first = 0, index_t step = 1) const noexcept {
    clear_part(first, clear_stores(), step);
  }
  /// Makes the stores from `begin` on and before `end`, of clear_stores().
  FARPOINT_HD void clear_part(index_t begin, index_t end, index_t step = 1) const noexcept {
    for (index_t at = begin; at < end; at += step)
      memory().store(at, probe_.empty_head(), value_ref::shifted(initial()));
  }
  FARPOINT_HD index_t clear_stores() const noexcept { return memory().stores(); }

  /// Calls visit(key, value, slot) for every key in the buckets first, first + step, ..., by slot. O(capacity).
  FARPOINT_CALLS_BACK
  template <class Visit>
  FARPOINT_HD void for_each(Visit&& visit, index_t first = 0, index_t step = 1) const noexcept {
    for (index_t at = first; at < index_t{memory().buckets()}; at += step) for_each_in_bucket(visit, at);
  }

  /// Calls visit(key, value, slot) for every key in a bucket, below capacity() / bucket_slots.
  FARPOINT_CALLS_BACK
  template <class Visit>
  FARPOINT_HD void for_each_in_bucket(Visit&& visit, index_t bucket) const noexcept {
    FARPOINT_UNROLL
    for (int i = 0; i < bucket_slots; ++i) {
      index_t const slot = bucket * bucket_slots + i;
      head_word const word = *memory().head(slot);
      if (is_reserved(head::key_of(word))) continue;
      visit(head::key_of(word), value(slot).load(unchanging), slot);
    }
  }

  /// Number of keys. O(capacity).
  FARPOINT_HD index_t size() const noexcept {
    index_t keys = 0;
    for_each([&keys](Key, Value, index_t) { ++keys; });
    return keys;
  }

 private:
  FARPOINT_HD static constexpr std::uint32_t at_most(std::uint64_t buckets) noexcept {
    constexpr std::uint32_t most = ~std::uint32_t{0};
    return buckets < most ? static_cast<std::uint32_t>(buckets) : most;
  }

  FARPOINT_HD constexpr slots const& memory() const noexcept { return probe_.slots(); }

  FARPOINT_HD Key key_in(head_word w) const noexcept {
    return is_reserved(head::key_of(w)) ? empty() : head::key_of(w);
  }

  probe probe_;
  std::uint32_t count_ = 0;
};

FARPOINT_END_NAMESPACE

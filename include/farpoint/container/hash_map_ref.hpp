/// @file
/// Lock-free hash map in memory that the caller owns, for kernels and host threads.
#pragma once

#include <farpoint/container/hash.hpp>
#include <farpoint/container/hash_map_layout.hpp>
#include <farpoint/container/hash_map_probe.hpp>
#include <farpoint/container/hash_map_value.hpp>
#include <farpoint/core/math.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Lock-free hash map in memory that the caller owns: global memory, shared memory or host memory. A non-owning,
/// trivially copyable view: pass it by value into kernels.
///
/// **Races.** Any number of threads of one device, or of the host, may insert, find and erase keys and change values
/// concurrently, through copies of one view. clear(), size(), for_each() and rehash_into() require that no thread
/// changes the map: separate them from other calls by a barrier, the end of a kernel or a join.
/// - An inserted key stays in its slot until it is erased or the map is cleared. If several threads insert one key,
///   exactly one gets `inserted` and all get the slot. If several threads erase one key, exactly one gets `true`.
/// - An erased slot is not used again before clear(), so a change of its value affects no other key. A change that is
///   concurrent with the erasure of its key counts as made before the erasure.
/// - Slot numbers depend on thread order, and so do the keys that a full map rejects. Without concurrent erasures all
///   else is deterministic: the set of keys, and each value after insert_or_min() and after sums.
/// - A 32-bit value becomes visible together with its 32-bit key in the layout of pairs. With other types or layouts, a
///   search concurrent with an insertion may see the key with the initial value.
/// - If several threads insert() one key with different values, one value wins. Do not call insert() while other
///   threads change the value of that key.
/// - All operations are relaxed: a visible key or value does not order other memory; hash_map_value has operations that
///   do.
///
/// Algorithm: linear probing by buckets, with one load of 16 or 32 bytes per step. A load precedes every
/// compare-and-swap. A search visits each bucket at most once, so a full map rejects keys and never hangs; a map that
/// was never cleared rejects keys that find no empty slot. An unsuccessful search ends at the first empty slot: keep
/// the load factor, erased slots included, at 0.8 or below, since at load factor 1 it visits the whole map.
///
/// @tparam Key    integer of 32 or 64 bits
/// @tparam Value  unsigned integer of 32 or 64 bits
/// @tparam Hash   see default_hash
/// @tparam Tuning layout, whether keys can be erased, and choices that affect only the speed, see hash_map_tuning
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

  /// Slot number that marks an absent key.
  static constexpr index_t npos = probe::npos;
  static constexpr int bucket_slots = slots::bucket_slots;
  /// True if key and value share one word: 32 bits each, in the layout of pairs.
  static constexpr bool is_packed = slots::is_packed;

  /// Result of an insertion: slot of the key, and an insert_result.
  using insertion = typename probe::insertion;

  /// Number of buckets of memory for `keys` keys at a load factor of at most `load`, 0 < load <= 1 (other values count
  /// as 0.5). 0 for no keys. Sizes above 2^40 slots are clamped to 2^40, more than a map uses.
  FARPOINT_HD static constexpr index_t buckets_for(index_t keys, double load = 0.5) noexcept {
    if (keys <= 0) return 0;
    if (!(load > 0 && load <= 1)) load = 0.5;
    constexpr index_t most = index_t{1} << 40;
    if (!(static_cast<double>(keys) / load < static_cast<double>(most))) return buckets_for(most - 1, 1);
    auto needed = static_cast<index_t>(static_cast<double>(keys) / load);
    // The conversion truncates, so add the slot that it dropped.
    if (needed < keys || static_cast<double>(needed) * load < static_cast<double>(keys)) ++needed;
    return slots::memory_for(detail::divide_up<index_t>(needed, bucket_slots));
  }

  /// Creates a map without slots, which is empty and rejects every insertion.
  constexpr hash_map_ref() = default;

  /// @param buckets  memory of any size; only the first 2^32 - 1 buckets are used. Call clear() before the first use
  /// @param empty    key that is never inserted; the same for all views of one memory
  /// @param initial  value of a key that is inserted without a value, and upper bound on the value that insert_or_min()
  ///                 gives a new key. If the memory was cleared with another initial value, new keys get either of the
  ///                 two
  /// @param hash     hash function of the keys, see default_hash
  FARPOINT_HD explicit constexpr hash_map_ref(span<hash_map_bucket> buckets, empty_key<Key> empty = {},
                                              initial_value<Value> initial = {}, Hash hash = {}) noexcept
      : probe_{{buckets.data(), at_most(slots::buckets_in(at_most(buckets.size())))}, empty.value, initial.value, hash},
        count_{at_most(buckets.size())} {}

  FARPOINT_HD constexpr span<hash_map_bucket> buckets() const noexcept { return {memory().memory(), count_}; }
  /// Number of slots, which is the maximum number of keys.
  FARPOINT_HD constexpr index_t capacity() const noexcept { return index_t{memory().buckets()} * bucket_slots; }
  FARPOINT_HD constexpr Key empty() const noexcept { return probe_.empty(); }
  FARPOINT_HD constexpr Value initial() const noexcept { return probe_.initial(); }

  /// Index of the part of the map's memory, divided into `parts` equal parts, in which the search for `key` begins.
  FARPOINT_HD std::uint32_t part_of(Key key, std::uint32_t parts) const noexcept {
    return static_cast<std::uint32_t>(std::uint64_t{probe_.hash(key)} * parts >> 32);
  }

  /// True for keys that cannot be inserted: empty(), and in a map that erases also empty() ^ 1, the mark of erased
  /// slots.
  FARPOINT_HD constexpr bool is_reserved(Key key) const noexcept { return probe_.is_reserved(key); }

  /// Slot of a key, or npos. Read-only.
  FARPOINT_HD index_t find(Key key) const noexcept { return probe_.template find<false, false>(key).slot; }
  FARPOINT_HD index_t find(Key key, unchanging_t) const noexcept { return probe_.template find<false, true>(key).slot; }

  /// True if the map contains the key. Read-only.
  FARPOINT_HD bool contains(Key key) const noexcept { return find(key) != npos; }
  FARPOINT_HD bool contains(Key key, unchanging_t) const noexcept { return find(key, unchanging) != npos; }

  /// Value of a key, or `otherwise` if it is absent. Read-only; costs the same as find() in the layout of pairs.
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

  /// Slot of a key, which is inserted with the initial value if it is absent. npos if the map is full or the key is
  /// reserved.
  FARPOINT_HD index_t find_or_insert(Key key) const noexcept { return insert(key).slot; }

  /// Inserts a key with the initial value, if it is absent.
  FARPOINT_HD insertion insert(Key key) const noexcept {
    return probe_.template find_or_take<false, false>(key, initial());
  }

  /// Inserts a key with a value; a key that exists keeps its value.
  FARPOINT_HD insertion insert(Key key, Value value) const noexcept {
    auto const at = probe_.template find_or_take<true, false>(key, value);
    if (!slots::takes_values() && at.inserted) {
      atomic_store(memory().value(at.slot), value_ref::shifted(value));
    }
    return at;
  }

  /// Sets the value of a key; inserts an absent key. If several threads set different values, one of these stays.
  FARPOINT_HD insertion insert_or_assign(Key key, Value value) const noexcept {
    auto const at = probe_.template find_or_take<true, false>(key, value);
    bool const is_written = slots::takes_values() && at.inserted;
    if (at.slot != npos && !is_written) this->value(at.slot).store(value);
    return at;
  }

  /// Adds `amount` to the value of a key, modulo 2^bits; inserts an absent key with `amount`. If only this function
  /// changes a key's value, the value is the sum of all amounts, in any thread order and with any initial value.
  FARPOINT_HD insertion insert_or_add(Key key, Value amount) const noexcept {
    auto const at = probe_.template find_or_take<true, false>(key, amount);
    if (at.slot == npos || (slots::takes_values() && at.inserted)) return at;
    // A new slot has the initial value, to which other threads may have added.
    value(at.slot).fetch_add(at.inserted ? static_cast<Value>(amount - initial()) : amount);
    return at;
  }

  /// Lowers the value of a key to `value` if that is smaller; inserts an absent key. If only this function changes a
  /// key's value, the value is the minimum of all arguments and the initial value, in any thread order.
  FARPOINT_HD insertion insert_or_min(Key key, Value value) const noexcept {
    Value const least = value < initial() ? value : initial();
    auto const at = probe_.template find_or_take<true, true>(key, least);
    if (at.slot == npos || (slots::takes_values() && at.inserted)) return at;
    if constexpr (slots::values_with_heads) {
      // The value was loaded with the head. A minimum of packed words keeps the key, which is in both words. If the map
      // erases, another thread may change the key, so fetch_min() replaces the value by compare-and-swap.
      auto const shifted = value_ref::shifted(value);
      bool const is_larger = slots::is_packed ? value_ref::value_of(at.value) > value : at.value > shifted;
      if (is_larger && slots::is_packed && Tuning::erases) {
        this->value(at.slot).fetch_min(value);
      } else if (is_larger) {
        atomic_min(memory().value(at.slot), (slots::is_packed ? head::of(key) : 0) | shifted);
      }
    } else if (!at.inserted) {
      this->value(at.slot).fetch_min(value);
    } else if (value < initial()) {
      atomic_min(memory().value(at.slot), value_ref::shifted(value));
    }
    return at;
  }

  /// Value of a key, which is inserted with `value` if it is absent. If several threads call it with one key and
  /// different values, all return the value that was inserted. Returns `value` if the map is full or the key is
  /// reserved. Requires is_packed: otherwise a key may be visible before its value.
  FARPOINT_HD Value value_or_insert(Key key, Value value) const noexcept {
    static_assert(is_packed, "farpoint: value_or_insert() is for maps whose keys and values are one word");
    auto const at = probe_.template find_or_take<true, true>(key, value);
    return at.state == insert_result::duplicate ? value_ref::value_of(at.value) : value;
  }

  /// Erases a key. Its slot stays used until clear(): searches continue past it, and a later insertion of the key takes
  /// another slot.
  /// @return true if this call erased the key; false if it is absent, or another thread erased it
  template <class T = Tuning>
  FARPOINT_HD bool erase(Key key) const noexcept {
    static_assert(T::erases, "farpoint: erase() is for maps whose tuning says that it erases");
    return probe_.erase(key);
  }

  /// Inserts the keys of buckets first, first + step, ... with their values into another map. A key that is in
  /// the other map keeps its value there. No thread may change this map; any number of threads may change the other
  /// one.
  /// @return number of keys that the other map has no room for, or reserves
  template <class Other>
  FARPOINT_HD index_t rehash_into(Other const& other, index_t first = 0, index_t step = 1) const noexcept {
    index_t left = 0;
    auto const insert_one = [&](Key k, Value v, index_t) { left += other.insert(k, v).slot == Other::npos ? 1 : 0; };
    for_each(insert_one, first, step);
    return left;
  }

  /// Value of a slot that holds a key, as an atomic variable.
  FARPOINT_HD value_ref value(index_t slot) const noexcept { return value_ref{memory().value(slot)}; }

  /// Key of a slot, 0 <= slot < capacity(); the empty key if the slot is empty or erased.
  FARPOINT_HD Key key(index_t slot) const noexcept { return key_in(atomic_load(memory().head(slot))); }

  /// Key and value of a slot, loaded together; the empty key if the slot is empty or erased.
  struct entry_type {
    Key key;
    Value value;
  };
  FARPOINT_HD entry_type entry(index_t slot) const noexcept {
    auto const seen = memory().load_slot(slot);
    return {key_in(seen.head), value_ref::value_of(seen.value)};
  }

  /// Clears the map by 16-byte stores: performs the stores first, first + step, ... Threads share the work by passing
  /// their rank and their number, followed by a barrier; neighboring threads then write neighboring memory.
  FARPOINT_HD void clear(index_t first = 0, index_t step = 1) const noexcept {
    clear_part(first, clear_stores(), step);
  }
  /// Performs the stores begin, begin + step, ... below `end` of the clear_stores() stores of clear().
  FARPOINT_HD void clear_part(index_t begin, index_t end, index_t step = 1) const noexcept {
    for (index_t at = begin; at < end; at += step)
      memory().store(at, probe_.empty_head(), value_ref::shifted(initial()));
  }
  FARPOINT_HD index_t clear_stores() const noexcept { return memory().stores(); }

  /// Calls visit(key, value, slot) for every key in the buckets first, first + step, ..., by ascending slot; a bucket
  /// is bucket_slots neighboring slots. O(capacity).
  FARPOINT_CALLS_BACK
  template <class Visit>
  FARPOINT_HD void for_each(Visit&& visit, index_t first = 0, index_t step = 1) const noexcept {
    for (index_t at = first; at < index_t{memory().buckets()}; at += step) for_each_in_bucket(visit, at);
  }

  /// Calls visit(key, value, slot) for every key of one bucket, whose slots begin at bucket * bucket_slots.
  /// @param visit   `visit(key, value, slot)`
  /// @param bucket  below capacity() / bucket_slots
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

  /// Key of a head word; the empty key if the slot is empty or erased.
  FARPOINT_HD Key key_in(head_word w) const noexcept {
    return is_reserved(head::key_of(w)) ? empty() : head::key_of(w);
  }

  probe probe_;
  std::uint32_t count_ = 0;
};

FARPOINT_END_NAMESPACE

/// @file
/// Lock-free hash map in memory that the caller owns, for kernels and host threads.
#pragma once

#include <farpoint/container/hash.hpp>
#include <farpoint/container/hash_map_layout.hpp>
#include <farpoint/container/hash_map_probe.hpp>
#include <farpoint/container/hash_map_value.hpp>
#include <farpoint/core/math.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Lock-free, insert-only hash map in memory that the caller owns: global memory, shared memory or host memory. A
/// non-owning, trivially copyable view: pass it by value into kernels.
///
/// **Races.** Any number of threads of one device, or of the host, may call find(), value_or(), find_or_insert(),
/// insert_or_min(), insert(), value_or_insert() and value() on one map concurrently, through copies of one view.
/// clear(), size() and for_each() need exclusive access: separate them from other calls by a barrier, the end of a
/// kernel or a join.
/// - An inserted key stays in its slot until clear(). If several threads insert one key, exactly one creates the slot
///   and all return it.
/// - Slot numbers depend on thread order, and so do the keys that a full map rejects: a slot number is valid until the
///   map is cleared. All else is deterministic: the set of keys, and each value after insert_or_min() and after sums.
/// - A 32-bit value becomes visible together with its 32-bit key in the layout of pairs. With other types or layouts, a
///   find() concurrent with insert() or insert_or_min() may see the key with the initial value.
/// - If several threads insert() one key with different values, one value wins. Do not call insert() while other
///   threads change the value of that key.
/// - All operations are relaxed: a visible key or value does not order other memory; hash_map_value has operations that
///   do.
///
/// Algorithm: linear probing by buckets, with one load of 16 or 32 bytes per step. Every compare-and-swap follows a
/// load that saw an empty slot. A search visits each bucket at most once, so a full map rejects keys and never hangs; a
/// map that was never cleared rejects keys that find no empty slot. An unsuccessful search ends at the first empty
/// slot: keep the load factor at 0.8 or below, since at load factor 1 it visits the whole map.
///
/// @tparam Key    integer of 32 or 64 bits
/// @tparam Value  unsigned integer of 32 or 64 bits
/// @tparam Hash   see default_hash
/// @tparam Tuning layout and other choices that affect only the speed, see hash_map_tuning
template <class Key, class Value = std::uint32_t, class Hash = default_hash, class Tuning = hash_map_tuning>
class hash_map_ref {
  static_assert(std::is_integral_v<Key> && (sizeof(Key) == 4 || sizeof(Key) == 8),
                "farpoint: the keys of a hash map are integers of 32 or 64 bits");
  static_assert(std::is_unsigned_v<Value> && (sizeof(Value) == 4 || sizeof(Value) == 8),
                "farpoint: the values of a hash map are unsigned integers of 32 or 64 bits");

  using slots = detail::hash_map_slots<Key, Value, Tuning>;
  using probe = detail::hash_map_probe<Key, Value, Hash, slots>;
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

  /// Result of insert() and insert_or_min().
  struct insertion {
    index_t slot;   ///< slot of the key; npos if the map is full or the key is the empty one
    bool inserted;  ///< true if the key is new
  };

  /// First window of a search, loaded by look(). Valid for one call with the same key.
  template <bool WithValue, bool Unchanging>
  using first_look = typename probe::template first_look<WithValue, Unchanging>;

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

  /// Slot of a key, or npos. Read-only.
  FARPOINT_HD index_t find(Key key) const noexcept { return find(key, look(key)); }
  FARPOINT_HD index_t find(Key key, unchanging_t) const noexcept { return find(key, look(key, unchanging)); }

  /// Value of a key, or `otherwise` if it is absent. Read-only; costs the same as find() in the layout of pairs.
  FARPOINT_HD Value value_or(Key key, Value otherwise) const noexcept {
    return value_or(key, otherwise, look_with_value(key));
  }
  FARPOINT_HD Value value_or(Key key, Value otherwise, unchanging_t) const noexcept {
    return value_or(key, otherwise, look_with_value(key, unchanging));
  }

  /// Slot of a key, which is inserted with the initial value if it is absent. npos if the map is full or the key is the
  /// empty one.
  FARPOINT_HD index_t find_or_insert(Key key) const noexcept { return find_or_insert(key, look(key)); }

  /// Lowers the value of a key to `value` if that is smaller; inserts an absent key. If only this function changes a
  /// key's value, the value is the minimum of all arguments and the initial value, in any thread order. The slot is
  /// npos as in find_or_insert().
  FARPOINT_HD insertion insert_or_min(Key key, Value value) const noexcept {
    return insert_or_min(key, value, look_with_value(key));
  }

  /// Inserts a key with a value; a key that exists keeps its value.
  FARPOINT_HD insertion insert(Key key, Value value) const noexcept { return insert(key, value, look(key)); }

  /// Value of a key, which is inserted with `value` if it is absent. If several threads call it with one key and
  /// different values, all return the value that was inserted. Returns `value` if the map is full or the key is the
  /// empty one. Requires is_packed: otherwise a key may be visible before its value.
  FARPOINT_HD Value value_or_insert(Key key, Value value) const noexcept {
    static_assert(is_packed, "farpoint: value_or_insert() is for maps whose keys and values are one word");
    auto const at = probe_.find_or_take(key, value, look_with_value(key));
    return at.inserted || at.slot == npos ? value : value_ref::value_of(at.value);
  }

  /// Loads the first window of the search for a key. A thread with several keys calls look() for each key before it
  /// passes the results to the overloads below: the loads then overlap.
  FARPOINT_HD first_look<false, false> look(Key key) const noexcept { return probe_.template look<false, false>(key); }
  FARPOINT_HD first_look<false, true> look(Key key, unchanging_t) const noexcept {
    return probe_.template look<false, true>(key);
  }
  FARPOINT_HD first_look<true, false> look_with_value(Key key) const noexcept {
    return probe_.template look<true, false>(key);
  }
  FARPOINT_HD first_look<true, true> look_with_value(Key key, unchanging_t) const noexcept {
    return probe_.template look<true, true>(key);
  }

  template <bool WithValue, bool Unchanging>
  FARPOINT_HD index_t find(Key key, first_look<WithValue, Unchanging> const& first) const noexcept {
    return probe_.find(key, first).slot;
  }
  template <bool Unchanging>
  FARPOINT_HD Value value_or(Key key, Value otherwise, first_look<true, Unchanging> const& first) const noexcept {
    auto const at = probe_.find(key, first);
    if (at.slot == npos) return otherwise;
    if constexpr (slots::values_with_heads) {
      return value_ref::value_of(at.value);
    } else if constexpr (Unchanging) {
      return value(at.slot).load(unchanging);
    } else {
      return value(at.slot).load();
    }
  }
  FARPOINT_HD index_t find_or_insert(Key key, first_look<false, false> const& first) const noexcept {
    return probe_.find_or_take(key, first).slot;
  }
  FARPOINT_HD insertion insert(Key key, Value value, first_look<false, false> const& first) const noexcept {
    auto const at = probe_.find_or_take(key, value, first);
    if (!slots::takes_values() && at.inserted) atomic_store(memory().value(at.slot), value_ref::shifted(value));
    return {at.slot, at.inserted};
  }
  FARPOINT_HD insertion insert_or_min(Key key, Value value, first_look<true, false> const& first) const noexcept {
    Value const least = value < initial() ? value : initial();
    auto const at = probe_.find_or_take(key, least, first);
    bool const is_written = slots::takes_values() && at.inserted;
    if (at.slot == npos || is_written) return {at.slot, at.inserted};
    if constexpr (slots::values_with_heads) {
      // A packed word was loaded as a whole, so the minimum can be taken over whole words: they share the key.
      auto const shifted = value_ref::shifted(value);
      bool const is_larger = slots::is_packed ? value_ref::value_of(at.value) > value : at.value > shifted;
      if (is_larger) atomic_min(memory().value(at.slot), (slots::is_packed ? head::of(key) : 0) | shifted);
    } else if (!at.inserted) {
      this->value(at.slot).fetch_min(value);
    } else if (value < initial()) {
      atomic_min(memory().value(at.slot), value_ref::shifted(value));
    }
    return {at.slot, at.inserted};
  }

  /// Value of a slot that holds a key, as an atomic variable.
  FARPOINT_HD value_ref value(index_t slot) const noexcept { return value_ref{memory().value(slot)}; }

  /// Key of a slot, 0 <= slot < capacity(); the empty key if the slot is empty.
  FARPOINT_HD Key key(index_t slot) const noexcept { return head::key_of(atomic_load(memory().head(slot))); }

  /// Key and value of a slot, loaded together; the empty key if the slot is empty.
  struct entry_type {
    Key key;
    Value value;
  };
  FARPOINT_HD entry_type entry(index_t slot) const noexcept {
    auto const seen = memory().load_slot(slot);
    return {head::key_of(seen.head), value_ref::value_of(seen.value)};
  }

  /// Clears the map by 16-byte stores: performs the stores first, first + step, ... Threads share the work by passing
  /// their rank and their number, followed by a barrier; neighbouring threads then write neighbouring memory.
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
  /// is bucket_slots neighbouring slots. O(capacity).
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
      if (head::key_of(word) == empty()) continue;
      visit(head::key_of(word), value_of(word, slot), slot);
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

  /// Value of a slot with this head, while no thread changes the map.
  FARPOINT_HD Value value_of(head_word word, index_t slot) const noexcept {
    if constexpr (slots::is_packed) {
      return value_ref::value_of(word);
    } else {
      return value(slot).load(unchanging);
    }
  }

  probe probe_;
  std::uint32_t count_ = 0;
};

FARPOINT_END_NAMESPACE

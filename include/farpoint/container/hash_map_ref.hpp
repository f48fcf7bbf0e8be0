/// @file
/// A lock-free hash map over memory of the caller's, for kernels and host threads.
#pragma once

#include <farpoint/container/hash.hpp>
#include <farpoint/container/hash_map_layout.hpp>

FARPOINT_BEGIN_NAMESPACE

/// The key that marks an empty slot. It cannot be inserted: the map refuses it. All bits set by default.
template <class Key>
struct empty_key {
  Key value = static_cast<Key>(~std::uint64_t{0});
};

/// The value of a key that was inserted without one. The largest by default, as minima want it; counters want 0.
template <class Value>
struct initial_value {
  Value value = static_cast<Value>(~std::uint64_t{0});
};

/// Says in a call that nobody changes the map meanwhile: plain loads, which may come from a nearer cache.
struct unchanging_t {};
inline constexpr unchanging_t unchanging{};

/// The value of one slot, as an atomic variable. Trivially copyable; valid as long as the map's memory is.
///
/// Operations are relaxed unless they say otherwise. To hand over other memory with a value, write it before
/// store_release() and read it after load_acquire(), never with a stand-alone fence.
template <class Value, class Word = std::uint64_t>
class hash_map_value {
 public:
  /// @param word  holds the value in its high bits, and in those below, if there are any, what never changes
  FARPOINT_HD explicit hash_map_value(Word* word) noexcept : word_{word} {}

  FARPOINT_HD Value load() const noexcept { return value_of(atomic_load(word_)); }
  FARPOINT_HD Value load(unchanging_t) const noexcept { return value_of(*word_); }
  FARPOINT_HD Value load_acquire() const noexcept { return value_of(atomic_load_acquire(word_)); }
  FARPOINT_HD void store(Value value) const noexcept { atomic_store(word_, low_bits() | shifted(value)); }
  FARPOINT_HD void store_release(Value value) const noexcept {
    atomic_store_release(word_, low_bits() | shifted(value));
  }

  /// Adds, modulo 2^bits. Returns the value before.
  FARPOINT_HD Value fetch_add(Value amount) const noexcept { return value_of(atomic_add(word_, shifted(amount))); }

  /// The smaller value stays. Looks before it writes, so that many threads with larger values cost little. Returns the
  /// value before.
  FARPOINT_HD Value fetch_min(Value value) const noexcept {
    Word const seen = atomic_load(word_);
    if (value_of(seen) <= value) return value_of(seen);
    return value_of(atomic_min(word_, (seen & low_mask) | shifted(value)));
  }

  /// Writes `wanted` if the value is `expected`. Returns the value before.
  FARPOINT_HD Value compare_exchange(Value expected, Value wanted) const noexcept {
    Word const low = low_bits();
    return value_of(atomic_compare_exchange(word_, low | shifted(expected), low | shifted(wanted)));
  }

  static constexpr int shift = 8 * int{sizeof(Word)} - 8 * int{sizeof(Value)};
  FARPOINT_HD static constexpr Value value_of(Word word) noexcept { return static_cast<Value>(word >> shift); }
  FARPOINT_HD static constexpr Word shifted(Value value) noexcept { return static_cast<Word>(Word{value} << shift); }

 private:
  // The value is on top, so that a sum that overflows leaves the word, and an order of words is an order of values.
  static constexpr Word low_mask = (Word{1} << shift) - 1;
  FARPOINT_HD Word low_bits() const noexcept { return low_mask == 0 ? 0 : atomic_load(word_) & low_mask; }

  Word* word_;
};

/// Lock-free, insert-only hash map over buckets of the caller's, in global memory, in shared memory or on the host. A
/// non-owning view, trivially copyable: pass it by value into kernels.
///
/// **Races.** Any number of threads of one device, or of the host, may call find(), value_or(), find_or_insert(),
/// insert_or_min(), insert() and value() on one map at the same time, through copies of one view. clear(), size() and
/// for_each() want the map to themselves; what comes before and after them must be ordered by a barrier, a kernel's end
/// or a join.
/// - A key, once there, stays in its slot until clear(). Of any number of threads that insert one key, one makes the
///   slot and all return it.
/// - Where a key lands depends on who came first: a slot's number is good for this filling of the map only. Which keys
///   find no room in a map that is too small depends on it too. Everything else does not: the set of keys, and the
///   value of each after insert_or_min() and sums, are the same in every run.
/// - A value of 32 bits beside a key of 32 bits appears together with its key, if the layout is that of pairs. Of other
///   types, and in the other layouts, a find() that runs beside insert() or insert_or_min() may see the key with the
///   initial value still.
/// - insert() of one key by several threads with different values: one of them wins. Do not call it while others
///   change the value of the same key.
/// - All of this is relaxed: seeing a key or a value says nothing about other memory. hash_map_value has a way to.
///
/// Linear probing by buckets, one load of 16 or 32 bytes a step, and a look before every compare-and-swap. It ends
/// after all buckets: a map is full, not stuck. A key that is not there is looked for up to the first empty slot, so
/// keep the load factor at 0.8 or below: at 1, every miss walks through the whole map.
///
/// @tparam Key    integer of 32 or 64 bits
/// @tparam Value  unsigned integer of 32 or 64 bits
/// @tparam Hash   see default_hash
/// @tparam Tuning see hash_map_tuning: the layout, for one. Changes the speed only
template <class Key, class Value = std::uint32_t, class Hash = default_hash, class Tuning = hash_map_tuning>
class hash_map_ref {
  static_assert(std::is_integral_v<Key> && (sizeof(Key) == 4 || sizeof(Key) == 8),
                "farpoint: the keys of a hash map are integers of 32 or 64 bits");
  static_assert(std::is_unsigned_v<Value> && (sizeof(Value) == 4 || sizeof(Value) == 8),
                "farpoint: the values of a hash map are unsigned integers of 32 or 64 bits");

  using slots = detail::hash_map_slots<Key, Value, Tuning>;
  using head_word = typename slots::head_word;
  using value_word = typename slots::value_word;
  template <bool WithValues>
  using window = typename slots::template window<WithValues>;

  static constexpr int window_slots = slots::window_slots;
  // 64 bits where there may be more windows than 32 can count.
  using window_index = std::conditional_t<slots::windows_a_bucket == 1, std::uint32_t, std::uint64_t>;

 public:
  using key_type = Key;
  using value_type = Value;
  using tuning = Tuning;
  using value_ref = hash_map_value<Value, value_word>;

  /// No slot.
  static constexpr index_t npos = -1;
  static constexpr int bucket_slots = slots::bucket_slots;

  /// What insert() and insert_or_min() did.
  struct insertion {
    index_t slot;   ///< of the key; npos: there is no room, or the key is the empty one
    bool inserted;  ///< the key is new
  };

  /// The first step of a search, which look() has loaded. Good for one call with the same key.
  template <bool WithValue, bool Unchanging>
  class first_look {
    friend hash_map_ref;
    window_index at{};
    window<WithValue> seen;
  };

  /// Buckets of memory that hold `keys` keys at load factor `load` or below, 0 < load <= 1 (anything else counts as
  /// 0.5). No keys take no bucket.
  FARPOINT_HD static constexpr index_t buckets_for(index_t keys, double load = 0.5) noexcept {
    if (keys <= 0) return 0;
    if (!(load > 0 && load <= 1)) load = 0.5;
    auto needed = static_cast<index_t>(static_cast<double>(keys) / load);
    // What the conversion rounds off.
    if (needed < keys || static_cast<double>(needed) * load < static_cast<double>(keys)) ++needed;
    return slots::memory_for((needed + bucket_slots - 1) / bucket_slots);
  }

  /// A map without slots: it holds nothing, and every insertion says so.
  constexpr hash_map_ref() = default;

  /// @param buckets  memory, any amount; what is beyond 2^32 - 1 buckets is not used. clear() it before the first use
  /// @param empty    a key that is never inserted
  /// @param initial  value of a key that is inserted without one, and the largest that insert_or_min() leaves to a new
  /// one
  /// @param hash     where keys go
  FARPOINT_HD explicit constexpr hash_map_ref(span<hash_map_bucket> buckets, empty_key<Key> empty = {},
                                              initial_value<Value> initial = {}, Hash hash = {}) noexcept
      : slots_{buckets.data(), at_most(slots::buckets_in(at_most(buckets.size())))},
        count_{at_most(buckets.size())},
        empty_{empty.value},
        initial_{initial.value},
        hash_{hash} {}

  FARPOINT_HD constexpr span<hash_map_bucket> buckets() const noexcept { return {slots_.memory(), count_}; }
  /// Number of slots, and of the keys that fit.
  FARPOINT_HD constexpr index_t capacity() const noexcept { return index_t{slots_.buckets()} * bucket_slots; }
  FARPOINT_HD constexpr Key empty() const noexcept { return empty_; }
  FARPOINT_HD constexpr Value initial() const noexcept { return initial_; }

  /// Which of `parts` parts of the map's memory, of one size and one after another, the search for a key begins in.
  FARPOINT_HD std::uint32_t part_of(Key key, std::uint32_t parts) const noexcept {
    return static_cast<std::uint32_t>(std::uint64_t{hash_(key)} * parts >> 32);
  }

  /// Slot of a key, or npos. Never writes.
  FARPOINT_HD index_t find(Key key) const noexcept { return find(key, look(key)); }
  FARPOINT_HD index_t find(Key key, unchanging_t) const noexcept { return find(key, look(key, unchanging)); }

  /// Value of a key, or `otherwise`. Never writes; costs no more than find() where keys and values are pairs.
  FARPOINT_HD Value value_or(Key key, Value otherwise) const noexcept {
    return value_or(key, otherwise, look_with_value(key));
  }
  FARPOINT_HD Value value_or(Key key, Value otherwise, unchanging_t) const noexcept {
    return value_or(key, otherwise, look_with_value(key, unchanging));
  }

  /// Slot of a key, which is inserted with the initial value if it is not there. npos: there is no room, or it is the
  /// empty key.
  FARPOINT_HD index_t find_or_insert(Key key) const noexcept { return find_or_insert(key, look(key)); }

  /// Lowers the value of a key to `value`, if that is smaller; inserts the key if it is not there. The value of a
  /// key that only this function changes is the smallest of all that were given and of the initial one, whoever came
  /// first. The slot is npos as in find_or_insert().
  FARPOINT_HD insertion insert_or_min(Key key, Value value) const noexcept {
    return insert_or_min(key, value, look_with_value(key));
  }

  /// Inserts a key with a value, unless the key is there already: then its value stays.
  FARPOINT_HD insertion insert(Key key, Value value) const noexcept { return insert(key, value, look(key)); }

  /// Loads what a search for a key looks at first. For threads with several keys: look for all, then call the functions
  /// below, which are those above otherwise, and the loads will have been on their way together.
  FARPOINT_HD first_look<false, false> look(Key key) const noexcept { return first_look_of<false, false>(key); }
  FARPOINT_HD first_look<false, true> look(Key key, unchanging_t) const noexcept {
    return first_look_of<false, true>(key);
  }
  FARPOINT_HD first_look<true, false> look_with_value(Key key) const noexcept {
    return first_look_of<true, false>(key);
  }
  FARPOINT_HD first_look<true, true> look_with_value(Key key, unchanging_t) const noexcept {
    return first_look_of<true, true>(key);
  }

  template <bool WithValue, bool Unchanging>
  FARPOINT_HD index_t find(Key key, first_look<WithValue, Unchanging> const& first) const noexcept {
    return look_up(key, first).slot;
  }
  template <bool Unchanging>
  FARPOINT_HD Value value_or(Key key, Value otherwise, first_look<true, Unchanging> const& first) const noexcept {
    found const at = look_up(key, first);
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
    return claim(key, initial_, first).slot;
  }
  FARPOINT_HD insertion insert(Key key, Value value, first_look<false, false> const& first) const noexcept {
    found const at = claim(key, value, first);
    if (!slots::is_packed && at.inserted) atomic_store(slots_.value(at.slot), value_ref::shifted(value));
    return {at.slot, at.inserted};
  }
  FARPOINT_HD insertion insert_or_min(Key key, Value value, first_look<true, false> const& first) const noexcept {
    Value const least = value < initial_ ? value : initial_;
    found const at = claim(key, least, first);
    bool const is_written = slots::is_packed && at.inserted;
    if (at.slot == npos || is_written) return {at.slot, at.inserted};
    if constexpr (slots::values_with_heads) {
      if (value_ref::value_of(at.value) > value) {
        atomic_min(slots_.value(at.slot), (slots::is_packed ? head_of(key) : 0) | value_ref::shifted(value));
      }
    } else if (!at.inserted) {
      this->value(at.slot).fetch_min(value);
    } else if (value < initial_) {
      atomic_min(slots_.value(at.slot), value_ref::shifted(value));
    }
    return {at.slot, at.inserted};
  }

  /// Value of a slot that holds a key.
  FARPOINT_HD value_ref value(index_t slot) const noexcept { return value_ref{slots_.value(slot)}; }

  /// Key of a slot, 0 <= slot < capacity(); the empty key if it holds none.
  FARPOINT_HD Key key(index_t slot) const noexcept { return key_of(atomic_load(slots_.head(slot))); }

  /// Key and value of a slot together; the empty key if it holds none.
  struct entry_type {
    Key key;
    Value value;
  };
  FARPOINT_HD entry_type entry(index_t slot) const noexcept {
    head_word const head = atomic_load(slots_.head(slot));
    return {key_of(head), value_of(head, slot)};
  }

  /// Empties the map by stores of 16 bytes, the first, first + step, ... of them: threads share the work by rank and
  /// number, and then meet at a barrier. Neighbouring threads write neighbouring memory.
  FARPOINT_HD void clear(index_t first = 0, index_t step = 1) const noexcept {
    clear_part(first, clear_stores(), step);
  }
  /// The same for the stores from `begin` on and before `end`, of clear_stores().
  FARPOINT_HD void clear_part(index_t begin, index_t end, index_t step = 1) const noexcept {
    for (index_t at = begin; at < end; at += step) slots_.store(at, empty_head(), value_ref::shifted(initial_));
  }
  FARPOINT_HD index_t clear_stores() const noexcept { return slots_.stores(); }

  /// Calls visit(key, value, slot) for every key in the buckets first, first + step, ..., by slot; a bucket is
  /// bucket_slots neighbouring slots. O(capacity).
  FARPOINT_CALLS_BACK
  template <class Visit>
  FARPOINT_HD void for_each(Visit&& visit, index_t first = 0, index_t step = 1) const noexcept {
    for (index_t at = first; at < index_t{slots_.buckets()}; at += step) {
      FARPOINT_UNROLL
      for (int i = 0; i < bucket_slots; ++i) {
        index_t const slot = at * bucket_slots + i;
        head_word const head = *slots_.head(slot);
        if (key_of(head) == empty_) continue;
        visit(key_of(head), value_of(head, slot, unchanging), slot);
      }
    }
  }

  /// Number of keys. O(capacity).
  FARPOINT_HD index_t size() const noexcept {
    index_t keys = 0;
    for_each([&keys](Key, Value, index_t) { ++keys; });
    return keys;
  }

 private:
  using unsigned_key = std::make_unsigned_t<Key>;

  struct found {
    index_t slot = npos;
    bool inserted = false;
    value_word value = ~value_word{0};
  };

  FARPOINT_HD static constexpr std::uint32_t at_most(std::uint64_t buckets) noexcept {
    constexpr std::uint32_t most = ~std::uint32_t{0};
    return buckets < most ? static_cast<std::uint32_t>(buckets) : most;
  }

  // A head is the word that says whose a slot is.
  FARPOINT_HD static constexpr Key key_of(head_word head) noexcept {
    return static_cast<Key>(static_cast<unsigned_key>(head));
  }
  FARPOINT_HD static constexpr head_word head_of(Key key) noexcept { return static_cast<unsigned_key>(key); }
  FARPOINT_HD static constexpr head_word head_of(Key key, Value value) noexcept {
    if constexpr (slots::is_packed) {
      return head_of(key) | value_ref::shifted(value);
    } else {
      return head_of(key);
    }
  }
  FARPOINT_HD constexpr head_word empty_head() const noexcept { return head_of(empty_, initial_); }
  template <class... Unchanging>
  FARPOINT_HD Value value_of(head_word head, index_t slot, Unchanging... how) const noexcept {
    if constexpr (slots::is_packed) {
      return value_ref::value_of(head);
    } else {
      return value(slot).load(how...);
    }
  }

  FARPOINT_HD window_index windows() const noexcept { return window_index{slots_.buckets()} * slots::windows_a_bucket; }
  FARPOINT_HD window_index after(window_index at) const noexcept { return at + 1 == windows() ? 0 : at + 1; }

  /// Where the search for a key begins: the high bits of hash * buckets, so that any number of buckets will do.
  FARPOINT_HD window_index home(Key key) const noexcept {
    auto const bucket = static_cast<std::uint32_t>(std::uint64_t{hash_(key)} * slots_.buckets() >> 32);
    return window_index{bucket} * slots::windows_a_bucket;
  }

  template <bool WithValues, bool Unchanging>
  FARPOINT_HD first_look<WithValues, Unchanging> first_look_of(Key key) const noexcept {
    first_look<WithValues, Unchanging> first;
    if (key == empty_ || slots_.buckets() == 0) return first;
    first.at = home(key);
    first.seen = slots_.template load<WithValues, Unchanging>(first.at);
    return first;
  }

  template <bool WithValues, bool Unchanging>
  FARPOINT_HD found look_up(Key key, first_look<WithValues, Unchanging> const& first) const noexcept {
    if (key == empty_) return {};
    window_index at = first.at;
    window<WithValues> seen = first.seen;
    for (window_index tried = 0; tried < windows(); ++tried) {
      found here;
      bool has_room = false;
      FARPOINT_UNROLL
      for (int i = 0; i < window_slots; ++i) {
        if (key_of(seen.heads[i]) == key) {
          here.slot = static_cast<index_t>(at) * window_slots + i;
          here.value = seen.value(i);
        }
        has_room = has_room || key_of(seen.heads[i]) == empty_;
      }
      // Slots on the way of a key are taken in order, so it cannot be behind an empty one.
      if (here.slot != npos || has_room) return here;
      at = after(at);
      seen = slots_.template load<WithValues, Unchanging>(at);
    }
    return {};
  }

  /// Finds the slot of a key, or takes the first empty one on the way, with `value` if it goes into the same word.
  template <bool WithValues>
  FARPOINT_HD found claim(Key key, Value value, first_look<WithValues, false> const& first) const noexcept {
    if (key == empty_) return {};
    head_word const empty_one = empty_head();
    window_index at = first.at;
    window<WithValues> seen = first.seen;
    for (window_index tried = 0; tried < windows(); ++tried) {
      while (true) {
        // The first slot that is the key's, or empty.
        int place = window_slots;
        bool is_mine = false;
        found here;
        FARPOINT_UNROLL
        for (int i = window_slots - 1; i >= 0; --i) {
          Key const theirs = key_of(seen.heads[i]);
          if (theirs != key && theirs != empty_) continue;
          place = i;
          is_mine = theirs == key;
          here.value = seen.value(i);
        }
        if (place == window_slots) break;
        here.slot = static_cast<index_t>(at) * window_slots + place;
        if (is_mine) return here;
        head_word const before = atomic_compare_exchange(slots_.head(here.slot), empty_one, head_of(key, value));
        if (before == empty_one) {
          here.inserted = true;
          return here;
        }
        // Somebody was faster, perhaps with the same key.
        FARPOINT_UNROLL
        for (int i = 0; i < window_slots; ++i) seen.heads[i] = i == place ? before : seen.heads[i];
      }
      at = after(at);
      seen = slots_.template load<WithValues, false>(at);
    }
    return {};
  }

  slots slots_;
  std::uint32_t count_ = 0;
  Key empty_ = empty_key<Key>{}.value;
  Value initial_ = initial_value<Value>{}.value;
  Hash hash_{};
};

FARPOINT_END_NAMESPACE

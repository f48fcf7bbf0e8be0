/// @file
/// A lock-free hash map over memory of the caller's, for kernels and host threads.
#pragma once

#include <farpoint/container/hash.hpp>
#include <farpoint/core/atomic.hpp>

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

/// What a probe looks at in one go: 32 bytes, one sector of GPU memory. Four slots of a 32-bit key and a 32-bit value,
/// or two of other types. Its contents are the map's business; uninitialised memory will do until clear().
struct alignas(32) hash_map_bucket {
  std::uint64_t words[4];
};

/// Says in a call that nobody changes the map meanwhile: plain loads, which may come from a nearer cache.
struct unchanging_t {};
inline constexpr unchanging_t unchanging{};

/// What makes a hash map fast on a GPU. Nothing here changes a result, only in which slot a key lands.
struct hash_map_tuning {
  /// Slots of a bucket of four that are looked at in one go: 4, two loads in flight together, or 2, of which the second
  /// two are loaded only if the first are taken by others.
  static constexpr int window_slots = 4;
};

/// The value of one slot, as an atomic variable. Trivially copyable; valid as long as the map's memory is.
///
/// Operations are relaxed unless they say otherwise. To hand over other memory with a value, write it before
/// store_release() and read it after load_acquire(), never with a stand-alone fence.
template <class Value>
class hash_map_value {
 public:
  /// @param word  holds the value in its high bits, and in those below, if there are any, what never changes
  FARPOINT_HD explicit hash_map_value(std::uint64_t* word) noexcept : word_{word} {}

  FARPOINT_HD Value load() const noexcept { return value_of(atomic_load(word_)); }
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
    std::uint64_t const seen = atomic_load(word_);
    if (value_of(seen) <= value) return value_of(seen);
    return value_of(atomic_min(word_, (seen & low_mask) | shifted(value)));
  }

  /// Writes `wanted` if the value is `expected`. Returns the value before.
  FARPOINT_HD Value compare_exchange(Value expected, Value wanted) const noexcept {
    std::uint64_t const low = low_bits();
    return value_of(atomic_compare_exchange(word_, low | shifted(expected), low | shifted(wanted)));
  }

  static constexpr int shift = 64 - 8 * int{sizeof(Value)};
  FARPOINT_HD static constexpr Value value_of(std::uint64_t word) noexcept { return static_cast<Value>(word >> shift); }
  FARPOINT_HD static constexpr std::uint64_t shifted(Value value) noexcept { return std::uint64_t{value} << shift; }

 private:
  // The value is on top, so that a sum that overflows leaves the word, and an order of words is an order of values.
  static constexpr std::uint64_t low_mask = (std::uint64_t{1} << shift) - 1;
  FARPOINT_HD std::uint64_t low_bits() const noexcept { return low_mask == 0 ? 0 : atomic_load(word_) & low_mask; }

  std::uint64_t* word_;
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
/// - A value of 32 bits beside a key of 32 bits appears together with its key. Of other types a find() that runs beside
///   insert() or insert_or_min() may see the key with the initial value still.
/// - insert() of one key by several threads with different values: one of them wins. Do not call it while others
///   change the value of the same key.
/// - All of this is relaxed: seeing a key or a value says nothing about other memory. hash_map_value has a way to.
///
/// Linear probing by buckets, one load of 32 bytes a step, and a look before every compare-and-swap. It ends after all
/// buckets: a map is full, not stuck. A key that is not there is looked for up to the first empty slot, so keep the
/// load factor at 0.8 or below: at 1, every miss walks through the whole map.
///
/// @tparam Key    integer of 32 or 64 bits
/// @tparam Value  unsigned integer of 32 or 64 bits
/// @tparam Hash   see default_hash
/// @tparam Tuning changes the speed only
template <class Key, class Value = std::uint32_t, class Hash = default_hash, class Tuning = hash_map_tuning>
class hash_map_ref {
  static_assert(std::is_integral_v<Key> && (sizeof(Key) == 4 || sizeof(Key) == 8),
                "farpoint: the keys of a hash map are integers of 32 or 64 bits");
  static_assert(std::is_unsigned_v<Value> && (sizeof(Value) == 4 || sizeof(Value) == 8),
                "farpoint: the values of a hash map are unsigned integers of 32 or 64 bits");

  // One word holds key and value, and one compare-and-swap writes both.
  static constexpr bool is_packed = sizeof(Key) == 4 && sizeof(Value) == 4;
  static_assert(Tuning::window_slots == 2 || Tuning::window_slots == 4, "farpoint: a window has 2 or 4 slots");

 public:
  using key_type = Key;
  using value_type = Value;
  using value_ref = hash_map_value<Value>;

  /// No slot.
  static constexpr index_t npos = -1;
  static constexpr int bucket_slots = is_packed ? 4 : 2;

  /// What insert() and insert_or_min() did.
  struct insertion {
    index_t slot;   ///< of the key; npos: there is no room, or the key is the empty one
    bool inserted;  ///< the key is new
  };

  /// Buckets that hold `keys` keys at load factor `load` or below, 0 < load <= 1 (anything else counts as 0.5). No keys
  /// take no bucket.
  FARPOINT_HD static constexpr index_t buckets_for(index_t keys, double load = 0.5) noexcept {
    if (keys <= 0) return 0;
    if (!(load > 0 && load <= 1)) load = 0.5;
    auto slots = static_cast<index_t>(static_cast<double>(keys) / load);
    // What the conversion rounds off.
    if (slots < keys || static_cast<double>(slots) * load < static_cast<double>(keys)) ++slots;
    return (slots + bucket_slots - 1) / bucket_slots;
  }

  /// A map without slots: it holds nothing, and every insertion says so.
  constexpr hash_map_ref() = default;

  /// @param buckets  any number; those from 2^32 - 1 on are not used. clear() them before the first use
  /// @param empty    a key that is never inserted
  /// @param initial  value of a key that is inserted without one, and the largest that insert_or_min() leaves to a new
  /// one
  /// @param hash     where keys go
  FARPOINT_HD explicit constexpr hash_map_ref(span<hash_map_bucket> buckets, empty_key<Key> empty = {},
                                              initial_value<Value> initial = {}, Hash hash = {}) noexcept
      : buckets_{buckets.data()},
        count_{buckets.size() < most_buckets ? static_cast<std::uint32_t>(buckets.size()) : most_buckets},
        empty_{empty.value},
        initial_{initial.value},
        hash_{hash} {}

  FARPOINT_HD constexpr span<hash_map_bucket> buckets() const noexcept { return {buckets_, count_}; }
  /// Number of slots, and of the keys that fit.
  FARPOINT_HD constexpr index_t capacity() const noexcept { return index_t{count_} * bucket_slots; }
  FARPOINT_HD constexpr Key empty() const noexcept { return empty_; }
  FARPOINT_HD constexpr Value initial() const noexcept { return initial_; }

  /// Slot of a key, or npos. Never writes.
  FARPOINT_HD index_t find(Key key) const noexcept { return look_up<false, false>(key).slot; }
  FARPOINT_HD index_t find(Key key, unchanging_t) const noexcept { return look_up<false, true>(key).slot; }

  /// Value of a key, or `otherwise`. Never writes; costs no more than find().
  FARPOINT_HD Value value_or(Key key, Value otherwise) const noexcept {
    return look_up<true, false>(key).value_or(otherwise);
  }
  FARPOINT_HD Value value_or(Key key, Value otherwise, unchanging_t) const noexcept {
    return look_up<true, true>(key).value_or(otherwise);
  }

  /// Slot of a key, which is inserted with the initial value if it is not there. npos: there is no room, or it is the
  /// empty key.
  FARPOINT_HD index_t find_or_insert(Key key) const noexcept { return claim<false>(key, initial_).slot; }

  /// Lowers the value of a key to `value`, if that is smaller; inserts the key if it is not there. The value of a
  /// key that only this function changes is the smallest of all that were given and of the initial one, whoever came
  /// first. The slot is npos as in find_or_insert().
  FARPOINT_HD insertion insert_or_min(Key key, Value value) const noexcept {
    Value const least = value < initial_ ? value : initial_;
    found const at = claim<true>(key, least);
    bool const is_written = is_packed && at.inserted;
    if (at.slot != npos && !is_written && value_ref::value_of(at.value_word) > value) {
      atomic_min(value_word(at.slot), (is_packed ? head_of(key) : 0) | value_ref::shifted(value));
    }
    return {at.slot, at.inserted};
  }

  /// Inserts a key with a value, unless the key is there already: then its value stays.
  FARPOINT_HD insertion insert(Key key, Value value) const noexcept {
    found const at = claim<false>(key, value);
    if (!is_packed && at.inserted) atomic_store(value_word(at.slot), value_ref::shifted(value));
    return {at.slot, at.inserted};
  }

  /// Value of a slot that holds a key.
  FARPOINT_HD value_ref value(index_t slot) const noexcept { return value_ref{value_word(slot)}; }

  /// Key of a slot, 0 <= slot < capacity(); the empty key if it holds none.
  FARPOINT_HD Key key(index_t slot) const noexcept { return key_of(atomic_load(head_word(slot))); }

  /// Key and value of a slot together; the empty key if it holds none.
  struct entry_type {
    Key key;
    Value value;
  };
  FARPOINT_HD entry_type entry(index_t slot) const noexcept {
    word const head = atomic_load(head_word(slot));
    return {key_of(head), value_ref::value_of(is_packed ? head : atomic_load(value_word(slot)))};
  }

  /// Empties the halves of buckets first, first + step, ...: threads share the work by rank and number, and then meet
  /// at a barrier. Neighbouring threads write neighbouring memory.
  FARPOINT_HD void clear(index_t first = 0, index_t step = 1) const noexcept {
    word_pair const heads{empty_head(), empty_head()};
    word const initial = value_ref::shifted(initial_);
    word_pair const values = is_packed ? heads : word_pair{initial, initial};
    for (index_t at = first; at < 2 * index_t{count_}; at += step) {
      *reinterpret_cast<word_pair*>(&buckets_[at / 2].words[at % 2 * 2]) = at % 2 == 0 ? heads : values;
    }
  }

  /// Calls visit(key, value, slot) for every key in the buckets first, first + step, ..., by slot. O(capacity).
  FARPOINT_CALLS_BACK
  template <class Visit>
  FARPOINT_HD void for_each(Visit&& visit, index_t first = 0, index_t step = 1) const noexcept {
    for (index_t at = first; at < index_t{count_}; at += step) {
      word const* const words = buckets_[at].words;
      FARPOINT_UNROLL
      for (int i = 0; i < bucket_slots; ++i) {
        word const head = words[i];
        if (key_of(head) == empty_) continue;
        visit(key_of(head), value_ref::value_of(is_packed ? head : words[i + bucket_slots]), at * bucket_slots + i);
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
  using word = std::uint64_t;
  using unsigned_key = std::make_unsigned_t<Key>;

  /// Half a bucket: the most that a thread loads or stores at once.
  struct alignas(16) word_pair {
    word first, second;
  };

  static constexpr std::uint32_t most_buckets = ~std::uint32_t{0};
  static constexpr int window_slots = is_packed ? Tuning::window_slots : bucket_slots;
  static constexpr int windows_a_bucket = bucket_slots / window_slots;

  /// Neighbouring slots as they were when they were loaded. A key in them is there for good; a slot that is empty may
  /// have been taken since.
  template <bool WithValues>
  struct window {
    word heads[window_slots];
    word values[is_packed || !WithValues ? 1 : window_slots];

    /// The largest if it was not loaded.
    FARPOINT_HD word value_word(int i) const noexcept {
      return is_packed ? heads[i] : WithValues ? values[i] : ~word{0};
    }
  };

  struct found {
    index_t slot = npos;
    bool inserted = false;
    word value_word = ~word{0};

    FARPOINT_HD Value value_or(Value otherwise) const noexcept {
      return slot == npos ? otherwise : value_ref::value_of(value_word);
    }
  };

  // A head is the word that says whose a slot is.
  FARPOINT_HD static constexpr Key key_of(word head) noexcept {
    return static_cast<Key>(static_cast<unsigned_key>(head));
  }
  FARPOINT_HD static constexpr word head_of(Key key) noexcept { return static_cast<unsigned_key>(key); }
  FARPOINT_HD static constexpr word head_of(Key key, Value value) noexcept {
    return is_packed ? head_of(key) | value_ref::shifted(value) : head_of(key);
  }
  FARPOINT_HD constexpr word empty_head() const noexcept { return head_of(empty_, initial_); }

  FARPOINT_HD word* head_word(index_t slot) const noexcept {
    return &buckets_[slot / bucket_slots].words[slot % bucket_slots];
  }
  FARPOINT_HD word* value_word(index_t slot) const noexcept { return head_word(slot) + (is_packed ? 0 : bucket_slots); }

  // 64 bits where there may be more windows than 32 can count.
  using window_index = std::conditional_t<windows_a_bucket == 1, std::uint32_t, std::uint64_t>;
  FARPOINT_HD window_index windows() const noexcept { return window_index{count_} * windows_a_bucket; }
  FARPOINT_HD window_index after(window_index at) const noexcept { return at + 1 == windows() ? 0 : at + 1; }

  /// Where the search for a key begins: the high bits of hash * buckets, so that any number of buckets will do.
  FARPOINT_HD window_index home(Key key) const noexcept {
    return window_index{static_cast<std::uint32_t>(std::uint64_t{hash_(key)} * count_ >> 32)} * windows_a_bucket;
  }

  template <bool Unchanging>
  FARPOINT_HD static void load_pair(word const* words, word& first, word& second) noexcept {
    if constexpr (Unchanging) {
      word_pair const seen = *reinterpret_cast<word_pair const*>(words);
      first = seen.first;
      second = seen.second;
    } else {
      atomic_load_pair(words, first, second);
    }
  }

  template <bool WithValues, bool Unchanging>
  FARPOINT_HD window<WithValues> load(window_index at) const noexcept {
    word const* const words = buckets_[at / windows_a_bucket].words + at % windows_a_bucket * window_slots;
    window<WithValues> seen;
    load_pair<Unchanging>(words, seen.heads[0], seen.heads[1]);
    if constexpr (window_slots == 4) {
      load_pair<Unchanging>(words + 2, seen.heads[2], seen.heads[3]);
    } else if constexpr (!is_packed && WithValues) {
      load_pair<Unchanging>(words + 2, seen.values[0], seen.values[1]);
    }
    return seen;
  }

  template <bool WithValues, bool Unchanging>
  FARPOINT_HD found look_up(Key key) const noexcept {
    if (key == empty_) return {};
    window_index at = home(key);
    for (window_index tried = 0; tried < windows(); ++tried, at = after(at)) {
      window<WithValues> const seen = load<WithValues, Unchanging>(at);
      found here;
      bool has_room = false;
      FARPOINT_UNROLL
      for (int i = 0; i < window_slots; ++i) {
        if (key_of(seen.heads[i]) == key) {
          here.slot = static_cast<index_t>(at) * window_slots + i;
          here.value_word = seen.value_word(i);
        }
        has_room = has_room || key_of(seen.heads[i]) == empty_;
      }
      // Slots on the way of a key are taken in order, so it cannot be behind an empty one.
      if (here.slot != npos || has_room) return here;
    }
    return {};
  }

  /// Finds the slot of a key, or takes the first empty one on the way, with `value` if it goes into the same word.
  template <bool WithValues>
  FARPOINT_HD found claim(Key key, Value value) const noexcept {
    if (key == empty_) return {};
    word const empty_one = empty_head();
    window_index at = home(key);
    for (window_index tried = 0; tried < windows(); ++tried, at = after(at)) {
      window<WithValues> seen = load<WithValues, false>(at);
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
          here.value_word = seen.value_word(i);
        }
        if (place == window_slots) break;
        here.slot = static_cast<index_t>(at) * window_slots + place;
        if (is_mine) return here;
        word const before = atomic_compare_exchange(head_word(here.slot), empty_one, head_of(key, value));
        if (before == empty_one) {
          here.inserted = true;
          return here;
        }
        // Somebody was faster, perhaps with the same key.
        FARPOINT_UNROLL
        for (int i = 0; i < window_slots; ++i) seen.heads[i] = i == place ? before : seen.heads[i];
      }
    }
    return {};
  }

  hash_map_bucket* buckets_ = nullptr;
  std::uint32_t count_ = 0;
  Key empty_ = empty_key<Key>{}.value;
  Value initial_ = initial_value<Value>{}.value;
  Hash hash_{};
};

FARPOINT_END_NAMESPACE

/// @file
/// Linear probing: how a hash map finds the slot of a key, or takes one.
#pragma once

#include <farpoint/container/hash_map_layout.hpp>
#include <farpoint/container/hash_map_value.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Head of a slot: the word with its key and, where both fit into one word, its value.
template <class Key, class Value, class Slots, bool Erases>
struct hash_map_head {
  using word = typename Slots::head_word;
  using value_ref = hash_map_value<Value, typename Slots::value_word, Slots::is_packed && Erases>;

  FARPOINT_HD static constexpr Key key_of(word head) noexcept {
    return static_cast<Key>(static_cast<std::make_unsigned_t<Key>>(head));
  }
  FARPOINT_HD static constexpr word of(Key key) noexcept { return static_cast<std::make_unsigned_t<Key>>(key); }
  FARPOINT_HD static constexpr word of(Key key, Value value) noexcept {
    return Slots::is_packed ? static_cast<word>(of(key) | value_ref::shifted(value)) : of(key);
  }
};

/// Searches bucket by bucket, from the bucket that the hash of a key selects, until a bucket has the key or an empty
/// slot, or all buckets were loaded. Each step loads one bucket: 16 or 32 bytes.
///
/// Invariant: slots of a probe sequence are taken in order. A slot changes from empty to a key and, with `Erases`, from
/// the key to erased(), and never back. So no key is behind an empty slot of its probe sequence.
template <class Key, class Value, class Hash, class Slots, bool Erases = false>
class hash_map_probe {
  template <bool WithValues>
  using window = typename Slots::template window<WithValues>;
  using entry = typename Slots::entry;
  static constexpr int bucket_slots = Slots::bucket_slots;

 public:
  using head = hash_map_head<Key, Value, Slots, Erases>;
  using head_word = typename Slots::head_word;
  using value_word = typename Slots::value_word;

  static constexpr index_t npos = -1;

  /// Slot of a key, and its value word if it was loaded with the head; all bits set otherwise.
  struct found {
    index_t slot = npos;
    value_word value = ~value_word{0};
  };

  /// Outcome of an insertion.
  struct insertion {
    index_t slot;           ///< slot of the key; npos if `state` is full or refused
    insert_result state;    ///< whether the key is new, and why it was not inserted
    bool inserted = false;  ///< true if the key is new: `state == insert_result::inserted`
  };
  struct taken : insertion {
    value_word value = ~value_word{0};
  };

  constexpr hash_map_probe() = default;
  FARPOINT_HD constexpr hash_map_probe(Slots const& slots, Key empty, Value initial, Hash hash) noexcept
      : slots_{slots}, empty_{empty}, initial_{initial}, hash_{hash} {}

  FARPOINT_HD constexpr Slots const& slots() const noexcept { return slots_; }
  FARPOINT_HD constexpr Key empty() const noexcept { return empty_; }
  FARPOINT_HD constexpr Key erased() const noexcept { return static_cast<Key>(empty_ ^ 1); }
  /// True for keys that no slot can hold: empty(), and erased() if there is one.
  FARPOINT_HD constexpr bool is_reserved(Key key) const noexcept {
    return Erases ? (key | 1) == (empty_ | 1) : key == empty_;
  }
  FARPOINT_HD constexpr Value initial() const noexcept { return initial_; }
  FARPOINT_HD constexpr head_word empty_head() const noexcept { return head::of(empty_, initial_); }
  FARPOINT_HD std::uint32_t hash(Key key) const noexcept { return hash_(key); }

  /// Finds the slot of a key.
  template <bool WithValues, bool Unchanging>
  FARPOINT_HD found find(Key key) const noexcept {
    if (is_reserved(key)) return {};
    std::uint32_t at = home(key);
    for (std::uint32_t tried = 0; tried < slots_.buckets(); ++tried, at = after(at)) {
      window<WithValues> const seen = slots_.template load<WithValues, Unchanging>(at);
      found here;
      bool has_room = false;
      FARPOINT_UNROLL
      for (int i = 0; i < bucket_slots; ++i) {
        if (head::key_of(seen.heads[i]) == key) {
          here.slot = index_t{at} * bucket_slots + i;
          here.value = seen.value(i);
        }
        has_room = has_room || head::key_of(seen.heads[i]) == empty_;
      }
      if (here.slot != npos || has_room) return here;
    }
    return {};
  }

  /// Finds the slot of a key, or takes the first empty slot of its probe sequence. A slot that it takes has the value
  /// `value` if Slots::takes_values(), and otherwise the value that the slot was cleared with. Terminates for any
  /// contents of the memory.
  /// @tparam WithValue      false: the value of a slot that is taken may stay unchanged
  /// @tparam LooksAtValues  true: values are loaded with the heads
  template <bool WithValue, bool LooksAtValues>
  FARPOINT_HD taken find_or_take(Key key, Value value) const noexcept {
    if (is_reserved(key)) return {{npos, insert_result::refused}};
    entry const empty_one{empty_head(), head::value_ref::shifted(initial_)};
    entry const wanted{head::of(key, value), head::value_ref::shifted(value)};
    taken const none{{npos, insert_result::full}};
    std::uint32_t const begin = home(key);
    std::uint32_t at = begin;
    window<LooksAtValues> seen;
    // An early return would take up to three more registers in kernels.
    if (slots_.buckets() != 0) seen = slots_.template load<LooksAtValues, false>(at);
    // Terminates: each step returns, or leaves one empty slot less in `seen`, or goes on to the next bucket. In two
    // nested loops, threads that lost a slot would not meet the others again before the inner loop ends.
    while (slots_.buckets() != 0) {
      // The first slot that holds the key, or is empty.
      int first = bucket_slots;
      bool holds_key = false;
      taken here{{npos, insert_result::duplicate}};
      FARPOINT_UNROLL
      for (int i = bucket_slots - 1; i >= 0; --i) {
        Key const theirs = head::key_of(seen.heads[i]);
        if (theirs != key && theirs != empty_) continue;
        first = i;
        holds_key = theirs == key;
        here.value = seen.value(i);
      }
      if (first == bucket_slots) {
        at = after(at);
        if (at == begin) return none;
        seen = slots_.template load<LooksAtValues, false>(at);
        continue;
      }
      here.slot = index_t{at} * bucket_slots + first;
      if (holds_key) return here;
      here.state = insert_result::inserted;
      here.inserted = true;
      auto* const head_at = slots_.head(at, first);
      entry before = Slots::template take<WithValue>(head_at, empty_one, wanted);
      if (before == empty_one) return here;
      if (head::key_of(before.head) == empty_) {
        // The slot was cleared with another initial value. If it changes again, other code writes to the memory.
        entry const other = before;
        before = Slots::template take<WithValue>(head_at, other, wanted);
        if (before == other) return here;
        if (head::key_of(before.head) == empty_) return none;
      }
      // Another thread wrote the slot first, perhaps with the same key.
      seen.set(first, before);
    }
    return none;
  }

  /// Marks the slot of a key as erased. Lock-free: each retry means that another thread has changed the value.
  /// @return true if this call erased the key
  FARPOINT_HD bool erase(Key key) const noexcept {
    found const at = find<Slots::is_packed, false>(key);
    if (at.slot == npos) return false;
    head_word seen = Slots::is_packed ? static_cast<head_word>(at.value) : head::of(key);
    while (true) {
      // The value stays; the key, in the low bits, is exchanged.
      head_word const wanted = seen ^ head::of(key) ^ head::of(erased());
      head_word const before = Slots::template take<false>(slots_.head(at.slot), {seen, {}}, {wanted, {}}).head;
      if (before == seen) return true;
      if (head::key_of(before) != key) return false;
      seen = before;
    }
  }

 private:
  FARPOINT_HD std::uint32_t after(std::uint32_t at) const noexcept { return at + 1 == slots_.buckets() ? 0 : at + 1; }

  /// First bucket of the search for a key: the high bits of hash * buckets, which allows any number of buckets.
  FARPOINT_HD std::uint32_t home(Key key) const noexcept {
    return static_cast<std::uint32_t>(std::uint64_t{hash_(key)} * slots_.buckets() >> 32);
  }

  Slots slots_;
  Key empty_ = empty_key<Key>{}.value;
  Value initial_ = initial_value<Value>{}.value;
  Hash hash_{};
};

}  // namespace detail
FARPOINT_END_NAMESPACE

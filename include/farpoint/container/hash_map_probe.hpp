/// @file
/// Linear probing: how a hash map finds the slot of a key, or takes one.
#pragma once

#include <farpoint/container/hash_map_layout.hpp>
#include <farpoint/container/hash_map_value.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// The head of a slot, the word that says whose it is, from and to a key and, where both fit into one word, a value.
template <class Key, class Value, class Slots>
struct hash_map_head {
  using word = typename Slots::head_word;
  using value_ref = hash_map_value<Value, typename Slots::value_word>;

  FARPOINT_HD static constexpr Key key_of(word head) noexcept {
    return static_cast<Key>(static_cast<std::make_unsigned_t<Key>>(head));
  }
  FARPOINT_HD static constexpr word of(Key key) noexcept { return static_cast<std::make_unsigned_t<Key>>(key); }
  FARPOINT_HD static constexpr word of(Key key, Value value) noexcept {
    if constexpr (Slots::is_packed) {
      return of(key) | value_ref::shifted(value);
    } else {
      return of(key);
    }
  }
};

/// Walks from window to window of the slots, beginning where the hash of a key says, until a window has the key or an
/// empty slot; after all windows it gives up. Each step loads one window: 16 or 32 bytes.
///
/// Slots on the way of a key are taken in order and never given back, so a key is never behind an empty slot.
template <class Key, class Value, class Hash, class Slots>
class hash_map_probe {
  template <bool WithValues>
  using window = typename Slots::template window<WithValues>;

  static constexpr int window_slots = Slots::window_slots;
  // 64 bits where there may be more windows than 32 can count.
  using window_index = std::conditional_t<Slots::windows_a_bucket == 1, std::uint32_t, std::uint64_t>;

 public:
  using head = hash_map_head<Key, Value, Slots>;
  using head_word = typename Slots::head_word;
  using value_word = typename Slots::value_word;

  static constexpr index_t npos = -1;

  /// The first window of a search.
  template <bool WithValues, bool Unchanging>
  class first_look {
    friend hash_map_probe;
    window_index at_{};
    window<WithValues> seen_;
  };

  struct found {
    index_t slot = npos;
    bool inserted = false;
    value_word value = ~value_word{0};  ///< as it was loaded with the head; the largest if it was not
  };

  constexpr hash_map_probe() = default;
  FARPOINT_HD constexpr hash_map_probe(Slots const& slots, Key empty, Value initial, Hash hash) noexcept
      : slots_{slots}, empty_{empty}, initial_{initial}, hash_{hash} {}

  FARPOINT_HD constexpr Slots const& slots() const noexcept { return slots_; }
  FARPOINT_HD constexpr Key empty() const noexcept { return empty_; }
  FARPOINT_HD constexpr Value initial() const noexcept { return initial_; }
  FARPOINT_HD constexpr head_word empty_head() const noexcept { return head::of(empty_, initial_); }
  FARPOINT_HD std::uint32_t hash(Key key) const noexcept { return hash_(key); }

  /// Loads the first window of a key.
  template <bool WithValues, bool Unchanging>
  FARPOINT_HD first_look<WithValues, Unchanging> look(Key key) const noexcept {
    first_look<WithValues, Unchanging> first;
    if (key == empty_ || slots_.buckets() == 0) return first;
    first.at_ = home(key);
    first.seen_ = slots_.template load<WithValues, Unchanging>(first.at_);
    return first;
  }

  /// Finds the slot of a key.
  template <bool WithValues, bool Unchanging>
  FARPOINT_HD found find(Key key, first_look<WithValues, Unchanging> const& first) const noexcept {
    if (key == empty_) return {};
    window_index at = first.at_;
    window<WithValues> seen = first.seen_;
    for (window_index tried = 0; tried < windows(); ++tried) {
      found here;
      bool has_room = false;
      FARPOINT_UNROLL
      for (int i = 0; i < window_slots; ++i) {
        if (head::key_of(seen.heads[i]) == key) {
          here.slot = static_cast<index_t>(at) * window_slots + i;
          here.value = seen.value(i);
        }
        has_room = has_room || head::key_of(seen.heads[i]) == empty_;
      }
      if (here.slot != npos || has_room) return here;
      at = after(at);
      seen = slots_.template load<WithValues, Unchanging>(at);
    }
    return {};
  }

  /// Finds the slot of a key, or takes the first empty one on the way. The slot's value is `value` then, or still the
  /// one that the slot was cleared with unless Slots::takes_values(). Ends whatever the memory holds: without
  /// a slot, if none can be taken.
  template <bool WithValues>
  FARPOINT_HD found find_or_take(Key key, Value value, first_look<WithValues, false> const& first) const noexcept {
    return find_or_take_as<true>(key, value, first);
  }
  /// The same with the initial value.
  template <bool WithValues>
  FARPOINT_HD found find_or_take(Key key, first_look<WithValues, false> const& first) const noexcept {
    return find_or_take_as<false>(key, initial_, first);
  }

 private:
  using entry = typename Slots::entry;

  template <bool WithValue, bool LooksAtValues>
  FARPOINT_HD found find_or_take_as(Key key, Value value,
                                    first_look<LooksAtValues, false> const& first) const noexcept {
    if (key == empty_) return {};
    entry empty_one{empty_head(), head::value_ref::shifted(initial_)};
    entry const wanted{head::of(key, value), head::value_ref::shifted(value)};
    window_index at = first.at_;
    window<LooksAtValues> seen = first.seen_;
    for (window_index tried = 0; tried < windows(); ++tried) {
      // Ends: a slot is tried once, and once more if it was cleared with another initial value.
      bool is_retry = false;
      while (true) {
        // The first slot that is the key's, or empty.
        int place = window_slots;
        bool is_mine = false;
        found here;
        FARPOINT_UNROLL
        for (int i = window_slots - 1; i >= 0; --i) {
          Key const theirs = head::key_of(seen.heads[i]);
          if (theirs != key && theirs != empty_) continue;
          place = i;
          is_mine = theirs == key;
          here.value = seen.value(i);
        }
        if (place == window_slots) break;
        here.slot = static_cast<index_t>(at) * window_slots + place;
        if (is_mine) return here;
        entry const before = slots_.template take<WithValue>(here.slot, empty_one, wanted);
        bool const is_empty = head::key_of(before.head) == empty_;
        if (is_empty) {
          here.inserted = before == empty_one;
          if (here.inserted) return here;
          // The slot was cleared with another initial value. If that changes again, somebody else writes to the memory.
          if (is_retry) return {};
          if constexpr (sizeof(head_word) > sizeof(Key)) empty_one.head = before.head;
          empty_one.value = before.value;
        }
        is_retry = is_empty;
        // Another thread was faster, perhaps with the same key.
        seen.set(place, before);
      }
      at = after(at);
      seen = slots_.template load<LooksAtValues, false>(at);
    }
    return {};
  }

  FARPOINT_HD window_index windows() const noexcept { return window_index{slots_.buckets()} * Slots::windows_a_bucket; }
  FARPOINT_HD window_index after(window_index at) const noexcept { return at + 1 == windows() ? 0 : at + 1; }

  /// Where the search for a key begins: the high bits of hash * buckets, so that any number of buckets will do.
  FARPOINT_HD window_index home(Key key) const noexcept {
    auto const bucket = static_cast<std::uint32_t>(std::uint64_t{hash_(key)} * slots_.buckets() >> 32);
    return window_index{bucket} * Slots::windows_a_bucket;
  }

  Slots slots_;
  Key empty_ = empty_key<Key>{}.value;
  Value initial_ = initial_value<Value>{}.value;
  Hash hash_{};
};

}  // namespace detail
FARPOINT_END_NAMESPACE

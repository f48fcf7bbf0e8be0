/// @file
/// Parameter types of a hash map: the empty key and the initial value; the outcome of an insertion; and the value of a
/// slot as an atomic variable.
#pragma once

#include <farpoint/core/atomic.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Key that marks an empty slot and cannot be inserted. All bits set by default.
template <class Key>
struct empty_key {
  Key value = static_cast<Key>(~std::uint64_t{0});
};

/// Value of a key that is inserted without a value. The largest value by default, as minima need; use 0 for counters.
template <class Value>
struct initial_value {
  Value value = static_cast<Value>(~std::uint64_t{0});
};

/// Outcome of an insertion.
enum class insert_result {
  inserted,   ///< the key is new
  duplicate,  ///< the key was in the map
  full,       ///< the key is new, and the map has no room for it
  refused     ///< the key marks empty or erased slots
};

/// Tag that promises that no thread changes the map during the call. Loads are then plain and may hit the L1 cache.
struct unchanging_t {};
inline constexpr unchanging_t unchanging{};

/// The value of one slot, as an atomic variable. Trivially copyable; valid as long as the map's memory is.
///
/// Operations are relaxed unless their name says otherwise. To hand over other memory with a value, write that memory
/// before store_release() and read it after load_acquire(), never with a stand-alone fence.
///
/// @tparam LowBitsChange  other threads may change the low bits of the word, which hold the key in a map that erases
template <class Value, class Word = std::uint64_t, bool LowBitsChange = false>
class hash_map_value {
 public:
  /// @param word  holds the value in its high bits; the low bits, if any, never change unless LowBitsChange
  FARPOINT_HD explicit hash_map_value(Word* word) noexcept : word_{word} {}

  FARPOINT_HD Value load() const noexcept { return value_of(atomic_load(word_)); }
  FARPOINT_HD Value load(unchanging_t) const noexcept { return value_of(*word_); }
  FARPOINT_HD Value load_acquire() const noexcept { return value_of(atomic_load_acquire(word_)); }
  FARPOINT_HD void store(Value value) const noexcept {
    if constexpr (LowBitsChange) update([value](Value) { return value; });
    if constexpr (!LowBitsChange) atomic_store(word_, low_bits() | shifted(value));
  }
  FARPOINT_HD void store_release(Value value) const noexcept {
    static_assert(!LowBitsChange, "farpoint: store_release() would write a key that another thread may erase");
    atomic_store_release(word_, low_bits() | shifted(value));
  }

  /// Adds `amount` modulo 2^bits and returns the previous value.
  FARPOINT_HD Value fetch_add(Value amount) const noexcept { return value_of(atomic_add(word_, shifted(amount))); }

  /// Stores the smaller of the old value and `value`, and returns the old one. Loads first, so that threads with larger
  /// values need no atomic operation.
  FARPOINT_HD Value fetch_min(Value value) const noexcept {
    if constexpr (LowBitsChange) return update([value](Value seen) { return seen < value ? seen : value; });
    Word const seen = atomic_load(word_);
    if (value_of(seen) <= value) return value_of(seen);
    return value_of(atomic_min(word_, (seen & low_mask) | shifted(value)));
  }

  static constexpr int shift = 8 * int{sizeof(Word)} - 8 * int{sizeof(Value)};
  FARPOINT_HD static constexpr Value value_of(Word word) noexcept { return static_cast<Value>(word >> shift); }
  FARPOINT_HD static constexpr Word shifted(Value value) noexcept { return static_cast<Word>(Word{value} << shift); }

 private:
  // The value is in the high bits: overflow of a sum leaves the word, and words compare like their values.
  static constexpr Word low_mask = (Word{1} << shift) - 1;
  FARPOINT_HD Word low_bits() const noexcept { return low_mask == 0 ? 0 : atomic_load(word_) & low_mask; }

  /// Replaces the value by next(value), keeps the low bits, and returns the previous value.
  template <class Next>
  FARPOINT_HD Value update(Next next) const noexcept {
    Word seen = atomic_load(word_);
    while (true) {
      Word const wanted = (seen & low_mask) | shifted(next(value_of(seen)));
      Word const before = wanted == seen ? seen : atomic_compare_exchange(word_, seen, wanted);
      if (before == seen) return value_of(seen);
      seen = before;
    }
  }

  Word* word_;
};

FARPOINT_END_NAMESPACE

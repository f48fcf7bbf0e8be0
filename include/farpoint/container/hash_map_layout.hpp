/// @file
/// Memory layouts of the slots of a hash map.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/tuning/hash_map.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Unit of a map's memory: 32 bytes, one sector of GPU memory. The contents are private to the map; memory may be
/// uninitialized until clear().
struct alignas(32) hash_map_bucket {
  std::uint64_t words[4];
};

namespace detail {

/// Contents of a slot. Head and value are the same word if is_packed.
template <class Head, class Value>
struct slot_words {
  Head head;
  Value value;

  FARPOINT_HD friend constexpr bool operator==(slot_words const& a, slot_words const& b) noexcept {
    return a.head == b.head && a.value == b.value;
  }
};

/// Snapshot of a bucket's slots. Since the load, an empty slot may have been taken, and a key erased.
template <class Entry, int Slots, bool IsPacked, bool HasValues>
struct slot_window {
  using value_word = decltype(Entry::value);
  decltype(Entry::head) heads[std::size_t{Slots}];
  value_word values[std::size_t{HasValues ? Slots : 1}];

  /// Value word of slot `i`; all bits set if values were not loaded.
  FARPOINT_HD value_word value(int i) const noexcept {
    if constexpr (IsPacked) return heads[i];
    return HasValues ? values[i] : static_cast<value_word>(~value_word{0});
  }
  /// Updates slot `at`. Compares indices instead of subscripting, so that the arrays stay in registers.
  FARPOINT_HD void set(int at, Entry const& now) noexcept {
    FARPOINT_UNROLL
    for (int i = 0; i < Slots; ++i) {
      heads[i] = i == at ? now.head : heads[i];
      if constexpr (HasValues) values[i] = i == at ? now.value : values[i];
    }
  }
};

/// Buckets in the caller's memory.
class bucket_memory {
 public:
  constexpr bucket_memory() = default;
  FARPOINT_HD constexpr bucket_memory(hash_map_bucket* memory, std::uint32_t buckets) noexcept
      : memory_{memory}, buckets_{buckets} {}

  FARPOINT_HD constexpr hash_map_bucket* memory() const noexcept { return memory_; }
  FARPOINT_HD constexpr std::uint32_t buckets() const noexcept { return buckets_; }

 protected:
  hash_map_bucket* memory_ = nullptr;
  std::uint32_t buckets_ = 0;
};

/// Layout `pairs`, with neighboring head and value. The head identifies the key of a slot. The value is part of the
/// head (is_packed) or the next word.
///
/// Words have 64 bits. A bucket holds four heads that contain key and value, or two heads, each followed by its value.
/// So one compare-and-swap can always write a key with its value, if the hardware has one of 16 bytes.
template <class Key, class Value>
class paired_slots : public bucket_memory {
 public:
  static_assert(alignof(hash_map_bucket) % alignof(word_pair) == 0);

  using head_word = std::uint64_t;
  using value_word = std::uint64_t;
  using entry = slot_words<head_word, value_word>;
  static constexpr bool is_packed = sizeof(Key) == 4 && sizeof(Value) == 4;
  static constexpr bool values_with_heads = true;
  static constexpr int bucket_slots = is_packed ? 4 : 2;

  /// True if take() writes a value in the same atomic operation as the head. False if the value is another word and no
  /// 16-byte compare-and-swap exists; then the caller stores the value afterwards.
  FARPOINT_HD static constexpr bool takes_values() noexcept { return is_packed || has_pair_exchange(); }

  /// Converts a memory size, in units of hash_map_bucket, to a number of buckets of this layout, and back.
  FARPOINT_HD static constexpr std::uint64_t buckets_in(std::uint64_t memory) noexcept { return memory; }
  FARPOINT_HD static constexpr index_t memory_for(index_t buckets) noexcept { return buckets; }

  using bucket_memory::bucket_memory;

  /// Head of slot `i` of a bucket, by fewer instructions than by the slot's number.
  FARPOINT_HD head_word* head(index_t bucket, index_t i) const noexcept {
    return &memory_[bucket].words[i * words_a_slot];
  }
  FARPOINT_HD head_word* head(index_t slot) const noexcept { return head(slot / bucket_slots, slot % bucket_slots); }
  FARPOINT_HD value_word* value(index_t slot) const noexcept { return head(slot) + (words_a_slot - 1); }

  /// Loads a slot by one load.
  FARPOINT_HD entry load_slot(index_t slot) const noexcept {
    entry seen{};
    if constexpr (!is_packed) atomic_load_pair(head(slot), seen.head, seen.value);
    if constexpr (is_packed) seen.head = seen.value = atomic_load(head(slot));
    return seen;
  }

  /// Replaces the contents of the slot with this head by `wanted` if they equal `expected`.
  /// @tparam WithValue  false: a value in a word of its own is neither compared nor written
  /// @return the slot's contents before; their value is `expected.value` if the operation did not cover the value
  template <bool WithValue>
  FARPOINT_HD static entry take(head_word* head, entry expected, entry wanted) noexcept {
    if constexpr (WithValue && !is_packed && has_pair_exchange()) {
      word_pair const before =
          atomic_compare_exchange(reinterpret_cast<word_pair*>(head), word_pair{expected.head, expected.value},
                                  word_pair{wanted.head, wanted.value});
      return {before.first, before.second};
    } else {
      return {atomic_compare_exchange(head, expected.head, wanted.head), expected.value};
    }
  }

  /// Snapshot of a bucket's slots, see slot_window.
  template <bool WithValues>
  using window = slot_window<entry, bucket_slots, is_packed, WithValues && !is_packed>;

  template <bool WithValues, bool Unchanging>
  FARPOINT_HD window<WithValues> load(std::uint32_t bucket) const noexcept {
    auto const* const from = memory_[bucket].words;
    window<WithValues> seen;
    if constexpr (is_packed) {
      FARPOINT_UNROLL
      for (int i = 0; i < bucket_slots; i += 2) load_pair<Unchanging>(from + i, seen.heads[i], seen.heads[i + 1]);
    } else {
      FARPOINT_UNROLL
      for (int i = 0; i < bucket_slots; ++i) {
        if constexpr (WithValues) {
          load_pair<Unchanging>(from + 2 * i, seen.heads[i], seen.values[i]);
        } else {
          // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result): a few slots
          seen.heads[i] = Unchanging ? from[2 * i] : atomic_load(from + 2 * i);
        }
      }
    }
    return seen;
  }

  /// Number of 16-byte stores that clear the map; store() performs store `i`.
  FARPOINT_HD index_t stores() const noexcept { return 2 * index_t{buckets_}; }
  FARPOINT_HD void store(index_t i, head_word head, value_word value) const noexcept {
    *reinterpret_cast<word_pair*>(&memory_[i / 2].words[i % 2 * 2]) = word_pair{head, is_packed ? head : value};
  }

 private:
  static constexpr int words_a_slot = is_packed ? 1 : 2;

  template <bool Unchanging>
  FARPOINT_HD static void load_pair(std::uint64_t const* words, std::uint64_t& first, std::uint64_t& second) noexcept {
    if constexpr (!Unchanging) return atomic_load_pair(words, first, second);
    word_pair const seen = *reinterpret_cast<word_pair const*>(words);
    first = seen.first;
    second = seen.second;
#if defined(__CUDA_ARCH__)
    // Needs both words here, or nvcc loads each where it is used: 1 M look-ups took 14.6 us, with both at once 13.2 us.
    asm volatile("" : "+l"(first), "+l"(second));
#endif
  }
};

/// Layout `split`, with keys and values in words of their own size. The keys of a bucket fill 16 bytes, which one load
/// fetches; the values follow the keys of all buckets.
template <class Key, class Value>
class split_slots : public bucket_memory {
  template <class T>
  using word_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

 public:
  using head_word = word_of<Key>;
  using value_word = word_of<Value>;
  using entry = slot_words<head_word, value_word>;
  static constexpr bool is_packed = false;
  static constexpr bool values_with_heads = false;
  static constexpr int bucket_slots = 16 / int{sizeof(Key)};

  FARPOINT_HD static constexpr bool takes_values() noexcept { return false; }

  FARPOINT_HD static constexpr std::uint64_t buckets_in(std::uint64_t memory) noexcept {
    return memory * sizeof(hash_map_bucket) / bucket_bytes;
  }
  FARPOINT_HD static constexpr index_t memory_for(index_t buckets) noexcept {
    return divide_up(buckets * bucket_bytes, index_t{sizeof(hash_map_bucket)});
  }

  using bucket_memory::bucket_memory;

  FARPOINT_HD head_word* head(index_t bucket, index_t i) const noexcept {
    return reinterpret_cast<head_word*>(bytes_at(bucket * row_bytes)) + i;
  }
  FARPOINT_HD head_word* head(index_t slot) const noexcept { return head(0, 0) + slot; }
  FARPOINT_HD value_word* value(index_t slot) const noexcept {
    return reinterpret_cast<value_word*>(bytes_at(index_t{buckets_} * row_bytes)) + slot;
  }

  FARPOINT_HD entry load_slot(index_t slot) const noexcept {
    return {atomic_load(head(slot)), atomic_load(value(slot))};
  }

  template <bool>
  FARPOINT_HD static entry take(head_word* head, entry expected, entry wanted) noexcept {
    return {atomic_compare_exchange(head, expected.head, wanted.head), expected.value};
  }

  /// Snapshot of a bucket's keys, see slot_window; values are not loaded.
  template <bool>
  using window = slot_window<entry, bucket_slots, false, false>;

  template <bool WithValues, bool Unchanging>
  FARPOINT_HD window<WithValues> load(std::uint32_t bucket) const noexcept {
    auto const* const words = reinterpret_cast<head_word const*>(bytes_at(index_t{bucket} * row_bytes));
    window<WithValues> seen;
    if constexpr (Unchanging) {
      row<head_word> const all = *reinterpret_cast<row<head_word> const*>(words);
      FARPOINT_UNROLL
      for (int i = 0; i < bucket_slots; ++i) seen.heads[i] = all.words[i];
    } else if constexpr (sizeof(Key) == 4) {
      atomic_load_four(words, seen.heads);
    } else {
      atomic_load_pair(words, seen.heads[0], seen.heads[1]);
    }
    return seen;
  }

  FARPOINT_HD index_t stores() const noexcept {
    // The last store may exceed the buckets but not the map's memory, whose size is a multiple of 32 bytes.
    return divide_up<index_t>(index_t{buckets_} * bucket_bytes, row_bytes);
  }
  FARPOINT_HD void store(index_t i, head_word head, value_word value) const noexcept {
    if (i < index_t{buckets_}) return store_row(bytes_at(i * row_bytes), head);
    store_row(bytes_at(i * row_bytes), value);
  }

 private:
  static constexpr int row_bytes = 16;
  template <class Word>
  struct alignas(row_bytes) row {
    Word words[row_bytes / sizeof(Word)];
  };

  static constexpr int bucket_bytes = row_bytes + bucket_slots * int{sizeof(Value)};

  FARPOINT_HD unsigned char* bytes_at(index_t at) const noexcept {
    return reinterpret_cast<unsigned char*>(memory_) + at;
  }
  template <class Word>
  FARPOINT_HD static void store_row(unsigned char* to, Word word) noexcept {
    row<Word> all;
    FARPOINT_UNROLL
    for (Word& each : all.words) each = word;
    *reinterpret_cast<row<Word>*>(to) = all;
  }
};

template <class Key, class Value, class Tuning>
using hash_map_slots =
    std::conditional_t<Tuning::layout == hash_map_layout::pairs, paired_slots<Key, Value>, split_slots<Key, Value>>;

}  // namespace detail
FARPOINT_END_NAMESPACE

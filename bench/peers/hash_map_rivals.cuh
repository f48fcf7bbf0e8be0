/// @file
/// Hash tables to be measured against: our own plain versions of what others publish. Needs nvcc.
#pragma once

#include <farpoint/container/hash.hpp>

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

namespace farpoint_bench {

inline constexpr std::uint64_t no_place = ~std::uint64_t{0};

/// The hash of the published voxelizers: keys and values in arrays of their own, a compare-and-swap before any look,
/// the value written after the key, a 64-bit hash reduced by a division.
template <class Key>
struct published_table {
  using word = std::conditional_t<sizeof(Key) == 4, unsigned, unsigned long long>;
  static constexpr word empty = static_cast<word>(-1);
  static constexpr std::uint64_t slot_bytes = sizeof(Key) + sizeof(std::uint32_t);

  word* keys;
  std::uint32_t* values;
  std::uint64_t slots;

  published_table(unsigned char* memory, std::uint64_t count)
      : keys{reinterpret_cast<word*>(memory)},
        values{reinterpret_cast<std::uint32_t*>(memory + count * sizeof(word))},
        slots{count} {}

  __device__ std::uint64_t home(Key key) const { return farpoint::mix_bits(std::uint64_t{key}) % slots; }
  __device__ std::uint64_t after(std::uint64_t at) const { return at + 1 == slots ? 0 : at + 1; }

  __device__ std::uint64_t find_or_insert(Key key) const {
    std::uint64_t at = home(key);
    for (std::uint64_t tried = 0; tried < slots; ++tried, at = after(at)) {
      word const before = atomicCAS(&keys[at], empty, static_cast<word>(key));
      if (before == empty || before == key) return at;
    }
    return no_place;
  }
  __device__ void insert(Key key, std::uint32_t value) const {
    std::uint64_t const at = find_or_insert(key);
    if (at != no_place) values[at] = value;
  }
  __device__ std::uint64_t find_slot(Key key) const {
    std::uint64_t at = home(key);
    for (std::uint64_t tried = 0; tried < slots; ++tried, at = after(at)) {
      word const there = keys[at];
      if (there == key) return at;
      if (there == empty) return no_place;
    }
    return no_place;
  }
  __device__ std::uint32_t find(Key key, std::uint32_t missing) const {
    std::uint64_t const at = find_slot(key);
    return at == no_place ? missing : values[at];
  }
  __device__ Key key_at(std::uint64_t at) const { return static_cast<Key>(keys[at]); }
};

/// Linear probing by one thread a key over pairs, a look before the compare-and-swap, which is of the whole pair where
/// that has 64 bits: what the fastest open map does with groups of one thread.
template <class Key>
struct linear_table {
  static constexpr bool is_packed = sizeof(Key) == 4;
  using word = unsigned long long;
  static constexpr word empty = ~word{0};
  static constexpr std::uint64_t slot_bytes = is_packed ? 8 : 16;

  struct alignas(16) pair {
    word key, value;
  };

  unsigned char* memory;
  std::uint64_t slots;

  linear_table(unsigned char* bytes, std::uint64_t count) : memory{bytes}, slots{count} {}

  __device__ word* key_word(std::uint64_t at) const { return reinterpret_cast<word*>(memory + at * slot_bytes); }
  __device__ static word pack(Key key, std::uint32_t value) {
    return is_packed ? word{value} << 32 | key : static_cast<word>(key);
  }
  __device__ static Key key_of(word head) { return static_cast<Key>(head); }

  /// By a product: a division would only cost it time.
  __device__ std::uint64_t home(Key key) const { return std::uint64_t{farpoint::default_hash{}(key)} * slots >> 32; }
  __device__ std::uint64_t after(std::uint64_t at) const { return at + 1 == slots ? 0 : at + 1; }

  __device__ std::uint64_t claim(Key key, std::uint32_t value, bool& inserted) const {
    std::uint64_t at = home(key);
    inserted = false;
    for (std::uint64_t tried = 0; tried < slots; ++tried, at = after(at)) {
      word head = *const_cast<word const volatile*>(key_word(at));
      if (key_of(head) == key) return at;
      if (head != empty) continue;
      head = atomicCAS(key_word(at), empty, pack(key, value));
      if (head == empty) inserted = true;
      if (inserted || key_of(head) == key) return at;
    }
    return no_place;
  }
  __device__ std::uint64_t find_or_insert(Key key) const {
    bool inserted;
    // All bits set would be the empty word's value.
    return claim(key, 0, inserted);
  }
  __device__ void insert(Key key, std::uint32_t value) const {
    bool inserted;
    std::uint64_t const at = claim(key, value, inserted);
    if (!is_packed && inserted) key_word(at)[1] = value;
  }
  __device__ std::uint64_t find_slot(Key key) const {
    std::uint64_t at = home(key);
    for (std::uint64_t tried = 0; tried < slots; ++tried, at = after(at)) {
      word const head = *key_word(at);
      if (key_of(head) == key) return at;
      if (head == empty) return no_place;
    }
    return no_place;
  }
  __device__ std::uint32_t find(Key key, std::uint32_t missing) const {
    std::uint64_t at = home(key);
    for (std::uint64_t tried = 0; tried < slots; ++tried, at = after(at)) {
      if constexpr (is_packed) {
        word const head = *key_word(at);
        if (key_of(head) == key) return static_cast<std::uint32_t>(head >> 32);
        if (head == empty) return missing;
      } else {
        pair const there = *reinterpret_cast<pair const*>(key_word(at));
        if (there.key == key) return static_cast<std::uint32_t>(there.value);
        if (there.key == empty) return missing;
      }
    }
    return missing;
  }
  __device__ Key key_at(std::uint64_t at) const { return key_of(*key_word(at)); }
};

}  // namespace farpoint_bench

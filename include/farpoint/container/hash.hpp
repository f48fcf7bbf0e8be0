/// @file
/// Hash functions of integer keys.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Mixes 32 bits, so that every bit of the result depends on every bit of the word: the finalizer of MurmurHash3
/// (Appleby 2011). Bijective.
FARPOINT_HD constexpr std::uint32_t mix_bits(std::uint32_t word) noexcept {
  word = (word ^ word >> 16) * 0x85ebca6bu;
  word = (word ^ word >> 13) * 0xc2b2ae35u;
  return word ^ word >> 16;
}

/// Mixes 64 bits: variant 13 of Stafford's search for better constants (2011). Bijective.
FARPOINT_HD constexpr std::uint64_t mix_bits(std::uint64_t word) noexcept {
  word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
  word = (word ^ word >> 27) * 0x94d049bb133111ebu;
  return word ^ word >> 31;
}

/// Default hash of a 32- or 64-bit integer. The function is public, so an adversary that chooses the keys can make all
/// keys collide, and a search then visits every key. Use seeded_hash for untrusted keys.
///
/// A custom hash is a trivially copyable, noexcept, `FARPOINT_HD` callable that maps a key to 32 random-looking bits.
/// The high bits matter most: they select the bucket. Neighboring voxels have neighboring keys, so the identity or a
/// single multiplication would fill runs of slots, and every probe would walk along such a run.
struct default_hash {
  template <class Key>
  FARPOINT_HD constexpr std::uint32_t operator()(Key key) const noexcept {
    if constexpr (sizeof(Key) == 4) {
      return mix_bits(static_cast<std::uint32_t>(key));
    } else {
      return static_cast<std::uint32_t>(mix_bits(static_cast<std::uint64_t>(key)) >> 32);
    }
  }
};

/// default_hash with a secret seed: it costs one more instruction. Seed 0 is default_hash. A map must keep its seed
/// while it keeps its keys.
struct seeded_hash {
  std::uint64_t seed = 0;  ///< 32-bit keys use its low half

  template <class Key>
  FARPOINT_HD constexpr std::uint32_t operator()(Key key) const noexcept {
    using word = std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>;
    return default_hash{}(static_cast<word>(static_cast<word>(key) ^ static_cast<word>(seed)));
  }
};

FARPOINT_END_NAMESPACE

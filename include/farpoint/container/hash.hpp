/// @file
/// Hash functions of integer keys.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Every bit of the result depends on every bit of the word: the finaliser of MurmurHash3 (Appleby 2011). One to one.
FARPOINT_HD constexpr std::uint32_t mix_bits(std::uint32_t word) noexcept {
  word = (word ^ word >> 16) * 0x85ebca6bu;
  word = (word ^ word >> 13) * 0xc2b2ae35u;
  return word ^ word >> 16;
}

/// The same for 64 bits: variant 13 of Stafford's search for better constants (2011). One to one.
FARPOINT_HD constexpr std::uint64_t mix_bits(std::uint64_t word) noexcept {
  word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
  word = (word ^ word >> 27) * 0x94d049bb133111ebu;
  return word ^ word >> 31;
}

/// The default hash of a 32- or 64-bit integer. It is public: who can choose the keys can make them all collide, and
/// then a search walks through all of them. seeded_hash is for such keys.
///
/// A hash of one's own is a trivially copyable callable that is `FARPOINT_HD`, noexcept, and turns a key into 32 bits
/// that look random, the high ones above all: they choose the place in a table. Neighbouring voxels have neighbouring
/// keys, so the identity, or one multiplication, makes runs of full slots that every probe has to walk along.
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

/// default_hash with a seed that whoever chooses the keys does not know: one instruction more. With the seed 0 it is
/// default_hash. A map must keep its seed as long as it keeps its keys.
struct seeded_hash {
  std::uint64_t seed = 0;  ///< of 32-bit keys the low half

  template <class Key>
  FARPOINT_HD constexpr std::uint32_t operator()(Key key) const noexcept {
    using word = std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>;
    return default_hash{}(static_cast<word>(static_cast<word>(key) ^ static_cast<word>(seed)));
  }
};

FARPOINT_END_NAMESPACE

// What memory that a call is given may hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "random.hpp"

namespace farpoint_tests {

/// Memory that is new, or what other calls have left. Each shows mistakes that the others hide: random bytes are
/// nobody's index, while zeros and small numbers are, and all ones often stand for none.
enum class leftover { random_bytes, zeros, ones, small_numbers };
inline constexpr leftover all_leftovers[] = {leftover::random_bytes, leftover::zeros, leftover::ones,
                                             leftover::small_numbers};

/// One of them, which follows from the seed.
inline leftover leftover_of(std::uint64_t seed) {
  return all_leftovers[random_source{seed}.below(std::size(all_leftovers))];
}

/// Fills memory. Eight bytes at a time: workspaces are large.
inline void fill_with(leftover kind, unsigned char* bytes, std::size_t size, std::uint64_t seed) {
  random_source random{seed};
  auto const next = [&]() -> std::uint64_t {
    switch (kind) {
      case leftover::zeros: return 0;
      case leftover::ones: return ~std::uint64_t{0};
      case leftover::small_numbers: return random.next() & 0x000000ff'000000ffu;  // of 32 bits
      case leftover::random_bytes: break;
    }
    return random.next();
  };
  for (std::size_t done = 0; done < size; done += 8) {
    std::uint64_t const eight = next();
    std::memcpy(bytes + done, &eight, size - done < 8 ? size - done : 8);
  }
}

}  // namespace farpoint_tests

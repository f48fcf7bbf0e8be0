// Initial contents of memory that a caller passes to a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "random.hpp"

namespace farpoint_tests {

/// Contents of fresh memory or of memory that other calls have used. Each kind detects reads of uninitialized memory
/// that the others hide: random bytes are no valid index, zeros and small numbers are one, and all ones often mean
/// "none".
enum class leftover { random_bytes, zeros, ones, small_numbers };
inline constexpr leftover all_leftovers[] = {leftover::random_bytes, leftover::zeros, leftover::ones,
                                             leftover::small_numbers};

/// Returns the kind that the seed selects.
inline leftover leftover_of(std::uint64_t seed) {
  return all_leftovers[random_source{seed}.below(std::size(all_leftovers))];
}

/// Fills memory, eight bytes at a time, because workspaces are large.
inline void fill_with(leftover kind, unsigned char* bytes, std::size_t size, std::uint64_t seed) {
  random_source random{seed};
  auto const next = [&]() -> std::uint64_t {
    switch (kind) {
      case leftover::zeros: return 0;
      case leftover::ones: return ~std::uint64_t{0};
      case leftover::small_numbers: return random.next() & 0x000000ff'000000ffu;  // two 32-bit numbers
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

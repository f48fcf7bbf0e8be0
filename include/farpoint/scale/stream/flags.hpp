/// @file
/// Bits, and the number of set bits before each.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/scale/stream/voxel_map_calls.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Bits per group. Messages are whole groups, because NCCL copies a message that does not begin at a multiple of 16
/// bytes byte by byte.
inline constexpr std::uint32_t flag_group = 128;
inline constexpr std::size_t flag_group_bytes = flag_group / 8;

/// Bits, and for each word the number of set bits in all earlier words.
struct stream_flags {
  std::uint32_t* words;  ///< `[groups, 4]`
  std::int32_t* ranks;   ///< `[4 * groups + 1]`

  stream_flags(workspace_cutter& cutter, index_t groups) noexcept
      : words{cutter.take<std::uint32_t>(words_of(groups))}, ranks{cutter.take<std::int32_t>(words_of(groups) + 1)} {}

  static constexpr index_t words_of(index_t groups) noexcept { return groups * (flag_group / 32); }

  FARPOINT_HD bool is_set(std::uint32_t bit) const noexcept { return (words[bit / 32] >> (bit % 32) & 1u) != 0; }
  /// Number of set bits before `bit`, which may be one past the last.
  FARPOINT_HD std::uint32_t before(std::uint32_t bit) const noexcept {
    auto const rank = static_cast<std::uint32_t>(ranks[bit / 32]);
    if (bit % 32 == 0) return rank;
    return rank + count_bits(words[bit / 32] & ((std::uint32_t{1} << (bit % 32)) - 1));
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

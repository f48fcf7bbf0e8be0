/// @file
/// Places for points that follow one another, where some begin a packet.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Queries that a warp answers together.
inline constexpr std::uint32_t screen_packet = 32;

FARPOINT_HD constexpr std::uint32_t next_packet(std::uint32_t place) noexcept {
  return (place + (screen_packet - 1)) / screen_packet * screen_packet;
}

/// The places that some points take one after another, wherever the first one's is. Those that begin a packet leave
/// a gap in front of them. Associative: places of many points are a prefix sum of them.
struct screen_places {
  std::uint32_t before = 0;  ///< points before the first that begins a packet
  std::uint32_t after = 0;   ///< places from that one on, with gaps; 0: none begins a packet

  FARPOINT_HD static constexpr screen_places of_point(bool begins_packet) noexcept {
    return begins_packet ? screen_places{0, 1} : screen_places{1, 0};
  }
  /// These points, and then others.
  FARPOINT_HD constexpr screen_places then(screen_places const& next) const noexcept {
    if (after == 0) return {before + next.before, next.after};
    return {before, next.after == 0 ? after + next.before : next_packet(after + next.before) + next.after};
  }
  /// Places from the beginning of a packet to the end of these points.
  FARPOINT_HD constexpr std::uint32_t end() const noexcept { return after == 0 ? before : next_packet(before) + after; }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

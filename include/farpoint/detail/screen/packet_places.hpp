/// @file
/// Slots of consecutive points, some of which begin a packet.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Number of queries that a warp answers together.
inline constexpr std::uint32_t screen_packet = 32;

/// First slot of a packet that is not before slot `place`.
FARPOINT_HD constexpr std::uint32_t next_packet(std::uint32_t place) noexcept {
  return (place + (screen_packet - 1)) / screen_packet * screen_packet;
}

/// Numbers of slots that consecutive points take, which do not depend on the first point's slot. A point that begins a
/// packet takes the first slot of a packet, behind a gap if necessary. then() is associative, so that a prefix sum
/// yields the slots of many points.
struct screen_places {
  std::uint32_t before = 0;  ///< points before the first one that begins a packet
  std::uint32_t after = 0;   ///< slots from that point on, gaps included; 0 if no point begins a packet

  FARPOINT_HD static constexpr screen_places of_point(bool begins_packet) noexcept {
    return begins_packet ? screen_places{0, 1} : screen_places{1, 0};
  }
  /// Slots of these points followed by the points of `next`.
  FARPOINT_HD constexpr screen_places then(screen_places const& next) const noexcept {
    if (after == 0) return {before + next.before, next.after};
    return {before, next.after == 0 ? after + next.before : next_packet(after + next.before) + next.after};
  }
  /// Number of slots up to the end of these points if the first one has the first slot of a packet.
  FARPOINT_HD constexpr std::uint32_t end() const noexcept { return after == 0 ? before : next_packet(before) + after; }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Device memory of each rank that the kernels of all ranks can write to.
#pragma once

#include <farpoint/core/types.hpp>

#include <chrono>
#include <type_traits>
#include <utility>

FARPOINT_BEGIN_NAMESPACE

/// Device memory of each rank that the kernels of all ranks can write to. A communicator with such memory has a member
/// `peer_memory peers() const noexcept`; fps_shard() then is one kernel on each GPU, whose rounds need no host.
///
/// One call at a time uses the memory. Calls need no content from earlier ones, and no clearing.
struct peer_memory {
  /// Largest number of ranks that can use peer memory; peers_of() is empty for more.
  static constexpr int rank_limit = 16;

  /// `[ranks]`: address at which this rank's kernels reach the memory of each rank, 256-byte aligned; null without
  /// memory.
  unsigned char* memory[rank_limit] = {};
  /// Bytes per rank.
  std::size_t size = 0;
  /// Time-out of a kernel that waits for another rank; zero or less waits forever.
  std::chrono::milliseconds timeout{0};
};

namespace detail {

template <class Communicator, class = void>
inline constexpr bool has_peers = false;
template <class Communicator>
inline constexpr bool
    has_peers<Communicator, std::void_t<decltype(peer_memory{std::declval<Communicator const&>().peers()})>> = true;

/// Peer memory of the ranks, or empty.
template <class Communicator>
peer_memory peers_of([[maybe_unused]] Communicator const& communicator) noexcept {
  if constexpr (has_peers<Communicator>) {
    if (communicator.ranks() <= peer_memory::rank_limit) return communicator.peers();
  }
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE

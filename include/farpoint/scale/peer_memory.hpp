/// @file
/// Memory of ranks that the kernels of all of them reach.
#pragma once

#include <farpoint/core/types.hpp>

#include <chrono>
#include <type_traits>
#include <utility>

FARPOINT_BEGIN_NAMESPACE

/// Device memory of each rank, into which kernels of all ranks can write. A communicator whose ranks have some has a
/// member `peer_memory peers() const noexcept`; fps_shard() then is one kernel on each GPU, whose rounds need no host.
///
/// The memory is for one call at a time, and nothing in it has to be kept or cleared between calls.
struct peer_memory {
  /// Where more ranks work together, nobody uses it.
  static constexpr int most_ranks = 16;

  /// `[ranks]`: that of each rank, by the address at which this rank's kernels reach it; 256-byte aligned. Null: there
  /// is none.
  unsigned char* memory[most_ranks] = {};
  /// Bytes of each.
  std::size_t size = 0;
  /// How long a kernel waits for another rank before it gives up; zero or less: for ever.
  std::chrono::milliseconds timeout{0};
};

namespace detail {

template <class Communicator, class = void>
inline constexpr bool has_peers = false;
template <class Communicator>
inline constexpr bool
    has_peers<Communicator, std::void_t<decltype(peer_memory{std::declval<Communicator const&>().peers()})>> = true;

/// Empty where the ranks have none.
template <class Communicator>
peer_memory peers_of([[maybe_unused]] Communicator const& communicator) noexcept {
  if constexpr (has_peers<Communicator>) {
    if (communicator.ranks() <= peer_memory::most_ranks) return communicator.peers();
  }
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE

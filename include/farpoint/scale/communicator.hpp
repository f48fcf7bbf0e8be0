/// @file
/// How ranks exchange data: what calls on shards ask of a communicator.
#pragma once

#include <farpoint/core/status.hpp>
#include <farpoint/core/types.hpp>

#include <utility>

FARPOINT_BEGIN_NAMESPACE

/// Part of a buffer that goes to one rank, or comes from it.
struct message {
  std::size_t begin = 0;  ///< bytes from the start of the buffer
  std::size_t size = 0;   ///< bytes
};

/// What a rank sends to each rank and receives from each, itself among them. What a rank receives from another is as
/// long as what that one sends to it.
struct all_to_all_messages {
  unsigned char const* send = nullptr;
  span<message const> outgoing = {};  ///< `[ranks]`: to each
  unsigned char* receive = nullptr;
  span<message const> incoming = {};  ///< `[ranks]`: from each
};

namespace detail {

/// True if a type has what all communicators have: ranks(), rank(), all_gather() and all_to_all(), and one that waits.
/// @tparam Wait  the type of the call that waits
template <class Communicator, template <class> class Wait, class = void>
inline constexpr bool exchanges_data = false;
template <class Communicator, template <class> class Wait>
inline constexpr bool exchanges_data<
    Communicator, Wait,
    std::void_t<decltype(std::declval<Communicator const&>().ranks() + std::declval<Communicator const&>().rank()),
                decltype(result{std::declval<Communicator&>().all_gather(static_cast<void const*>(nullptr),
                                                                         static_cast<void*>(nullptr), std::size_t{})}),
                decltype(result{std::declval<Communicator&>().all_to_all(all_to_all_messages{})}),
                Wait<Communicator>>> = true;

template <class Communicator>
using abort_of = decltype(std::declval<Communicator&>().abort());

/// True if a type has abort().
template <class Communicator, class = void>
inline constexpr bool can_abort = false;
template <class Communicator>
inline constexpr bool can_abort<Communicator, std::void_t<abort_of<Communicator>>> = true;

}  // namespace detail

/// True if a type can be the communicator of calls on shards. It has these members:
///
/// - `int ranks() const noexcept`: how many work together, from 1 up to max_ranks;
/// - `int rank() const noexcept`: which of them the caller is, from 0 on;
/// - `result all_gather(void const* mine, void* all, std::size_t size) noexcept`: every rank gives `size` bytes, and
///   gets those of all, by rank;
/// - `result all_to_all(all_to_all_messages const&) noexcept`: each rank gives every rank a message;
/// - `void abort() noexcept`: makes the exchanges of all ranks fail, the ones in progress and all later ones. Calls on
///   shards use it when a rank fails and the others do not know, so that none waits for it. May be called repeatedly.
///
/// All ranks call the same functions in the same order. An exchange blocks until its buffers can be used again. Its
/// failure is a communication_failure, and makes all later exchanges fail. thread_communicator and mpi_communicator are
/// communicators.
template <class Communicator>
inline constexpr bool is_communicator = detail::exchanges_data<Communicator, detail::abort_of>;

/// The most ranks of a call.
inline constexpr int max_ranks = 1024;

namespace detail {

/// True for a number of ranks that can make a call.
constexpr bool is_rank_count(int ranks) noexcept {
  return ranks >= 1 && ranks <= max_ranks;
}

/// Checks the communicator of a call.
template <class Communicator>
result check_communicator(Communicator const& communicator) noexcept {
  static_assert(is_communicator<Communicator>, "farpoint: not a communicator, see farpoint/scale/communicator.hpp");
  if (is_rank_count(communicator.ranks())) return {};
  return reject("communicator: it has no ranks, or more than 1024");
}

}  // namespace detail

/// One rank's part of a cloud: points that follow one another in it. Parts may be empty, and of any size.
template <class Points>
struct shard {
  /// In the memory of the rank.
  Points points{};
  /// Of the first of them in the whole cloud. Parts must not overlap; ranks may have any of them.
  index_t first_index = 0;
};

namespace detail {

constexpr result communication_failure(char const* reason) noexcept {
  return {status::communication_failure, 0, reason};
}

/// Outcome of a call on shards. A failure that other ranks do not know of aborts the communicator: otherwise they would
/// wait for this rank's next exchange. Arguments and capacities are refused by all ranks alike.
template <class Communicator>
result or_abort(Communicator& communicator, result const& outcome) noexcept {
  if constexpr (can_abort<Communicator>) {
    bool const all_know =
        outcome || outcome.code == status::bad_argument || outcome.code == status::workspace_too_small;
    if (!all_know) communicator.abort();
  }
  return outcome;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

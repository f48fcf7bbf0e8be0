/// @file
/// How ranks exchange data: the interface that calls on shards need from a communicator.
#pragma once

#include <farpoint/core/status.hpp>
#include <farpoint/types/shard.hpp>

#include <utility>

FARPOINT_BEGIN_NAMESPACE

namespace detail {

/// True if a type has the members that all communicators have, ranks(), rank(), all_gather() and all_to_all(), and one
/// more.
/// @tparam Wait  type of a call of the additional member, such as abort_of
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
/// - `int ranks() const noexcept`: number of ranks, 1 to max_ranks.
/// - `int rank() const noexcept`: the caller's rank, from 0.
/// - `result all_gather(void const* mine, void* all, std::size_t size) noexcept`: each rank gives `size` bytes and gets
///   the bytes of all ranks, by rank.
/// - `result all_to_all(all_to_all_messages const&) noexcept`: each rank sends a message to every rank.
/// - `void abort() noexcept`: makes all exchanges of all ranks fail, in progress and later. A call on shards aborts
///   when it fails on one rank only, so that no other rank waits for it. May be called repeatedly.
///
/// All ranks call the same functions in the same order. An exchange blocks until its buffers can be used again. A
/// failed exchange returns `communication_failure`, and all later exchanges fail. Implementations: thread_communicator,
/// mpi_communicator.
template <class Communicator>
inline constexpr bool is_communicator = detail::exchanges_data<Communicator, detail::abort_of>;

/// Largest number of ranks of a call.
inline constexpr int max_ranks = 1024;

namespace detail {

/// True if a call can have this number of ranks.
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

namespace detail {

constexpr result communication_failure(char const* reason) noexcept {
  return {status::communication_failure, 0, reason};
}

/// Returns `outcome`, and aborts the communicator if only this rank knows of the failure: other ranks would wait for
/// its next exchange. Bad arguments and capacities need no abort, because all ranks refuse them together.
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

/// @file
/// A communicator for ranks that are processes, connected by MPI. Needs mpi.h: link MPI::MPI_C.
#pragma once

#include <farpoint/scale/communicator.hpp>

#include <mpi.h>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <thread>
#include <utility>
#include <vector>

FARPOINT_BEGIN_NAMESPACE

/// Communicator of one rank, an MPI process, for host memory: see is_communicator. Programs use mpi_communicator.
///
/// Messages have any size: because counts in MPI are `int`, a message of more than `MostBytes` bytes is sent in pieces.
/// A rank that waits checks for an abort() of other ranks and for its time-out. Use an object from one thread at a
/// time; several threads need MPI_THREAD_SERIALIZED or above. Movable.
///
/// After a failure all exchanges of the object fail at once. Unfinished requests remain with MPI: end the program by
/// MPI_Abort(), or by MPI_Finalize() if no rank was lost.
/// @tparam MostBytes  largest size of a piece in bytes; smaller in tests
template <std::size_t MostBytes>
class basic_mpi_communicator {
 public:
  /// An object without ranks, which calls on shards refuse.
  basic_mpi_communicator() noexcept = default;
  basic_mpi_communicator(basic_mpi_communicator&& other) noexcept { swap(other); }
  basic_mpi_communicator& operator=(basic_mpi_communicator&& other) noexcept {
    swap(other);
    return *this;
  }
  basic_mpi_communicator(basic_mpi_communicator const&) = delete;
  basic_mpi_communicator& operator=(basic_mpi_communicator const&) = delete;
  ~basic_mpi_communicator() {
    int is_finalized = 0;
    if (comm_ == MPI_COMM_NULL || has_failed_ || MPI_Finalized(&is_finalized) != MPI_SUCCESS || is_finalized) return;
    static_cast<void>(MPI_Comm_free(&comm_));
  }

  /// Creates the communicator of this rank. Collective: duplicates `ranks`, so that messages do not mix with other
  /// messages of the program.
  /// @param ranks    1 to max_ranks processes, such as MPI_COMM_WORLD
  /// @param made     receives the communicator; its previous state is destroyed
  /// @param timeout  time-out of an exchange; 0 or less waits forever
  /// @return `ok`, `out_of_memory`, or `communication_failure` with the error of MPI in `native`
  static result create(MPI_Comm ranks, basic_mpi_communicator& made,
                       std::chrono::milliseconds timeout = std::chrono::minutes{10}) noexcept {
    basic_mpi_communicator own;
    own.timeout_ = timeout;
    if (int const error = MPI_Comm_dup(ranks, &own.comm_); error != MPI_SUCCESS) return failure_of(error);
    static_cast<void>(MPI_Comm_set_errhandler(own.comm_, MPI_ERRORS_RETURN));
    int error = MPI_Comm_size(own.comm_, &own.ranks_);
    if (error == MPI_SUCCESS) error = MPI_Comm_rank(own.comm_, &own.rank_);
    if (error != MPI_SUCCESS) return failure_of(error);
    if (!own.reserve()) return {status::out_of_memory, 0, "mpi_communicator: host memory ran out"};
    made = std::move(own);
    return {};
  }

  int ranks() const noexcept { return ranks_; }
  int rank() const noexcept { return rank_; }

  result all_gather(void const* mine, void* all, std::size_t size) noexcept {
    auto const* const from = static_cast<unsigned char const*>(mine);
    auto* const to = static_cast<unsigned char*>(all);
    return exchange(
        [&](std::size_t) {
          return part<unsigned char const>{from, size};
        },
        [&](std::size_t r) {
          return part<unsigned char>{size > 0 ? to + r * size : to, size};
        });
  }

  result all_to_all(all_to_all_messages const& messages) noexcept {
    return exchange(
        [&](std::size_t r) {
          message const out = messages.outgoing[r];
          return part<unsigned char const>{messages.send + out.begin, out.size};
        },
        [&](std::size_t r) {
          message const in = messages.incoming[r];
          return part<unsigned char>{messages.receive + in.begin, in.size};
        });
  }

  /// Sends an abort to the other ranks. They fail when they check for it next.
  void abort() noexcept {
    if (std::exchange(has_failed_, true)) return;
    for (int r = 0; r < ranks_; ++r) {
      MPI_Request request = MPI_REQUEST_NULL;
      if (r == rank_ || MPI_Isend(nullptr, 0, MPI_BYTE, r, abort_tag, comm_, &request) != MPI_SUCCESS) continue;
      static_cast<void>(MPI_Request_free(&request));
    }
  }

 private:
  static constexpr int message_tag = 1, abort_tag = 2;
  static_assert(MostBytes > 0 && MostBytes <= std::size_t{1} << 30);

  template <class Byte>
  struct part {
    Byte* data;
    std::size_t size;
  };

  void swap(basic_mpi_communicator& other) noexcept {
    std::swap(comm_, other.comm_);
    std::swap(ranks_, other.ranks_);
    std::swap(rank_, other.rank_);
    std::swap(timeout_, other.timeout_);
    std::swap(requests_, other.requests_);
    std::swap(states_, other.states_);
    std::swap(has_failed_, other.has_failed_);
  }

  bool reserve() noexcept {
#if defined(__cpp_exceptions)
    try {
      make_room();
    } catch (std::bad_alloc const&) {
      return false;
    }
#else
    make_room();
#endif
    return true;
  }
  void make_room() {
    requests_.reserve(2 * static_cast<std::size_t>(ranks_));
    states_.resize(2 * static_cast<std::size_t>(ranks_));
  }

  static result failure_of(int error) noexcept {
    return {status::communication_failure, error, "mpi_communicator: a call of MPI failed"};
  }

  /// Sends `out(r)` to each rank r, and receives `in(r)`. Messages are exchanged piece by piece. Piece i of a pair of
  /// ranks waits only for earlier pieces of the same pair, so ranks cannot deadlock.
  template <class Out, class In>
  result exchange(Out const& out, In const& in) noexcept {
    auto const me = static_cast<std::size_t>(rank_);
    std::size_t longest = 0;
    for (std::size_t r = 0; r < static_cast<std::size_t>(ranks_); ++r) {
      longest = r == me ? longest : std::max({longest, out(r).size, in(r).size});
    }
    if (out(me).size != in(me).size) return fail("mpi_communicator: ranks exchange messages of different sizes", 0);
    if (out(me).size > 0) std::memcpy(in(me).data, out(me).data, out(me).size);
    // Empty messages are exchanged, too: the exchange ends only when all ranks have arrived.
    std::size_t begin = 0;
    do {
      if (result const done = exchange_piece(out, in, begin); !done) return done;
      begin += MostBytes;
    } while (begin < longest);
    return {};
  }

  template <class Out, class In>
  result exchange_piece(Out const& out, In const& in, std::size_t begin) noexcept {
    if (has_failed_ || is_aborted()) return fail("mpi_communicator: a rank has failed", 0);
    requests_.clear();
    for (int peer = 0; peer < ranks_; ++peer) {
      auto const r = static_cast<std::size_t>(peer);
      if (peer == rank_) continue;
      auto const incoming = in(r);
      if (begin > 0 && begin >= incoming.size) continue;
      int const error = MPI_Irecv(incoming.size > 0 ? incoming.data + begin : nullptr, piece(incoming.size, begin),
                                  MPI_BYTE, peer, message_tag, comm_, added());
      if (error != MPI_SUCCESS) return fail("mpi_communicator: a call of MPI failed", error);
    }
    std::size_t const receives = requests_.size();
    for (int peer = 0; peer < ranks_; ++peer) {
      auto const r = static_cast<std::size_t>(peer);
      if (peer == rank_) continue;
      auto const outgoing = out(r);
      if (begin > 0 && begin >= outgoing.size) continue;
      int const error = MPI_Isend(outgoing.size > 0 ? outgoing.data + begin : nullptr, piece(outgoing.size, begin),
                                  MPI_BYTE, peer, message_tag, comm_, added());
      if (error != MPI_SUCCESS) return fail("mpi_communicator: a call of MPI failed", error);
    }
    result const done = wait(receives);
    return done ? check_sizes(in, begin) : done;
  }

  /// MPI reports messages that are longer than expected, but not shorter ones.
  template <class In>
  result check_sizes(In const& in, std::size_t begin) noexcept {
    std::size_t next = 0;
    for (int peer = 0; peer < ranks_; ++peer) {
      std::size_t const size = in(static_cast<std::size_t>(peer)).size;
      if (peer == rank_ || (begin > 0 && begin >= size)) continue;
      int count = 0;
      int const error = MPI_Get_count(&states_[next++], MPI_BYTE, &count);
      if (error != MPI_SUCCESS || count != piece(size, begin)) {
        return fail("mpi_communicator: ranks exchange messages of different sizes", error);
      }
    }
    return {};
  }

  static int piece(std::size_t size, std::size_t begin) noexcept {
    return static_cast<int>(std::min(size - begin, MostBytes));
  }

  MPI_Request* added() noexcept {
    requests_.push_back(MPI_REQUEST_NULL);  // reserved
    return &requests_.back();
  }

  /// Waits for all requests. The first `receives` requests are receives.
  result wait(std::size_t receives) noexcept {
    using clock = std::chrono::steady_clock;
    auto const start = clock::now();
    for (unsigned looks = 1;; ++looks) {
      int is_done = 0;
      int const error = MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &is_done, states_.data());
      if (error != MPI_SUCCESS) return leave(receives, "mpi_communicator: a call of MPI failed", error);
      if (is_done != 0) return {};
      if (looks % 64 != 0) continue;
      if (is_aborted()) return leave(receives, "mpi_communicator: a rank has failed", 0);
      auto const waited = std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - start);
      if (timeout_.count() > 0 && waited > timeout_) {
        return leave(receives, "mpi_communicator: a rank has failed, or did not come in time", 0);
      }
      // After a long wait, sleep to leave the core to other threads.
      if (looks > 65536) {
        std::this_thread::sleep_for(std::chrono::microseconds{20});
      } else {
        std::this_thread::yield();
      }
    }
  }

  bool is_aborted() const noexcept {
    int is_there = 0;
    int const error = MPI_Iprobe(MPI_ANY_SOURCE, abort_tag, comm_, &is_there, MPI_STATUS_IGNORE);
    return error != MPI_SUCCESS || is_there != 0;
  }

  /// Cancels the receives and frees all requests, so that MPI does not write to the caller's buffers any more.
  result leave(std::size_t receives, char const* reason, int error) noexcept {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      if (i < receives) static_cast<void>(MPI_Cancel(&requests_[i]));
      static_cast<void>(MPI_Request_free(&requests_[i]));
    }
    return fail(reason, error);
  }

  result fail(char const* reason, int error) noexcept {
    abort();
    return {status::communication_failure, error, reason};
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int ranks_ = 0;
  int rank_ = 0;
  std::chrono::milliseconds timeout_{0};
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> states_;
  bool has_failed_ = false;
};

using mpi_communicator = basic_mpi_communicator<std::size_t{1} << 30>;

FARPOINT_END_NAMESPACE

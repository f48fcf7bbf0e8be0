/// @file
/// Ranks that are GPUs, connected by NCCL. Needs nccl.h: link farpoint::nccl.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/driver_function.cuh>
#include <farpoint/scale/nccl_communicator.cuh>
#include <farpoint/scale/peer_memory.hpp>

#include <cuda.h>
#include <nccl.h>

FARPOINT_BEGIN_NAMESPACE

/// One rank among several GPUs: the NCCL communicator of its GPU, and the stream of its calls. It is the communicator
/// of calls on shards in device memory, see is_stream_communicator.
///
/// All ranks make the same calls in the same order. Cheap to copy. After a `communication_failure` all later exchanges
/// fail at once; a call on shards that fails on this rank only also aborts the communicator.
struct nccl_exec {
  /// @param own  the rank's communicator, which must outlive this object and its copies
  /// @param on   a stream of the communicator's GPU
  nccl_exec(nccl_communicator const& own, cudaStream_t on) noexcept : communicator{&own}, stream{on} {}

  nccl_communicator const* communicator;
  cudaStream_t stream;
  /// Time-out of a call that waits for other ranks; zero or less waits forever. The time-out does not cover the first
  /// exchange of a communicator that blocks, in which NCCL connects the ranks on the host:
  /// nccl_communicator::create() makes communicators that do not block.
  std::chrono::milliseconds timeout = std::chrono::minutes{10};
  /// Peer memory of all ranks, or empty on all ranks: see nccl_window.
  peer_memory window = {};

  int ranks() const noexcept { return communicator->ranks(); }
  int rank() const noexcept { return communicator->rank(); }

  /// The window, with the time-out of kernels.
  peer_memory peers() const noexcept {
    peer_memory memory = window;
    memory.timeout = timeout;
    return memory;
  }

  /// Enqueues an all-gather of device memory.
  /// @return `ok`, or `communication_failure` with the error of NCCL in `native`
  result all_gather(void const* mine, void* all, std::size_t size) const noexcept {
    if (result const usable = communicator->check(); !usable || size == 0) return usable;
    return remember(ncclAllGather(mine, all, size, ncclUint8, communicator->get(), stream));
  }

  /// Enqueues an all-to-all of device memory.
  /// @return `ok`, `communication_failure` with the error of NCCL in `native`, or `cuda_failure`
  result all_to_all(all_to_all_messages const& exchange) const noexcept {
    if (result const usable = communicator->check(); !usable) return usable;
    auto const own = static_cast<std::size_t>(rank());
    if (result const done = remember(send_and_receive(exchange, own)); !done) return done;
    message const kept = exchange.outgoing[own];
    if (kept.size == 0) return {};
    return detail::cuda_failure(
        cudaMemcpyAsync(exchange.receive + exchange.incoming[own].begin, exchange.send + kept.begin, kept.size,
                        cudaMemcpyDeviceToDevice, stream),
        "nccl_exec: a rank's message to itself could not be copied");
  }

  /// Waits for the stream, and checks NCCL for errors while it waits.
  /// @return `ok`, `communication_failure` after the time-out or with the error of NCCL in `native`, or `cuda_failure`
  result wait() const noexcept {
    // The runtime's cudaStreamQuery() would leave a pending error if the stream is not ready.
    static auto* const query = detail::driver_function<decltype(cuStreamQuery)>("cuStreamQuery", 12000);
    if (result const usable = communicator->check(); !usable) return usable;
    detail::deadline const end{timeout};
    for (unsigned looks = 0;; ++looks) {
      CUresult const state = query != nullptr ? query(stream) : CUDA_ERROR_NOT_FOUND;
      if (state == CUDA_SUCCESS) return {};
      if (state != CUDA_ERROR_NOT_READY) return detail::cuda_failure(state, "nccl_exec: the stream has failed");
      // Most waits are shorter than reading the clock or switching threads.
      if (looks % 64 != 63) continue;
      ncclResult_t outcome = ncclSuccess;
      if (ncclCommGetAsyncError(communicator->get(), &outcome) == ncclSuccess && outcome != ncclSuccess &&
          outcome != ncclInProgress) {
        return communicator->remember(detail::nccl_result(outcome));
      }
      if (end.has_passed()) {
        return communicator->remember(
            detail::communication_failure("nccl_exec: a rank has failed, or did not come in time"));
      }
      if (looks > 65536) std::this_thread::yield();
    }
  }

  /// Aborts the communicator, see nccl_communicator::abort().
  void abort() const noexcept { communicator->abort(); }

  /// Waits until NCCL has finished a call, see nccl_communicator::settle().
  /// @param outcome  result of the call
  result settle(ncclResult_t outcome) const noexcept { return communicator->settle(outcome, timeout); }

 private:
  result remember(ncclResult_t outcome) const noexcept { return communicator->remember(settle(outcome)); }

  /// Enqueues the messages to and from the other ranks.
  ncclResult_t send_and_receive(all_to_all_messages const& exchange, std::size_t own) const noexcept {
    ncclComm_t const all = communicator->get();
    auto const count = static_cast<std::size_t>(ranks());
    // Inside of a group, calls of communicators that do not block may be in progress, too.
    auto const is_failure = [](ncclResult_t outcome) { return outcome != ncclSuccess && outcome != ncclInProgress; };
    ncclResult_t outcome = ncclGroupStart();
    for (std::size_t r = 0; r < count && !is_failure(outcome); ++r) {
      if (r == own) continue;
      message const out = exchange.outgoing[r];
      message const in = exchange.incoming[r];
      auto const peer = static_cast<int>(r);
      if (out.size > 0) outcome = ncclSend(exchange.send + out.begin, out.size, ncclUint8, peer, all, stream);
      if (in.size > 0 && !is_failure(outcome)) {
        outcome = ncclRecv(exchange.receive + in.begin, in.size, ncclUint8, peer, all, stream);
      }
    }
    ncclResult_t const ended = ncclGroupEnd();
    return is_failure(outcome) ? outcome : ended;
  }
};

FARPOINT_END_NAMESPACE

/// @file
/// Ranks that are GPUs, connected by NCCL. Needs nccl.h: link farpoint::nccl.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/driver_function.cuh>
#include <farpoint/scale/communicator.hpp>
#include <farpoint/scale/peer_memory.hpp>

#include <cuda.h>
#include <nccl.h>
#include <chrono>
#include <thread>

FARPOINT_BEGIN_NAMESPACE

/// One rank among several GPUs: the NCCL communicator of its GPU, and the stream of its calls. It is the communicator
/// of calls on shards in device memory, see is_stream_communicator.
///
/// The caller creates and owns both, in any way that ranks find one another: threads of a process, MPI, torchrun. All
/// ranks make the same calls in the same order. Cheap to copy. After a `communication_failure` the NCCL communicator is
/// unusable: abort it (ncclCommAbort()), which also ends what waits on the stream.
struct nccl_exec {
  ncclComm_t communicator;
  cudaStream_t stream;
  /// Time-out of a call that waits for other ranks; zero or less waits forever. The time-out does not cover the first
  /// exchange of a blocking communicator, in which NCCL connects the ranks on the host. If a rank may fail before,
  /// exchange something once (ncclAllGather()).
  std::chrono::milliseconds timeout = std::chrono::minutes{10};
  /// Peer memory of all ranks, or empty on all ranks: see nccl_window.
  peer_memory window = {};

  /// Number of ranks; 0 if NCCL refuses the communicator, and calls then refuse it.
  int ranks() const noexcept {
    int count = 0;
    return ncclCommCount(communicator, &count) == ncclSuccess ? count : 0;
  }
  int rank() const noexcept {
    int own = 0;
    return ncclCommUserRank(communicator, &own) == ncclSuccess ? own : 0;
  }

  /// The window, with the time-out of kernels.
  peer_memory peers() const noexcept {
    peer_memory memory = window;
    memory.timeout = timeout;
    return memory;
  }

  /// Enqueues an all-gather of device memory.
  /// @return `ok`, or `communication_failure` with the error of NCCL in `native`
  result all_gather(void const* mine, void* all, std::size_t size) const noexcept {
    if (size == 0) return {};
    return told(ncclAllGather(mine, all, size, ncclUint8, communicator, stream));
  }

  /// Enqueues an all-to-all of device memory.
  /// @return `ok`, `communication_failure` with the error of NCCL in `native`, or `cuda_failure`
  result all_to_all(all_to_all_messages const& exchange) const noexcept {
    auto const count = static_cast<std::size_t>(ranks());
    auto const own = static_cast<std::size_t>(rank());
    ncclResult_t outcome = ncclGroupStart();
    for (std::size_t r = 0; r < count && outcome == ncclSuccess; ++r) {
      if (r == own) continue;
      message const out = exchange.outgoing[r];
      message const in = exchange.incoming[r];
      auto const peer = static_cast<int>(r);
      if (out.size > 0) {
        outcome = ncclSend(exchange.send + out.begin, out.size, ncclUint8, peer, communicator, stream);
      }
      if (in.size > 0 && outcome == ncclSuccess) {
        outcome = ncclRecv(exchange.receive + in.begin, in.size, ncclUint8, peer, communicator, stream);
      }
    }
    ncclResult_t const ended = ncclGroupEnd();
    if (outcome == ncclSuccess) outcome = ended;
    if (outcome != ncclSuccess) return told(outcome);
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
    auto const start = std::chrono::steady_clock::now();
    for (unsigned looks = 0;; ++looks) {
      CUresult const state = query != nullptr ? query(stream) : CUDA_ERROR_NOT_FOUND;
      if (state == CUDA_SUCCESS) return {};
      if (state != CUDA_ERROR_NOT_READY) return detail::cuda_failure(state, "nccl_exec: the stream has failed");
      // Most waits are shorter than reading the clock or switching threads.
      if (looks % 64 != 63) continue;
      ncclResult_t outcome = ncclSuccess;
      if (ncclCommGetAsyncError(communicator, &outcome) == ncclSuccess && outcome != ncclSuccess &&
          outcome != ncclInProgress) {
        return told(outcome);
      }
      // In milliseconds, because the longest time-out overflows in nanoseconds.
      auto const waited =
          std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
      if (timeout.count() > 0 && waited > timeout) {
        return detail::communication_failure("nccl_exec: a rank has failed, or did not come in time");
      }
      if (looks > 65536) std::this_thread::yield();
    }
  }

  /// Result for an NCCL error.
  static result told(ncclResult_t outcome) noexcept {
    return {outcome == ncclSuccess ? status::ok : status::communication_failure, static_cast<int>(outcome),
            sentence(outcome)};
  }

 private:
  static constexpr char const* sentence(ncclResult_t outcome) noexcept {
    switch (static_cast<int>(outcome)) {  // newer versions of NCCL may have further results
      case ncclSuccess: return "";
      case ncclUnhandledCudaError: return "nccl_exec: a CUDA call inside of NCCL failed";
      case ncclSystemError: return "nccl_exec: a system call inside of NCCL failed";
      case ncclInternalError: return "nccl_exec: NCCL found an error of its own";
      case ncclInvalidArgument: return "nccl_exec: NCCL refused an argument: is the communicator one of this GPU?";
      case ncclInvalidUsage: return "nccl_exec: NCCL was used in a way that it refuses";
      case ncclRemoteError: return "nccl_exec: another rank has failed";
      case ncclInProgress: return "nccl_exec: the communicator does not block, and is not ready";
      default: return "nccl_exec: NCCL failed";
    }
  }
};

FARPOINT_END_NAMESPACE

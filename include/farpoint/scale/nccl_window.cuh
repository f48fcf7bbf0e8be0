/// @file
/// Peer memory of ranks that are GPUs, allocated through NCCL. Needs nccl.h: link farpoint::nccl.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/scale/nccl_exec.cuh>

#include <nccl.h>
#if NCCL_VERSION_CODE >= 22800
#include <nccl_device.h>
#endif
#include <utility>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

#if NCCL_VERSION_CODE >= 22800
/// Window functions of NCCL 2.28 and later.
struct nccl_windows {
  using handle = ncclWindow_t;
  static constexpr std::size_t unit = NCCL_WIN_REQUIRED_ALIGNMENT;

  /// Stores the address at which this GPU reaches the window of each rank.
  struct address_step {
    handle window;
    unsigned char** addresses;

    __device__ void operator()(std::uint64_t rank) const noexcept {
      addresses[rank] = static_cast<unsigned char*>(ncclGetLsaPointer(window, 0, static_cast<int>(rank)));
    }
  };

  static result open(ncclComm_t communicator, std::size_t size, void*& memory, handle& window) noexcept {
    result const done = nccl_exec::told(ncclMemAlloc(&memory, size));
    if (!done) return done;
    return nccl_exec::told(ncclCommWindowRegister(communicator, memory, size, &window, NCCL_WIN_COLL_SYMMETRIC));
  }
  static void close(ncclComm_t communicator, void* memory, handle window) noexcept {
    if (window != nullptr) static_cast<void>(ncclCommWindowDeregister(communicator, window));
    if (memory != nullptr) static_cast<void>(ncclMemFree(memory));
  }
  /// True if kernels of this GPU reach the windows of all `ranks` ranks (NCCL's team of load/store access).
  static bool reach(ncclComm_t communicator, int ranks, handle window) noexcept {
    return window != nullptr && ncclTeamLsa(communicator).nRanks == ranks;
  }
};
#else
/// Earlier versions of NCCL have no windows.
struct nccl_windows {
  using handle = void*;
  static constexpr std::size_t unit = 4096;

  struct address_step {
    handle window;
    unsigned char** addresses;

    __device__ void operator()(std::uint64_t) const noexcept {}
  };

  static result open(ncclComm_t, std::size_t, void*&, handle&) noexcept {
    return communication_failure("nccl_window: needs NCCL 2.28 or later");
  }
  static void close(ncclComm_t, void*, handle) noexcept {}
  static bool reach(ncclComm_t, int, handle) noexcept { return false; }
};
#endif

}  // namespace detail

/// Peer memory of each rank: kernels of all ranks can write to it, for example over NVLink. It is a symmetric NCCL
/// window, made once and used by one call at a time; set a rank's nccl_exec::window to its memory(). With it
/// fps_shard() is one kernel on each GPU, whose rounds exchange messages without the host. Needs NCCL 2.28 or later on
/// all ranks: compiled with an earlier version, create() returns `communication_failure`.
///
/// Owns the memory. Destroy it before the communicator, on all ranks.
class nccl_window {
 public:
  /// An empty window.
  nccl_window() noexcept = default;
  nccl_window(nccl_window&& other) noexcept { *this = std::move(other); }
  nccl_window& operator=(nccl_window&& other) noexcept {
    std::swap(own_, other.own_);
    return *this;
  }
  nccl_window(nccl_window const&) = delete;
  nccl_window& operator=(nccl_window const&) = delete;
  ~nccl_window() { windows::close(own_.communicator, own_.memory, own_.window); }

  /// Allocates the memory, and waits. All ranks call it with the same size, see fps_shard_window_bytes().
  ///
  /// @param exec    the communicator, and a stream of the GPU
  /// @param size    bytes of each rank's memory
  /// @param window  this rank's window; a previous window is destroyed
  ///
  /// @return `ok`, or:
  ///         - `communication_failure` with the error of NCCL in `native`, or 0 if NCCL is too old, there are more
  ///           ranks than peer_memory::most_ranks, or the ranks cannot reach the memory of one another: then make calls
  ///           without a window
  ///         - `cuda_failure`
  static result create(nccl_exec const& exec, std::size_t size, nccl_window& window) noexcept {
    int const ranks = exec.ranks();
    if (ranks < 1 || ranks > peer_memory::most_ranks) {
      return detail::communication_failure("nccl_window: for 1 to 16 ranks");
    }
    nccl_window made;
    made.own_.communicator = exec.communicator;
    std::size_t const own_bytes = round_up(size);
    // The addresses are stored behind the rank's own memory, so they need no allocation.
    std::size_t const all = own_bytes + round_up(sizeof made.own_.peers.memory);
    result const opened = windows::open(exec.communicator, all, made.own_.memory, made.own_.window);
    if (!opened) return opened;
    if (!windows::reach(exec.communicator, ranks, made.own_.window)) {
      return detail::communication_failure("nccl_window: the ranks cannot reach the memory of one another");
    }
    result const found =
        made.find_addresses(exec.stream, ranks, static_cast<unsigned char*>(made.own_.memory) + own_bytes);
    if (!found) return found;
    made.own_.peers.size = own_bytes;
    window = std::move(made);
    return {};
  }

  /// Addresses and size of the memory; empty until create() has succeeded.
  peer_memory const& memory() const noexcept { return own_.peers; }

 private:
  using windows = detail::nccl_windows;

  static constexpr std::size_t round_up(std::size_t size) noexcept {
    return (size + windows::unit - 1) / windows::unit * windows::unit;
  }

  /// Finds the address of each rank's window. `room` is device memory for one address per rank.
  result find_addresses(cudaStream_t stream, int ranks, unsigned char* room) noexcept {
    auto** const addresses = reinterpret_cast<unsigned char**>(room);
    result const enqueued = for_each_index(cuda_exec{stream}, ranks, windows::address_step{own_.window, addresses});
    if (!enqueued) return enqueued;
    auto const all = static_cast<std::size_t>(ranks) * sizeof *addresses;
    cudaError_t error = cudaMemcpyAsync(own_.peers.memory, addresses, all, cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    return detail::cuda_failure(error, "nccl_window: addresses could not be read");
  }

  struct {
    ncclComm_t communicator = nullptr;
    void* memory = nullptr;
    windows::handle window = nullptr;
    peer_memory peers{};
  } own_;
};

FARPOINT_END_NAMESPACE

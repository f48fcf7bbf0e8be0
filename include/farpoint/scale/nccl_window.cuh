/// @file
/// Peer memory of ranks that are GPUs, allocated through NCCL. Needs nccl.h: link farpoint::nccl.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/scale/nccl_exec.cuh>
#include <farpoint/scale/shard_backend.cuh>

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

  static ncclResult_t allocate(std::size_t size, void*& memory) noexcept { return ncclMemAlloc(&memory, size); }
  static ncclResult_t open(ncclComm_t communicator, std::size_t size, void* memory, handle& window) noexcept {
    return ncclCommWindowRegister(communicator, memory, size, &window, NCCL_WIN_COLL_SYMMETRIC);
  }
  static ncclResult_t close(ncclComm_t communicator, handle window) noexcept {
    return ncclCommWindowDeregister(communicator, window);
  }
  static void free(void* memory) noexcept { static_cast<void>(ncclMemFree(memory)); }
  /// True if kernels of this GPU reach the windows of all `ranks` ranks (NCCL's team of load/store access).
  static bool reach(ncclComm_t communicator, int ranks, handle window) noexcept {
    return window != nullptr && ncclTeamLsa(communicator).nRanks == ranks;
  }
};
#else
/// Earlier versions of NCCL have no windows: every rank fails to allocate one.
struct nccl_windows {
  using handle = void*;
  static constexpr std::size_t unit = 4096;

  struct address_step {
    handle window;
    unsigned char** addresses;

    __device__ void operator()(std::uint64_t) const noexcept {}
  };

  static ncclResult_t allocate(std::size_t, void*&) noexcept { return ncclInvalidUsage; }
  static ncclResult_t open(ncclComm_t, std::size_t, void*, handle&) noexcept { return ncclInvalidUsage; }
  static ncclResult_t close(ncclComm_t, handle) noexcept { return ncclSuccess; }
  static void free(void*) noexcept {}
  static bool reach(ncclComm_t, int, handle) noexcept { return false; }
};
#endif

}  // namespace detail

/// Peer memory of each rank: kernels of all ranks can write to it, for example over NVLink. It is a symmetric NCCL
/// window, made once and used by one call at a time; set a rank's nccl_exec::window to its memory(). With it
/// fps_shard() is one kernel on each GPU, whose rounds exchange messages without the host. Needs NCCL 2.28 or later on
/// all ranks: compiled with an earlier version, create() returns `communication_failure`.
///
/// Owns the memory, and shares the communicator. Destroy it on all ranks; an aborted communicator does not matter.
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
  ~nccl_window() { close(own_); }

  /// Allocates the memory, and waits. All ranks call it with the same size, see fps_shard_window_bytes().
  ///
  /// @param exec    the communicator, and a stream of the GPU
  /// @param size    bytes of each rank's memory
  /// @param window  this rank's window; a previous window is destroyed
  ///
  /// @return `ok`, or a failure on all ranks, after which `window` is as before:
  ///         - `bad_argument` if sizes differ
  ///         - `communication_failure` with the error of NCCL in `native`, or 0 if there are more ranks than
  ///           peer_memory::rank_limit, a rank lacks memory, NCCL is older than 2.28, or the ranks cannot reach the
  ///           memory of one another: then make calls without a window
  ///         - `communication_failure` or `cuda_failure`, with an aborted communicator
  static result create(nccl_exec const& exec, std::size_t size, nccl_window& window) noexcept {
    int const ranks = exec.ranks();
    if (ranks < 1 || ranks > peer_memory::rank_limit) {
      return detail::communication_failure("nccl_window: for 1 to 16 ranks");
    }
    nccl_window made;
    result const done = made.open(exec, ranks, size);
    if (done) window = std::move(made);
    return done;
  }

  /// Addresses and size of the memory; empty until create() has succeeded.
  peer_memory const& memory() const noexcept { return own_.peers; }

 private:
  using windows = detail::nccl_windows;

  static constexpr std::size_t round_up(std::size_t size) noexcept {
    return (size + windows::unit - 1) / windows::unit * windows::unit;
  }

  /// Message of each rank about its own success.
  struct header {
    std::uint64_t size;
    std::uint64_t is_bad;
  };

  /// Returns `ok` if all ranks do: no rank may enter a collective call of NCCL that another one does not make. Aborts
  /// the communicator if it cannot ask them.
  static result agree(nccl_exec const& exec, result const& own, std::size_t size) noexcept {
    header const mine{size, own ? 0u : 1u};
    header all[peer_memory::rank_limit];
    using backend = detail::shard_backend<cuda_exec>;
    result const exchanged = backend::all_gather(cuda_exec{exec.stream}, exec, &mine, all, sizeof mine, {});
    if (!exchanged) exec.abort();
    if (!exchanged || !own) return exchanged ? own : exchanged;
    for (int r = 0; r < exec.ranks(); ++r) {
      if (all[r].is_bad != 0) return detail::communication_failure("nccl_window: another rank has no window");
      if (all[r].size != size) return detail::reject("nccl_window: ranks have windows of different sizes");
    }
    return {};
  }

  result open(nccl_exec const& exec, int ranks, std::size_t size) noexcept {
    std::size_t const own_bytes = round_up(size);
    // The addresses are stored behind the rank's own memory, so they need no allocation.
    std::size_t const all = own_bytes + round_up(sizeof own_.peers.memory);
    result done = agree(exec, detail::nccl_result(windows::allocate(all, own_.memory)), size);
    if (!done) return done;
    own_.communicator = *exec.communicator;
    done = exec.settle(windows::open(own_.communicator.get(), all, own_.memory, own_.window));
    if (done && !windows::reach(own_.communicator.get(), ranks, own_.window)) {
      done = detail::communication_failure("nccl_window: the ranks cannot reach the memory of one another");
    }
    if (done) done = find_addresses(exec.stream, ranks, static_cast<unsigned char*>(own_.memory) + own_bytes);
    done = agree(exec, done, size);
    if (done) own_.peers.size = own_bytes;
    return done;
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

  struct parts {
    nccl_communicator communicator;
    void* memory = nullptr;
    windows::handle window = nullptr;
    peer_memory peers{};
  };

  /// Frees the memory. The windows of a communicator end with it; one that has failed is aborted first, as
  /// deregistering may wait for other ranks.
  static void close(parts& own) noexcept {
    if (own.communicator.has_failed()) own.communicator.abort();
    if (ncclComm_t const all = own.communicator.get(); all != nullptr && own.window != nullptr) {
      static_cast<void>(own.communicator.settle(windows::close(all, own.window), std::chrono::minutes{1}));
    }
    if (own.memory != nullptr) windows::free(own.memory);
  }

  parts own_;
};

FARPOINT_END_NAMESPACE

/// @file
/// Memory of all ranks that are GPUs, which the kernels of all of them reach. Needs nccl.h: link farpoint::nccl.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/scale/nccl_exec.cuh>

#include <nccl.h>

#if NCCL_VERSION_CODE < 22800
#error \
    "farpoint/scale/nccl_window.cuh needs NCCL 2.28 or later: leave it out, and calls exchange messages by NCCL alone"
#endif
#include <nccl_device.h>

#include <utility>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Finds out where this rank's kernels reach the window of each rank.
struct nccl_address_step {
  ncclWindow_t window;
  unsigned char** addresses;

  __device__ void operator()(std::uint64_t rank) const noexcept {
    addresses[rank] = static_cast<unsigned char*>(ncclGetLsaPointer(window, 0, static_cast<int>(rank)));
  }
};

}  // namespace detail
#endif

/// Memory of each rank that the kernels of all ranks can write to, over NVLink for example: a symmetric window of NCCL.
/// Made once, and used by one call after another: a rank's nccl_exec::window is its memory(). With it fps_shard() is
/// one kernel on each GPU, whose rounds exchange messages without the host. Needs NCCL 2.28 or later, on all ranks;
/// compiled with an earlier one, create() says so.
///
/// Owns the memory. It ends before the communicator, on all ranks.
class nccl_window {
 public:
  /// None.
  nccl_window() noexcept = default;
  nccl_window(nccl_window&& other) noexcept { *this = std::move(other); }
  nccl_window& operator=(nccl_window&& other) noexcept {
    std::swap(communicator_, other.communicator_);
    std::swap(memory_, other.memory_);
    std::swap(window_, other.window_);
    std::swap(peers_, other.peers_);
    return *this;
  }
  nccl_window(nccl_window const&) = delete;
  nccl_window& operator=(nccl_window const&) = delete;
#if NCCL_VERSION_CODE >= 22800
  ~nccl_window() {
    if (window_ != nullptr) static_cast<void>(ncclCommWindowDeregister(communicator_, window_));
    if (memory_ != nullptr) static_cast<void>(ncclMemFree(memory_));
  }
#endif

  /// Allocates the memory, and waits. All ranks call it with the same size; how many bytes a call takes, say
  /// fps_shard_window_bytes() and the like.
  ///
  /// @param exec    the communicator, and a stream of the GPU
  /// @param bytes   of each rank
  /// @param window  of this rank
  /// @return ok | communication_failure: NCCL's number is in `native`, or 0 where the ranks are more than
  ///         peer_memory::most_ranks, or cannot reach the memory of one another; calls then do without a window |
  ///         cuda_failure
  static result create(nccl_exec const& exec, std::size_t bytes, nccl_window& window) noexcept {
#if NCCL_VERSION_CODE >= 22800
    return create_in(exec, bytes, window);
#else
    static_cast<void>(exec), static_cast<void>(bytes), static_cast<void>(window);
    return detail::communication_failure("nccl_window: needs NCCL 2.28 or later");
#endif
  }

  /// Empty before create() has succeeded.
  peer_memory const& memory() const noexcept {
    return peers_;
  }

 private:
#if NCCL_VERSION_CODE >= 22800
  static result create_in(nccl_exec const& exec, std::size_t bytes, nccl_window& window) noexcept {
    nccl_window made;
    made.communicator_ = exec.communicator;
    int const ranks = exec.ranks();
    if (ranks < 1 || ranks > peer_memory::most_ranks) {
      return detail::communication_failure("nccl_window: for 1 to 16 ranks");
    }
    std::size_t const own_bytes = round_up(bytes);
    // Behind the rank's own memory, so that addresses need no memory of their own.
    std::size_t const all = own_bytes + round_up(sizeof made.peers_.memory);
    result done = nccl_exec::told(ncclMemAlloc(&made.memory_, all));
    if (!done) return done;
    done = nccl_exec::told(
        ncclCommWindowRegister(exec.communicator, made.memory_, all, &made.window_, NCCL_WIN_COLL_SYMMETRIC));
    if (!done) return done;
    if (made.window_ == nullptr || ncclTeamLsa(exec.communicator).nRanks != ranks) {
      return detail::communication_failure("nccl_window: the ranks cannot reach the memory of one another");
    }
    auto** const addresses = reinterpret_cast<unsigned char**>(static_cast<unsigned char*>(made.memory_) + own_bytes);
    done = for_each_index(cuda_exec{exec.stream}, ranks, detail::nccl_address_step{made.window_, addresses});
    if (!done) return done;
    cudaError_t error =
        cudaMemcpyAsync(made.peers_.memory, addresses, static_cast<std::size_t>(ranks) * sizeof *addresses,
                        cudaMemcpyDeviceToHost, exec.stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(exec.stream);
    if (error != cudaSuccess) return detail::cuda_failure(error, "nccl_window: addresses could not be read");
    made.peers_.size = own_bytes;
    window = std::move(made);
    return {};
  }

  static constexpr std::size_t round_up(std::size_t bytes) noexcept {
    constexpr std::size_t unit = NCCL_WIN_REQUIRED_ALIGNMENT;
    return (bytes + unit - 1) / unit * unit;
  }

  ncclWindow_t window_ = nullptr;
#else
  void* window_ = nullptr;
#endif
  ncclComm_t communicator_ = nullptr;
  void* memory_ = nullptr;
  peer_memory peers_{};
};

FARPOINT_END_NAMESPACE

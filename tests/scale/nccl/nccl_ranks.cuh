// Ranks that are threads with a GPU each, and NCCL between them.
#pragma once

#include <farpoint/scale/nccl_exec.cuh>
#include <farpoint/scale/nccl_window.cuh>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../support/device/cuda_check.hpp"
#include "../../support/test_scale.hpp"
#include "../../support/together.hpp"

namespace farpoint_tests {

inline void require_nccl(ncclResult_t outcome, char const* call) {
  if (outcome != ncclSuccess) throw std::runtime_error{std::string{call} + ": " + ncclGetErrorString(outcome)};
}
#define REQUIRE_NCCL(call) farpoint_tests::require_nccl((call), #call)

/// A communicator for each of the first GPUs; rank r is on GPU r.
class nccl_ranks {
 public:
  /// @param blocks  communicators of ncclCommInitAll(), otherwise of nccl_communicator::create()
  explicit nccl_ranks(int ranks, bool blocks = true)
      : communicators_(static_cast<std::size_t>(ranks)), windows_(static_cast<std::size_t>(ranks)) {
    if (blocks) {
      std::vector<ncclComm_t> all(communicators_.size());
      REQUIRE_NCCL(ncclCommInitAll(all.data(), ranks, nullptr));
      for (std::size_t rank = 0; rank < all.size(); ++rank) {
        communicators_[rank] = farpoint::nccl_communicator{all[rank]};
      }
      return;
    }
    ncclUniqueId id;
    REQUIRE_NCCL(ncclGetUniqueId(&id));
    together(ranks, [&](int rank) {
      REQUIRE_CUDA(cudaSetDevice(rank));
      auto const done = farpoint::nccl_communicator::create(ranks, id, rank, (*this)[rank]);
      if (!done) throw std::runtime_error{done.reason};
    });
  }
  nccl_ranks(nccl_ranks const&) = delete;
  nccl_ranks& operator=(nccl_ranks const&) = delete;
  ~nccl_ranks() {
    try {
      close_windows();
    } catch (...) {
    }
  }

  int size() const { return static_cast<int>(communicators_.size()); }
  farpoint::nccl_communicator& operator[](int rank) { return communicators_[static_cast<std::size_t>(rank)]; }
  farpoint::nccl_window& window(int rank) { return windows_[static_cast<std::size_t>(rank)]; }

  /// From now on all ranks have memory that the kernels of all reach.
  void open_windows(std::size_t bytes) {
    run([&](farpoint::nccl_exec const& exec) {
      auto const done = farpoint::nccl_window::create(exec, bytes, windows_[static_cast<std::size_t>(exec.rank())]);
      if (!done) throw std::runtime_error{done.reason};
    });
  }
  void close_windows() {
    run([&](farpoint::nccl_exec const& exec) { windows_[static_cast<std::size_t>(exec.rank())] = {}; });
  }

  /// Calls work(exec) as each rank, on its GPU.
  template <class Work>
  void run(Work const& work) const {
    together(size(), [&](int rank) {
      REQUIRE_CUDA(cudaSetDevice(rank));
      test_stream const stream;
      auto const number = static_cast<std::size_t>(rank);
      farpoint::nccl_exec exec{communicators_[number], stream.get()};
      exec.window = windows_[number].memory();
      work(exec);
      REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
    });
  }

 private:
  std::vector<farpoint::nccl_communicator> communicators_;
  std::vector<farpoint::nccl_window> windows_;
};

}  // namespace farpoint_tests

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
  explicit nccl_ranks(int ranks)
      : communicators_(static_cast<std::size_t>(ranks)), windows_(static_cast<std::size_t>(ranks)) {
    REQUIRE_NCCL(ncclCommInitAll(communicators_.data(), ranks, nullptr));
  }
  nccl_ranks(nccl_ranks const&) = delete;
  nccl_ranks& operator=(nccl_ranks const&) = delete;
  ~nccl_ranks() {
    try {
      close_windows();
    } catch (...) {
    }
    for (int rank = 0; rank < size(); ++rank) abort(rank);
  }

  int size() const { return static_cast<int>(communicators_.size()); }

  void abort(int rank) {
    auto& communicator = communicators_[static_cast<std::size_t>(rank)];
    if (communicator != nullptr) ncclCommAbort(communicator);
    communicator = nullptr;
  }

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
  std::vector<ncclComm_t> communicators_;
  std::vector<farpoint::nccl_window> windows_;
};

}  // namespace farpoint_tests

// Ranks that are threads with a GPU each, and NCCL between them.
#pragma once

#include <farpoint/scale/nccl_exec.cuh>

#include <stdexcept>
#include <string>
#include <vector>

#include "../device/cuda_check.hpp"
#include "../shared/together.hpp"

namespace farpoint_tests {

inline void require_nccl(ncclResult_t outcome, char const* call) {
  if (outcome != ncclSuccess) throw std::runtime_error{std::string{call} + ": " + ncclGetErrorString(outcome)};
}
#define REQUIRE_NCCL(call) farpoint_tests::require_nccl((call), #call)

/// A communicator for each of the first GPUs; rank r is on GPU r.
class nccl_ranks {
 public:
  explicit nccl_ranks(int ranks) : communicators_(static_cast<std::size_t>(ranks)) {
    REQUIRE_NCCL(ncclCommInitAll(communicators_.data(), ranks, nullptr));
  }
  nccl_ranks(nccl_ranks const&) = delete;
  nccl_ranks& operator=(nccl_ranks const&) = delete;
  ~nccl_ranks() {
    for (int rank = 0; rank < size(); ++rank) abort(rank);
  }

  int size() const { return static_cast<int>(communicators_.size()); }

  void abort(int rank) {
    auto& communicator = communicators_[static_cast<std::size_t>(rank)];
    if (communicator != nullptr) ncclCommAbort(communicator);
    communicator = nullptr;
  }

  /// Calls work(exec) as each rank, on its GPU.
  template <class Work>
  void run(Work const& work) const {
    together(size(), [&](int rank) {
      REQUIRE_CUDA(cudaSetDevice(rank));
      test_stream const stream;
      farpoint::nccl_exec const exec{communicators_[static_cast<std::size_t>(rank)], stream.get()};
      work(exec);
      REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
    });
  }

 private:
  std::vector<ncclComm_t> communicators_;
};

}  // namespace farpoint_tests

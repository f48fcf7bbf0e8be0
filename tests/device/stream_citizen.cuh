// What every call must be on a stream that it shares: captured, quiet about errors of others, and clear about its own.
#pragma once

#include <farpoint/core/status.hpp>

#include "../catch.hpp"
#include "cuda_check.hpp"

namespace farpoint_tests {

/// What a function enqueues on a stream, as a graph.
class captured_graph {
 public:
  /// Captured in global mode, which refuses allocation and synchronisation by any thread.
  template <class Enqueue>
  captured_graph(cudaStream_t stream, Enqueue const& enqueue) : stream_{stream} {
    REQUIRE_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    enqueue();
    REQUIRE_CUDA(cudaStreamEndCapture(stream, &graph_));
    REQUIRE_CUDA(cudaGraphInstantiate(&executable_, graph_, 0));
  }
  captured_graph(captured_graph const&) = delete;
  captured_graph& operator=(captured_graph const&) = delete;
  ~captured_graph() {
    cudaGraphExecDestroy(executable_);
    cudaGraphDestroy(graph_);
  }

  void replay() const {
    REQUIRE_CUDA(cudaGraphLaunch(executable_, stream_));
    REQUIRE_CUDA(cudaStreamSynchronize(stream_));
  }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

/// `enqueue` is called while an error of somebody else's is pending: it must neither report nor clear it, nor leave one
/// of its own.
template <class Enqueue>
void check_foreign_error(cudaStream_t stream, Enqueue const& enqueue) {
  REQUIRE(cudaSetDevice(9999) != cudaSuccess);
  enqueue();
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
  REQUIRE_CUDA(cudaStreamSynchronize(stream));
  CHECK(cudaGetLastError() == cudaSuccess);
}

/// `enqueue(stream)` on a stream whose capture was invalidated, where the runtime refuses it.
template <class Enqueue>
void check_refused_call(Enqueue const& enqueue) {
  test_stream const capturing;
  REQUIRE_CUDA(cudaStreamBeginCapture(capturing.get(), cudaStreamCaptureModeRelaxed));
  CHECK(cudaStreamSynchronize(capturing.get()) != cudaSuccess);  // invalidates the capture
  farpoint::result const outcome = enqueue(capturing.get());
  CHECK(outcome.code == farpoint::status::cuda_failure);
  CHECK(outcome.native != 0);
  cudaGraph_t graph = nullptr;
  (void)cudaStreamEndCapture(capturing.get(), &graph);
  (void)cudaGetLastError();
}

}  // namespace farpoint_tests

// Checks of each call on a shared stream: it can be captured, ignores errors of other code, and reports its own errors.
#pragma once

#include <farpoint/core/status.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "../catch.hpp"
#include "../check_answer.hpp"
#include "cuda_check.hpp"

namespace farpoint_tests {

/// Graph of the work that a function enqueues on a stream.
class captured_graph {
 public:
  /// Captures in global mode, which refuses allocation and synchronization by any thread.
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

/// Graph of a call of a public function, which is replayed with other data in its memory.
template <class Selector, class Call>
class captured_call {
 public:
  explicit captured_call(Call& call) {
    REQUIRE(call.template enqueue<Selector>(stream_.get()));  // also allocates the workspace, before the capture
    REQUIRE_CUDA(cudaStreamSynchronize(stream_.get()));
    graph_.emplace(stream_.get(), [&] { outcome_ = call.template enqueue<Selector>(stream_.get()); });
    REQUIRE(outcome_);
  }
  void replay() const { graph_->replay(); }
  farpoint::result const& outcome() const { return outcome_; }

 private:
  test_stream stream_;
  farpoint::result outcome_;
  std::optional<captured_graph> graph_;
};

/// Replays a captured call with the points of `others`. Before every second replay the workspace is overwritten.
/// @param expected  `expected(problem)`: the right answer
template <class Selector, class Call, class Problem, class Expected>
void check_replays(Call call, std::vector<Problem> const& others, Expected const& expected) {
  captured_call<Selector, Call> const captured{call};
  std::uint64_t replay = 0;
  for (auto const& problem : others) {
    call.upload(problem);
    call.poison();
    if (++replay % 2 == 0) call.scramble_workspace(replay);
    REQUIRE_CUDA(cudaDeviceSynchronize());
    captured.replay();
    auto const found = call.answer(captured.outcome());
    auto const right = expected(problem);
    CAPTURE(replay);
    check_answer(found, right);
  }
}

/// Calls `enqueue()` while a foreign error is pending. It must neither report nor clear that error, nor leave another.
template <class Enqueue>
void check_foreign_error(cudaStream_t stream, Enqueue const& enqueue) {
  REQUIRE(cudaSetDevice(9999) != cudaSuccess);
  enqueue();
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
  REQUIRE_CUDA(cudaStreamSynchronize(stream));
  CHECK(cudaGetLastError() == cudaSuccess);
}

/// Checks that `enqueue(stream)` reports the runtime's refusal on a stream whose capture was invalidated.
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

/// Checks a refused `enqueue(stream)` that returns a cudaError_t.
template <class Enqueue>
void check_refused_error(Enqueue const& enqueue) {
  check_refused_call([&](cudaStream_t stream) {
    cudaError_t const error = enqueue(stream);
    return farpoint::result{error == cudaSuccess ? farpoint::status::ok : farpoint::status::cuda_failure,
                            static_cast<int>(error), ""};
  });
}

/// Runs `enqueue(stream)` on a new stream.
/// @param problem  its check() checks the output
template <class Problem, class Enqueue>
void check_once(Problem const& problem, Enqueue const& enqueue) {
  test_stream const stream;
  REQUIRE_CUDA(enqueue(stream.get()));
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  problem.check();
}

/// Checks graph replays, and a call while a foreign error is pending.
/// @param problem  its upload() restores the input, its check() checks the output
/// @param enqueue  `enqueue(stream)`: works on the problem's memory
template <class Problem, class Enqueue>
void check_stream_manners(Problem& problem, Enqueue const& enqueue) {
  test_stream const stream;
  auto const checked = [&] { CHECK(enqueue(stream.get()) == cudaSuccess); };
  captured_graph const graph{stream.get(), checked};
  for (int replay = 0; replay < 2; ++replay) {
    problem.upload();
    graph.replay();
    problem.check();
  }
  problem.upload();
  check_foreign_error(stream.get(), checked);
  problem.check();
}

/// Blocks a stream from construction until open(), or for some seconds at most.
class stream_gate {
 public:
  explicit stream_gate(cudaStream_t stream) : stream_{stream} {
    REQUIRE_CUDA(cudaLaunchHostFunc(stream, wait, &is_open_));
  }
  stream_gate(stream_gate const&) = delete;
  stream_gate& operator=(stream_gate const&) = delete;
  ~stream_gate() {
    open();
    cudaStreamSynchronize(stream_);
  }
  void open() { is_open_.store(true); }

 private:
  static void CUDART_CB wait(void* is_open) {
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (!static_cast<std::atomic<bool>*>(is_open)->load() && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
  }
  cudaStream_t stream_;
  std::atomic<bool> is_open_{false};
};

/// Calls `use(stream)` with streams of each kind: the default streams, a stream that synchronizes with the legacy
/// default stream, and a high-priority stream that does not.
template <class Use>
void for_each_kind_of_stream(Use const& use) {
  cudaStream_t blocking = nullptr, urgent = nullptr;
  int least = 0, greatest = 0;
  REQUIRE_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  REQUIRE_CUDA(cudaStreamCreate(&blocking));
  REQUIRE_CUDA(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
  for (cudaStream_t const stream : {cudaStream_t{}, cudaStreamLegacy, cudaStreamPerThread, blocking, urgent}) {
    use(stream);
  }
  REQUIRE_CUDA(cudaStreamDestroy(blocking));
  REQUIRE_CUDA(cudaStreamDestroy(urgent));
}

/// Checks the guarantees of each call on a stream: it ignores foreign errors, uses no other stream, neither allocates
/// nor synchronizes, can be captured, and reports a refusal by the runtime.
///
/// @param enqueue   `enqueue(stream)`: makes the call; the first time it may allocate the call's workspace
/// @param is_right  `is_right(result)`: whether the answer in the call's memory is right, after the stream was
///                  synchronized
template <class Enqueue, class IsRight>
void check_stream_citizen(Enqueue const& enqueue, IsRight const& is_right) {
  test_stream const stream;
  farpoint::result outcome;
  // The first call of the process: one-time initialization must ignore the error, too.
  check_foreign_error(stream.get(), [&] { outcome = enqueue(stream.get()); });
  CHECK(is_right(outcome));
  check_foreign_error(stream.get(), [&] { outcome = enqueue(stream.get()); });
  CHECK(is_right(outcome));

  for_each_kind_of_stream([&](cudaStream_t other) {
    outcome = enqueue(other);
    REQUIRE_CUDA(cudaStreamSynchronize(other));
    CHECK(is_right(outcome));
  });

  {
    stream_gate gate{stream.get()};
    outcome = enqueue(stream.get());
    CHECK(cudaStreamQuery(stream.get()) == cudaErrorNotReady);  // the call did not wait for its stream
    (void)cudaGetLastError();
    gate.open();
    REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
    CHECK(is_right(outcome));
  }

  captured_graph const graph{stream.get(), [&] { outcome = enqueue(stream.get()); }};
  REQUIRE(outcome);
  for (int replay = 0; replay < 2; ++replay) {
    graph.replay();
    CHECK(is_right(outcome));
  }
  check_refused_call(enqueue);
  CHECK(cudaGetLastError() == cudaSuccess);
}

/// Checks that concurrent calls from 8 threads, each on `streams` streams of its own, do not disturb each other.
///
/// @param make_problem  `make_problem(seed)`, for seeds from 0; each thread gets consecutive seeds
/// @param enqueue       `enqueue(call, stream)`: enqueues a Call made from such a problem
/// @param expected      `expected(problem)`: the right answer
template <class Call, class MakeProblem, class Enqueue, class Expected>
void check_concurrent_calls(int streams, MakeProblem const& make_problem, Enqueue const& enqueue,
                            Expected const& expected) {
  using problem_type = decltype(make_problem(std::uint64_t{}));
  struct owned_call {
    explicit owned_call(problem_type made) : problem{std::move(made)}, call{problem} {}
    problem_type problem;
    Call call;
    test_stream stream;
    farpoint::result outcome;
  };
  constexpr int threads = 8;
  std::vector<int> equal(static_cast<std::size_t>(threads * streams), 0);
  std::vector<std::thread> callers;
  for (int thread = 0; thread < threads; ++thread) {
    callers.emplace_back([&, thread] {
      std::vector<std::unique_ptr<owned_call>> calls;
      auto const first = static_cast<std::size_t>(thread * streams);
      for (std::size_t i = 0; i < static_cast<std::size_t>(streams); ++i) {
        calls.push_back(std::make_unique<owned_call>(make_problem(std::uint64_t{first + i})));
      }
      for (auto& one : calls) one->outcome = enqueue(one->call, one->stream.get());
      for (std::size_t i = 0; i < calls.size(); ++i) {
        REQUIRE_CUDA(cudaStreamSynchronize(calls[i]->stream.get()));
        bool const same = same_answer(calls[i]->call.answer(calls[i]->outcome), expected(calls[i]->problem));
        equal[first + i] = same ? 1 : 0;
      }
    });
  }
  for (auto& caller : callers) caller.join();
  CHECK(equal == std::vector<int>(equal.size(), 1));
}

}  // namespace farpoint_tests

/// @file
/// Owner of the NCCL communicator of a rank that is a GPU. Needs nccl.h: link farpoint::nccl.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/scale/communicator.hpp>

#include <nccl.h>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Result for an NCCL error.
inline result nccl_result(ncclResult_t outcome) noexcept {
  auto const sentence = [outcome]() -> char const* {
    switch (static_cast<int>(outcome)) {  // newer versions of NCCL may have further results
      case ncclSuccess: return "";
      case ncclUnhandledCudaError: return "nccl_exec: a CUDA call inside of NCCL failed";
      case ncclSystemError: return "nccl_exec: a system call inside of NCCL failed";
      case ncclInternalError: return "nccl_exec: NCCL found an error of its own";
      case ncclInvalidArgument: return "nccl_exec: NCCL refused an argument: is the communicator one of this GPU?";
      case ncclInvalidUsage: return "nccl_exec: NCCL was used in a way that it refuses";
      case ncclRemoteError: return "nccl_exec: another rank has failed";
      default: return "nccl_exec: NCCL failed";
    }
  };
  return {outcome == ncclSuccess ? status::ok : status::communication_failure, static_cast<int>(outcome), sentence()};
}

/// Time-out of a wait on the host, from construction on; zero or less never passes.
class deadline {
 public:
  explicit deadline(std::chrono::milliseconds timeout) noexcept : timeout_{timeout} {}

  bool has_passed() const noexcept {
    // In milliseconds, because the longest time-out overflows in nanoseconds.
    auto const waited = std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - start_);
    return timeout_.count() > 0 && waited > timeout_;
  }

 private:
  using clock = std::chrono::steady_clock;
  std::chrono::milliseconds timeout_;
  clock::time_point start_ = clock::now();
};

}  // namespace detail

/// Owner of the NCCL communicator of one rank. Copies share it; the last one frees it, by ncclCommAbort(): wait for the
/// streams of all ranks first.
///
/// After a failure the communicator is unusable: all later exchanges fail at once. Calls on shards then abort() it.
/// Use the copies from one thread at a time.
class nccl_communicator {
 public:
  /// No communicator: calls refuse it.
  nccl_communicator() noexcept = default;

  /// Takes over an NCCL communicator of the current GPU, and waits until it is ready if it does not block
  /// (`ncclConfig_t::blocking`). release() gives it back.
  /// @param communicator  of this rank
  /// @param timeout       time-out of the wait; zero or less waits forever
  /// @throws std::bad_alloc  `communicator` stays the caller's
  explicit nccl_communicator(ncclComm_t communicator, std::chrono::milliseconds timeout = std::chrono::minutes{10})
      : state_{std::make_shared<state>()} {
    state_->communicator = communicator;
    if (!settle(ncclInProgress, timeout)) return;
    if (ncclCommCount(communicator, &state_->ranks) != ncclSuccess) state_->ranks = 0;
    if (ncclCommUserRank(communicator, &state_->rank) != ncclSuccess) state_->ranks = 0;
  }

  /// Connects ranks, as ncclCommInitRank() does, with a time-out: the communicator does not block, so that the first
  /// exchange has a time-out, too. All ranks call it, each with its GPU as the current one.
  ///
  /// @param ranks    number of ranks
  /// @param id       equal on all ranks, from ncclGetUniqueId() on one of them
  /// @param rank     0 <= rank < ranks, different on each rank
  /// @param made     receives the communicator
  /// @param timeout  time-out of the call; zero or less waits forever
  /// @return `ok`, or `communication_failure` with the error of NCCL in `native`
  /// @throws std::bad_alloc
  static result create(int ranks, ncclUniqueId const& id, int rank, nccl_communicator& made,
                       std::chrono::milliseconds timeout = std::chrono::minutes{10}) {
    nccl_communicator all;
    all.state_ = std::make_shared<state>();
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    result const done =
        all.settle(ncclCommInitRankConfig(&all.state_->communicator, ranks, id, rank, &config), timeout);
    if (!done) return done;
    all.state_->ranks = ranks;
    all.state_->rank = rank;
    made = all;
    return {};
  }

  /// Number of ranks; 0 without a usable communicator, and calls then refuse it.
  int ranks() const noexcept { return state_ != nullptr ? state_->ranks : 0; }
  int rank() const noexcept { return state_ != nullptr ? state_->rank : 0; }

  /// True after a failure of an exchange, or abort().
  bool has_failed() const noexcept { return state_ == nullptr || state_->has_failed; }

  /// The communicator; null after abort() and release().
  ncclComm_t get() const noexcept { return state_ != nullptr ? state_->communicator : nullptr; }

  /// Frees the communicator by ncclCommAbort(), which ends its kernels on all streams of this rank. Other ranks learn
  /// of it by NCCL, or when their time-outs have passed. May be called repeatedly.
  void abort() const noexcept {
    if (state_ != nullptr) state_->abort();
  }

  /// Gives up ownership: all copies are without a communicator then.
  /// @return the communicator; null after abort()
  ncclComm_t release() const noexcept {
    if (state_ == nullptr) return nullptr;
    state_->has_failed = true;
    return std::exchange(state_->communicator, nullptr);
  }

  /// Marks the communicator as failed if `outcome` is a failure.
  result remember(result const& outcome) const noexcept {
    if (!outcome && state_ != nullptr) state_->has_failed = true;
    return outcome;
  }

  /// Waits until NCCL has finished a call, which goes on after its return if the communicator does not block: some
  /// calls return ncclInProgress then, others ncclSuccess (ncclCommWindowRegister() of NCCL 2.28). A call that fails
  /// while it is in progress is a failure of the communicator.
  /// @param outcome  result of the call
  /// @param timeout  zero or less waits forever
  /// @return `ok`, or `communication_failure` after the time-out or with the error of NCCL in `native`
  result settle(ncclResult_t outcome, std::chrono::milliseconds timeout) const noexcept {
    if (outcome != ncclSuccess && outcome != ncclInProgress) return detail::nccl_result(outcome);
    detail::deadline const end{timeout};
    for (;;) {
      ncclResult_t const asked = ncclCommGetAsyncError(get(), &outcome);
      if (asked != ncclSuccess) outcome = asked;
      if (outcome != ncclInProgress) return remember(detail::nccl_result(outcome));
      if (end.has_passed()) {
        return remember(detail::communication_failure("nccl_exec: a rank has failed, or did not come in time"));
      }
      std::this_thread::yield();
    }
  }

  /// `communication_failure` if exchanges cannot be made any more.
  result check() const noexcept {
    return has_failed() ? detail::communication_failure("nccl_exec: the communicator has failed, or was aborted")
                        : result{};
  }

 private:
  struct state {
    ncclComm_t communicator = nullptr;
    int ranks = 0;
    int rank = 0;
    bool has_failed = false;

    state() noexcept = default;
    state(state const&) = delete;
    state& operator=(state const&) = delete;
    ~state() { abort(); }

    void abort() noexcept {
      has_failed = true;
      ncclComm_t const own = std::exchange(communicator, nullptr);
      if (own != nullptr) static_cast<void>(ncclCommAbort(own));
    }
  };

  std::shared_ptr<state> state_;
};

FARPOINT_END_NAMESPACE

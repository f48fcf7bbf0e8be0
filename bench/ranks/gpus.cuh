/// @file
/// Ranks that are GPUs of this machine: a thread of the process for each, with NCCL between them. Needs nvcc and
/// nccl.h.
#pragma once

#include "support/check.hpp"
#include "support/cuda_handles.hpp"

#include <farpoint/scale/nccl_exec.cuh>
#include <farpoint/scale/nccl_window.cuh>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace farpoint_bench {

inline void check(ncclResult_t outcome, char const* what) {
  if (outcome != ncclSuccess) throw std::runtime_error{std::string{what} + ": " + ncclGetErrorString(outcome)};
}

/// Number of GPUs that are visible to this process; 0 without a usable GPU.
inline int gpu_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

/// Threads wait for one another.
class meeting {
 public:
  explicit meeting(int size) : size_{size} {}

  /// Returns when all have called it. @throws std::runtime_error where one has given up
  void wait() {
    std::unique_lock<std::mutex> lock{mutex_};
    int const now = number_;
    if (++arrived_ == size_) {
      arrived_ = 0;
      ++number_;
      changed_.notify_all();
    }
    changed_.wait(lock, [&] { return number_ != now || is_over_; });
    if (number_ == now) throw std::runtime_error{"another rank has given up"};
  }
  void give_up() {
    std::lock_guard<std::mutex> const lock{mutex_};
    is_over_ = true;
    changed_.notify_all();
  }

 private:
  int size_;
  int arrived_ = 0;
  int number_ = 0;
  bool is_over_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// The first GPUs, each of which is a rank.
class gpu_ranks {
 public:
  explicit gpu_ranks(int size) : meeting_{size} {
    std::vector<ncclComm_t> all(static_cast<std::size_t>(size));
    check(ncclCommInitAll(all.data(), size, nullptr), "ncclCommInitAll");
    for (ncclComm_t const each : all) communicators_.emplace_back(each);
  }
  gpu_ranks(gpu_ranks const&) = delete;
  gpu_ranks& operator=(gpu_ranks const&) = delete;

  int size() const { return static_cast<int>(communicators_.size()); }

  /// Calls work(exec, meeting) as each rank, and throws what the first that fails throws.
  template <class Work>
  void run(Work const& work) {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size(); ++rank) threads.emplace_back([&, rank] { run_rank(rank, work); });
    for (auto& thread : threads) thread.join();
    if (error_) std::rethrow_exception(error_);
  }

  /// Throws unless a rank's call succeeded. Work that waits for other ranks on the rank's stream is aborted first:
  /// otherwise its memory could not be freed.
  void check_call(farpoint::nccl_exec const& exec, farpoint::result const& outcome, char const* what) {
    if (!outcome) exec.abort();
    check(outcome, what);
  }

 private:
  template <class Work>
  void run_rank(int rank, Work const& work) {
    try {
      check(cudaSetDevice(rank), "cudaSetDevice");
      owned_stream const stream;
      farpoint::nccl_exec exec{communicators_[static_cast<std::size_t>(rank)], stream.get()};
      exec.timeout = std::chrono::minutes{1};
      work(exec, meeting_);
    } catch (...) {
      {
        std::lock_guard<std::mutex> const lock{mutex_};
        if (!error_) error_ = std::current_exception();
      }
      meeting_.give_up();
    }
  }

  std::vector<farpoint::nccl_communicator> communicators_;
  meeting meeting_;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace farpoint_bench

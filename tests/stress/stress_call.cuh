// A call of a public function that is made again and again, and compared with the host's answer.
#pragma once

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/status.hpp>

#include <string>
#include <utility>

#include "../support/call_memory.hpp"
#include "../support/device/device_space.cuh"
#include "named.hpp"

namespace farpoint_stress {

using farpoint_tests::call_memory;
using farpoint_tests::host_space;

/// A call with its arguments and its memory. Not thread-safe: one thread makes it, one run at a time.
class stress_call : public named {
 public:
  using named::named;

  /// Copies the call; the copy has memory of its own.
  virtual std::unique_ptr<stress_call> clone() const = 0;
  /// Enqueues the call. The first time it allocates its memory.
  virtual farpoint::result enqueue(farpoint::cuda_exec exec) = 0;
  /// Forgets the answer of the last run, which the stream must have passed.
  virtual void wipe() = 0;
  /// After the stream has passed a run: all outputs are the host's, to the bit, and nothing else was written.
  virtual bool is_right() const = 0;
};

/// @tparam Work  `work(exec, memory)` makes the call with the arrays of a call_memory, on a host_exec or a cuda_exec
template <class Work>
class call_on_both : public stress_call {
 public:
  call_on_both(std::string name, Work work) : call_on_both{name, solve(name, std::move(work))} {}

  std::unique_ptr<stress_call> clone() const override {
    return std::unique_ptr<stress_call>{new call_on_both{name(), problem_}};
  }
  farpoint::result enqueue(farpoint::cuda_exec exec) override {
    memory_.rewind();
    return problem_->work(exec, memory_);
  }
  void wipe() override { memory_.wipe_outputs(); }
  bool is_right() const override { return memory_.intact() && memory_.outputs() == problem_->expected; }

 private:
  struct problem {
    Work work;
    std::vector<std::vector<unsigned char>> expected;
  };

  static std::shared_ptr<problem const> solve(std::string const& name, Work work) {
    call_memory<host_space> memory;
    farpoint::result const outcome = work(farpoint::host_exec{}, memory);
    if (!outcome || !memory.intact()) throw std::logic_error{name + ", on the host: " + outcome.reason};
    return std::make_shared<problem const>(problem{std::move(work), memory.outputs()});
  }
  call_on_both(std::string name, std::shared_ptr<problem const> solved)
      : stress_call{std::move(name)}, problem_{std::move(solved)} {}

  std::shared_ptr<problem const> problem_;
  call_memory<device_space> memory_;
};

template <class Work>
std::unique_ptr<stress_call> make_call(std::string name, Work work) {
  return std::make_unique<call_on_both<Work>>(std::move(name), std::move(work));
}

}  // namespace farpoint_stress

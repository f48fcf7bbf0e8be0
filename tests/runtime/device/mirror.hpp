// Makes a call on host memory by the headers and on device memory by the compiled library, and compares the outputs.
#pragma once

#include <farpoint/core/cuda_exec.hpp>
#include <farpoint/core/host_exec.hpp>

#include <functional>
#include <utility>

#include "../../support/device/run_call.cuh"
#include "../../support/device/stream_citizen.cuh"

namespace farpoint_tests {

using farpoint::cuda_exec;
using farpoint::host_exec;
using farpoint::index_t;

/// An array in host memory and its copy in device memory.
template <class T>
class mirror {
 public:
  /// An input.
  explicit mirror(std::vector<T> values) : host_{std::move(values)}, device_{host_} {}
  /// An output, filled with `poison` as a new device_array is.
  explicit mirror(index_t size) : host_(static_cast<std::size_t>(size)), device_{host_.size()} {
    if (!host_.empty()) std::memset(static_cast<void*>(host_.data()), poison, host_.size() * sizeof(T));
  }

  farpoint::span<T> on(host_exec) { return host_; }
  farpoint::span<T> on(cuda_exec) { return {device_.data(), device_.size()}; }
  farpoint::span<T const> of(host_exec) const { return host_; }
  farpoint::span<T const> of(cuda_exec) const { return {device_.data(), device_.size()}; }

  /// Returns true if both hold equal bytes and the guards in device memory are intact.
  bool same() const { return device_.intact() && same_bits(host_, device_.download()); }
  std::vector<T> const& host() const { return host_; }

 private:
  std::vector<T> host_;
  device_array<T> device_;
};

/// Workspace in host memory and in device memory. of_size() allocates it.
class mirrored_workspace {
 public:
  farpoint::bytes of_size(host_exec, std::size_t size) {
    host_ = std::make_unique<farpoint::detail::host_workspace>(size);
    return host_->get();
  }
  farpoint::bytes of_size(cuda_exec, std::size_t size) { return device_.of_size(size); }
  bool intact() const { return device_.intact(); }

 private:
  std::unique_ptr<farpoint::detail::host_workspace> host_;
  call_workspace device_;
};

/// Makes the call on the host and then on streams of each kind. The outputs must be equal.
/// @param call  `call(exec, workspace)`
template <class Call, class... Outputs>
void check_same_as_host(Call const& call, Outputs const&... outputs) {
  mirrored_workspace workspace;
  farpoint::result const on_host = call(host_exec{2}, workspace);
  INFO(on_host.reason);
  REQUIRE(on_host);
  check_stream_citizen([&](cudaStream_t stream) { return call(cuda_exec{stream}, workspace); },
                       [&](farpoint::result const& outcome) {
                         INFO(outcome.reason);
                         CHECK(outcome);
                         return outcome && workspace.intact() && (outputs.same() && ...);
                       });
}

}  // namespace farpoint_tests

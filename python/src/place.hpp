/// @file
/// Where a call works, and how it is made there: on host memory, or on a stream with a workspace.
#pragma once

#include "array.hpp"

#include <farpoint/core/cuda_exec.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/runtime/host_calls.hpp>

#include <nanobind/nanobind.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace farpoint_python {

namespace nb = nanobind;

/// Host memory, or a stream of a device.
struct place {
  int device = -1;  ///< CUDA's number; -1 for host memory
  std::uintptr_t stream = 0;
  int threads = 0;            ///< host threads; 0: one per core
  nb::object allocate;        ///< callable(bytes) -> address, or an array that has one; None for another allocator
  bool y_first = false;       ///< order of summing squares of points; see points_of()
  bool torch_memory = false;  ///< without `allocate`: from torch, on its current stream, not from the device's pool
  bool waits = false;         ///< calls return when the stream is done: for arrays of libraries that do not wait for it

  bool on_host() const { return device < 0; }
  farpoint::cuda_exec exec() const { return {reinterpret_cast<cudaStream_t>(stream)}; }
  farpoint::runtime::options options() const { return {farpoint::runtime::backend::host, threads}; }
};

/// Raises what a result stands for; ValueError with the library's sentence for a bad argument.
void check(farpoint::result const& outcome);

/// Waits for the stream of a place whose calls wait, without the GIL.
void finish(place const& where);

/// Makes a device the current one while it lives.
class current_device {
 public:
  explicit current_device(place const& where);
  current_device(current_device const&) = delete;
  current_device& operator=(current_device const&) = delete;
  ~current_device();

 private:
  [[maybe_unused]] int previous_ = -1;  // nothing uses it without CUDA
};

/// Memory of the current device for calls on a stream: of the caller's allocator, of torch's, or of the device's pool.
/// It may be given back as soon as the calls are enqueued.
class device_memory {
 public:
  device_memory() = default;
  device_memory(place const& where, std::size_t size);
  device_memory(device_memory&& other) noexcept;
  device_memory& operator=(device_memory&& other) noexcept;
  ~device_memory();

  farpoint::bytes bytes() const { return {static_cast<unsigned char*>(address_), size_}; }

 private:
  void allocate(place const& where);
  void release() noexcept;

  void* address_ = nullptr;
  std::size_t size_ = 0;
  std::uintptr_t stream_ = 0;
  bool from_pool_ = false;
  nb::object owner_;  ///< object that an allocator returned, or a tensor
  array memory_;      ///< memory of an `owner_` that is an array; reading it has emptied its capsule
};

/// Times of calls in the library, without Python's part; they do not include work on a stream. The GIL guards it.
struct call_times {
  bool wanted = false;
  std::vector<double> seconds;

  static call_times& of_process();
};

/// Adds up the time of a call in the library, if timing is on.
class call_clock {
 public:
  /// Returns work().
  template <class Work>
  auto time(Work const& work) {
    using clock = std::chrono::steady_clock;
    if (!wanted_) return work();
    auto const start = clock::now();
    auto const answer = work();
    seconds_ += std::chrono::duration<double>(clock::now() - start).count();
    return answer;
  }
  /// time() without the GIL.
  template <class Work>
  auto time_unlocked(Work const& work) {
    nb::gil_scoped_release const unlocked;
    return time(work);
  }
  void note() const {
    if (wanted_) call_times::of_process().seconds.push_back(seconds_);
  }

 private:
  bool wanted_ = call_times::of_process().wanted;
  double seconds_ = 0;
};

/// Ends a call on the host when a signal's handler has raised an exception, as Ctrl-C's does. Python runs handlers on
/// its main thread only: calls of other threads go on.
class signal_stop : public farpoint::host_stop {
 public:
  signal_stop() noexcept : host_stop{&has_raised} {}

 private:
  using clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds patience{50};

  static bool has_raised(host_stop& self) {
    auto& own = static_cast<signal_stop&>(self);
    auto const now = clock::now();
    if (now < own.next_) return false;
    own.next_ = now + patience;
    nb::gil_scoped_acquire const locked;
    return PyErr_CheckSignals() != 0;
  }

  clock::time_point next_ = clock::now() + patience;
};

/// Makes a call on the host or on a stream, without the GIL.
/// @param where      host memory or a stream
/// @param on_host    result(runtime::options const&)
/// @param size       std::size_t(cuda_exec): bytes of workspace
/// @param on_stream  result(cuda_exec, bytes)
template <class OnHost, class Size, class OnStream>
void call(place const& where, OnHost const& on_host, Size const& size, OnStream const& on_stream) {
  farpoint::result outcome;
  call_clock clock;
  if (where.on_host()) {
    signal_stop stop;
    auto options = where.options();
    options.stop = &stop;
    outcome = clock.time_unlocked([&] { return on_host(options); });
    if (stop.requested()) throw nb::python_error();
  } else {
    current_device const device{where};
    auto const exec = where.exec();
    device_memory const workspace{where, clock.time([&] { return size(exec); })};
    outcome = clock.time_unlocked([&] { return on_stream(exec, workspace.bytes()); });
    finish(where);
  }
  clock.note();
  check(outcome);
}

}  // namespace farpoint_python

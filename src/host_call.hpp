// Calls of functions on host memory, on the backend that the caller chooses.
#pragma once

#include <farpoint/core/host_exec.hpp>
#include <farpoint/host/thread_team.hpp>
#include <farpoint/runtime.hpp>

#include "calls.hpp"
#include "host_memory.hpp"
#if defined(FARPOINT_WITH_CUDA)
#include "place_in_frame.hpp"
#endif

#include <chrono>
#include <cstdio>

FARPOINT_BEGIN_NAMESPACE
namespace library {

/// Messages of a function that fails.
struct sentences {
  char const* negative_threads;
  char const* no_device;
  char const* no_host_memory;
  char const* no_device_memory;
  char const* cuda_failure;
};

// Messages of the function `name`, a string literal.
#define FARPOINT_SENTENCES(name)                                                                 \
  library::sentences {                                                                           \
    name ": options.threads is negative", name FARPOINT_NO_DEVICE, name ": host memory ran out", \
        name ": device memory ran out", name ": a CUDA call failed"                              \
  }

/// Calls `call(exec, memory)` on host threads. `call` returns a function that does the work.
template <class Call>
result call_on_host(sentences const& messages, host_exec exec, runtime::run_info& info, Call const& call) noexcept {
  int const used = resolve_threads(exec.threads);
  std::snprintf(info.device, sizeof info.device, "%d host thread%s", used, used == 1 ? "" : "s");
  host_memory memory{exec};
  auto const run = call(exec, memory);
  if (!memory.is_enough()) return {status::out_of_memory, 0, messages.no_host_memory};
  auto const start = std::chrono::steady_clock::now();
  result const outcome = run();
  info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

#if defined(FARPOINT_WITH_CUDA)
inline result cuda_result(sentences const& messages, cudaError_t error) noexcept {
  if (error == cudaSuccess) return {};
  if (error == cudaErrorMemoryAllocation) {
    // The result reports the error. Uncleared, it would appear in the caller's next check as well.
    static_cast<void>(cudaGetLastError());
    return {status::out_of_memory, static_cast<int>(error), messages.no_device_memory};
  }
  return {status::cuda_failure, static_cast<int>(error), messages.cuda_failure};
}

/// Makes the call on the current device, with copies of the caller's arrays.
/// @param is_timed  true if the device and the time of the call are reported
template <class Call>
result call_on_device(sentences const& messages, bool is_timed, runtime::run_info& info, Call const& call) noexcept {
  cudaError_t error = cudaSuccess;
  thread_memory* const memory = thread_memory::get(error);
  if (memory == nullptr) return cuda_result(messages, error);
  if (is_timed) std::snprintf(info.device, sizeof info.device, "%s", memory->device_name());
  cuda_exec const exec{memory->stream()};
  frame arrays{*memory};
  arrays.measure();
  static_cast<void>(call(exec, arrays));
  error = arrays.place();
  if (error != cudaSuccess) return cuda_result(messages, error);
  auto const run = call(exec, arrays);
  error = arrays.upload();
  result outcome;
  if (error == cudaSuccess) {
    if (is_timed) error = cudaEventRecord(memory->begun(), memory->stream());
    outcome = run();
    if (is_timed && error == cudaSuccess) error = cudaEventRecord(memory->ended(), memory->stream());
  }
  if (error == cudaSuccess && outcome) error = arrays.download();
  if (error != cudaSuccess || !outcome) {
    // Wait: no copy may still access the caller's arrays after the return.
    static_cast<void>(cudaStreamSynchronize(memory->stream()));
    return outcome ? cuda_result(messages, error) : outcome;
  }
  float milliseconds = 0;
  if (is_timed) error = cudaEventElapsedTime(&milliseconds, memory->begun(), memory->ended());
  info.seconds = milliseconds * 1e-3;
  return cuda_result(messages, error);
}
#endif

/// Calls `call(exec, memory)` on the backend of `options`, if `checked`, the outcome of the argument checks, is ok.
///
/// Both backends share `call`: `place(memory, argument, ...)` returns the argument itself on the host, and a copy in
/// device memory on a device. `call` returns a function without parameters that does the work.
template <class Call>
result call_anywhere(sentences const& messages, result const& checked, runtime::options const& options,
                     runtime::run_info* info, Call const& call) noexcept {
  runtime::run_info unwanted;
  runtime::run_info& filled = info != nullptr ? *info : unwanted;
  filled.device[0] = '\0';
  filled.seconds = 0;
  bool const on_gpu = options.where == runtime::backend::cuda ||
                      (options.where == runtime::backend::automatic && runtime::cuda_available());
  filled.used = on_gpu ? runtime::backend::cuda : runtime::backend::host;
  if (options.threads < 0) return detail::reject(messages.negative_threads);
  if (!checked) return checked;
  if (!on_gpu) return call_on_host(messages, host_exec{options.threads, options.stop}, filled, call);
#if defined(FARPOINT_WITH_CUDA)
  if (runtime::cuda_available()) return call_on_device(messages, info != nullptr, filled, call);
#endif
  return {status::unavailable, 0, messages.no_device};
}

/// A function on host memory: call(options, info, arguments...) for the arguments of its calls in calls.hpp.
template <function F>
struct anywhere;

template <function F, class... Args>
result host_run<F, Args...>::call(runtime::options const& options, runtime::run_info* info,
                                  Args const&... args) noexcept {
  return anywhere<F>::call(options, info, args...);
}

}  // namespace library
FARPOINT_END_NAMESPACE

/// Compiles and exports a call on host memory of calls.hpp.
#define FARPOINT_EXPORT_HOST(name, ...) template struct FARPOINT_API host_run<function::name, __VA_ARGS__>;

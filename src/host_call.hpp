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
result call_on_host(sentences const& says, host_exec exec, runtime::run_info& told, Call const& call) noexcept {
  int const used = resolve_threads(exec.threads);
  std::snprintf(told.device, sizeof told.device, "%d host thread%s", used, used == 1 ? "" : "s");
  host_memory memory{exec};
  auto const run = call(exec, memory);
  if (!memory.is_enough()) return {status::out_of_memory, 0, says.no_host_memory};
  auto const start = std::chrono::steady_clock::now();
  result const outcome = run();
  told.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

#if defined(FARPOINT_WITH_CUDA)
inline result cuda_result(sentences const& says, cudaError_t error) noexcept {
  if (error == cudaSuccess) return {};
  if (error == cudaErrorMemoryAllocation) {
    // The result reports the error. Uncleared, it would appear in the caller's next check as well.
    static_cast<void>(cudaGetLastError());
    return {status::out_of_memory, static_cast<int>(error), says.no_device_memory};
  }
  return {status::cuda_failure, static_cast<int>(error), says.cuda_failure};
}

/// Makes the call on the current device, with copies of the caller's arrays.
/// @param is_timed  true if the device and the time of the call are reported
template <class Call>
result call_on_device(sentences const& says, bool is_timed, runtime::run_info& told, Call const& call) noexcept {
  cudaError_t error = cudaSuccess;
  thread_memory* const memory = thread_memory::get(error);
  if (memory == nullptr) return cuda_result(says, error);
  if (is_timed) std::snprintf(told.device, sizeof told.device, "%s", memory->device_name());
  cuda_exec const exec{memory->stream()};
  frame arrays{*memory};
  arrays.measure();
  static_cast<void>(call(exec, arrays));
  error = arrays.place();
  if (error != cudaSuccess) return cuda_result(says, error);
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
    return outcome ? cuda_result(says, error) : outcome;
  }
  float milliseconds = 0;
  if (is_timed) error = cudaEventElapsedTime(&milliseconds, memory->begun(), memory->ended());
  told.seconds = milliseconds * 1e-3;
  return cuda_result(says, error);
}
#endif

/// Calls `call(exec, memory)` on the backend of `wish`, if `checked`, the outcome of the argument checks, is ok.
///
/// Both backends share `call`: `place(memory, argument, ...)` returns the argument itself on the host, and a copy in
/// device memory on a device. `call` returns a function without parameters that does the work.
template <class Call>
result call_anywhere(sentences const& says, result const& checked, runtime::options const& wish,
                     runtime::run_info* info, Call const& call) noexcept {
  runtime::run_info unwanted;
  runtime::run_info& told = info != nullptr ? *info : unwanted;
  told.device[0] = '\0';
  told.seconds = 0;
  bool const on_gpu =
      wish.where == runtime::backend::cuda || (wish.where == runtime::backend::automatic && runtime::cuda_available());
  told.used = on_gpu ? runtime::backend::cuda : runtime::backend::host;
  if (wish.threads < 0) return detail::reject(says.negative_threads);
  if (!checked) return checked;
  if (!on_gpu) return call_on_host(says, host_exec{wish.threads, wish.stop}, told, call);
#if defined(FARPOINT_WITH_CUDA)
  if (runtime::cuda_available()) return call_on_device(says, info != nullptr, told, call);
#endif
  return {status::unavailable, 0, says.no_device};
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

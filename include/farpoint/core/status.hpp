/// @file
/// What a call returns.
#pragma once

#include <farpoint/core/config.hpp>

#include <cstddef>

/// The sentence about too little memory: "knn: the workspace is smaller than the knn_workspace_bytes() of this call".
#define FARPOINT_TOO_SMALL(function, memory, size) \
  function ": the " memory " is smaller than the " size "() of this call"
#define FARPOINT_WORKSPACE_OF(function) FARPOINT_TOO_SMALL(function, "workspace", function "_workspace_bytes")

FARPOINT_BEGIN_NAMESPACE

/// Kinds of failure that a call can report when it returns.
enum class status : int {
  ok = 0,                 ///< the work was enqueued (cuda_exec) or done (host_exec)
  bad_argument,           ///< an argument breaks its documented rule; nothing was written
  workspace_too_small,    ///< fewer bytes than `*_workspace_bytes()` returns; nothing was written
  cuda_failure,           ///< the CUDA runtime refused a call; see result::native
  unavailable,            ///< the requested backend does not exist here (farpoint::runtime only)
  out_of_memory,          ///< memory that a convenience function owns could not be allocated
  communication_failure,  ///< ranks could not exchange what they had to; see farpoint/scale/communicator.hpp
  read_failure            ///< a tile could not be read; see farpoint/scale/tiles/tile_source.hpp
};

/// Name of a status, for messages.
constexpr char const* to_string(status code) noexcept {
  switch (code) {
    case status::ok: return "ok";
    case status::bad_argument: return "bad argument";
    case status::workspace_too_small: return "workspace too small";
    case status::cuda_failure: return "CUDA failure";
    case status::unavailable: return "backend unavailable";
    case status::out_of_memory: return "out of memory";
    case status::communication_failure: return "communication failure";
    case status::read_failure: return "read failure";
  }
  return "unknown status";
}

/// Outcome of a call. Problems that only the data shows (a non-finite point, an index in device memory that is out of
/// range) are counted in the call's report instead, so that no call on a stream has to synchronize.
struct [[nodiscard]] result {
  status code = status::ok;
  int native = 0;           ///< cudaError_t of the refused call, or what a source of tiles sets; 0 otherwise
  char const* reason = "";  ///< one static sentence: what is wrong, and with which argument
  std::size_t needed = 0;   ///< bytes of the memory that is too small which the call needs; 0 for other failures
  std::size_t given = 0;    ///< bytes of that memory

  constexpr explicit operator bool() const noexcept { return code == status::ok; }
};

namespace detail {

/// The result of a call with a bad argument. `reason` must have static lifetime.
constexpr result reject(char const* reason) noexcept {
  return {status::bad_argument, 0, reason};
}

/// The result of a call whose workspace, or other memory, is too small.
/// @param needed, given  bytes; 0 where a capacity is too small that is counted in other things
constexpr result too_small(char const* reason, std::size_t needed = 0, std::size_t given = 0) noexcept {
  return {status::workspace_too_small, 0, reason, needed, given};
}

/// An outcome of a check that functions share; with one function's own reason if memory is too small.
constexpr result named(result outcome, char const* too_small_reason) noexcept {
  if (outcome.needed > 0) outcome.reason = too_small_reason;
  return outcome;
}

/// The result of a call that the CUDA runtime refused; ok if it did not.
/// @param error  a cudaError_t
constexpr result cuda_failure(int error, char const* reason) noexcept {
  return error == 0 ? result{} : result{status::cuda_failure, error, reason};
}

}  // namespace detail
FARPOINT_END_NAMESPACE

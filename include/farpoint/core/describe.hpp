/// @file
/// What is wrong, as text for people.
#pragma once

#include <farpoint/core/status.hpp>

#include <string>

FARPOINT_BEGIN_NAMESPACE

/// A result's reason with its numbers: "fps: the workspace is smaller than the fps_workspace_bytes() of this call: 6400
/// bytes are needed, 256 given". Empty for ok.
/// @throws std::bad_alloc
inline std::string describe(result const& outcome) {
  std::string text = outcome.reason;
  if (outcome.needed > 0) {
    text += ": " + std::to_string(outcome.needed) + " bytes are needed, " + std::to_string(outcome.given) + " given";
  }
  if (outcome.native != 0) {
    text += outcome.code == status::communication_failure ? " (NCCL error "
            : outcome.code == status::read_failure        ? " (error "
                                                          : " (CUDA error ";
    text += std::to_string(outcome.native) + ")";
  }
  return text;
}

FARPOINT_END_NAMESPACE

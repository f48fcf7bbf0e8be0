// A command over a file, or over the files of a folder.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "figures.hpp"
#include "options.hpp"

namespace farpoint_tools {

/// What a command has made of a cloud.
struct outcome {
  figures told;
  cloud result;                       ///< to be written; without points where a command makes none
  bool equal = true;                  ///< false: --check has found a difference
  std::string backend = {};           ///< where it was computed
  std::vector<column> of_input = {};  ///< what is known of each point of the input, for --visualize
};

using command = std::function<outcome(cloud const& input)>;

/// Runs a command over the input, prints what it tells and writes what it makes. A file of a folder that cannot be
/// read is told of on stderr, and the others follow.
/// @param name  "voxelize"
/// @return the exit code
/// @throws usage_error, file_error, cloud_error, compute_error
int run_session(std::string const& name, common_wish const& wish, command const& run);

/// One line on stderr: "farpoint: message". Control characters are shown as '?'.
void complain(std::string const& message);

}  // namespace farpoint_tools

// Parsing of the command line.
#pragma once

#include <functional>

namespace farpoint_tools {

/// Returns the command to run. Empty if the command line was wrong or contains --help: the message or the help has been
/// printed then, and `code` is set.
std::function<int()> parse_command_line(int argc, char** argv, int& code);

}  // namespace farpoint_tools

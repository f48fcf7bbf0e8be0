// The command line: which command it asks for.
#pragma once

#include <functional>

namespace farpoint_tools {

/// What to run; nothing where the command line was wrong, or asked for help: that has been printed, and `code` is set.
std::function<int()> parse_command_line(int argc, char** argv, int& code);

}  // namespace farpoint_tools

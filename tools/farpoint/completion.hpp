// Completion of the command line, for shells.
#pragma once

#include <string>
#include <vector>

namespace farpoint_tools {

struct described_option {
  std::vector<std::string> names;  ///< "-o", "--output"; none for a positional one
  std::string about;
  std::string text;  ///< form of its value in the help: "auto|host|cuda [auto]"
  bool takes_value;

  /// The values that the text lists; empty where it lists none.
  std::vector<std::string> choices() const;
};

struct described_command {
  std::string name;
  std::string about;
  std::vector<described_option> options;
};

/// Prints a file that makes a shell complete commands, options, listed values and names of files.
/// @param shell  "bash", "zsh" or "fish"
void print_completion(std::vector<described_command> const& commands, std::string const& shell);

}  // namespace farpoint_tools

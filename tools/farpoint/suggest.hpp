// Suggestions for mistyped words.
#pragma once

#include <string>
#include <vector>

namespace farpoint_tools {

/// "; did you mean fps?" for the known name that is nearest to `word`; empty if none is near. Ties go to the first
/// name.
std::string did_you_mean(std::string const& word, std::vector<std::string> const& known);

/// The complaint about a first word that is no command: a file, or a word that resembles one of `commands`.
std::string describe_wrong_command(std::string const& word, std::vector<std::string> const& commands);

}  // namespace farpoint_tools

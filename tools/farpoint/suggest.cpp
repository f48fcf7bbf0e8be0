#include "suggest.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

namespace farpoint_tools {

namespace {

// Fewest letters to insert, remove, replace or swap with the next one.
std::size_t edit_distance(std::string const& a, std::string const& b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      std::size_t const replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      bool const swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string did_you_mean(std::string const& word, std::vector<std::string> const& known) {
  constexpr std::size_t longest = 64;
  if (word.size() > longest) return {};
  std::string nearest;
  std::size_t least = std::max(std::size_t{1}, word.size() / 3) + 1;
  for (auto const& name : known) {
    auto const distance = edit_distance(word, name);
    if (distance < least && distance < name.size()) {
      least = distance;
      nearest = name;
    }
  }
  return nearest.empty() ? std::string{} : "; did you mean " + nearest + "?";
}

std::string describe_wrong_command(std::string const& word, std::vector<std::string> const& commands) {
  std::error_code error;
  bool const is_file = std::filesystem::exists(word, error) || word.find_first_of("./") != std::string::npos;
  if (is_file) {
    return "\"" + word + "\" is no command; \"farpoint info " + word +
           "\" says what a file holds, and \"farpoint --help\" lists the other commands";
  }
  return "unknown command \"" + word + "\"" + did_you_mean(word, commands) + " (--help lists commands and options)";
}

}  // namespace farpoint_tools

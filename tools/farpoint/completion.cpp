// farpoint completion
#include "completion.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace farpoint_tools {

namespace {

std::string joined(std::vector<std::string> const& words, std::string const& between) {
  std::string all;
  for (auto const& word : words) all += (all.empty() ? "" : between) + word;
  return all;
}

// The text within the shell's single quotes.
std::string escaped(std::string const& text) {
  std::string safe;
  for (char const c : text) safe += c == '\'' ? std::string{"'\\''"} : std::string(1, c);
  return safe;
}

std::vector<std::string> names_of(std::vector<described_command> const& commands) {
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (auto const& command : commands) names.push_back(command.name);
  return names;
}

std::string bash(std::vector<described_command> const& commands) {
  auto text = fmt::format(
      "# Completion of farpoint for bash; written by \"farpoint completion bash\".\n"
      "_farpoint() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} words=\n"
      "  if [ \"$COMP_CWORD\" = 1 ]; then\n    words='{} --help --version'\n  else\n"
      "    case ${{COMP_WORDS[1]}} in\n",
      joined(names_of(commands), " "));
  for (auto const& command : commands) {
    std::vector<std::string> options;
    std::string values;
    for (auto const& option : command.options) {
      options.insert(options.end(), option.names.begin(), option.names.end());
      auto const choices = option.choices();
      if (choices.empty()) continue;
      // A positional one may stand anywhere.
      if (option.names.empty()) {
        options.insert(options.end(), choices.begin(), choices.end());
      } else {
        values += fmt::format("          {}) words='{}' ;;\n", joined(option.names, " | "), joined(choices, " "));
      }
    }
    text += fmt::format("      {})\n        words='{}'\n", command.name, joined(options, " "));
    if (!values.empty()) text += fmt::format("        case $before in\n{}        esac\n", values);
    text += "        ;;\n";
  }
  return text +
         "    esac\n  fi\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "  if [ \"${#COMPREPLY[@]}\" = 0 ]; then compopt -o default; fi\n"
         "}\ncomplete -F _farpoint farpoint\n";
}

// A value as zsh's _arguments has it.
std::string zsh_value(described_option const& option) {
  auto const choices = option.choices();
  return choices.empty() ? ":value:_files" : fmt::format(":value:({})", joined(choices, " "));
}

std::string zsh(std::vector<described_command> const& commands) {
  auto const plain = [](std::string about) {
    std::replace(about.begin(), about.end(), '[', '(');
    std::replace(about.begin(), about.end(), ']', ')');
    return escaped(about);
  };
  std::string text =
      "#compdef farpoint\n# Completion of farpoint for zsh; written by \"farpoint completion zsh\".\n"
      "_farpoint() {\n  local -a commands=(\n";
  for (auto const& command : commands) text += fmt::format("    '{}:{}'\n", command.name, escaped(command.about));
  text +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
      "  local name=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $name in\n";
  for (auto const& command : commands) {
    text += fmt::format("    {})\n      _arguments", command.name);
    std::string positional = "'*:file:_files'";
    for (auto const& option : command.options) {
      if (option.names.empty() && !option.choices().empty()) positional = fmt::format("'1{}'", zsh_value(option));
      for (auto const& name : option.names) {
        text += fmt::format(" \\\n        '{}[{}]{}'", name, plain(option.about),
                            option.takes_value ? zsh_value(option) : std::string{});
      }
    }
    text += fmt::format(" \\\n        {}\n      ;;\n", positional);
  }
  return text + "  esac\n}\n_farpoint \"$@\"\n";
}

std::string fish(std::vector<described_command> const& commands) {
  std::string text = "# Completion of farpoint for fish; written by \"farpoint completion fish\".\n";
  for (auto const& command : commands) {
    text += fmt::format("complete -c farpoint -n __fish_use_subcommand -f -a {} -d '{}'\n", command.name,
                        escaped(command.about));
  }
  for (auto const& command : commands) {
    for (auto const& option : command.options) {
      auto const choices = option.choices();
      if (option.names.empty() && choices.empty()) continue;
      text += fmt::format("complete -c farpoint -n '__fish_seen_subcommand_from {}'", command.name);
      for (auto const& name : option.names) {
        bool const is_long = name.rfind("--", 0) == 0;
        text += fmt::format(" -{} {}", is_long ? "l" : "s", name.substr(is_long ? 2 : 1));
      }
      if (!choices.empty()) {
        text += fmt::format("{} -f -a '{}'", option.takes_value && !option.names.empty() ? " -x" : "",
                            joined(choices, " "));
      } else if (option.takes_value) {
        text += " -r";
      }
      text += fmt::format(" -d '{}'\n", escaped(option.about));
    }
  }
  return text;
}

}  // namespace

std::vector<std::string> described_option::choices() const {
  std::vector<std::string> found;
  auto const list = text.substr(0, text.find(' '));
  if (list.find('|') == std::string::npos) return found;
  for (std::size_t at = 0; at <= list.size();) {
    auto const end = std::min(list.find('|', at), list.size());
    found.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return found;
}

void print_completion(std::vector<described_command> const& commands, std::string const& shell) {
  fmt::print("{}", shell == "bash" ? bash(commands) : shell == "zsh" ? zsh(commands) : fish(commands));
}

}  // namespace farpoint_tools

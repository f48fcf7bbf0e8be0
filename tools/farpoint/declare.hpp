// Declares the options of commands by CLI11, which takes seconds to compile: few files include it.
#pragma once

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "demo_options.hpp"
#include "options.hpp"
#include "splat_options.hpp"

namespace farpoint_tools {

inline constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();

inline constexpr char const* exit_codes =
    "Exit codes: 0 success, 1 wrong usage, 2 a file that is no cloud, 3 a file that cannot be read or written,\n"
    "4 --check found a difference, 5 no usable GPU or no memory.\n";

/// An option whose value is a key of `choices`.
template <class Value>
void add_choice(CLI::App& app, std::string const& name, std::map<std::string, Value> const& choices,
                std::string const& listed, std::string const& help, std::function<void(Value)> const& set) {
  auto const look_up = [choices, set](std::string const& word) { set(choices.at(word)); };
  app.add_option_function<std::string>(name, look_up, help)->check(CLI::IsMember(choices))->option_text(listed);
}

// An option with numbers, "1,2,3". `wanted` lists the permitted counts.
template <class Number>
CLI::Option* add_numbers(CLI::App& app, std::string const& name, std::vector<Number>& to,
                         std::vector<std::size_t> const& wanted, std::string const& listed, std::string const& help) {
  auto const parse = [&to, name, wanted](std::string const& text) {
    to.clear();
    std::string_view rest = text;
    while (true) {
      auto const word = rest.substr(0, rest.find(','));
      Number value{};
      auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (error != std::errc{} || end != word.data() + word.size()) {
        throw CLI::ValidationError{name, fmt::format("\"{}\" is not a list of numbers", text)};
      }
      to.push_back(value);
      if (word.size() == rest.size()) break;
      rest.remove_prefix(word.size() + 1);
    }
    if (std::find(wanted.begin(), wanted.end(), to.size()) == wanted.end()) {
      throw CLI::ValidationError{name, fmt::format("\"{}\" has {} numbers", text, to.size())};
    }
  };
  return app.add_option_function<std::string>(name, parse, help)->option_text(listed);
}

inline constexpr char const* about_input =
    "A cloud, a folder of clouds, or - for standard input: .bin, .ply, .pcd, .obj, .npy, .las, .laz, .xyz, .pts, .txt, "
    ".csv";

/// Options that several commands have.
/// @{
void add_format(CLI::App& app, std::optional<file_format>& format);
void add_reading(CLI::App& app, common_options& options);
void add_input(CLI::App& app, common_options& options, bool required);
void add_backend(CLI::App& app, farpoint::runtime::backend& where, int& threads);
void add_running(CLI::App& app, common_options& options);
void add_check(CLI::App& app, common_options& options);
void add_output(CLI::App& app, common_options& options);
/// @}

/// Options of a command.
/// @{
void declare_fps(CLI::App& app, fps_options& options);
void declare_voxelize(CLI::App& app, voxelize_options& options);
void declare_knn(CLI::App& app, search_options& options);
void declare_normals(CLI::App& app, normals_options& options);
void declare_demo(CLI::App& app, demo_options& options);
void declare_splat(CLI::App& app, splat_options& options);
void declare_info(CLI::App& app, common_options& options);
void declare_convert(CLI::App& app);
void declare_clean(CLI::App& app, clean_options& options);
void declare_crop(CLI::App& app, crop_options& options);
void declare_merge(CLI::App& app, merge_options& options);
void declare_sample(CLI::App& app, sample_options& options);
/// @}

}  // namespace farpoint_tools

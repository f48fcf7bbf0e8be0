// Options that the demos share, and how they report where they ran.
#pragma once

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <farpoint/runtime.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "cloud_io.hpp"

namespace farpoint_demo {

/// An option whose value is a key of `choices`, listed in the help as `listed`.
template <class Value>
void add_choice(CLI::App& app, std::string const& name, std::map<std::string, Value> const& choices,
                std::string const& listed, std::string const& help, std::function<void(Value)> const& set) {
  auto const look_up = [&choices, set](std::string const& word) { set(choices.at(word)); };
  app.add_option_function<std::string>(name, look_up, help)->check(CLI::IsMember(&choices))->option_text(listed);
}

inline void add_format_option(CLI::App& app, std::optional<file_format>& format) {
  static std::map<std::string, file_format> const formats{{"kitti", file_format::kitti},
                                                          {"nuscenes", file_format::nuscenes},
                                                          {"xyz", file_format::xyz},
                                                          {"ply", file_format::ply},
                                                          {"pcd", file_format::pcd}};
  add_choice<file_format>(app, "--format", formats, "kitti|nuscenes|xyz|ply|pcd",
                          "Format of CLOUD, if neither its name nor its content tells",
                          [&format](file_format chosen) { format = chosen; });
}

inline void add_backend_option(CLI::App& app, farpoint::runtime::backend& where) {
  using farpoint::runtime::backend;
  static std::map<std::string, backend> const backends{
      {"auto", backend::automatic}, {"host", backend::host}, {"cuda", backend::cuda}};
  add_choice<backend>(app, "--backend", backends, "auto|host|cuda [auto]",
                      "Where to run; auto: on a usable GPU, otherwise on the host",
                      [&where](backend chosen) { where = chosen; });
}

/// Where it ran, and why there.
inline std::string describe(farpoint::runtime::run_info const& info, farpoint::runtime::backend asked_for,
                            int threads) {
  using farpoint::runtime::backend;
  if (info.used == backend::cuda) return fmt::format("cuda ({})", info.device);
  return fmt::format("host ({} thread{}){}", threads, threads == 1 ? "" : "s",
                     asked_for == backend::automatic ? ", no GPU found" : "");
}

}  // namespace farpoint_demo

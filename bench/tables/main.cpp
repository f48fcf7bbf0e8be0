// farpoint_tables: measures what docs/tables shows, and writes it as JSON and pictures. scripts/tables.py makes the
// pages.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string_view>
#include <thread>

#include "machine.hpp"
#include "tables.hpp"

namespace farpoint_tools {

namespace {

constexpr char const* usage =
    "Usage: farpoint_tables FOLDER [--quick] [--host] [--quality] [--threads N] [--scans FOLDER] [MODEL...]\n"
    "Writes tables.json, quality.json and pictures to FOLDER. Uses a GPU if there is one, except with --host.\n"
    "With --quality: writes quality.json only, which has no times and is the same on every machine.\n";

/// False where there is nothing to do.
bool parse(int argc, char** argv, tables_options& options) {
  bool host = false;
  options.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (int i = 1; i < argc; ++i) {
    std::string_view const argument = argv[i];
    bool const has_value = i + 1 < argc;
    if (argument == "--quick") {
      options.quick = true;
    } else if (argument == "--host") {
      host = true;
    } else if (argument == "--quality") {
      options.quality = true;
    } else if (argument == "--threads" && has_value) {
      options.threads = std::stoi(argv[++i]);
      if (options.threads < 1) throw std::invalid_argument{"--threads: expected 1 or more"};
    } else if (argument == "--scans" && has_value) {
      options.scans = argv[++i];
    } else if (!argument.empty() && argument[0] == '-') {
      return false;
    } else if (options.folder.empty()) {
      options.folder = argument;
    } else {
      options.clouds.emplace_back(argument);
    }
  }
  options.on_gpu = !host && farpoint::runtime::cuda_available();
  return !options.folder.empty();
}

/// Load average of the last minute; other work makes times longer.
double load_of_machine() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

/// Commit that the program was compiled from, or the environment's.
std::string commit() {
  char const* const from_environment = std::getenv("FARPOINT_COMMIT");
  return from_environment != nullptr && *from_environment != 0 ? from_environment : FARPOINT_COMMIT;
}

/// "2026-01-31T12:00:00Z"
std::string now() {
  std::time_t const seconds = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

using json_parts = std::vector<std::pair<std::string, std::string>>;

void write_json(std::filesystem::path const& path, json_parts const& parts) {
  std::ofstream file{path};
  file << json_fields(parts) << '\n';
  if (!file.flush()) throw std::runtime_error{path.string() + ": cannot be written"};
}

void write_quality(tables_options const& options) {
  std::fprintf(stderr, "measuring quality\n");
  write_json(options.folder / "quality.json", {{"commit", json_text(commit())},
                                               {"date", json_text(now())},
                                               {"quick", options.quick ? "true" : "false"},
                                               {"models", measure_quality(options)}});
}

void measure_all(tables_options const& options) {
  std::filesystem::create_directories(options.folder);
  write_quality(options);
  if (options.quality) return;
  json_parts parts{{"commit", json_text(commit())},
                   {"date", json_text(now())},
                   {"machine", json_object(machine_figures())},
                   {"load", json_number(load_of_machine())},
                   {"quick", options.quick ? "true" : "false"},
                   {"gpu_used", options.on_gpu ? "true" : "false"}};
  auto const add = [&](char const* name, std::string (*measure)(tables_options const&)) {
    std::fprintf(stderr, "measuring %s\n", name);
    parts.push_back({name, measure(options)});
  };
  add("fps", measure_fps);
  add("coverage", measure_coverage);
  add("voxelize", measure_voxels);
  add("screen", measure_screen);
  write_json(options.folder / "tables.json", parts);
}

}  // namespace

}  // namespace farpoint_tools

int main(int argc, char** argv) {
  try {
    farpoint_tools::tables_options options;
    if (!farpoint_tools::parse(argc, argv, options)) {
      std::fputs(farpoint_tools::usage, stderr);
      return 1;
    }
    farpoint_tools::measure_all(options);
    return 0;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "farpoint_tables: %s\n", error.what());
    return 2;
  }
}

#include "session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "bin_description.hpp"
#include "machine.hpp"
#include "progress.hpp"
#include "show.hpp"

namespace farpoint_tools {

namespace fs = std::filesystem;

namespace {

struct file_summary {
  fs::path file;
  figures summary;
};

// Collects the figures of all inputs, and the highest exit code.
class report {
 public:
  report(std::string command, common_options const& options, bool single, std::size_t name_width)
      : command_{std::move(command)},
        options_{options},
        single_{single},
        quiet_{options.output == standard_stream},
        lines_{name_width} {}

  void add(fs::path const& file, outcome const& made) {
    if (!made.equal) raise(exit_code::unequal);
    if (quiet_) return;
    if (!backend_is_printed_ && !made.backend.empty() && !options_.json) {
      fmt::print("backend: {}\n", made.backend);
      backend_is_printed_ = true;
    }
    backend_ = made.backend;
    summaries_.push_back({file, made.summary});
    if (options_.json) return;
    if (single_) {
      print_rows(made.summary);
    } else if (options_.verbose) {
      lines_.print(file.filename().string(), made.summary);
    }
  }

  void add_error(fs::path const& file, std::string const& message, int code) {
    raise(code);
    complain(message);
    errors_.push_back({{"file", "", file.string()}, {"message", "", message}});
  }

  figures averages() const { return averages_of(lists()); }

  // Adds the page of a folder to the figures of the page's first file.
  void add_page(fs::path const& page) { summaries_.front().summary.push_back({"page", "page", page.string()}); }

  int finish() {
    if (quiet_) return code_;
    if (options_.json) {
      print_json(averages());
    } else if (!single_) {
      print_averages(averages());
      print_common(lists());
      if (!summaries_.empty()) print_page(summaries_.front().summary);
    }
    return code_;
  }

 private:
  std::vector<figures> lists() const {
    std::vector<figures> all;
    for (auto const& one : summaries_) all.push_back(one.summary);
    return all;
  }

  void raise(int code) { code_ = code_ == exit_code::ok ? code : code_; }

  void print_averages(figures const& averages) {
    auto const title = fmt::format("mean of {} files", summaries_.size());
    if (options_.verbose) {
      lines_.print(title, averages);
    } else {
      fmt::print("{}\n", title);
      print_rows(averages);
    }
    // One difference among many files must not be overlooked.
    if (options_.check && !summaries_.empty()) {
      auto const differ = std::count_if(summaries_.begin(), summaries_.end(), [](file_summary const& one) {
        auto const* const check = find(one.summary, "check");
        return check != nullptr && check->text().find("DIFFERS") != std::string::npos;
      });
      fmt::print("check: {} of {} files differ\n", differ, summaries_.size());
    }
  }

  // Texts that all files share: the voxels' size and the grid.
  static void print_common(std::vector<figures> const& lists) {
    figures common;
    for (auto const& one : lists.empty() ? figures{} : lists.front()) {
      auto const is_shared = [&one](figures const& list) {
        auto const* const same = find(list, one.key);
        return same != nullptr && same->value == one.value;
      };
      bool const shown_elsewhere = one.is_number() || one.key == "check" || one.key == "page";
      if (!shown_elsewhere && std::all_of(lists.begin(), lists.end(), is_shared)) common.push_back(one);
    }
    print_rows(common);
  }

  static void print_page(figures const& summary) {
    if (auto const* const page = find(summary, "page")) print_rows({*page});
  }

  void print_json(figures const& averages) const {
    std::string files;
    for (auto const& one : summaries_) {
      auto all = one.summary;
      if (!one.file.empty()) all.insert(all.begin(), {"file", "", one.file.string()});
      files += fmt::format("{}{}", files.empty() ? "" : ", ", json_object(all));
    }
    std::string errors;
    for (auto const& one : errors_) errors += fmt::format("{}{}", errors.empty() ? "" : ", ", json_object(one));
    fmt::print(
        "{{\"version\": {}, \"command\": {}, \"machine\": {}, \"backend\": {}, \"files\": [{}], \"averages\": {}, "
        "\"errors\": [{}]}}\n",
        json_text(FARPOINT_PROGRAM_VERSION), json_text(command_), json_object(machine_figures()), json_text(backend_),
        files, json_object(averages), errors);
  }

  std::string command_;
  common_options const& options_;
  bool single_;
  bool quiet_;  // standard output has the result
  table lines_;
  std::vector<file_summary> summaries_;
  std::vector<figures> errors_;
  std::string backend_;
  bool backend_is_printed_ = false;
  int code_ = exit_code::ok;
};

// Where the results of a file go; empty: nowhere.
struct places {
  fs::path output;
  fs::path indices;
};

// The file that `given` names for an input's result: itself, or one in the folder of this name.
fs::path place_of(std::string const& given, char const* extension, fs::path const& input, bool in_folder) {
  if (given.empty()) return {};
  std::error_code error;
  if (given == standard_stream) return given;
  if (!in_folder && !fs::is_directory(given, error)) return given;
  return fs::path{given} / (input.stem().string() + extension);
}

// Makes a folder for the results of a folder, or refuses a file's name whose ending promises another format.
void prepare_place(std::string const& given, common_options const& options, bool in_folder, bool ending_is_known,
                   char const* endings) {
  if (given.empty()) return;
  std::error_code error;
  if (given == standard_stream && ending_is_known) {
    if (in_folder) throw usage_error{"-o -: the results of a folder need a folder"};
    if (options.json || options.verbose)
      throw usage_error{"-o -: standard output cannot have --json or --verbose, too"};
  } else if (in_folder) {
    fs::create_directories(given, error);
    if (error) throw file_error{fmt::format("{}: cannot be made a folder: {}", given, error.message())};
    if (fs::equivalent(given, options.input, error)) {
      throw usage_error{fmt::format("{}: the results need a folder of their own", given)};
    }
  } else if (!fs::is_directory(given, error) && !ending_is_known) {
    throw usage_error{fmt::format("{}: expected a name that ends in {}, or a folder", given, endings)};
  }
}

// Refuses a format that this build does not write, before anything is computed.
void expect_written_format(common_options const& options, bool in_folder) {
  if (options.output.empty()) return;
  auto const format = in_folder ? options.to : output_format_of(options.output).value_or(options.to);
  if (auto const* const why = why_not_written(format)) throw usage_error{fmt::format("{}: {}", options.output, why)};
}

// Refuses what would overwrite an input or another result.
void expect_own_places(std::vector<places> const& all, std::vector<fs::path> const& files) {
  std::map<fs::path, fs::path> taken;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (auto const& place : {all[i].output, all[i].indices}) {
      if (place.empty()) continue;
      auto const [other, is_new] = taken.emplace(place.lexically_normal(), files[i]);
      if (!is_new) {
        throw usage_error{fmt::format("{}: would be written twice, for {} and {}", place.string(),
                                      other->second.string(), files[i].string())};
      }
      std::error_code error;
      if (fs::equivalent(place, files[i], error)) {
        throw usage_error{fmt::format("{}: would overwrite the input; choose another name", place.string())};
      }
    }
  }
}

// Name of the file or folder, also where the folder is given as "." or "scans/".
std::string name_of_input(common_options const& options) {
  if (options.input == standard_stream) return "input";
  std::error_code error;
  auto const whole = fs::absolute(options.input, error).lexically_normal();
  auto const path = error ? fs::path{options.input} : whole;
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

// File name of an input's page, in the folder of the output or else in the current one: "scan_fps.html" for scan.pcd,
// "out.html" for the output out.ply, "sweeps_fps.html" for the folder sweeps.
fs::path page_of(std::string const& name, common_options const& options, places const& first, bool in_folder) {
  if (!in_folder) {
    bool const has_file = !first.output.empty() && first.output != standard_stream;
    if (has_file) return fs::path{first.output}.replace_extension(".html");
    return fs::path{name_of_input(options)}.stem().string() + "_" + name + ".html";
  }
  return fs::path{options.output} / (name_of_input(options) + "_" + name + ".html");
}

struct processed {
  cloud input;
  outcome made;
};

// All that happens to a file, but the page.
processed process(fs::path const& file, common_options const& options, session_source const& source, places const& to,
                  command const& run) {
  auto input = with_progress("reading", [&] { return source.read(file); });
  bool some_finite = false;
  for (std::size_t i = 0; i < input.points.size() && !some_finite; ++i) some_finite = input.is_finite(i);
  if (!some_finite) {
    throw cloud_error{fmt::format("{}: none of its {} points is finite", file.string(), input.points.size())};
  }
  auto made = run(input);
  made.result.las = input.las;
  if (!to.output.empty() && made.result.points.empty()) {
    throw cloud_error{fmt::format("{}: none of its {} points is left", file.string(), input.points.size())};
  }
  if (!to.output.empty()) {
    auto const format = output_format_of(to.output).value_or(options.to);
    try {
      with_progress("writing", [&] { write_cloud(made.result, to.output, format, options.ascii); });
    } catch (file_error const&) {
      throw;
    } catch (cloud_error const& error) {
      throw cloud_error{fmt::format("{}: {}", to.output.string(), error.what())};
    }
  }
  if (!to.indices.empty()) write_bytes(made.indices, to.indices);
  return {std::move(input), std::move(made)};
}

void write_and_open(page_maker& page, figures const& in_all) {
  with_progress("writing the page", [&] { page.write(in_all); });
  open_page(page.page());
}

}  // namespace

void complain(std::string const& message) {
  std::string line = message;
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  std::fflush(stdout);
  fmt::print(stderr, "farpoint: {}\n", line);
}

bool is_folder(common_options const& options) {
  std::error_code error;
  return options.input != standard_stream && fs::is_directory(options.input, error);
}

std::vector<fs::path> input_files(common_options const& options) {
  return is_folder(options) ? clouds_of_folder(options.input) : std::vector<fs::path>{options.input};
}

int run_without_input(std::string const& name, common_options const& options, std::optional<outcome> const& made) {
  report all{name, options, true, 0};
  if (!options.json) {
    auto machine = machine_figures();
    machine.insert(machine.begin(), {"version", "farpoint", FARPOINT_PROGRAM_VERSION});
    print_rows(machine);
  }
  if (made) all.add({}, *made);
  return all.finish();
}

int run_session(std::string const& name, common_options const& options, command const& run,
                std::string const& indices) {
  auto const read = [&options](fs::path const& file) { return read_cloud(file, options.format); };
  return run_session(name, options, {input_files(options), is_folder(options), read}, run, indices);
}

int run_session(std::string const& name, common_options const& options, session_source const& source,
                command const& run, std::string const& indices) {
  auto const& files = source.files;
  bool const in_folder = source.in_folder;
  prepare_place(options.output, options, in_folder,
                options.output == standard_stream || output_format_of(options.output).has_value(),
                ".ply, .pcd, .npy, .csv, .bin, .las or .laz");
  expect_written_format(options, in_folder);
  prepare_place(indices, options, in_folder, fs::path{indices}.extension() == ".npy", ".npy");
  std::vector<places> to;
  std::size_t width = 20;
  for (auto const& file : files) {
    to.push_back({place_of(options.output, extension_of(options.to), file, in_folder),
                  place_of(indices, ".npy", file, in_folder)});
    width = std::max(width, file.filename().string().size());
  }
  expect_own_places(to, files);
  page_maker page{page_of(name, options, to[0], in_folder), name_of_input(options),
                  static_cast<std::size_t>(options.page_points)};
  if (!options.json && options.verbose) print_rows(machine_figures());

  report all{name, options, !in_folder, width};
  for (std::size_t i = 0; i < files.size(); ++i) {
    auto const work = [&] {
      auto [input, made] = process(files[i], options, source, to[i], run);
      outcome printed{made.summary, {}, made.equal, made.backend};
      if (options.visualize) page.add(files[i].filename().string(), std::move(input), std::move(made));
      if (options.visualize && !in_folder) {
        write_and_open(page, printed.summary);
        printed.summary.push_back({"page", "page", page.page().string()});
      }
      all.add(files[i], printed);
    };
    if (!in_folder) {
      work();
      continue;
    }
    try {
      with_progress(fmt::format("{} of {}: {}", i + 1, files.size(), files[i].filename().string()), work);
    } catch (file_error const& bad) {
      all.add_error(files[i], bad.what(), exit_code::unreadable);
    } catch (cloud_error const& bad) {
      all.add_error(files[i], bad.what(), exit_code::bad_content);
    }
  }
  if (in_folder && !page.empty()) {
    try {
      write_and_open(page, all.averages());
      all.add_page(page.page());
    } catch (file_error const& bad) {
      all.add_error(page.page(), bad.what(), exit_code::unreadable);
    }
  }
  return all.finish();
}

}  // namespace farpoint_tools

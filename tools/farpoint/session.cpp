#include "session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "machine.hpp"
#include "progress.hpp"
#include "show.hpp"
#include "view.hpp"

namespace farpoint_tools {

namespace fs = std::filesystem;

namespace {

struct told_file {
  fs::path file;
  figures told;
};

// What has been told so far, and the worst that has happened.
class report {
 public:
  report(std::string command, common_wish const& wish, bool single, std::size_t name_width)
      : command_{std::move(command)}, wish_{wish}, single_{single}, lines_{name_width} {}

  void add(fs::path const& file, outcome const& made) {
    if (!made.equal) raise(exit_code::unequal);
    if (!backend_told_ && !made.backend.empty() && !wish_.json) {
      fmt::print("backend: {}\n", made.backend);
      backend_told_ = true;
    }
    backend_ = made.backend;
    told_.push_back({file, made.told});
    if (wish_.json) return;
    if (single_) {
      print_rows(made.told);
    } else if (wish_.verbose) {
      lines_.print(file.filename().string(), made.told);
    }
  }

  void add_error(fs::path const& file, std::string const& message, int code) {
    raise(code);
    complain(message);
    errors_.push_back({{"file", "", file.string()}, {"message", "", message}});
  }

  int finish() {
    std::vector<figures> lists;
    for (auto const& one : told_) lists.push_back(one.told);
    auto const averages = averages_of(lists);
    if (wish_.json) {
      print_json(averages);
    } else if (!single_) {
      print_averages(averages);
      if (!told_.empty()) print_page(told_.front().told);
    }
    return code_;
  }

 private:
  void raise(int code) { code_ = code_ == exit_code::ok ? code : code_; }

  void print_averages(figures const& averages) {
    auto const title = fmt::format("mean of {} files", told_.size());
    if (wish_.verbose) {
      lines_.print(title, averages);
    } else {
      fmt::print("{}\n", title);
      print_rows(averages);
    }
    // One difference among many files must not be overlooked.
    if (wish_.check && !told_.empty()) {
      auto const differ = std::count_if(told_.begin(), told_.end(), [](told_file const& one) {
        auto const* const check = find(one.told, "check");
        return check != nullptr && check->text().find("DIFFERS") != std::string::npos;
      });
      fmt::print("check: {} of {} files differ\n", differ, told_.size());
    }
  }

  static void print_page(figures const& told) {
    if (auto const* const page = find(told, "page")) print_rows({*page});
  }

  void print_json(figures const& averages) const {
    std::string files;
    for (auto const& one : told_) {
      auto all = one.told;
      all.insert(all.begin(), {"file", "", one.file.string()});
      files += fmt::format("{}{}", files.empty() ? "" : ", ", json_object(all));
    }
    std::string errors;
    for (auto const& one : errors_) errors += fmt::format("{}{}", errors.empty() ? "" : ", ", json_object(one));
    fmt::print(
        "{{\"command\": {}, \"machine\": {}, \"backend\": {}, \"files\": [{}], \"averages\": {}, \"errors\": [{}]}}\n",
        json_text(command_), json_object(machine_figures()), json_text(backend_), files, json_object(averages), errors);
  }

  std::string command_;
  common_wish const& wish_;
  bool single_;
  table lines_;
  std::vector<told_file> told_;
  std::vector<figures> errors_;
  std::string backend_;
  bool backend_told_ = false;
  int code_ = exit_code::ok;
};

// Where the result of a file goes; empty: nowhere.
fs::path output_of(common_wish const& wish, fs::path const& input, bool in_folder) {
  if (wish.output.empty()) return {};
  fs::path const given{wish.output};
  if (!in_folder && !fs::is_directory(given)) return given;
  return given / (input.stem().string() + extension_of(wish.to));
}

void check_output(common_wish const& wish, bool in_folder) {
  if (wish.output.empty()) return;
  std::error_code error;
  if (in_folder) {
    fs::create_directories(wish.output, error);
    if (error) throw file_error{fmt::format("{}: cannot be made a folder: {}", wish.output, error.message())};
    if (fs::equivalent(wish.output, wish.input, error)) {
      throw usage_error{fmt::format("{}: the results need a folder of their own", wish.output)};
    }
  } else if (!fs::is_directory(wish.output, error)) {
    if (!output_format_of(wish.output)) {
      throw usage_error{
          fmt::format("{}: expected a name that ends in .ply, .pcd, .npy, .csv or .bin, or a folder", wish.output)};
    }
    if (fs::equivalent(wish.output, wish.input, error)) {
      throw usage_error{fmt::format("{}: is the input, too", wish.output)};
    }
  }
}

// The page of a file, beside what is written, or here.
fs::path page_of(std::string const& name, fs::path const& input, fs::path const& output) {
  if (!output.empty()) return fs::path{output}.replace_extension(".html");
  return input.stem().string() + "_" + name + ".html";
}

// All that happens to a file.
outcome process(fs::path const& file, common_wish const& wish, fs::path const& output, fs::path const& page,
                command const& run) {
  auto const input = with_progress("reading", [&] { return read_cloud(file, wish.format); });
  if (std::none_of(input.points.begin(), input.points.end(), is_finite)) {
    throw cloud_error{fmt::format("{}: none of its {} points is finite", file.string(), input.points.size())};
  }
  auto made = run(input);
  if (!output.empty()) {
    with_progress("writing",
                  [&] { write_cloud(made.result, output, output_format_of(output).value_or(wish.to), wish.ascii); });
  }
  if (!page.empty()) {
    with_progress("writing the page", [&] { show(input, made, file.filename().string(), page); });
    made.told.push_back({"page", "page", page.string()});
    open_page(page);
  }
  return made;
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

int run_session(std::string const& name, common_wish const& wish, command const& run) {
  std::error_code error;
  bool const in_folder = fs::is_directory(wish.input, error);
  auto const files = in_folder ? clouds_of_folder(wish.input) : std::vector<fs::path>{wish.input};
  check_output(wish, in_folder);
  std::size_t width = 20;
  for (auto const& file : files) width = std::max(width, file.filename().string().size());
  if (!wish.json && wish.verbose) print_rows(machine_figures());

  report all{name, wish, !in_folder, width};
  for (std::size_t i = 0; i < files.size(); ++i) {
    auto const work = [&] {
      auto const output = output_of(wish, files[i], in_folder);
      // One page is enough to see what a folder has.
      auto const page = wish.visualize && i == 0 ? page_of(name, files[i], output) : fs::path{};
      all.add(files[i], process(files[i], wish, output, page, run));
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
  return all.finish();
}

}  // namespace farpoint_tools

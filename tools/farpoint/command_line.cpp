#include "command_line.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "commands.hpp"
#include "completion.hpp"
#include "declare.hpp"
#include "suggest.hpp"

namespace farpoint_tools {

namespace {

// Options of all commands. Parsing sets the options of the command that was given; the others keep their defaults.
struct all_options {
  common_options common;
  fps_options fps;
  voxelize_options voxelize;
  search_options knn;
  normals_options normals;
  demo_options demo;
  splat_options splat;
  clean_options clean;
  crop_options crop;
  merge_options merge;
  sample_options sample;
  std::string shell;
};

using shared_options = std::shared_ptr<all_options>;
using command_adder = std::function<CLI::App*(char const* name, char const* about, std::function<int()> run)>;

// fps, voxelize, knn, normals
void add_computing_commands(command_adder const& add, shared_options const& all) {
  auto* const fps = add("fps", "Farthest point sampling", [all] { return run_fps(all->common, all->fps); });
  auto* const voxelize =
      add("voxelize", "Points to voxels", [all] { return run_voxelize(all->common, all->voxelize); });
  auto* const knn = add("knn", "Nearest neighbors of all points", [all] { return run_knn(all->common, all->knn); });
  auto* const normals =
      add("normals", "Normals and curvatures", [all] { return run_normals(all->common, all->normals); });
  for (auto* const each : {fps, voxelize, knn, normals}) {
    add_input(*each, all->common, true);
    add_running(*each, all->common);
    add_check(*each, all->common);
    add_output(*each, all->common);
  }
  declare_fps(*fps, all->fps);
  declare_voxelize(*voxelize, all->voxelize);
  declare_knn(*knn, all->knn);
  declare_normals(*normals, all->normals);
}

// convert, clean, crop, merge, sample
void add_editing_commands(command_adder const& add, shared_options const& all) {
  auto* const convert = add("convert", "Write a cloud in another format", [all] { return run_convert(all->common); });
  auto* const clean = add("clean", "Remove outliers", [all] { return run_clean(all->common, all->clean); });
  auto* const crop =
      add("crop", "Keep the points in a box or a ball", [all] { return run_crop(all->common, all->crop); });
  auto* const merge = add("merge", "Put clouds together", [all] { return run_merge(all->common, all->merge); });
  auto* const sample = add("sample", "Pick points at random, or one in each voxel",
                           [all] { return run_sample(all->common, all->sample); });
  for (auto* const each : {convert, clean, crop, sample}) add_input(*each, all->common, true);
  declare_merge(*merge, all->merge);
  add_reading(*merge, all->common);
  for (auto* const each : {clean, sample}) add_backend(*each, all->common.backend, all->common.threads);
  for (auto* const each : {convert, clean, crop, merge, sample}) add_output(*each, all->common);
  declare_convert(*convert);
  declare_clean(*clean, all->clean);
  declare_crop(*crop, all->crop);
  declare_sample(*sample, all->sample);
}

// Commands and options, for completion.
std::vector<described_command> described(CLI::App const& app) {
  std::vector<described_command> commands;
  for (auto const* const command : app.get_subcommands([](CLI::App const*) { return true; })) {
    described_command made{command->get_name(), command->get_description(), {}};
    for (auto const* const option : command->get_options()) {
      std::vector<std::string> names;
      for (auto const& name : option->get_snames()) names.push_back("-" + name);
      for (auto const& name : option->get_lnames()) names.push_back("--" + name);
      made.options.push_back(
          {names, option->get_description(), option->get_option_text(), option->get_items_expected_max() > 0});
    }
    commands.push_back(std::move(made));
  }
  return commands;
}

bool is_known(std::vector<std::string> const& names, std::string const& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The complaint about a first word that is no command; empty where it is one, or an option.
std::string wrong_command(CLI::App const& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return {};
  std::vector<std::string> names;
  for (auto const& command : described(app)) names.push_back(command.name);
  return is_known(names, argv[1]) ? std::string{} : describe_wrong_command(argv[1], names);
}

// "; did you mean --samples?" for the first option that the command does not have, or nothing.
std::string hint_of(CLI::App const& app, int argc, char** argv) {
  if (argc < 2) return {};
  for (auto const& command : described(app)) {
    if (command.name != argv[1]) continue;
    std::vector<std::string> names;
    for (auto const& option : command.options) names.insert(names.end(), option.names.begin(), option.names.end());
    for (int i = 2; i < argc; ++i) {
      std::string const word{argv[i]};
      auto const name = word.substr(0, word.find('='));
      if (name.rfind("--", 0) == 0 && !is_known(names, name)) return did_you_mean(name, names);
    }
  }
  return {};
}

}  // namespace

std::function<int()> parse_command_line(int argc, char** argv, int& code) {
  auto const all = std::make_shared<all_options>();
  std::function<int()> chosen;
  CLI::App app{
      "Point clouds in files: samples, voxels, neighbors and normals; converted, cleaned, cropped and merged."};
  app.name("farpoint");
  app.set_version_flag("--version", FARPOINT_PROGRAM_VERSION);
  app.require_subcommand(1);
  app.footer(
      fmt::format("\"farpoint COMMAND --help\" lists a command's options.\n"
                  "Examples:\n  farpoint voxelize FOLDER --cpu\n"
                  "  farpoint fps scan.pcd --samples 4096 -o out.ply\n  farpoint splat model.ply\n{}",
                  exit_codes));
  command_adder const add = [&](char const* name, char const* about, std::function<int()> run) {
    auto* const added = app.add_subcommand(name, about);
    added->callback([&chosen, run = std::move(run)] { chosen = run; });
    return added;
  };
  declare_info(*add("info", "What files hold; without an INPUT, what the machine has",
                    [all] { return run_info_command(all->common); }),
               all->common);
  add_computing_commands(add, all);
  add_editing_commands(add, all);
  declare_splat(*add("splat", "Draw a cloud as a closed surface", [all] { return run_splat(all->splat); }), all->splat);
  auto* const bench = add("bench", "Time fps, voxelize, knn and normals, on the GPU and the CPU",
                          [all] { return run_bench(all->common); });
  add_input(*bench, all->common, false);
  add_running(*bench, all->common);
  bench->footer(fmt::format("Without an INPUT: a simulated LiDAR sweep.\n{}", exit_codes));
  declare_demo(*add("demo", "Sample and voxelize a cloud, and draw both", [all] { return run_demo(all->demo); }),
               all->demo);
  auto* const completion =
      add("completion", "Print what a shell needs to complete commands and options", [] { return exit_code::ok; });
  completion->add_option("SHELL", all->shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->option_text("bash|zsh|fish");
  completion->footer(exit_codes);

  if (auto const message = wrong_command(app, argc, argv); !message.empty()) {
    complain(message);
    code = exit_code::usage;
    return nullptr;
  }
  try {
    app.parse(argc, argv);
  } catch (CLI::Success const& asked) {
    code = app.exit(asked);
    return nullptr;
  } catch (CLI::ParseError const& error) {
    complain(fmt::format("{}{} (--help lists commands and options)", error.what(), hint_of(app, argc, argv)));
    code = exit_code::usage;
    return nullptr;
  }
  // Printed here, where the declarations are.
  if (completion->parsed()) print_completion(described(app), all->shell);
  return chosen;
}

}  // namespace farpoint_tools

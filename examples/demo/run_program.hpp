/// @file
/// What main() does in a program with options.
#pragma once

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <exception>
#include <new>

namespace farpoint_demo {

constexpr int exit_failure = 1;
constexpr int exit_usage = 2;
constexpr int exit_unequal = 3;

/// Parses the command line into `Options` and runs the program; errors go to stderr, as one line.
/// @param declare  `declare(app, options)` adds the options
/// @param run      `run(options)` returns the exit status
template <class Options, class Declare, class Run>
int run_program(int argc, char** argv, char const* name, char const* about, Declare const& declare, Run const& run) {
  Options wish;
  CLI::App app{about};
  app.name(name);
  declare(app, wish);
  try {
    app.parse(argc, argv);
  } catch (CLI::CallForHelp const& help) {
    return app.exit(help);
  } catch (CLI::ParseError const& error) {
    fmt::print(stderr, "{}: {} (--help lists the options)\n", name, error.what());
    return exit_usage;
  }
  try {
    return run(wish);
  } catch (std::bad_alloc const&) {
    fmt::print(stderr, "{}: out of memory\n", name);
  } catch (std::exception const& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
  }
  return exit_failure;
}

}  // namespace farpoint_demo

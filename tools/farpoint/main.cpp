// farpoint: what the library does, for files.
#include <farpoint/core/describe.hpp>

#include <csignal>
#include <exception>
#include <new>

#include "command_line.hpp"
#include "new_file.hpp"
#include "options.hpp"
#include "session.hpp"

namespace farpoint_tools {

void expect_ok(farpoint::result const& outcome) {
  if (outcome) return;
  if (outcome.code == farpoint::status::bad_argument) throw usage_error{outcome.reason};
  throw compute_error{farpoint::describe(outcome)};
}

namespace {

// Ends the process as the signal does by itself, without unfinished files.
extern "C" void end_by_signal(int number) {
  remove_unfinished_files();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void catch_signals() {
  for (int const number : {SIGINT, SIGTERM, SIGHUP}) {
    // Ignored, as under nohup, it stays so.
    if (std::signal(number, end_by_signal) == SIG_IGN) std::signal(number, SIG_IGN);
  }
  // A file beyond the limit (ulimit -f) is then an error of write().
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace

}  // namespace farpoint_tools

int main(int argc, char** argv) {
  using namespace farpoint_tools;
  catch_signals();
  int code = exit_code::ok;
  try {
    auto const command = parse_command_line(argc, argv, code);
    return command ? command() : code;
  } catch (usage_error const& error) {
    complain(error.what());
    return exit_code::usage;
  } catch (file_error const& error) {
    complain(error.what());
    return exit_code::unreadable;
  } catch (cloud_error const& error) {
    complain(error.what());
    return exit_code::bad_content;
  } catch (std::bad_alloc const&) {
    complain("out of memory");
  } catch (std::exception const& error) {
    complain(error.what());
  }
  return exit_code::not_computed;
}

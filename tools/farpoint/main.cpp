// farpoint: what the library does, for files.
#include <farpoint/core/describe.hpp>

#include <exception>
#include <new>

#include "command_line.hpp"
#include "options.hpp"
#include "session.hpp"

namespace farpoint_tools {

void expect_ok(farpoint::result const& outcome) {
  if (outcome) return;
  if (outcome.code == farpoint::status::bad_argument) throw usage_error{outcome.reason};
  throw compute_error{farpoint::describe(outcome)};
}

}  // namespace farpoint_tools

int main(int argc, char** argv) {
  using namespace farpoint_tools;
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

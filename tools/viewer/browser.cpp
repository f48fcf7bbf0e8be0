// Opens a page, on systems that have a command for it.
#include <cstdlib>
#include <string>
#include <system_error>

#include "visualize.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;  // NOLINT(readability-redundant-declaration): glibc alone declares it
#endif

namespace farpoint_viewer {

#if defined(__unix__) || defined(__APPLE__)
bool open_in_browser(std::filesystem::path const& file) {
#ifdef __APPLE__
  std::string opener = "open";
#else
  std::string opener = "xdg-open";
  auto const is_set = [](char const* name) {
    char const* const value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) return false;
#endif
  std::error_code error;
  // Absolute: no name is taken for an option or for the address of a site.
  auto path = std::filesystem::absolute(file, error).string();
  if (error) return false;
  // A child that starts the opener and ends: this program needs not wait for the opener, nor does it leave a zombie.
  std::string shell = "/bin/sh", option = "-c",
              script = "command -v \"$0\" >/dev/null || exit 1; \"$0\" \"$1\" >/dev/null 2>&1 </dev/null &";
  char* const arguments[] = {shell.data(), option.data(), script.data(), opener.data(), path.data(), nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, shell.c_str(), nullptr, nullptr, arguments, environ) != 0) return false;
  int status = 0;
  if (waitpid(child, &status, 0) != child) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
#else
bool open_in_browser(std::filesystem::path const&) {
  return false;
}
#endif

}  // namespace farpoint_viewer

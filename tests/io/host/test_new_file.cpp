// Files that take their names when they are complete.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <iterator>
#include <string>

#include "../../support/catch.hpp"
#include "file_bytes.hpp"
#include "new_file.hpp"

namespace {

using namespace farpoint_tools;
namespace fs = std::filesystem;

std::ptrdiff_t files_in(fs::path const& folder) {
  return std::distance(fs::directory_iterator{folder}, {});
}

void write(fs::path const& file, std::string const& content) {
  new_file made{file};
  made.write(content);
  made.finish();
}

std::string reason(fs::path const& file, std::string const& content) {
  try {
    write(file, content);
  } catch (write_error const& error) {
    CHECK(std::string{error.what()}.find(file.string() + ": cannot be written: ") == 0);
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("a file replaces the old one when it is complete", "[new_file]") {
  scratch_folder const folder;
  auto const file = folder.write("a.txt", "old");
  REQUIRE(::chmod(file.c_str(), 0640) == 0);
  {
    new_file made{file};
    made.write("new");
    CHECK(content_of(file) == "old");
    CHECK(files_in(folder.path()) == 2);
    made.finish();
    CHECK(content_of(file) == "new");
  }
  CHECK(files_in(folder.path()) == 1);
  CHECK(fs::status(file).permissions() == static_cast<fs::perms>(0640));
  {
    new_file unfinished{file};
    unfinished.write("newer");
  }
  CHECK(content_of(file) == "new");
  CHECK(files_in(folder.path()) == 1);
  write(folder.path() / std::string(255, 'n'), "the longest name");
  CHECK(content_of(folder.path() / std::string(255, 'n')) == "the longest name");
}

TEST_CASE("a link and a device stay what they are", "[new_file]") {
  scratch_folder const folder;
  auto const target = folder.write("sub/target.txt", "old");
  fs::create_symlink(target, folder.path() / "link.txt");
  write(folder.path() / "link.txt", "new");
  CHECK(fs::is_symlink(folder.path() / "link.txt"));
  CHECK(content_of(target) == "new");
  write("/dev/null", "gone");
  CHECK(fs::is_character_file("/dev/null"));
  if (fs::exists("/dev/full")) {
    CHECK(has(reason("/dev/full", "too much"), "No space left on device"));
    CHECK(fs::is_character_file("/dev/full"));
  }
}

TEST_CASE("a file that cannot be written says why, and the old one stays", "[new_file]") {
  scratch_folder const folder;
  CHECK(has(reason(folder.path() / "none" / "a.txt", ""), "No such file or directory"));
  CHECK(has(reason(folder.path(), ""), "Is a directory"));
  auto const file = folder.write("a.txt", "old");
  auto const before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &limit) == 0);
  rlimit const small{1000, limit.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  auto const why = reason(file, std::string(5000, 'n'));
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  std::signal(SIGXFSZ, before);
  CHECK(has(why, "File too large"));
  CHECK(content_of(file) == "old");
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("a signal's handler can remove unfinished files", "[new_file]") {
  scratch_folder const folder;
  auto const file = folder.write("a.txt", "old");
  auto const child = ::fork();
  if (child == 0) {
    std::signal(SIGTERM, [](int) {
      remove_unfinished_files();
      ::_exit(7);
    });
    new_file one{file};
    new_file two{folder.path() / "b.txt"};
    one.write("new");
    std::raise(SIGTERM);
    ::_exit(8);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 7);
  CHECK(content_of(file) == "old");
  CHECK(files_in(folder.path()) == 1);
}

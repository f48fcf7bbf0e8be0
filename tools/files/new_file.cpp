#include "new_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

namespace farpoint_tools {

namespace fs = std::filesystem;

namespace {

// Names of temporary files, for a signal handler. A file without a free entry stays behind after a signal.
std::array<std::atomic<char const*>, 16> unfinished{};

void remember(char const* name) {
  for (auto& entry : unfinished) {
    char const* free = nullptr;
    if (entry.compare_exchange_strong(free, name)) return;
  }
}

void forget(char const* name) {
  for (auto& entry : unfinished) {
    char const* own = name;
    if (entry.compare_exchange_strong(own, nullptr)) return;
  }
}

// Returns 0, or the error.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    auto const written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

[[noreturn]] void throw_unwritable(std::string const& file, int error) {
  throw write_error{file + ": cannot be written: " + std::strerror(error)};
}

}  // namespace

new_file::new_file(fs::path file) : given_{std::move(file)} {
  std::error_code error;
  target_ = fs::canonical(given_, error);
  if (error) target_ = given_;
  auto const kind = fs::status(target_, error).type();
  if (kind == fs::file_type::directory) fail(EISDIR);
  bool const replaces = kind == fs::file_type::regular;
  if (replaces || kind == fs::file_type::not_found || kind == fs::file_type::none) {
    open_temporary(replaces);
  } else {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
  }
}

new_file::~new_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  forget(temporary_.c_str());
}

void new_file::open_temporary(bool replaces) {
  // rename() would replace a write-protected file.
  if (replaces && ::access(target_.c_str(), W_OK) != 0) fail(errno);
  static std::atomic<unsigned> files{0};
  do {
    auto const name = ".farpoint-" + std::to_string(::getpid()) + "-" + std::to_string(files++) + ".tmp";
    temporary_ = target_.parent_path() / name;
    remember(temporary_.c_str());
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
      int const why = errno;
      forget(temporary_.c_str());
      temporary_.clear();
      if (why != EEXIST) fail(why);
    }
  } while (descriptor_ < 0);
  struct stat older {};
  if (replaces && ::stat(target_.c_str(), &older) == 0) ::fchmod(descriptor_, older.st_mode & 07777);
}

void new_file::write(std::string_view bytes) {
  if (int const error = write_all(descriptor_, bytes)) fail(error);
}

void new_file::finish() {
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  forget(temporary_.c_str());
  temporary_.clear();
}

void new_file::fail(int error) const {
  throw_unwritable(given_.string(), error);
}

void write_standard_output(std::string_view bytes) {
  if (int const error = write_all(STDOUT_FILENO, bytes)) throw_unwritable("standard output", error);
}

void remove_unfinished_files() noexcept {
  for (auto const& entry : unfinished) {
    if (char const* const name = entry.load()) ::unlink(name);
  }
}

}  // namespace farpoint_tools

// A file that takes its name when it is complete.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace farpoint_tools {

/// A file that cannot be written. what() is "<file>: cannot be written: <reason>".
class write_error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A file that is written under a temporary name in the folder of `file` and renamed by finish(): an older file stays
/// whole until then, and an unfinished one is removed. A link stays, and the file that it names is replaced. A device
/// or a pipe is written in place. The permissions of an older file are kept.
class new_file {
 public:
  /// @throws write_error
  explicit new_file(std::filesystem::path file);
  ~new_file();
  new_file(new_file const&) = delete;
  new_file& operator=(new_file const&) = delete;

  /// Appends bytes, which are with the system when it returns.
  /// @throws write_error
  void write(std::string_view bytes);
  /// Completes the file and gives it its name.
  /// @throws write_error
  void finish();

 private:
  [[noreturn]] void fail(int error) const;
  void open_temporary(bool replaces);

  std::filesystem::path given_;      // for messages
  std::filesystem::path target_;     // behind links
  std::filesystem::path temporary_;  // empty for a device or a pipe
  int descriptor_ = -1;
};

/// Writes bytes to standard output.
/// @throws write_error
void write_standard_output(std::string_view bytes);

/// Removes the temporary files of all unfinished new_files of this process. May be called by a signal handler.
void remove_unfinished_files() noexcept;

}  // namespace farpoint_tools

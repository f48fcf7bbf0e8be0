// Shared by the readers of all formats: a file in memory, its lines, and its numbers.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace farpoint_tools {

/// A whole file in memory; also words the errors about it.
class cloud_bytes {
 public:
  /// @throws file_error, cloud_error
  explicit cloud_bytes(std::filesystem::path const& file);
  /// Takes `content` as the bytes of a file named `file`, which need not exist.
  cloud_bytes(std::filesystem::path file, std::string content) : path_{std::move(file)}, content_{std::move(content)} {}

  /// Reads standard input to its end.
  /// @throws file_error
  static cloud_bytes from_standard_input();

  std::string_view view() const { return content_; }
  std::filesystem::path const& path() const { return path_; }

  /// Throws the cloud_error "<file>: expected <expected>, found <found>".
  [[noreturn]] void fail(std::string const& expected, std::string const& found) const;

 private:
  std::filesystem::path path_;
  std::string content_;
};

/// "<file>: expected <expected>, found <found>".
std::string complaint(std::filesystem::path const& file, std::string const& expected, std::string const& found);

/// Refuses what is not a regular file: a pipe or a device may have no end.
/// @throws file_error
void expect_regular_file(std::filesystem::path const& file);

/// The start of an untrusted text, in quotes, safe to print in a one-line message.
std::string excerpt(std::string_view text);

/// Reads a text line by line. "\n" and "\r\n" end a line.
class line_reader {
 public:
  explicit line_reader(std::string_view text, std::size_t lines_before = 0) : rest_{text}, number_{lines_before} {}

  /// The next line, nothing at the end of the text.
  std::optional<std::string_view> next();
  /// The next line that is not blank.
  std::optional<std::string_view> next_with_content();

  /// Number of the line read last, from 1.
  std::size_t number() const { return number_; }
  /// Everything after the line read last.
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  std::size_t number_;
};

/// Takes the first word from the front of `line`; empty at its end.
std::string_view take_word(std::string_view& line);

/// The number that the whole of `word` spells, whatever the locale. "nan" and "inf" are numbers.
std::optional<double> parse_number(std::string_view word);
/// The count that the whole of `word` spells.
std::optional<std::size_t> parse_count(std::string_view word);

}  // namespace farpoint_tools

#include "cloud_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <system_error>

#include "cloud_io.hpp"

namespace farpoint_tools {

namespace {

constexpr char const* blanks = " \t\r\v\f";

template <class Value>
std::optional<Value> parse_all(std::string_view word) {
  Value value{};
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

[[noreturn]] void throw_unreadable(std::filesystem::path const& file, std::string const& what) {
  throw file_error{fmt::format("{}: {}", file.string(), what)};
}

}  // namespace

std::string complaint(std::filesystem::path const& file, std::string const& expected, std::string const& found) {
  return fmt::format("{}: expected {}, found {}", file.string(), expected, found);
}

void expect_regular_file(std::filesystem::path const& file) {
  std::error_code error;
  auto const kind = std::filesystem::status(file, error).type();
  if (kind == std::filesystem::file_type::regular) return;
  char const* what = "is not a regular file";
  if (kind == std::filesystem::file_type::not_found) what = "no such file";
  if (kind == std::filesystem::file_type::directory) what = "is a directory";
  throw_unreadable(file, what);
}

cloud_bytes::cloud_bytes(std::filesystem::path const& file) : path_{file} {
  expect_regular_file(file);
  std::error_code error;
  auto const size = std::filesystem::file_size(file, error);
  std::ifstream stream{file, std::ios::binary};
  if (error || !stream) throw_unreadable(file, "cannot be opened for reading");
  content_.resize(static_cast<std::size_t>(size));
  stream.read(content_.data(), static_cast<std::streamsize>(content_.size()));
  if (stream.gcount() != static_cast<std::streamsize>(content_.size())) {
    throw_unreadable(file, fmt::format("read error after {} of {} bytes", stream.gcount(), content_.size()));
  }
}

cloud_bytes cloud_bytes::from_standard_input() {
  char const* const name = "standard input";
  std::string content;
  std::array<char, 1 << 16> part{};
  while (std::size_t const count = std::fread(part.data(), 1, part.size(), stdin)) content.append(part.data(), count);
  if (std::ferror(stdin) != 0) throw_unreadable(name, "read error");
  return {name, std::move(content)};
}

void cloud_bytes::fail(std::string const& expected, std::string const& found) const {
  throw cloud_error{complaint(path_, expected, found)};
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t longest = 32;
  std::string safe;
  for (char const c : text.substr(0, longest)) safe += c >= ' ' && c <= '~' ? c : '?';
  return fmt::format("\"{}{}\"", safe, text.size() > longest ? "..." : "");
}

std::optional<std::string_view> line_reader::next() {
  if (rest_.empty()) return std::nullopt;
  auto const end = rest_.find('\n');
  auto line = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  ++number_;
  return line;
}

std::optional<std::string_view> line_reader::next_with_content() {
  while (auto const line = next()) {
    if (line->find_first_not_of(blanks) != std::string_view::npos) return line;
  }
  return std::nullopt;
}

std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  auto const word = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(word.size());
  return word;
}

std::optional<double> parse_number(std::string_view word) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  return parse_all<double>(word);
}

std::optional<std::size_t> parse_count(std::string_view word) {
  return parse_all<std::size_t>(word);
}

}  // namespace farpoint_tools

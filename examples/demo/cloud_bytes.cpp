#include "cloud_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <system_error>

#include "cloud_io.hpp"

namespace farpoint_demo {

namespace {

constexpr char const* blanks = " \t\r\v\f";

template <class Value>
std::optional<Value> parse_all(std::string_view word) {
  Value value{};
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

template <class To, class From>
To with_same_bits(From bits) {
  static_assert(sizeof(To) == sizeof(From));
  To value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace

cloud_bytes::cloud_bytes(std::filesystem::path const& file) : path_{file} {
  std::error_code error;
  auto const kind = std::filesystem::status(file, error).type();
  if (kind == std::filesystem::file_type::not_found) fail("a point cloud file", "no such file");
  if (kind == std::filesystem::file_type::directory) fail("a point cloud file", "a directory");
  if (kind != std::filesystem::file_type::regular) fail("a point cloud file", "something that is not a regular file");

  auto const size = std::filesystem::file_size(file, error);
  std::ifstream stream{file, std::ios::binary};
  if (error || !stream) fail("a point cloud file", "a file that cannot be opened for reading");
  if (size == 0) fail("a point cloud", "an empty file");
  content_.resize(static_cast<std::size_t>(size));
  stream.read(content_.data(), static_cast<std::streamsize>(content_.size()));
  if (stream.gcount() != static_cast<std::streamsize>(content_.size())) {
    fail(fmt::format("{} bytes", content_.size()), fmt::format("a read error after {}", stream.gcount()));
  }
}

void cloud_bytes::fail(std::string const& expected, std::string const& found) const {
  throw cloud_error{fmt::format("{}: expected {}, found {}", path_.string(), expected, found)};
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

std::size_t size_of(scalar_kind kind) {
  switch (kind) {
    case scalar_kind::int8:
    case scalar_kind::uint8: return 1;
    case scalar_kind::int16:
    case scalar_kind::uint16: return 2;
    case scalar_kind::int32:
    case scalar_kind::uint32:
    case scalar_kind::float32: return 4;
    case scalar_kind::int64:
    case scalar_kind::uint64:
    case scalar_kind::float64: return 8;
  }
  return 0;
}

double decode(char const* bytes, scalar_kind kind, byte_order order) {
  auto const size = size_of(kind);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < size; ++i) {
    auto const byte = static_cast<unsigned char>(bytes[order == byte_order::big ? i : size - 1 - i]);
    bits = bits << 8 | byte;
  }
  switch (kind) {
    case scalar_kind::int8: return static_cast<std::int8_t>(bits);
    case scalar_kind::uint8:
    case scalar_kind::uint16:
    case scalar_kind::uint32:
    case scalar_kind::uint64: return static_cast<double>(bits);
    case scalar_kind::int16: return static_cast<std::int16_t>(bits);
    case scalar_kind::int32: return static_cast<std::int32_t>(bits);
    case scalar_kind::int64: return static_cast<double>(static_cast<std::int64_t>(bits));
    case scalar_kind::float32: return with_same_bits<float>(static_cast<std::uint32_t>(bits));
    case scalar_kind::float64: return with_same_bits<double>(bits);
  }
  return 0;
}

}  // namespace farpoint_demo

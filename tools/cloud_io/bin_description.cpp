#include "bin_description.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cloud_formats.hpp"

namespace farpoint_tools {

namespace {

// Reads the tokens of a JSON text one after another.
class json_tokens {
 public:
  explicit json_tokens(cloud_bytes const& file) : file_{file}, rest_{file.view()} {}

  // Takes a punctuation mark if it is next.
  bool take(char mark) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
    if (rest_.empty() || rest_.front() != mark) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char mark) {
    if (!take(mark)) fail(fmt::format("'{}'", mark));
  }
  std::string text() {
    expect('"');
    std::string value;
    while (!rest_.empty() && rest_.front() != '"') {
      if (rest_.front() == '\\') rest_.remove_prefix(1);
      if (rest_.empty()) break;
      value += rest_.front();
      rest_.remove_prefix(1);
    }
    expect('"');
    return value;
  }
  std::size_t count() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
    auto const digits = rest_.substr(0, rest_.find_first_not_of("0123456789"));
    auto const value = parse_count(digits);
    if (!value) fail("a count");
    rest_.remove_prefix(digits.size());
    return *value;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> all;
    expect('[');
    while (!take(']')) {
      if (!all.empty()) expect(',');
      all.push_back(text());
      if (all.size() > max_values) fail(fmt::format("at most {} columns", max_values));
    }
    return all;
  }
  [[noreturn]] void fail(std::string const& expected) const { file_.fail(expected, excerpt(rest_)); }

 private:
  cloud_bytes const& file_;
  std::string_view rest_;
};

}  // namespace

std::filesystem::path description_of(std::filesystem::path const& bin) {
  auto file = bin;
  return file += ".json";
}

std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (char const c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < ' ') {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string encode(bin_description const& of) {
  std::string columns;
  for (auto const& name : of.columns) columns += (columns.empty() ? "" : ", ") + json_text(name);
  return fmt::format("{{\"points\": {}, \"dtype\": \"{}\", \"columns\": [{}]}}\n", of.points,
                     of.kind == scalar_kind::float64 ? "<f8" : "<f4", columns);
}

bin_description parse_bin_description(cloud_bytes const& json) {
  json_tokens tokens{json};
  bin_description found;
  tokens.expect('{');
  bool first = true;
  while (!tokens.take('}')) {
    if (!first) tokens.expect(',');
    first = false;
    auto const key = tokens.text();
    tokens.expect(':');
    if (key == "points") {
      found.points = tokens.count();
    } else if (key == "columns") {
      found.columns = tokens.texts();
    } else if (key == "dtype") {
      auto const type = tokens.text();
      if (type != "<f4" && type != "<f8") json.fail("the dtype \"<f4\" or \"<f8\"", excerpt(type));
      found.kind = type == "<f8" ? scalar_kind::float64 : scalar_kind::float32;
    } else {
      json.fail("\"points\", \"dtype\" and \"columns\"", excerpt(key));
    }
  }
  for (char const* const axis : {"x", "y", "z"}) {
    if (std::find(found.columns.begin(), found.columns.end(), axis) == found.columns.end()) {
      json.fail(fmt::format("a column \"{}\"", axis), "none");
    }
  }
  return found;
}

}  // namespace farpoint_tools

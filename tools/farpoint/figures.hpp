// Named results of a command, for people and for programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace farpoint_tools {

struct figure {
  std::string key;   ///< in JSON: "time_ms"
  std::string name;  ///< for people, with the unit: "time (ms)"
  std::variant<std::int64_t, double, std::string> value;
  std::string structure = {};  ///< in JSON instead of a text: an object or a list of numbers

  bool is_number() const { return !std::holds_alternative<std::string>(value); }
  /// A number, or NaN.
  double number() const;
  /// For people: four significant digits, or more where they are before the point.
  std::string text() const;
  std::string json() const;
};

using figures = std::vector<figure>;

/// The figure of a key, or null.
figure const* find(figures const& among, std::string_view key);

/// The means of the figures that are numbers in all lists, in the first list's order.
figures averages_of(std::vector<figures> const& lists);

/// `{"key": value, ...}`
std::string json_object(figures const& all);

/// "  name    value"
void print_row(std::string const& name, std::string const& value);
/// print_row() for each figure.
void print_rows(figures const& all);

/// A table whose lines come one by one: the first column has names of at most `name_width`, the others the figures that
/// are numbers.
class table {
 public:
  explicit table(std::size_t name_width) : name_width_{name_width} {}

  /// Prints a line; before the first one the names of the figures.
  void print(std::string const& name, figures const& all);

 private:
  std::size_t name_width_;
  std::vector<figure> columns_;
};

}  // namespace farpoint_tools

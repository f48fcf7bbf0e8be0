#include "figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "bin_description.hpp"

namespace farpoint_tools {

namespace {

constexpr std::size_t min_width = 9;

std::size_t width_of(figure const& column) {
  return std::max(column.name.size(), min_width);
}

}  // namespace

double figure::number() const {
  if (auto const* const whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (auto const* const real = std::get_if<double>(&value)) return *real;
  return std::numeric_limits<double>::quiet_NaN();
}

std::string figure::text() const {
  if (auto const* const words = std::get_if<std::string>(&value)) return *words;
  if (auto const* const whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
  double const real = number();
  return std::fabs(real) >= 1000 && std::fabs(real) < 1e9 ? fmt::format("{:.0f}", real) : fmt::format("{:.4g}", real);
}

std::string figure::json() const {
  if (!structure.empty()) return structure;
  if (auto const* const words = std::get_if<std::string>(&value)) return json_text(*words);
  if (auto const* const whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
  return std::isfinite(number()) ? fmt::format("{}", number()) : "null";
}

figure const* find(figures const& among, std::string_view key) {
  auto const found = std::find_if(among.begin(), among.end(), [key](figure const& f) { return f.key == key; });
  return found == among.end() ? nullptr : &*found;
}

figures averages_of(std::vector<figures> const& lists) {
  figures means;
  if (lists.empty()) return means;
  for (auto const& first : lists.front()) {
    double sum = 0;
    bool everywhere = first.is_number();
    for (auto const& list : lists) {
      auto const* const same = find(list, first.key);
      everywhere = everywhere && same != nullptr;
      sum += everywhere ? same->number() : 0;
    }
    if (everywhere) means.push_back({first.key, first.name, sum / static_cast<double>(lists.size())});
  }
  return means;
}

std::string json_object(figures const& all) {
  std::string object = "{";
  for (auto const& one : all) {
    object += fmt::format("{}{}: {}", object.size() > 1 ? ", " : "", json_text(one.key), one.json());
  }
  return object + "}";
}

void print_row(std::string const& name, std::string const& value) {
  fmt::print("  {:<22} {}\n", name, value);
}

void print_rows(figures const& all) {
  std::size_t width = 20;
  for (auto const& one : all) width = std::max(width, one.name.size());
  for (auto const& one : all) fmt::print("  {:<{}}  {}\n", one.name, width, one.text());
}

void table::print(std::string const& name, figures const& all) {
  if (columns_.empty()) {
    std::string line = fmt::format("{:<{}}", "", name_width_);
    for (auto const& one : all) {
      if (!one.is_number()) continue;
      columns_.push_back(one);
      line += fmt::format("  {:>{}}", one.name, width_of(one));
    }
    fmt::print("{}\n", line);
  }
  std::string line = fmt::format("{:<{}}", name, name_width_);
  for (auto const& column : columns_) {
    auto const* const found = find(all, column.key);
    line += fmt::format("  {:>{}}", found == nullptr ? "-" : found->text(), width_of(column));
  }
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

}  // namespace farpoint_tools

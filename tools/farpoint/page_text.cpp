#include "page_text.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace farpoint_tools {

namespace {

// "2 2 4" with another text between the words.
std::string joined(std::string_view words, std::string_view between) {
  std::string text;
  for (char const c : words) {
    if (c == ' ') {
      text += between;
    } else {
      text += c;
    }
  }
  return text;
}

std::string value_of(figure const& one) {
  if (one.key == "voxel_size") return joined(one.text(), " x ");
  if (one.key == "origin") return joined(one.text(), ", ");
  return one.is_number() ? with_separators(one.text()) : one.text();
}

}  // namespace

std::string title_of(std::string_view name) {
  std::string title{name};
  std::replace(title.begin(), title.end(), '_', ' ');
  if (!title.empty()) title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

char const* unit_of(std::string_view column) {
  constexpr std::pair<std::string_view, char const*> known[] = {{"distance", "m"},
                                                                {"mean_distance", "m"},
                                                                {"farthest_distance", "m"},
                                                                {error_of_normal, "degrees"},
                                                                {angle_to_the_input, "degrees"}};
  for (auto const& [name, unit] : known) {
    if (name == column) return unit;
  }
  return "";
}

std::string with_separators(std::string_view number) {
  auto const is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  auto const first = std::find_if(number.begin(), number.end(), is_digit);
  auto const last = std::find_if_not(first, number.end(), is_digit);
  std::string text{number.begin(), first};
  for (auto digit = first; digit != last; ++digit) {
    if (digit != first && (last - digit) % 3 == 0) text += ',';
    text += *digit;
  }
  return text.append(last, number.end());
}

std::vector<farpoint_viewer::figure> page_figures(figures const& summary) {
  std::vector<farpoint_viewer::figure> shown;
  for (auto const& one : summary) {
    std::string name = one.name;
    std::string value = value_of(one);
    auto const unit = name.rfind(" (");
    if (unit != std::string::npos && name.back() == ')') {
      value += " " + name.substr(unit + 2, name.size() - unit - 3);
      name.erase(unit);
    }
    shown.push_back({title_of(name), value});
  }
  return shown;
}

}  // namespace farpoint_tools

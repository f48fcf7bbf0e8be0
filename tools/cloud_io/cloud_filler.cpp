#include "cloud_filler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "cloud_formats.hpp"

namespace farpoint_tools {

std::string common_name(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"normal_x", "nx"},     {"normal_y", "ny"},         {"normal_z", "nz"},
      {"diffuse_red", "red"}, {"diffuse_green", "green"}, {"diffuse_blue", "blue"}};
  for (auto const& [from, to] : names) {
    if (from == name) return std::string{to};
  }
  return std::string{name};
}

std::size_t cloud_filler::add(std::string_view name, scalar_kind kind) {
  std::size_t const axis = name.size() == 1 ? std::string_view{"xyz"}.find(name[0]) : std::string_view::npos;
  bool const is_new = std::none_of(places_.begin(), places_.end(),
                                   [axis](place const& other) { return other.coordinate && other.at == axis; });
  if (axis != std::string_view::npos && is_new) {
    places_.push_back({true, axis, 1, kind});
    if (!fits_float32(kind)) made_.exact.resize(points_);
  } else {
    places_.push_back({false, made_.columns.size(), 1, kind});
    made_.columns.emplace_back(common_name(name), kind, points());
  }
  return places_.size() - 1;
}

std::size_t cloud_filler::add_packed_color(scalar_kind kind, bool with_alpha) {
  places_.push_back({false, made_.columns.size(), with_alpha ? 4U : 3U, kind});
  for (char const* const name : {"blue", "green", "red"}) {
    made_.columns.emplace_back(name, scalar_kind::uint8, points());
  }
  if (with_alpha) made_.columns.emplace_back("alpha", scalar_kind::uint8, points());
  return places_.size() - 1;
}

void cloud_filler::put(std::size_t value, std::size_t i, double number) {
  std::array<char, 8> bytes{};
  auto const kind = places_[value].kind;
  encode(number, bytes.data(), kind);
  copy(value, i, bytes.data());
}

void cloud_filler::copy(std::size_t value, std::size_t i, char const* bytes, byte_order order) {
  auto const& to = places_[value];
  if (to.coordinate) {
    double const coordinate = decode(bytes, to.kind, order);
    if (is_exact()) {
      made_.exact[i][to.at] = coordinate;
    } else {
      if (made_.points.empty()) made_.points.resize(points_);
      made_.points[i][to.at] = static_cast<float>(coordinate);
    }
    return;
  }
  if (to.channels == 1) {
    made_.columns[to.at].copy(i, bytes, order);
    return;
  }
  for (std::size_t channel = 0; channel < to.channels; ++channel) {
    made_.columns[to.at + channel].copy(i, bytes + (order == byte_order::little ? channel : 3 - channel));
  }
}

cloud cloud_filler::take(std::string format) {
  made_.format = std::move(format);
  if (is_exact()) {
    set_exact(made_, std::move(made_.exact));
  } else {
    made_.points.resize(points_);
  }
  // Packed colors were put in the order of their bytes.
  for (auto const& to : places_) {
    if (to.channels > 1) std::swap(made_.columns[to.at], made_.columns[to.at + 2]);
  }
  return std::move(made_);
}

}  // namespace farpoint_tools

// Headerless files of float32 records.
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "cloud_filler.hpp"
#include "cloud_formats.hpp"

namespace farpoint_tools {

namespace {

constexpr bin_layout layouts[] = {
    {file_format::kitti, 4, "KITTI"}, {file_format::nuscenes, 5, "nuScenes"}, {file_format::xyz, 3, "raw xyz"}};

// NaN is "no return". Floats of the wrong bytes have exponents all over the range.
bool like_coordinate(double value) {
  double const size = std::fabs(value);
  return std::isnan(value) || value == 0 || (size > 1e-30 && size < 1e7);
}

bool like_fraction(double value) {
  return value >= 0 && value <= 1;
}
bool like_byte(double value) {
  return value >= 0 && value <= 255;
}
bool like_whole_byte(double value) {
  return like_byte(value) && value == std::floor(value);
}

double float_at(std::string_view bytes, std::size_t index) {
  return decode(bytes.data() + index * 4, scalar_kind::float32);
}

bool fits(std::string_view bytes, bin_layout const& layout) {
  if (bytes.size() % layout.record_bytes() != 0) return false;
  bool fraction_intensities = true;
  bool whole_intensities = true;
  for (std::size_t record = 0; record * 4 < bytes.size(); record += layout.floats) {
    bool is_return = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double const value = float_at(bytes, record + axis);
      if (!like_coordinate(value)) return false;
      is_return = is_return && !std::isnan(value);
    }
    if (layout.format == file_format::xyz || !is_return) continue;
    double const intensity = float_at(bytes, record + 3);
    if (!like_byte(intensity)) return false;
    fraction_intensities = fraction_intensities && like_fraction(intensity);
    whole_intensities = whole_intensities && like_whole_byte(intensity);
    if (layout.format == file_format::nuscenes && !like_whole_byte(float_at(bytes, record + 4))) return false;  // ring
  }
  return layout.format != file_format::kitti || fraction_intensities || whole_intensities;
}

// False if coordinates look like intensities, as in a unit cube or on a grid: then several layouts fit.
bool tells_layouts_apart(std::string_view bytes) {
  bool fractions = true;
  bool whole = true;
  for (std::size_t i = 0; i < bytes.size() / 4; ++i) {
    double const value = float_at(bytes, i);
    fractions = fractions && (std::isnan(value) || like_fraction(value));
    whole = whole && (std::isnan(value) || like_whole_byte(value));
  }
  return !fractions && !whole;
}

}  // namespace

bin_layout const& layout_of(file_format format) {
  for (auto const& layout : layouts) {
    if (layout.format == format) return layout;
  }
  throw std::logic_error{"not a .bin format"};
}

bin_layout const& guess_bin_layout(cloud_bytes const& file) {
  auto const bytes = file.view();
  std::vector<bin_layout const*> fitting;
  bool some_size_fits = false;
  for (auto const& layout : layouts) {
    some_size_fits = some_size_fits || bytes.size() % layout.record_bytes() == 0;
    if (fits(bytes, layout)) fitting.push_back(&layout);
  }
  if (!some_size_fits) {
    file.fail("a multiple of 16 bytes (KITTI), 20 (nuScenes) or 12 (raw xyz)", fmt::format("{} bytes", bytes.size()));
  }
  if (fitting.empty()) {
    file.fail("float32 points of KITTI, nuScenes or raw xyz (--format says which)",
              fmt::format("{} bytes that look like none of them", bytes.size()));
  }
  // Any layout's coordinates fit raw xyz, so that is the answer only if nothing looks like another column.
  bool const or_xyz = fitting.size() == 2 && fitting.back()->format == file_format::xyz;
  if (or_xyz && tells_layouts_apart(bytes)) fitting.pop_back();
  if (fitting.size() > 1) {
    std::string names;
    for (auto const* layout : fitting) names += fmt::format("{}{}", names.empty() ? "" : " and ", layout->name);
    file.fail("values of one layout (--format says which)", fmt::format("values that fit {}", names));
  }
  return *fitting.front();
}

cloud read_bin(cloud_bytes const& file, bin_layout const& layout, std::string const& decided_by) {
  auto const bytes = file.view();
  auto const record = layout.record_bytes();
  auto const about = fmt::format("{} .bin ({} floats per point, {})", layout.name, layout.floats, decided_by);
  if (bytes.size() % record != 0) {
    file.fail(fmt::format("a multiple of {} bytes for {}", record, about),
              fmt::format("{} bytes, {} too many", bytes.size(), bytes.size() % record));
  }
  cloud_filler made{bytes.size() / record};
  constexpr char const* names[] = {"x", "y", "z", "intensity", "ring"};
  for (std::size_t value = 0; value < layout.floats; ++value) made.add(names[value], scalar_kind::float32);
  for (std::size_t i = 0; i < made.points(); ++i) {
    for (std::size_t value = 0; value < layout.floats; ++value) {
      made.copy(value, i, bytes.data() + i * record + 4 * value);
    }
  }
  return made.take(about);
}

cloud read_described_bin(cloud_bytes const& file, bin_description const& described) {
  auto const bytes = file.view();
  auto const row = described.row_bytes();
  if (bytes.size() % row != 0 || bytes.size() / row != described.points) {
    auto const json = description_of(file.path()).string();
    file.fail(fmt::format("{} points of {} bytes, as {} says (remove it if it is not of this file)", described.points,
                          row, json),
              fmt::format("{} bytes", bytes.size()));
  }
  cloud_filler made{described.points};
  for (auto const& name : described.columns) made.add(name, described.kind);
  auto const size = size_of(described.kind);
  for (std::size_t i = 0; i < made.points(); ++i) {
    for (std::size_t c = 0; c < described.columns.size(); ++c) made.copy(c, i, bytes.data() + i * row + c * size);
  }
  return made.take(
      fmt::format(".bin of {} columns of {}, by its .json", described.columns.size(), name_of(described.kind)));
}

}  // namespace farpoint_tools

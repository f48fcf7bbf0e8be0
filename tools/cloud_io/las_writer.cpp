#include "las_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "cloud_io.hpp"
#include "las_layout.hpp"
#include "laz.hpp"

namespace farpoint_tools {

namespace {

using las::field;

// A column that is one of a format's values.
struct placed_column {
  field to;
  column const* from;
  double factor;
};

// A column that is an extra value.
struct extra_column {
  std::string name;
  column const* from;
};

bool is_color(std::string_view name) {
  return name == "red" || name == "green" || name == "blue";
}

double factor_of(column const& from) {
  return is_color(from.name()) && from.kind() == scalar_kind::uint8 ? 257 : 1;
}

// True if the field has every number of the column.
bool fits(column const& from, field const& to) {
  if (to.kind == scalar_kind::float64) return !is_whole(from.kind()) || size_of(from.kind()) < 8;
  double const factor = factor_of(from);
  for (std::size_t i = 0; i < from.size(); ++i) {
    double const value = from.at(i) * factor;
    std::array<char, 8> bytes{};
    encode(value, bytes.data(), to.kind);
    if (decode(bytes.data(), to.kind) != value || (to.bits != 0 && value > to.mask())) return false;
  }
  return true;
}

std::vector<placed_column> place(cloud const& from, std::size_t format) {
  std::vector<placed_column> placed;
  for (auto const& to : las::fields_of(format)) {
    auto const* const found = from.find(to.name);
    if (found != nullptr && fits(*found, to)) placed.push_back({to, found, factor_of(*found)});
  }
  return placed;
}

// Point format of the file, and the position of each column in its records.
struct las_plan {
  std::size_t format = 0;
  std::vector<placed_column> placed;
  std::vector<extra_column> extra;

  bool is_14() const { return format >= 6; }
  std::size_t header_bytes() const { return is_14() ? las::header_bytes_of_14 : las::header_bytes; }
};

std::size_t choose_format(cloud const& from) {
  bool const has_color = from.find("red") != nullptr && from.find("green") != nullptr && from.find("blue") != nullptr;
  std::size_t const of_12 = (has_color ? 2U : 0U) + (from.find("gps_time") != nullptr ? 1U : 0U);
  std::size_t const of_14 = from.find("nir") != nullptr ? 8 : has_color ? 7 : 6;
  // A projection as text is of version 1.4.
  if (from.las != nullptr && (from.las->encoding & 0x10U) != 0) return of_14;
  if (from.points.size() > std::numeric_limits<std::uint32_t>::max()) return of_14;
  auto const placed = place(from, of_12);
  for (auto const& one : place(from, of_14)) {
    auto const is_same = [&one](placed_column const& other) { return other.from == one.from; };
    if (std::none_of(placed.begin(), placed.end(), is_same)) return of_14;
  }
  return of_12;
}

las_plan plan_of(cloud const& from) {
  las_plan plan;
  plan.format = choose_format(from);
  plan.placed = place(from, plan.format);
  std::set<std::string> names{"X", "Y", "Z", "x", "y", "z"};
  for (auto const& value : las::fields_of(plan.format)) names.insert(value.name);
  for (auto const& c : from.columns) {
    auto const is_same = [&c](placed_column const& one) { return one.from == &c; };
    if (std::any_of(plan.placed.begin(), plan.placed.end(), is_same)) continue;
    auto name = c.name().substr(0, 32);
    for (int number = 2; !names.insert(name).second; ++number) {
      name = fmt::format("{}_{}", c.name().substr(0, 26), number);
    }
    plan.extra.push_back({std::move(name), &c});
  }
  return plan;
}

void expect_finite(cloud const& from) {
  std::size_t bad = 0;
  for (std::size_t i = 0; i < from.points.size(); ++i) bad += from.is_finite(i) ? 0 : 1;
  if (bad == 0) return;
  throw cloud_error{fmt::format("a LAS file has finite points only; {} of {} are not (farpoint clean removes them)",
                                bad, from.points.size())};
}

// Appends numbers and texts of fixed sizes.
class las_text {
 public:
  void number(double value, scalar_kind kind) {
    std::array<char, 8> bytes{};
    encode(value, bytes.data(), kind);
    text_.append(bytes.data(), size_of(kind));
  }
  void u8(std::size_t value) { number(static_cast<double>(value), scalar_kind::uint8); }
  void u16(std::size_t value) { number(static_cast<double>(value), scalar_kind::uint16); }
  void u32(std::uint64_t value) { number(static_cast<double>(value & 0xffffffffU), scalar_kind::uint32); }
  void u64(std::uint64_t value) {
    u32(value);
    u32(value >> 32);
  }
  void f64(double value) { number(value, scalar_kind::float64); }
  void text(std::string_view value, std::size_t size) {
    text_ += value.substr(0, size);
    zeros(size - std::min(size, value.size()));
  }
  void bytes(std::string_view value) { text_ += value; }
  void zeros(std::size_t count) { text_.append(count, '\0'); }
  std::size_t size() const { return text_.size(); }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string describe(extra_column const& extra) {
  las_text made;
  std::size_t type = 0;
  while (las::extra_kinds[type] != extra.from->kind()) ++type;
  made.u16(0);
  made.u8(type + 1);
  made.u8(0);
  made.text(extra.name, 32);
  made.zeros(las::descriptor_bytes - made.size());
  return made.take();
}

std::vector<std::string> variable_records(cloud const& from, las_plan const& plan) {
  std::vector<std::string> records;
  auto const add = [&records](std::string_view user, std::size_t id, std::string_view data) {
    las_text made;
    made.u16(0);
    made.text(user, 16);
    made.u16(id);
    made.u16(data.size());
    made.zeros(32);
    made.bytes(data);
    records.push_back(made.take());
  };
  if (from.las != nullptr) {
    for (auto const& record : from.las->projection) add(las::projection_user, record.id, record.data);
  }
  if (plan.extra.empty()) return records;
  std::string descriptors;
  for (auto const& extra : plan.extra) descriptors += describe(extra);
  if (descriptors.size() > std::numeric_limits<std::uint16_t>::max()) {
    throw cloud_error{fmt::format("a LAS file has 341 extra values at most, not {}", plan.extra.size())};
  }
  add(las::spec_user, las::extra_bytes_id, descriptors);
  return records;
}

// Points by the number of their return, from 1.
std::array<std::uint64_t, 15> returns_of(las_plan const& plan) {
  std::array<std::uint64_t, 15> counts{};
  for (auto const& one : plan.placed) {
    if (one.to.name != std::string_view{"return_number"}) continue;
    for (std::size_t i = 0; i < one.from->size(); ++i) {
      auto const number = static_cast<std::size_t>(one.from->at(i));
      if (number >= 1 && number <= counts.size()) ++counts[number - 1];
    }
  }
  return counts;
}

struct las_axis {
  las_grid grid;
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
};

las_axis axis_of(cloud const& from, std::size_t axis) {
  las_axis made{grid_of(from, axis)};
  for (std::size_t i = 0; i < from.points.size(); ++i) {
    double const value = made.grid.value(made.grid.nearest(from.coordinate(i, axis)));
    made.low = std::min(made.low, value);
    made.high = std::max(made.high, value);
  }
  return made;
}

std::string encode_header(cloud const& from, las_plan const& plan, std::array<las_axis, 3> const& axes,
                          std::size_t record_bytes, std::size_t records, std::size_t first_point) {
  std::uint64_t const points = from.points.size();
  auto const returns = returns_of(plan);
  las_text made;
  made.text("LASF", 4);
  made.u16(0);
  made.u16(from.las != nullptr ? from.las->encoding : plan.is_14() ? 0x10U : 0U);
  made.zeros(16);
  made.u8(1);
  made.u8(plan.is_14() ? 4 : 2);
  made.text("", 32);
  made.text("farpoint", 32);
  made.u16(0);
  made.u16(0);
  made.u16(plan.header_bytes());
  made.u32(first_point);
  made.u32(records);
  made.u8(plan.format);
  made.u16(record_bytes);
  made.u32(plan.is_14() ? 0 : points);
  for (std::size_t i = 0; i < 5; ++i) made.u32(plan.is_14() ? 0 : returns[i]);
  for (auto const& axis : axes) made.f64(axis.grid.scale);
  for (auto const& axis : axes) made.f64(axis.grid.offset);
  for (auto const& axis : axes) {
    made.f64(axis.high);
    made.f64(axis.low);
  }
  if (!plan.is_14()) return made.take();
  made.u64(0);
  made.u64(0);
  made.u32(0);
  made.u64(points);
  for (auto const count : returns) made.u64(count);
  return made.take();
}

void encode_point(cloud const& from, las_plan const& plan, std::array<las_axis, 3> const& axes, std::size_t i,
                  char* record) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    encode(axes[axis].grid.nearest(from.coordinate(i, axis)), record + 4 * axis, scalar_kind::int32);
  }
  for (auto const& one : plan.placed) {
    double const value = one.from->at(i) * one.factor;
    if (one.to.bits == 0) {
      encode(value, record + one.to.at, one.to.kind);
    } else {
      auto const bits = static_cast<unsigned>(value) << one.to.first_bit;
      record[one.to.at] = static_cast<char>(static_cast<unsigned char>(record[one.to.at]) | bits);
    }
  }
  auto* to = record + las::record_bytes(plan.format);
  for (auto const& extra : plan.extra) {
    auto const size = size_of(extra.from->kind());
    std::copy_n(extra.from->bytes().data() + i * size, size, to);
    to += size;
  }
}

}  // namespace

std::string encode_las(cloud const& from) {
  expect_finite(from);
  auto const plan = plan_of(from);
  auto const records = variable_records(from, plan);
  std::array<las_axis, 3> const axes{axis_of(from, 0), axis_of(from, 1), axis_of(from, 2)};
  std::size_t first_point = plan.header_bytes();
  for (auto const& record : records) first_point += record.size();
  std::size_t record_bytes = las::record_bytes(plan.format);
  for (auto const& extra : plan.extra) record_bytes += size_of(extra.from->kind());

  auto bytes = encode_header(from, plan, axes, record_bytes, records.size(), first_point);
  for (auto const& record : records) bytes += record;
  bytes.resize(first_point + from.points.size() * record_bytes);
  for (std::size_t i = 0; i < from.points.size(); ++i) {
    encode_point(from, plan, axes, i, bytes.data() + first_point + i * record_bytes);
  }
  return bytes;
}

std::string encode_laz(cloud const& from) {
  return laz::pack(encode_las(from));
}

}  // namespace farpoint_tools

// ASPRS LAS, versions 1.0 to 1.4, and LAZ, whose points laz.hpp uncompresses.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include "cloud_filler.hpp"
#include "cloud_formats.hpp"
#include "las_layout.hpp"
#include "laz.hpp"

namespace farpoint_tools {

namespace {

using las::field;

// Numbers of the header, by their offsets.
class las_bytes {
 public:
  explicit las_bytes(std::string_view bytes) : bytes_{bytes} {}

  double number(std::size_t at, scalar_kind kind) const { return decode(bytes_.data() + at, kind); }
  std::size_t u8(std::size_t at) const { return static_cast<std::size_t>(number(at, scalar_kind::uint8)); }
  std::size_t u16(std::size_t at) const { return static_cast<std::size_t>(number(at, scalar_kind::uint16)); }
  std::size_t u32(std::size_t at) const { return static_cast<std::size_t>(number(at, scalar_kind::uint32)); }
  // A double has no 64 bits.
  std::uint64_t u64(std::size_t at) const { return std::uint64_t{u32(at)} | std::uint64_t{u32(at + 4)} << 32; }
  double f64(std::size_t at) const { return number(at, scalar_kind::float64); }
  // Text that ends at its first zero byte.
  std::string_view text(std::size_t at, std::size_t size) const {
    auto const all = bytes_.substr(at, size);
    return all.substr(0, all.find('\0'));
  }

 private:
  std::string_view bytes_;
};

struct las_header {
  std::size_t minor = 0;
  std::size_t size = 0;
  std::size_t first_point = 0;
  std::size_t records = 0;
  std::size_t format = 0;
  std::size_t record_length = 0;
  std::uint64_t points = 0;
  bool is_packed = false;  // LAZ
  las_reference reference;
};

void expect_version(cloud_bytes const& file, las_bytes const& bytes) {
  if (bytes.u8(las::at::major) == 1 && bytes.u8(las::at::minor) <= 4) return;
  file.fail("LAS version 1.0 to 1.4", fmt::format("{}.{}", bytes.u8(las::at::major), bytes.u8(las::at::minor)));
}

void expect_point_format(cloud_bytes const& file, las_header const& header) {
  if ((header.format & laz::early_bit) != 0) {
    file.fail("LAZ points of a released LASzip (\"laszip -i IN -o OUT\" may read others)",
              fmt::format("format {}", header.format));
  }
  if (header.format >= las::formats) file.fail("a LAS point format of 0 to 10", fmt::format("{}", header.format));
  auto const least = las::record_bytes(header.format);
  if (header.record_length < least) {
    file.fail(fmt::format("point records of {} bytes or more for LAS point format {}", least, header.format),
              fmt::format("{}", header.record_length));
  }
}

void expect_inside(cloud_bytes const& file, las_header const& header) {
  auto const size = file.view().size();
  auto const least = header.minor == 4 ? las::header_bytes_of_14 : las::header_bytes;
  if (header.size < least || header.size > size) {
    file.fail(fmt::format("a LAS 1.{} header of {} to {} bytes", header.minor, least, size),
              fmt::format("a header size of {}", header.size));
  }
  if (header.first_point < header.size || header.first_point > size) {
    file.fail(fmt::format("LAS points that begin at byte {} to {}", header.size, size),
              fmt::format("an offset of {}", header.first_point));
  }
  if (header.is_packed) return;
  auto const room = (size - header.first_point) / header.record_length;
  if (header.points > room) {
    file.fail(fmt::format("{} LAS points of {} bytes", header.points, header.record_length),
              fmt::format("{} bytes, room for {}", size - header.first_point, room));
  }
}

void expect_scales(cloud_bytes const& file, las_reference const& reference) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    char const name = "xyz"[axis];
    double const scale = reference.scale[axis];
    if (!std::isfinite(scale) || scale == 0) {
      file.fail(fmt::format("a LAS scale of {} that is finite and not 0", name), fmt::format("{}", scale));
    }
    double const offset = reference.offset[axis];
    if (!std::isfinite(offset)) file.fail(fmt::format("a finite LAS offset of {}", name), fmt::format("{}", offset));
  }
}

las_header parse_las_header(cloud_bytes const& file) {
  auto const content = file.view();
  if (content.substr(0, 4) != "LASF") file.fail("\"LASF\" at the start", excerpt(content.substr(0, 4)));
  if (content.size() < las::header_bytes) {
    file.fail(fmt::format("a LAS header of {} bytes or more", las::header_bytes),
              fmt::format("{} bytes", content.size()));
  }
  las_bytes const bytes{content};
  expect_version(file, bytes);
  las_header header;
  header.minor = bytes.u8(las::at::minor);
  header.size = bytes.u16(las::at::header_size);
  header.first_point = bytes.u32(las::at::first_point);
  header.records = bytes.u32(las::at::records);
  auto const format = bytes.u8(las::at::format);
  header.is_packed = (format & laz::packed_bit) != 0;
  header.format = format & ~laz::packed_bit;
  header.record_length = bytes.u16(las::at::record_length);
  header.points = bytes.u32(las::at::legacy_points);
  expect_point_format(file, header);
  bool const is_14 = header.minor == 4 && content.size() >= las::header_bytes_of_14;
  if (is_14 && bytes.u64(las::at::points) != 0) header.points = bytes.u64(las::at::points);
  expect_inside(file, header);
  header.reference.encoding = static_cast<std::uint16_t>(bytes.u16(las::at::encoding) & las::kept_encoding);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    header.reference.scale[axis] = bytes.f64(las::at::scale + 8 * axis);
    header.reference.offset[axis] = bytes.f64(las::at::offset + 8 * axis);
  }
  expect_scales(file, header.reference);
  return header;
}

// Calls `use(user, id, data)` for `count` variable-length records in [begin, end).
template <class Use>
void for_each_record(cloud_bytes const& file, std::size_t begin, std::size_t end, std::size_t count, bool extended,
                     Use const& use) {
  auto const content = file.view().substr(0, end);
  las_bytes const bytes{content};
  auto const head = extended ? las::extended_header_bytes : las::record_header_bytes;
  auto const fail = [&](std::size_t i) {
    file.fail(fmt::format("{} variable-length LAS records from byte {} to {}", count, begin, end),
              fmt::format("record {} that ends beyond", i));
  };
  std::size_t at = begin;
  for (std::size_t i = 0; i < count; ++i) {
    if (head > end - at) fail(i);
    std::uint64_t const length = extended ? bytes.u64(at + 20) : bytes.u16(at + 20);
    if (length > end - at - head) fail(i);
    auto const size = static_cast<std::size_t>(length);
    use(bytes.text(at + 2, 16), bytes.u16(at + 18), content.substr(at + head, size));
    at += head + size;
  }
}

// An extra value may be stored as (value - offset) / scale.
struct las_scaling {
  bool applies = false;
  double scale = 1;
  double offset = 0;
};

// A value that is kept: one of the format's fields, or an extra one.
struct las_value {
  field from;
  std::size_t place;
  las_scaling scaling = {};
};

// Undoes the multiplication of colors of 8 bits by 257, which their writers do.
void restore_colors(cloud& of) {
  constexpr char const* names[] = {"red", "green", "blue"};
  for (char const* const name : names) {
    auto const* const channel = of.find(name);
    if (channel == nullptr) return;
    for (std::size_t i = 0; i < channel->size(); ++i) {
      if (std::fmod(channel->at(i), 257) != 0) return;
    }
  }
  for (auto& channel : of.columns) {
    if (std::find(std::begin(names), std::end(names), channel.name()) == std::end(names)) continue;
    column made{channel.name(), scalar_kind::uint8, channel.size()};
    for (std::size_t i = 0; i < made.size(); ++i) made.set(i, channel.at(i) / 257);
    channel = std::move(made);
  }
}

// Removes columns of zeros: LAS has no other way to say that a value is unknown. Colors stay or go together.
void remove_unset(cloud& of) {
  auto const is_color = [](column const& c) { return c.name() == "red" || c.name() == "green" || c.name() == "blue"; };
  auto const is_zero = [](column const& c) {
    return std::all_of(c.bytes().begin(), c.bytes().end(), [](char byte) { return byte == 0; });
  };
  auto const is_set_color = [&](column const& c) { return is_color(c) && !is_zero(c); };
  bool const colored = std::any_of(of.columns.begin(), of.columns.end(), is_set_color);
  auto const is_unset = [&](column const& c) { return is_zero(c) && !(colored && is_color(c)); };
  of.columns.erase(std::remove_if(of.columns.begin(), of.columns.end(), is_unset), of.columns.end());
}

class las_reader {
 public:
  // `records` has the points, one after the other.
  las_reader(cloud_bytes const& file, las_header header, std::string_view records)
      : file_{file},
        header_{std::move(header)},
        records_{records},
        made_{static_cast<std::size_t>(header_.points)},
        extra_{las::record_bytes(header_.format)} {}

  cloud read() {
    for (char const* const axis : {"x", "y", "z"}) made_.add(axis, scalar_kind::float64);
    for (auto const& one : las::fields_of(header_.format)) {
      values_.push_back({one, made_.add(one.name, one.kind)});
    }
    read_records();
    for (std::size_t i = 0; i < made_.points(); ++i) read_point(i);
    auto made = made_.take(fmt::format("LAS 1.{}, point format {}{}", header_.minor, header_.format,
                                       header_.is_packed ? ", compressed" : ""));
    restore_colors(made);
    remove_unset(made);
    made.las = std::make_shared<las_reference const>(std::move(header_.reference));
    return made;
  }

 private:
  void read_records() {
    auto const use = [this](std::string_view user, std::size_t id, std::string_view data) {
      if (user == las::spec_user && id == las::extra_bytes_id) declare_extra_values(data);
      if (user == las::projection_user && data.size() <= 0xffff) {
        header_.reference.projection.push_back({static_cast<std::uint16_t>(id), std::string{data}});
      }
    };
    for_each_record(file_, header_.size, header_.first_point, header_.records, false, use);
    if (header_.minor != 4) return;
    las_bytes const bytes{file_.view()};
    auto const count = bytes.u32(las::at::extended);
    auto const begin = bytes.u64(las::at::first_extended);
    auto const end = file_.view().size();
    if (count == 0) return;
    if (begin < header_.first_point || begin > end) {
      file_.fail(fmt::format("extended LAS records that begin at byte {} to {}", header_.first_point, end),
                 fmt::format("an offset of {}", begin));
    }
    for_each_record(file_, static_cast<std::size_t>(begin), end, count, true, use);
  }

  void declare_extra_values(std::string_view descriptors) {
    las_bytes const bytes{descriptors};
    for (std::size_t d = 0; d + las::descriptor_bytes <= descriptors.size(); d += las::descriptor_bytes) {
      auto const type = bytes.u8(d + 2);
      auto const options = bytes.u8(d + 3);
      auto const name = bytes.text(d + 4, 32);
      // Types 11 to 30 are arrays of two and of three values.
      if (type > 3 * std::size(las::extra_kinds)) {
        file_.fail(fmt::format("a LAS type of 0 to 30 for {}", excerpt(name)), fmt::format("{}", type));
      }
      if (type == 0) {
        extra_ += options;  // `options` bytes of no known type
        continue;
      }
      auto const kind = las::extra_kinds[(type - 1) % std::size(las::extra_kinds)];
      std::size_t const count = (type - 1) / std::size(las::extra_kinds) + 1;
      for (std::size_t i = 0; i < count; ++i) {
        las_scaling scaling;
        scaling.applies = (options & 0x18U) != 0;
        if ((options & 8U) != 0) scaling.scale = bytes.f64(d + 112 + 8 * i);
        if ((options & 16U) != 0) scaling.offset = bytes.f64(d + 136 + 8 * i);
        add_extra_value(count == 1 ? std::string{name} : fmt::format("{}_{}", name, i), kind, scaling);
      }
    }
  }

  // Extra values follow one another, so that the columns are no larger than the records.
  void add_extra_value(std::string const& name, scalar_kind kind, las_scaling const& scaling) {
    if (extra_ + size_of(kind) > header_.record_length) {
      file_.fail(fmt::format("extra LAS values within records of {} bytes", header_.record_length),
                 fmt::format("{} at byte {}", excerpt(name), extra_));
    }
    if (values_.size() == max_values) file_.fail(fmt::format("at most {} values of a point", max_values), "more");
    auto const scaled_kind = size_of(kind) == 1 ? scalar_kind::float32 : scalar_kind::float64;
    values_.push_back({{"", kind, extra_}, made_.add(name, scaling.applies ? scaled_kind : kind), scaling});
    extra_ += size_of(kind);
  }

  void read_point(std::size_t i) {
    auto const* const record = records_.data() + i * header_.record_length;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double const whole = decode(record + 4 * axis, scalar_kind::int32);
      made_.put(axis, i, whole * header_.reference.scale[axis] + header_.reference.offset[axis]);
    }
    for (auto const& value : values_) {
      auto const& from = value.from;
      if (value.scaling.applies) {
        made_.put(value.place, i, decode(record + from.at, from.kind) * value.scaling.scale + value.scaling.offset);
      } else if (from.bits == 0) {
        made_.copy(value.place, i, record + from.at);
      } else {
        made_.put(value.place, i, static_cast<unsigned char>(record[from.at]) >> from.first_bit & from.mask());
      }
    }
  }

  cloud_bytes const& file_;
  las_header header_;
  std::string_view records_;
  cloud_filler made_;
  std::vector<las_value> values_;
  std::size_t extra_;  // where the next extra value lies in a record
};

std::string unpacked_records(cloud_bytes const& file, las_header const& header) {
  laz::packed_points packed{header.format, header.record_length, header.points, header.first_point};
  for_each_record(file, header.size, header.first_point, header.records, false,
                  [&packed](std::string_view user, std::size_t id, std::string_view data) {
                    if (user == laz::record_user && id == laz::record_id) packed.descriptor = data;
                  });
  return laz::unpack(file, packed);
}

}  // namespace

cloud read_las(cloud_bytes const& file) {
  auto const header = parse_las_header(file);
  if (!header.is_packed) return las_reader{file, header, file.view().substr(header.first_point)}.read();
  auto const records = unpacked_records(file, header);
  return las_reader{file, header, records}.read();
}

}  // namespace farpoint_tools

#include "cloud_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <set>
#include <utility>

#include "bin_description.hpp"
#include "las_writer.hpp"
#include "laz.hpp"
#include "new_file.hpp"

namespace farpoint_tools {

namespace {

// The columns that PCD packs into one word, by their bytes; empty if the cloud has no such colors.
std::vector<column const*> packed_colors(cloud const& from) {
  std::vector<column const*> channels;
  for (char const* const name : {"blue", "green", "red", "alpha"}) {
    auto const* const channel = from.find(name);
    if (channel != nullptr && channel->kind() == scalar_kind::uint8) channels.push_back(channel);
  }
  bool const complete = channels.size() >= 3 && channels[2]->name() == "red";
  return complete ? channels : std::vector<column const*>{};
}

// A value of a record in the file. Several columns are one value's bytes.
struct field {
  std::string name;
  scalar_kind kind;
  std::vector<column const*> columns;  // none: the coordinate `axis`
  std::size_t axis = 0;
};

double value_of(cloud const& from, field const& which, std::size_t i) {
  if (which.columns.empty()) return from.coordinate(i, which.axis);
  if (which.columns.size() == 1) return which.columns[0]->at(i);
  std::array<char, 4> bytes{};
  for (std::size_t c = 0; c < which.columns.size(); ++c) bytes[c] = which.columns[c]->bytes()[i];
  return decode(bytes.data(), which.kind);
}

void append_bytes(cloud const& from, field const& which, std::size_t i, std::string& to) {
  std::array<char, 8> bytes{};
  if (which.columns.empty()) {
    if (from.exact.empty() && which.kind == scalar_kind::float32) {
      std::memcpy(bytes.data(), &from.points[i][which.axis], sizeof(float));
    } else {
      encode(from.coordinate(i, which.axis), bytes.data(), which.kind);
    }
  } else if (which.columns.size() == 1 && which.kind == which.columns[0]->kind()) {
    auto const size = size_of(which.kind);
    std::copy_n(which.columns[0]->bytes().data() + i * size, size, bytes.data());
  } else if (which.columns.size() == 1) {
    encode(which.columns[0]->at(i), bytes.data(), which.kind);
  } else {
    for (std::size_t c = 0; c < which.columns.size(); ++c) bytes[c] = which.columns[c]->bytes()[i];
  }
  to.append(bytes.data(), size_of(which.kind));
}

// The fewest digits that give the same bits again.
void append_text(cloud const& from, field const& which, std::size_t i, std::string& to) {
  double const value = value_of(from, which, i);
  auto const out = std::back_inserter(to);
  if (std::isnan(value)) {
    to += "nan";
  } else if (which.kind == scalar_kind::float32) {
    fmt::format_to(out, "{}", static_cast<float>(value));
  } else if (which.kind == scalar_kind::float64) {
    fmt::format_to(out, "{}", value);
  } else {
    fmt::format_to(out, "{:.0f}", value);
  }
}

// A name is one word in a header.
std::string one_word(std::string name) {
  for (char& c : name) {
    if (c <= ' ' || c > '~' || c == ',') c = '_';
  }
  return name.empty() ? "_" : name;
}

std::vector<field> coordinates(cloud const& from) {
  auto const kind = from.exact.empty() ? scalar_kind::float32 : scalar_kind::float64;
  return {{"x", kind, {}, 0}, {"y", kind, {}, 1}, {"z", kind, {}, 2}};
}

// Numbers the names that occur again: readers refuse such files, or keep the last column only.
std::vector<field> with_unique_names(std::vector<field> fields) {
  std::set<std::string> names;
  for (auto& which : fields) {
    auto const name = which.name;
    for (int number = 2; !names.insert(which.name).second; ++number) which.name = fmt::format("{}_{}", name, number);
  }
  return fields;
}

// Coordinates, and a field for each column; `kind_of(kind)` is the one that the format has for it.
template <class KindOf>
std::vector<field> fields_of(cloud const& from, KindOf const& kind_of) {
  auto fields = coordinates(from);
  for (auto const& c : from.columns) fields.push_back({one_word(c.name()), kind_of(c.kind()), {&c}});
  return with_unique_names(std::move(fields));
}

void append_records(cloud const& from, std::vector<field> const& fields, std::string& to) {
  for (std::size_t i = 0; i < from.points.size(); ++i) {
    for (auto const& which : fields) append_bytes(from, which, i, to);
  }
}

void append_lines(cloud const& from, std::vector<field> const& fields, char between, std::string& to) {
  for (std::size_t i = 0; i < from.points.size(); ++i) {
    for (auto const& which : fields) {
      append_text(from, which, i, to);
      to += &which == &fields.back() ? '\n' : between;
    }
  }
}

std::string encode_ply(cloud const& from, bool ascii) {
  // PLY has no integers of 64 bits.
  auto const fields = fields_of(from, [](scalar_kind kind) {
    return kind == scalar_kind::int64 || kind == scalar_kind::uint64 ? scalar_kind::float64 : kind;
  });
  constexpr char const* types[] = {"char", "uchar", "short", "ushort", "int", "uint", "", "", "float", "double"};
  auto text = fmt::format("ply\nformat {} 1.0\ncomment written by farpoint\nelement vertex {}\n",
                          ascii ? "ascii" : "binary_little_endian", from.points.size());
  for (auto const& which : fields) {
    text += fmt::format("property {} {}\n", types[static_cast<int>(which.kind)], which.name);
  }
  text += "end_header\n";
  if (ascii) {
    append_lines(from, fields, ' ', text);
  } else {
    append_records(from, fields, text);
  }
  return text;
}

std::string pcd_name(std::string const& name) {
  for (char const* const axis : {"x", "y", "z"}) {
    if (name == std::string{"n"} + axis) return std::string{"normal_"} + axis;
  }
  return name;
}

std::string encode_pcd(cloud const& from, bool ascii) {
  auto const channels = packed_colors(from);
  auto fields = coordinates(from);
  for (auto const& c : from.columns) {
    bool const packed = std::find(channels.begin(), channels.end(), &c) != channels.end();
    if (packed && c.name() != "red") continue;
    if (packed) {
      bool const with_alpha = channels.size() == 4;
      fields.push_back(
          {with_alpha ? "rgba" : "rgb", with_alpha ? scalar_kind::uint32 : scalar_kind::float32, channels});
    } else {
      fields.push_back({pcd_name(one_word(c.name())), c.kind(), {&c}});
    }
  }
  fields = with_unique_names(std::move(fields));
  std::string names, sizes, types, counts;
  for (auto const& which : fields) {
    bool const whole = is_whole(which.kind);
    bool const is_signed = whole && std::string_view{name_of(which.kind)}[0] == 'i';
    names += " " + which.name;
    sizes += fmt::format(" {}", size_of(which.kind));
    types += !whole ? " F" : is_signed ? " I" : " U";
    counts += " 1";
  }
  auto text = fmt::format(
      "# .PCD v.7 - Point Cloud Data file format\nVERSION .7\nFIELDS{}\nSIZE{}\nTYPE{}\nCOUNT{}\nWIDTH {}\nHEIGHT 1\n"
      "VIEWPOINT 0 0 0 1 0 0 0\nPOINTS {}\nDATA {}\n",
      names, sizes, types, counts, from.points.size(), from.points.size(), ascii ? "ascii" : "binary");
  if (ascii) {
    append_lines(from, fields, ' ', text);
  } else {
    append_records(from, fields, text);
  }
  return text;
}

std::string encode_csv(cloud const& from) {
  auto const fields = fields_of(from, [](scalar_kind kind) { return kind; });
  std::string text;
  for (auto const& which : fields) text += which.name + (&which == &fields.back() ? '\n' : ',');
  append_lines(from, fields, ',', text);
  return text;
}

// Version 1 of the format: the data begins at a multiple of 64 bytes.
std::string npy_header(char const* type, std::size_t rows, std::size_t columns) {
  auto text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}), }}", type, rows, columns);
  std::size_t const before = 10;
  text.append(63 - (before + text.size()) % 64, ' ');
  text += '\n';
  std::string header{"\x93NUMPY\x01\x00", 8};
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

// Fields of a row of numbers of one kind.
std::vector<field> row_fields(cloud const& from, scalar_kind kind) {
  auto fields = fields_of(from, [kind](scalar_kind) { return kind; });
  for (auto& which : fields) which.kind = kind;
  return fields;
}

std::string encode_rows(cloud const& from, scalar_kind kind, std::string text) {
  append_records(from, row_fields(from, kind), text);
  return text;
}

bin_description description_of_rows(cloud const& from) {
  bin_description made{from.points.size(), array_kind(from), {}};
  for (auto const& which : row_fields(from, made.kind)) made.columns.push_back(which.name);
  return made;
}

// Calls `write()`, and words its errors as this library's.
template <class Write>
void with_file_errors(Write const& write) {
  try {
    write();
  } catch (write_error const& error) {
    throw file_error{error.what()};
  }
}

}  // namespace

char const* why_not_written(output_format format) {
  return format == output_format::laz && !laz::is_supported() ? laz::not_written : nullptr;
}

std::optional<output_format> output_format_of(std::filesystem::path const& file) {
  auto const extension = file.extension();
  for (auto const format : {output_format::ply, output_format::pcd, output_format::npy, output_format::csv,
                            output_format::bin, output_format::las, output_format::laz}) {
    if (extension == extension_of(format)) return format;
  }
  return std::nullopt;
}

char const* extension_of(output_format format) {
  constexpr char const* extensions[] = {".ply", ".pcd", ".npy", ".csv", ".bin", ".las", ".laz"};
  return extensions[static_cast<int>(format)];
}

std::string encode_cloud(cloud const& from, output_format format, bool ascii) {
  switch (format) {
    case output_format::ply: return encode_ply(from, ascii);
    case output_format::pcd: return encode_pcd(from, ascii);
    case output_format::csv: return encode_csv(from);
    case output_format::las: return encode_las(from);
    case output_format::laz: return encode_laz(from);
    case output_format::npy:
    case output_format::bin: break;
  }
  auto const kind = array_kind(from);
  if (format == output_format::bin) return encode_rows(from, kind, {});
  char const* const type = kind == scalar_kind::float64 ? "<f8" : "<f4";
  return encode_rows(from, kind, npy_header(type, from.points.size(), 3 + from.columns.size()));
}

scalar_kind array_kind(cloud const& from) {
  if (!from.exact.empty()) return scalar_kind::float64;
  bool const fit =
      std::all_of(from.columns.begin(), from.columns.end(), [](column const& c) { return c.fits_float32(); });
  return fit ? scalar_kind::float32 : scalar_kind::float64;
}

void write_bytes(std::string const& bytes, std::filesystem::path const& file) {
  with_file_errors([&] {
    if (file == standard_stream) return write_standard_output(bytes);
    new_file made{file};
    made.write(bytes);
    made.finish();
  });
}

void write_cloud(cloud const& from, std::filesystem::path const& file, output_format format, bool ascii) {
  auto const bytes = encode_cloud(from, format, ascii);
  if (format != output_format::bin || file == standard_stream) return write_bytes(bytes, file);
  with_file_errors([&] {
    // Both are complete before either gets its name.
    new_file rows{file};
    rows.write(bytes);
    new_file description{description_of(file)};
    description.write(encode(description_of_rows(from)));
    rows.finish();
    description.finish();
  });
}

template <class Value>
std::string encode_npy(Value const* values, std::size_t rows, std::size_t columns) {
  auto bytes = npy_header(std::is_same_v<Value, float> ? "<f4" : "<i4", rows, columns);
  bytes.append(reinterpret_cast<char const*>(values), rows * columns * sizeof(Value));
  return bytes;
}

template std::string encode_npy(float const*, std::size_t, std::size_t);
template std::string encode_npy(std::int32_t const*, std::size_t, std::size_t);

}  // namespace farpoint_tools

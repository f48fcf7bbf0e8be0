#include "cloud_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

namespace farpoint_tools {

namespace {

// The columns that PCD packs into one word, by their bytes; empty if the cloud has no such colours.
std::vector<column const*> packed_colours(cloud const& from) {
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
  if (which.columns.empty()) return from.points[i][which.axis];
  if (which.columns.size() == 1) return which.columns[0]->at(i);
  std::array<char, 4> bytes{};
  for (std::size_t c = 0; c < which.columns.size(); ++c) bytes[c] = which.columns[c]->bytes()[i];
  return decode(bytes.data(), which.kind);
}

void append_bytes(cloud const& from, field const& which, std::size_t i, std::string& to) {
  std::array<char, 8> bytes{};
  if (which.columns.empty()) {
    std::memcpy(bytes.data(), &from.points[i][which.axis], sizeof(float));
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

std::vector<field> coordinates() {
  return {{"x", scalar_kind::float32, {}, 0}, {"y", scalar_kind::float32, {}, 1}, {"z", scalar_kind::float32, {}, 2}};
}

// Coordinates, and a field for each column; `kind_of(kind)` is the one that the format has for it.
template <class KindOf>
std::vector<field> fields_of(cloud const& from, KindOf const& kind_of) {
  auto fields = coordinates();
  for (auto const& c : from.columns) fields.push_back({one_word(c.name()), kind_of(c.kind()), {&c}});
  return fields;
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

scalar_kind as_float(scalar_kind) {
  return scalar_kind::float32;
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
  auto const channels = packed_colours(from);
  auto fields = coordinates();
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

std::string encode_floats(cloud const& from, std::string text) {
  append_records(from, fields_of(from, as_float), text);
  return text;
}

}  // namespace

std::optional<output_format> output_format_of(std::filesystem::path const& file) {
  auto const extension = file.extension();
  for (auto const format :
       {output_format::ply, output_format::pcd, output_format::npy, output_format::csv, output_format::bin}) {
    if (extension == extension_of(format)) return format;
  }
  return std::nullopt;
}

char const* extension_of(output_format format) {
  constexpr char const* extensions[] = {".ply", ".pcd", ".npy", ".csv", ".bin"};
  return extensions[static_cast<int>(format)];
}

std::string encode_cloud(cloud const& from, output_format format, bool ascii) {
  switch (format) {
    case output_format::ply: return encode_ply(from, ascii);
    case output_format::pcd: return encode_pcd(from, ascii);
    case output_format::csv: return encode_csv(from);
    case output_format::npy: return encode_floats(from, npy_header("<f4", from.points.size(), 3 + from.columns.size()));
    case output_format::bin: break;
  }
  return encode_floats(from, {});
}

void write_bytes(std::string const& bytes, std::filesystem::path const& file) {
  errno = 0;
  std::ofstream stream{file, std::ios::binary};
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream) {
    throw file_error{
        fmt::format("{}: cannot be written: {}", file.string(), errno != 0 ? std::strerror(errno) : "an I/O error")};
  }
}

void write_cloud(cloud const& from, std::filesystem::path const& file, output_format format, bool ascii) {
  write_bytes(encode_cloud(from, format, ascii), file);
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

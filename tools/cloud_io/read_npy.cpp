// NumPy's .npy, versions 1 to 3: an array of points, a row each.
#include <fmt/format.h>

#include <utility>

#include "cloud_filler.hpp"
#include "cloud_formats.hpp"

namespace farpoint_tools {

namespace {

struct npy_header {
  scalar_kind kind;
  byte_order order;
  bool by_columns;  // Fortran's order
  std::size_t rows;
  std::size_t columns;
  std::size_t size;  // bytes before the data
};

// Text of the header behind `'key':`, without leading blanks.
std::string_view value_of(cloud_bytes const& file, std::string_view text, std::string_view key) {
  auto const found = text.find(fmt::format("'{}'", key));
  if (found == std::string_view::npos) file.fail(fmt::format("'{}' in the .npy header", key), excerpt(text));
  text.remove_prefix(found + key.size() + 2);
  text.remove_prefix(std::min(text.find_first_not_of(" :"), text.size()));
  return text;
}

std::pair<scalar_kind, byte_order> parse_type(cloud_bytes const& file, std::string_view text) {
  constexpr std::pair<std::string_view, scalar_kind> kinds[] = {
      {"i1", scalar_kind::int8},   {"u1", scalar_kind::uint8},  {"i2", scalar_kind::int16},
      {"u2", scalar_kind::uint16}, {"i4", scalar_kind::int32},  {"u4", scalar_kind::uint32},
      {"i8", scalar_kind::int64},  {"u8", scalar_kind::uint64}, {"f4", scalar_kind::float32},
      {"f8", scalar_kind::float64}};
  auto const value = value_of(file, text, "descr");
  if (value.size() > 4 && value[0] == '\'' && value[4] == '\'') {
    for (auto const& [name, kind] : kinds) {
      if (value.substr(2, 2) == name) return {kind, value[1] == '>' ? byte_order::big : byte_order::little};
    }
  }
  file.fail("an array of integers, float32 or float64", excerpt(value));
}

// The next number of a tuple; nothing at its end.
std::optional<std::size_t> take_length(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" (,"), text.size()));
  auto const digits = text.substr(0, text.find_first_not_of("0123456789"));
  text.remove_prefix(digits.size());
  return parse_count(digits);
}

npy_header parse_header(cloud_bytes const& file) {
  auto const bytes = file.view();
  std::string_view const magic = "\x93NUMPY";
  if (bytes.size() < 12 || bytes.substr(0, magic.size()) != magic) {
    file.fail("\"\\x93NUMPY\" and a header", excerpt(bytes.substr(0, 8)));
  }
  // Version 1 has a length of two bytes, later ones of four.
  bool const is_short = bytes[6] == 1;
  std::size_t const begin = is_short ? 10 : 12;
  auto const kind = is_short ? scalar_kind::uint16 : scalar_kind::uint32;
  auto const length = static_cast<std::size_t>(decode(bytes.data() + 8, kind));
  if (length > bytes.size() - begin) {
    file.fail(fmt::format("a .npy header of {} bytes", length), fmt::format("{} bytes", bytes.size() - begin));
  }
  auto const text = bytes.substr(begin, length);
  npy_header header{};
  std::tie(header.kind, header.order) = parse_type(file, text);
  header.by_columns = value_of(file, text, "fortran_order").substr(0, 4) == "True";
  auto shape = value_of(file, text, "shape");
  auto const whole = shape;
  auto const rows = take_length(shape);
  auto const columns = take_length(shape);
  if (!rows || !columns || take_length(shape) || *columns < 3 || *columns > max_values) {
    file.fail(fmt::format("the shape of points, (N, 3) to (N, {})", max_values), excerpt(whole));
  }
  header.rows = *rows;
  header.columns = *columns;
  header.size = begin + length;
  return header;
}

}  // namespace

cloud read_npy(cloud_bytes const& file) {
  auto const header = parse_header(file);
  auto const data = file.view().substr(header.size);
  auto const size = size_of(header.kind);
  if (header.rows > data.size() / size / header.columns) {
    file.fail(fmt::format("{} x {} values of {} bytes", header.rows, header.columns, size),
              fmt::format("{} bytes", data.size()));
  }
  cloud_filler made{header.rows};
  for (std::size_t c = 0; c < header.columns; ++c) {
    made.add(c < 3 ? std::string(1, "xyz"[c]) : fmt::format("column_{}", c), header.kind);
  }
  for (std::size_t c = 0; c < header.columns; ++c) {
    for (std::size_t i = 0; i < header.rows; ++i) {
      auto const at = header.by_columns ? c * header.rows + i : i * header.columns + c;
      made.copy(c, i, data.data() + at * size, header.order);
    }
  }
  return made.take(fmt::format("NumPy, {} columns of {}", header.columns, name_of(header.kind)));
}

}  // namespace farpoint_tools

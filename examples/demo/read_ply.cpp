// Stanford PLY.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cloud_formats.hpp"

namespace farpoint_demo {

namespace {

struct ply_property {
  std::string name;
  scalar_kind kind;
  std::optional<scalar_kind> list_count;  // of a list: the type of its length
};

struct ply_element {
  std::string name;
  std::size_t count;
  std::vector<ply_property> properties;
};

enum class ply_encoding { ascii, little, big };

struct ply_header {
  ply_encoding encoding;
  std::vector<ply_element> elements;
};

std::optional<scalar_kind> parse_kind(std::string_view word) {
  constexpr std::pair<std::string_view, scalar_kind> names[] = {
      {"char", scalar_kind::int8},      {"int8", scalar_kind::int8},       {"uchar", scalar_kind::uint8},
      {"uint8", scalar_kind::uint8},    {"short", scalar_kind::int16},     {"int16", scalar_kind::int16},
      {"ushort", scalar_kind::uint16},  {"uint16", scalar_kind::uint16},   {"int", scalar_kind::int32},
      {"int32", scalar_kind::int32},    {"uint", scalar_kind::uint32},     {"uint32", scalar_kind::uint32},
      {"float", scalar_kind::float32},  {"float32", scalar_kind::float32}, {"double", scalar_kind::float64},
      {"float64", scalar_kind::float64}};
  for (auto const& [name, kind] : names) {
    if (name == word) return kind;
  }
  return std::nullopt;
}

ply_property parse_property(cloud_bytes const& file, std::string_view line) {
  auto const whole = line;
  auto const bad = [&] { file.fail("\"property TYPE NAME\" or \"property list TYPE TYPE NAME\"", excerpt(whole)); };
  take_word(line);
  ply_property property{};
  auto word = take_word(line);
  if (word == "list") {
    property.list_count = parse_kind(take_word(line));
    bool const is_count = property.list_count && *property.list_count != scalar_kind::float32 &&
                          *property.list_count != scalar_kind::float64;
    if (!is_count) bad();
    word = take_word(line);
  }
  auto const kind = parse_kind(word);
  if (!kind) bad();
  property.kind = *kind;
  property.name = take_word(line);
  if (property.name.empty()) bad();
  return property;
}

ply_element parse_element(cloud_bytes const& file, std::string_view line) {
  auto const whole = line;
  take_word(line);
  auto const name = take_word(line);
  auto const count = parse_count(take_word(line));
  if (!count) file.fail("\"element NAME COUNT\" in the PLY header", excerpt(whole));
  return {std::string{name}, *count, {}};
}

ply_encoding parse_encoding(cloud_bytes const& file, std::string_view line) {
  auto const whole = line;
  take_word(line);
  auto const name = take_word(line);
  if (name == "ascii") return ply_encoding::ascii;
  if (name == "binary_little_endian") return ply_encoding::little;
  if (name == "binary_big_endian") return ply_encoding::big;
  file.fail("\"format ascii\", \"format binary_little_endian\" or \"format binary_big_endian\"", excerpt(whole));
}

ply_header parse_header(cloud_bytes const& file, line_reader& lines) {
  if (auto const magic = lines.next(); magic != "ply") file.fail("\"ply\" in the first line", excerpt(*magic));
  ply_header header{};
  bool has_encoding = false;
  while (auto const line = lines.next()) {
    auto rest = *line;
    auto const keyword = take_word(rest);
    if (keyword == "end_header") {
      if (!has_encoding) file.fail("a line \"format ...\" in the PLY header", "none");
      return header;
    }
    if (keyword == "format") {
      header.encoding = parse_encoding(file, *line);
      has_encoding = true;
    } else if (keyword == "element") {
      header.elements.push_back(parse_element(file, *line));
    } else if (keyword == "property") {
      if (header.elements.empty()) file.fail("\"element ...\" before the first property", excerpt(*line));
      header.elements.back().properties.push_back(parse_property(file, *line));
    } else if (keyword != "comment" && keyword != "obj_info" && !keyword.empty()) {
      file.fail("a line of a PLY header", excerpt(*line));
    }
  }
  file.fail("a PLY header that ends with \"end_header\"", "the end of the file");
}

// The least bytes that a record of the element can take.
std::size_t least_bytes(ply_element const& element, ply_encoding encoding) {
  std::size_t total = 0;
  for (auto const& property : element.properties) {
    // In ASCII: one digit and what ends it.
    total += encoding == ply_encoding::ascii ? 2 : size_of(property.list_count.value_or(property.kind));
  }
  return total;
}

// Reads one record after another; values that are not kept are skipped.
class ply_body {
 public:
  ply_body(cloud_bytes const& file, line_reader const& after_header, ply_encoding encoding)
      : file_{file}, lines_{after_header}, bytes_{after_header.rest()}, encoding_{encoding} {}

  std::size_t bytes_left() const { return encoding_ == ply_encoding::ascii ? lines_.rest().size() : bytes_.size(); }

  // Reads record `index`; `keep(property, value)` gets each value that is no list.
  template <class Keep>
  void read_record(ply_element const& element, std::size_t index, Keep const& keep) {
    if (encoding_ == ply_encoding::ascii) {
      read_line(element, index, keep);
    } else {
      read_bytes(element, index, keep);
    }
  }

 private:
  [[noreturn]] void fail_truncated(ply_element const& element, std::size_t index) const {
    file_.fail(fmt::format("{} records of element \"{}\"", element.count, element.name),
               fmt::format("the end of the file in record {}", index));
  }

  template <class Keep>
  void read_line(ply_element const& element, std::size_t index, Keep const& keep) {
    auto const line = lines_.next_with_content();
    if (!line) fail_truncated(element, index);
    auto rest = *line;
    auto const fail_line = [&](std::string const& expected) {
      file_.fail(fmt::format("{} in line {} (element \"{}\")", expected, lines_.number(), element.name),
                 excerpt(*line));
    };
    auto const word = [&] {
      auto const next = take_word(rest);
      if (next.empty()) fail_line(fmt::format("a value for each of {} properties", element.properties.size()));
      return next;
    };
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      if (element.properties[p].list_count) {
        auto const length = parse_count(word());
        if (!length) fail_line("the length of a list");
        for (std::size_t i = 0; i < *length; ++i) word();
      } else {
        keep(p, [&, text = word()] {
          auto const value = parse_number(text);
          if (!value) fail_line(fmt::format("a number for \"{}\"", element.properties[p].name));
          return *value;
        });
      }
    }
    if (!take_word(rest).empty()) fail_line(fmt::format("no more than {} properties", element.properties.size()));
  }

  template <class Keep>
  void read_bytes(ply_element const& element, std::size_t index, Keep const& keep) {
    auto const order = encoding_ == ply_encoding::big ? byte_order::big : byte_order::little;
    auto const take = [&](std::size_t count, std::size_t size) {
      if (count > bytes_.size() / size) fail_truncated(element, index);
      auto const* taken = bytes_.data();
      bytes_.remove_prefix(count * size);
      return taken;
    };
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      auto const& property = element.properties[p];
      if (property.list_count) {
        double const length = decode(take(1, size_of(*property.list_count)), *property.list_count, order);
        if (length < 0)
          file_.fail(fmt::format("a list \"{}\" of 0 values or more", property.name), "a negative length");
        take(static_cast<std::size_t>(length), size_of(property.kind));
      } else {
        auto const* const value = take(1, size_of(property.kind));
        keep(p, [&, value] { return decode(value, property.kind, order); });
      }
    }
  }

  cloud_bytes const& file_;
  line_reader lines_;       // ASCII reads these,
  std::string_view bytes_;  // binary these
  ply_encoding encoding_;
};

// For each property: 0, 1, 2 if it is x, y, z, else -1.
std::vector<int> find_axes(cloud_bytes const& file, ply_element const& vertex) {
  std::vector<int> axes(vertex.properties.size(), -1);
  for (int axis = 0; axis < 3; ++axis) {
    std::string const name(1, "xyz"[axis]);
    auto const found = std::find_if(vertex.properties.begin(), vertex.properties.end(),
                                    [&](ply_property const& p) { return p.name == name && !p.list_count; });
    if (found == vertex.properties.end()) {
      file.fail(fmt::format("a property \"{}\" of the PLY element \"vertex\"", name), "none");
    }
    axes[static_cast<std::size_t>(found - vertex.properties.begin())] = axis;
  }
  return axes;
}

std::vector<std::array<float, 3>> read_vertices(cloud_bytes const& file, ply_header const& header, ply_body body) {
  for (auto const& element : header.elements) {
    bool const is_vertex = element.name == "vertex";
    auto const axes = is_vertex ? find_axes(file, element) : std::vector<int>(element.properties.size(), -1);
    std::size_t const least = least_bytes(element, header.encoding);
    if (least == 0) continue;  // no properties: nothing in the body, whatever the count
    // The last line of a file may lack its end.
    std::size_t const room = (body.bytes_left() + (header.encoding == ply_encoding::ascii ? 1 : 0)) / least;
    if (element.count > room) {
      file.fail(fmt::format("{} records of element \"{}\", {} bytes or more each", element.count, element.name, least),
                fmt::format("{} bytes", body.bytes_left()));
    }
    std::vector<std::array<float, 3>> points(is_vertex ? element.count : 0);
    for (std::size_t i = 0; i < element.count; ++i) {
      body.read_record(element, i, [&](std::size_t property, auto const& value) {
        if (int const axis = axes[property]; axis >= 0) {
          points[i][static_cast<std::size_t>(axis)] = static_cast<float>(value());
        }
      });
    }
    if (is_vertex) return points;
  }
  file.fail("an element \"vertex\" in the PLY header", "none");
}

}  // namespace

cloud read_ply(cloud_bytes const& file) {
  line_reader lines{file.view()};
  auto const header = parse_header(file, lines);
  constexpr char const* names[] = {"PLY, ascii", "PLY, binary little-endian", "PLY, binary big-endian"};
  return {read_vertices(file, header, {file, lines, header.encoding}), names[static_cast<int>(header.encoding)]};
}

}  // namespace farpoint_demo

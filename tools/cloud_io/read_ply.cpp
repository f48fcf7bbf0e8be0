// Stanford PLY.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cloud_filler.hpp"
#include "cloud_formats.hpp"

namespace farpoint_tools {

namespace {

struct ply_property {
  std::string name;
  scalar_kind kind;
  std::optional<scalar_kind> list_count;  // type of a list's length; nullopt: a scalar
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

void expect_few(cloud_bytes const& file, std::size_t count, char const* what) {
  if (count > max_values) file.fail(fmt::format("at most {} {} in the PLY header", max_values, what), "more");
}

ply_header parse_ply_header(cloud_bytes const& file, line_reader& lines) {
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
      expect_few(file, header.elements.size(), "elements");
    } else if (keyword == "property") {
      if (header.elements.empty()) file.fail("\"element ...\" before the first property", excerpt(*line));
      auto& properties = header.elements.back().properties;
      properties.push_back(parse_property(file, *line));
      expect_few(file, properties.size(), "properties of an element");
    } else if (keyword != "comment" && keyword != "obj_info" && !keyword.empty()) {
      file.fail("a line of a PLY header", excerpt(*line));
    }
  }
  file.fail("a PLY header that ends with \"end_header\"", "the end of the file");
}

// The least bytes that a record of the element can take.
std::size_t min_bytes(ply_element const& element, ply_encoding encoding) {
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
    file_.fail(fmt::format("{} records of element {}", element.count, excerpt(element.name)),
               fmt::format("the end of the file in record {}", index));
  }

  template <class Keep>
  void read_line(ply_element const& element, std::size_t index, Keep const& keep) {
    auto const line = lines_.next_with_content();
    if (!line) fail_truncated(element, index);
    auto rest = *line;
    auto const fail_line = [&](std::string const& expected) {
      file_.fail(fmt::format("{} in line {} (element {})", expected, lines_.number(), excerpt(element.name)),
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
          if (!value) fail_line(fmt::format("a number for {}", excerpt(element.properties[p].name)));
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
          file_.fail(fmt::format("a list {} of 0 values or more", excerpt(property.name)), "a negative length");
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

void expect_coordinates(cloud_bytes const& file, ply_element const& vertex) {
  for (char const axis : {'x', 'y', 'z'}) {
    auto const is_axis = [axis](ply_property const& p) { return p.name == std::string(1, axis) && !p.list_count; };
    if (std::none_of(vertex.properties.begin(), vertex.properties.end(), is_axis)) {
      file.fail(fmt::format("a property \"{}\" of the PLY element \"vertex\"", axis), "none");
    }
  }
}

// The file has room for all records of the element.
void expect_room(cloud_bytes const& file, ply_element const& element, std::size_t least, std::size_t bytes_left,
                 ply_encoding encoding) {
  // The last line of a file may lack its end.
  if (element.count <= (bytes_left + (encoding == ply_encoding::ascii ? 1 : 0)) / least) return;
  file.fail(fmt::format("{} records of element {}, {} bytes or more each", element.count, excerpt(element.name), least),
            fmt::format("{} bytes", bytes_left));
}

cloud read_vertices(ply_element const& vertex, ply_body& body, std::string const& format) {
  cloud_filler made{vertex.count};
  std::vector<std::size_t> places;
  for (auto const& property : vertex.properties) {
    places.push_back(property.list_count ? 0 : made.add(property.name, property.kind));
  }
  for (std::size_t i = 0; i < vertex.count; ++i) {
    body.read_record(vertex, i,
                     [&](std::size_t property, auto const& value) { made.put(places[property], i, value()); });
  }
  return made.take(format);
}

cloud read_body(cloud_bytes const& file, ply_header const& header, ply_body body, std::string const& format) {
  for (auto const& element : header.elements) {
    bool const is_vertex = element.name == "vertex";
    if (is_vertex) expect_coordinates(file, element);
    std::size_t const least = min_bytes(element, header.encoding);
    if (least == 0) continue;  // no properties: nothing in the body, whatever the count
    expect_room(file, element, least, body.bytes_left(), header.encoding);
    if (is_vertex) return read_vertices(element, body, format);
    for (std::size_t i = 0; i < element.count; ++i) body.read_record(element, i, [](std::size_t, auto const&) {});
  }
  file.fail("an element \"vertex\" in the PLY header", "none");
}

}  // namespace

cloud read_ply(cloud_bytes const& file) {
  line_reader lines{file.view()};
  auto const header = parse_ply_header(file, lines);
  constexpr char const* names[] = {"PLY, ascii", "PLY, binary little-endian", "PLY, binary big-endian"};
  return read_body(file, header, {file, lines, header.encoding}, names[static_cast<int>(header.encoding)]);
}

}  // namespace farpoint_tools

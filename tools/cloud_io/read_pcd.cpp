// The Point Cloud Library's PCD, versions .5 to .7.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "cloud_filler.hpp"
#include "cloud_formats.hpp"

namespace farpoint_tools {

namespace {

struct pcd_field {
  std::string name;
  std::size_t size = 4;
  char type = 'F';
  std::size_t count = 1;

  std::size_t bytes() const { return size * count; }
  bool is_axis() const { return name == "x" || name == "y" || name == "z"; }
};

struct pcd_header {
  std::vector<pcd_field> fields;
  std::optional<std::size_t> width, height, points;
  std::string data;
};

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  // One more than any good line has.
  for (auto word = take_word(line); !word.empty() && words.size() < max_values + 2; word = take_word(line)) {
    words.push_back(word);
  }
  return words;
}

// One of four kinds by its bytes.
std::optional<scalar_kind> of_size(std::size_t size, scalar_kind one, scalar_kind two, scalar_kind four,
                                   scalar_kind eight) {
  switch (size) {
    case 1: return one;
    case 2: return two;
    case 4: return four;
    case 8: return eight;
    default: return std::nullopt;
  }
}

std::optional<scalar_kind> kind_of(pcd_field const& field) {
  switch (field.type) {
    case 'F':
      if (field.size == 4) return scalar_kind::float32;
      if (field.size == 8) return scalar_kind::float64;
      return std::nullopt;
    case 'I': return of_size(field.size, scalar_kind::int8, scalar_kind::int16, scalar_kind::int32, scalar_kind::int64);
    case 'U':
      return of_size(field.size, scalar_kind::uint8, scalar_kind::uint16, scalar_kind::uint32, scalar_kind::uint64);
    default: return std::nullopt;
  }
}

// A count in the header. In an undamaged file none is larger than the file.
std::size_t parse_header_count(cloud_bytes const& file, std::string_view word, std::string_view line) {
  auto const count = parse_count(word);
  if (!count || *count > std::numeric_limits<std::uint32_t>::max()) {
    file.fail("a count in the PCD header", excerpt(line));
  }
  return *count;
}

// Applies one line of words[0] = SIZE, TYPE or COUNT to the fields.
void set_fields(cloud_bytes const& file, std::vector<std::string_view> const& words, std::string_view line,
                std::vector<pcd_field>& fields) {
  if (words.size() != fields.size() + 1) {
    file.fail(fmt::format("{} values in the PCD header's {} (as many as FIELDS before it)", fields.size(), words[0]),
              excerpt(line));
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    auto const word = words[i + 1];
    if (words[0] == "SIZE") {
      fields[i].size = parse_header_count(file, word, line);
      if (fields[i].size > 8) file.fail("sizes of 1, 2, 4 or 8 bytes in the PCD header", excerpt(line));
    } else if (words[0] == "TYPE") {
      fields[i].type = word[0];
    } else {
      fields[i].count = parse_header_count(file, word, line);
    }
  }
}

pcd_header parse_pcd_header(cloud_bytes const& file, line_reader& lines) {
  pcd_header header;
  bool first_line = true;
  while (auto const line = lines.next_with_content()) {
    auto const words = words_of(*line);
    auto const keyword = words[0];
    auto const number = [&] { return parse_header_count(file, words.size() > 1 ? words[1] : "", *line); };
    if (keyword == "FIELDS" || keyword == "COLUMNS") {
      header.fields.clear();
      if (words.size() > max_values + 1) file.fail(fmt::format("at most {} fields", max_values), "more");
      for (std::size_t i = 1; i < words.size(); ++i) header.fields.push_back({std::string{words[i]}});
    } else if (keyword == "SIZE" || keyword == "TYPE" || keyword == "COUNT") {
      set_fields(file, words, *line, header.fields);
    } else if (keyword == "WIDTH") {
      header.width = number();
    } else if (keyword == "HEIGHT") {
      header.height = number();
    } else if (keyword == "POINTS") {
      header.points = number();
    } else if (keyword == "DATA") {
      header.data = words.size() > 1 ? words[1] : "";
      return header;
    } else if (keyword[0] != '#' && keyword != "VERSION" && keyword != "VIEWPOINT") {
      file.fail(first_line ? "a PCD header (# .PCD, VERSION, FIELDS, ...)" : "a line of a PCD header", excerpt(*line));
    }
    first_line = false;
  }
  file.fail("a PCD header that ends with \"DATA ...\"", "the end of the file");
}

std::size_t count_points(cloud_bytes const& file, pcd_header const& header) {
  if (!header.width && !header.points) file.fail("WIDTH and HEIGHT, or POINTS, in the PCD header", "none of them");
  if (!header.width) return *header.points;
  std::size_t const organized = *header.width * header.height.value_or(1);  // factors below 2^32: no overflow
  if (header.points && *header.points != organized) {
    file.fail(fmt::format("WIDTH x HEIGHT = {} points", organized), fmt::format("POINTS {}", *header.points));
  }
  return organized;
}

void expect_coordinates(cloud_bytes const& file, pcd_header const& header) {
  for (char const axis : {'x', 'y', 'z'}) {
    auto const found = std::find_if(header.fields.begin(), header.fields.end(),
                                    [axis](pcd_field const& field) { return field.name == std::string(1, axis); });
    if (found == header.fields.end()) file.fail(fmt::format("a field \"{}\" in the PCD header", axis), "none");
    if (!kind_of(*found) || found->count == 0) {
      file.fail(fmt::format("field \"{}\" of TYPE F, I or U and a SIZE that it has", axis),
                fmt::format("TYPE {} SIZE {} COUNT {}", excerpt({&found->type, 1}), found->size, found->count));
    }
  }
}

// A value that is kept, and where it lies.
struct pcd_value {
  std::size_t field;
  std::size_t word;    // in an ASCII row
  std::size_t offset;  // bytes from the start of a binary record
  std::size_t within;  // bytes from the start of its field
  std::size_t place;   // in the cloud
};

// Declares the values of a record that are kept: padding, unknown types and long histograms are not.
std::vector<pcd_value> declare_values(pcd_header const& header, cloud_filler& made) {
  std::vector<pcd_value> values;
  std::size_t word = 0;
  std::size_t offset = 0;
  for (std::size_t f = 0; f < header.fields.size(); ++f) {
    auto const& field = header.fields[f];
    auto const kind = kind_of(field);
    if (kind && field.name != "_" && field.count <= max_values - values.size()) {
      bool const packed = (field.name == "rgb" || field.name == "rgba") && field.size == 4 && field.count == 1;
      for (std::size_t i = 0; i < field.count; ++i) {
        auto const name =
            field.count == 1 || (i == 0 && field.is_axis()) ? field.name : fmt::format("{}_{}", field.name, i);
        auto const place = packed ? made.add_packed_color(*kind, field.name == "rgba") : made.add(name, *kind);
        values.push_back({f, word + i, offset + i * field.size, i * field.size, place});
      }
    }
    word += field.count;
    offset += field.bytes();
  }
  return values;
}

cloud read_ascii(cloud_bytes const& file, pcd_header const& header, line_reader lines, std::size_t count) {
  std::size_t words = 0;
  for (auto const& field : header.fields) words += field.count;
  // A value is a digit and what ends it; the last line may lack its end.
  if (count > (lines.rest().size() + 1) / (2 * words)) {
    file.fail(fmt::format("{} rows of {} values", count, words), fmt::format("{} bytes", lines.rest().size()));
  }
  cloud_filler made{count};
  auto const values = declare_values(header, made);
  for (std::size_t i = 0; i < count; ++i) {
    auto const line = lines.next_with_content();
    if (!line) file.fail(fmt::format("{} rows after the PCD header", count), fmt::format("{}", i));
    auto rest = *line;
    std::size_t found = 0;
    auto next = values.begin();
    for (auto word = take_word(rest); !word.empty(); word = take_word(rest), ++found) {
      if (next == values.end() || next->word != found) continue;
      auto const value = parse_number(word);
      if (!value) {
        file.fail(fmt::format("a number for {} in line {}", excerpt(header.fields[next->field].name), lines.number()),
                  excerpt(word));
      }
      made.put(next->place, i, *value);
      ++next;
    }
    if (found != words) {
      file.fail(fmt::format("{} values in line {}", words, lines.number()),
                fmt::format("{}: {}", found, excerpt(*line)));
    }
  }
  if (auto const more = lines.next_with_content()) {
    file.fail(fmt::format("{} rows after the PCD header", count), fmt::format("more: {}", excerpt(*more)));
  }
  return made.take("PCD, ascii");
}

cloud read_binary(cloud_bytes const& file, pcd_header const& header, std::string_view body, std::size_t count) {
  std::size_t record = 0;
  for (auto const& field : header.fields) record += field.bytes();
  if (count > body.size() / record) {
    file.fail(fmt::format("{} points of {} bytes after the PCD header", count, record),
              fmt::format("{} bytes", body.size()));
  }
  cloud_filler made{count};
  auto const values = declare_values(header, made);
  for (std::size_t i = 0; i < count; ++i) {
    for (auto const& value : values) made.copy(value.place, i, body.data() + i * record + value.offset);
  }
  return made.take("PCD, binary");
}

cloud read_compressed(cloud_bytes const& file, pcd_header const& header, std::string_view body, std::size_t count) {
  if (body.size() < 8) file.fail("the two sizes of binary_compressed data", fmt::format("{} bytes", body.size()));
  auto const packed_size = static_cast<std::size_t>(decode(body.data(), scalar_kind::uint32));
  auto const size = static_cast<std::size_t>(decode(body.data() + 4, scalar_kind::uint32));
  auto const packed = body.substr(8);
  if (packed.size() < packed_size) {
    file.fail(fmt::format("{} bytes of compressed data", packed_size), fmt::format("{}", packed.size()));
  }

  // PCL leaves padding fields out of compressed data; other writers keep them. The unpacked size decides.
  std::size_t record = 0;
  std::size_t padding = 0;
  for (auto const& field : header.fields) (field.name == "_" ? padding : record) += field.bytes();
  std::size_t const with_padding = record + padding;
  auto const holds_all = [&](std::size_t bytes) { return size % bytes == 0 && size / bytes == count; };
  bool const padded = holds_all(with_padding);
  if (!padded && !holds_all(record)) {
    file.fail(fmt::format("compressed data of {} points, {} bytes each", count, with_padding),
              fmt::format("a size of {} bytes", size));
  }
  if (size > max_unpacked(file.view().size())) {
    file.fail(fmt::format("compressed data that unpacks to {} bytes at most (DATA binary has no limit)",
                          max_unpacked(file.view().size())),
              fmt::format("a size of {} bytes", size));
  }
  auto const unpacked = unpack_lzf(packed.substr(0, packed_size), size);
  if (!unpacked) file.fail(fmt::format("LZF data of {} bytes unpacked", size), "damaged data");

  // Field after field, each for all points.
  cloud_filler made{count};
  auto const values = declare_values(header, made);
  auto next = values.begin();
  std::size_t begin = 0;
  for (std::size_t f = 0; f < header.fields.size(); ++f) {
    auto const& field = header.fields[f];
    if (field.name == "_" && !padded) continue;
    for (; next != values.end() && next->field == f; ++next) {
      for (std::size_t i = 0; i < count; ++i) {
        made.copy(next->place, i, unpacked->data() + begin + i * field.bytes() + next->within);
      }
    }
    begin += count * field.bytes();
  }
  return made.take("PCD, binary compressed");
}

}  // namespace

cloud read_pcd(cloud_bytes const& file) {
  line_reader lines{file.view()};
  auto const header = parse_pcd_header(file, lines);
  expect_coordinates(file, header);
  std::size_t const count = count_points(file, header);
  if (header.data == "ascii") return read_ascii(file, header, lines, count);
  if (header.data == "binary") return read_binary(file, header, lines.rest(), count);
  if (header.data == "binary_compressed") return read_compressed(file, header, lines.rest(), count);
  file.fail("DATA ascii, DATA binary or DATA binary_compressed", excerpt("DATA " + header.data));
}

}  // namespace farpoint_tools

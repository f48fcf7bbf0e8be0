// Vertices of Wavefront .obj files. Colors are the extension that MeshLab, Blender and others write: "v x y z r g b".
#include <fmt/format.h>

#include <array>

#include "cloud_filler.hpp"
#include "cloud_formats.hpp"

namespace farpoint_tools {

namespace {

// Values of a line that begins with "v"; count is 0 for other lines.
struct obj_vertex {
  std::array<double, 7> values{};
  std::size_t count = 0;

  bool has_color() const { return count >= 6; }
  // x, y, z may be followed by a weight.
  std::size_t first_color() const { return count - 3; }
};

obj_vertex parse_vertex(cloud_bytes const& file, std::string_view line, std::size_t number) {
  obj_vertex vertex;
  auto rest = line;
  if (take_word(rest) != "v") return vertex;
  auto const fail = [&](char const* expected) {
    file.fail(fmt::format("{} in line {}", expected, number), excerpt(line));
  };
  for (auto word = take_word(rest); !word.empty(); word = take_word(rest)) {
    auto const value = parse_number(word);
    if (!value) fail("numbers");
    if (vertex.count == vertex.values.size()) fail("7 numbers at most");
    vertex.values[vertex.count++] = *value;
  }
  if (vertex.count < 3 || vertex.count == 5) fail("3, 4, 6 or 7 numbers");
  return vertex;
}

bool is_vertex(std::string_view line) {
  return take_word(line) == "v";
}

}  // namespace

cloud read_obj(cloud_bytes const& file) {
  std::size_t count = 0;
  line_reader counter{file.view()};
  while (auto const line = counter.next_with_content()) count += is_vertex(*line) ? 1 : 0;

  cloud_filler made{count};
  line_reader lines{file.view()};
  std::size_t i = 0;
  bool colored = false;
  while (auto const line = lines.next_with_content()) {
    auto const vertex = parse_vertex(file, *line, lines.number());
    if (vertex.count == 0) continue;
    if (i == 0) {
      colored = vertex.has_color();
      for (char const* const name : {"x", "y", "z"}) made.add(name, scalar_kind::float64);
      if (colored) {
        for (char const* const name : {"red", "green", "blue"}) made.add(name, scalar_kind::uint8);
      }
    }
    if (vertex.has_color() != colored) {
      file.fail(fmt::format("a color in all vertices or in none (line {})", lines.number()), excerpt(*line));
    }
    for (std::size_t axis = 0; axis < 3; ++axis) made.put(axis, i, vertex.values[axis]);
    for (std::size_t channel = 0; channel < 3 && colored; ++channel) {
      made.put(3 + channel, i, 255 * vertex.values[vertex.first_color() + channel]);
    }
    ++i;
  }
  return made.take("OBJ");
}

}  // namespace farpoint_tools

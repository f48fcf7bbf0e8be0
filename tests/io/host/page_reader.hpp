/// @file
/// Reads the pages that farpoint_viewer writes, as tools/viewer/page/decode.js does, for tests.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace farpoint_tests {

/// Values of an attribute: one for each point, or three.
struct read_attribute {
  std::string name, kind, code;
  double low = 0, high = 0;
  std::vector<std::vector<double>> values;  ///< NaN: none
};

struct read_cloud {
  std::string name;
  std::size_t points = 0, drawn = 0;
  std::size_t moment = 0, series = 0;
  double largest_error = 0;
  std::vector<std::size_t> indices;
  std::vector<std::array<double, 3>> positions;
  std::vector<read_attribute> attributes;
};

/// Finds what follows `"name":` in JSON text that has no blanks.
class json_reader {
 public:
  explicit json_reader(std::string_view text) : rest_{text} {}

  /// Goes behind the next `text`.
  void skip_to(std::string_view text) {
    auto const at = rest_.find(text);
    if (at == std::string_view::npos) throw std::runtime_error{"no " + std::string{text}};
    rest_.remove_prefix(at + text.size());
  }
  double number(std::string_view name) {
    skip_to("\"" + std::string{name} + "\":");
    return number_here();
  }
  double number_here() { return std::stod(std::string{rest_.substr(0, 40)}); }
  std::string text(std::string_view name) {
    skip_to("\"" + std::string{name} + "\":");
    return text_here();
  }
  /// The string that comes next.
  std::string text_here() {
    skip_to("\"");
    std::string read;
    for (; rest_.at(0) != '"'; rest_.remove_prefix(1)) {
      if (rest_[0] != '\\') {
        read += rest_[0];
        continue;
      }
      if (rest_.substr(0, 4) != "\\u00") throw std::runtime_error{"an escape of another kind"};
      read += static_cast<char>(std::stoi(std::string{rest_.substr(4, 2)}, nullptr, 16));
      rest_.remove_prefix(5);
    }
    rest_.remove_prefix(1);
    return read;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

class byte_reader {
 public:
  explicit byte_reader(std::string_view base64) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned bits = 0, waiting = 0;
    for (char const digit : base64) {
      auto const value = digits.find(digit);
      if (value == std::string_view::npos) throw std::runtime_error{"no base64"};
      bits = (bits << 6U) | static_cast<unsigned>(value);
      waiting += 6;
      if (waiting < 8) continue;
      waiting -= 8;
      bytes_.push_back(static_cast<std::uint8_t>(bits >> waiting));
    }
  }

  std::uint64_t fixed(int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value |= std::uint64_t{bytes_.at(at_++)} << (8 * i);
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      auto const byte = fixed(1);
      value |= (byte & 127U) << shift;
      if (byte < 128) return value;
    }
  }
  std::int64_t signed_varint() {
    auto const value = varint();
    // A number in JavaScript.
    if (value > (std::uint64_t{1} << 53U)) throw std::runtime_error{"a varint of more than 53 bits"};
    auto const half = static_cast<std::int64_t>(value / 2);
    return value % 2 == 0 ? half : -half - 1;
  }
  float float32() {
    auto const bits = static_cast<std::uint32_t>(fixed(4));
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  /// Bytes that are left: at most two, to fill up base64.
  std::size_t left() const { return bytes_.size() - at_; }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

struct read_moment {
  std::string name;
  std::vector<std::array<std::string, 2>> figures;
};

struct read_page {
  std::array<double, 3> origin{};
  double scale = 0;
  int bits = 0;
  std::vector<read_cloud> clouds;
  std::vector<std::array<std::string, 2>> figures;
  std::vector<read_moment> moments;

  explicit read_page(std::string_view html) {
    json_reader scene{part(html, "<script id=\"scene\" type=\"application/json\">")};
    scene.skip_to("\"origin\":[");
    for (auto& value : origin) {
      value = scene.number_here();
      if (&value != &origin[2]) scene.skip_to(",");
    }
    scale = scene.number("scale");
    bits = static_cast<int>(scene.number("bits"));
    scene.skip_to("\"clouds\":[");
    read_clouds(scene);
    constexpr std::string_view mark = "<script type=\"text/plain\" class=\"block\">";
    for (auto at = html.find(mark); at != std::string_view::npos; at = html.find(mark, at + 1)) {
      read_block(byte_reader{part(html.substr(at), mark)});
    }
    json_reader end{part(html, "<script id=\"end\" type=\"application/json\">")};
    for (auto& cloud : clouds) {
      end.skip_to(&cloud == &clouds[0] ? "[" : ",");
      cloud.largest_error = end.number_here();
    }
  }

 private:
  static std::string_view part(std::string_view html, std::string_view begin) {
    auto const at = html.find(begin);
    if (at == std::string_view::npos) throw std::runtime_error{"no " + std::string{begin}};
    html.remove_prefix(at + begin.size());
    return html.substr(0, html.find("</script>"));
  }

  void read_clouds(json_reader& scene) {
    // Clouds begin with {"name":, and so do their attributes, which come last in them.
    while (scene.rest().at(0) == '{' || scene.rest().substr(0, 2) == ",{") {
      read_cloud cloud;
      cloud.name = scene.text("name");
      cloud.points = static_cast<std::size_t>(scene.number("points"));
      cloud.drawn = static_cast<std::size_t>(scene.number("drawn"));
      cloud.moment = static_cast<std::size_t>(scene.number("moment"));
      cloud.series = static_cast<std::size_t>(scene.number("series"));
      scene.skip_to("\"attributes\":[");
      while (scene.rest().at(0) == '{' || scene.rest().substr(0, 2) == ",{") {
        read_attribute one;
        one.name = scene.text("name");
        one.kind = scene.text("kind");
        one.code = scene.text("code");
        one.low = scene.number("low");
        one.high = scene.number("high");
        scene.skip_to("}}");
        cloud.attributes.push_back(one);
      }
      scene.skip_to("]}");
      clouds.push_back(cloud);
    }
    figures = read_figures(scene);
    scene.skip_to("\"moments\":[");
    while (scene.rest().at(0) == '{' || scene.rest().substr(0, 2) == ",{") {
      read_moment now;
      now.name = scene.text("name");
      now.figures = read_figures(scene);
      scene.skip_to("]}");
      moments.push_back(now);
    }
  }

  static std::vector<std::array<std::string, 2>> read_figures(json_reader& scene) {
    std::vector<std::array<std::string, 2>> read;
    scene.skip_to("\"figures\":[");
    while (scene.rest().at(0) == '[' || scene.rest().substr(0, 2) == ",[") {
      auto const name = scene.text_here();
      read.push_back({name, scene.text_here()});
      scene.skip_to("]");
    }
    return read;
  }

  void read_block(byte_reader bytes) {
    auto& cloud = clouds.at(bytes.varint());
    auto const count = bytes.varint();
    auto index = bytes.varint();
    auto const size_before = cloud.indices.size();
    for (auto runs = bytes.varint(); runs > 0; --runs) {
      for (auto length = bytes.varint(); length > 0; --length) cloud.indices.push_back(index++);
      index += bytes.varint();
    }
    if (cloud.indices.size() - size_before != count) throw std::runtime_error{"runs of another length"};
    bool const in_floats = bytes.fixed(1) == 1;
    std::array<std::int64_t, 3> step{};
    for (std::uint64_t i = 0; i < count; ++i) {
      std::array<double, 3> position{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        float const normalized =
            in_floats ? bytes.float32()
                      : static_cast<float>(std::ldexp(static_cast<double>(step[axis] += bytes.signed_varint()), -bits));
        position[axis] = origin[axis] + scale * double{normalized};
      }
      cloud.positions.push_back(position);
    }
    for (auto& one : cloud.attributes) read_values(bytes, one, count);
    if (bytes.left() > 2) throw std::runtime_error{"bytes after the block"};
  }

  static void read_values(byte_reader& bytes, read_attribute& one, std::uint64_t count) {
    std::int64_t before = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      std::vector<double> value;
      if (one.code == "integers") {
        before += bytes.signed_varint();
        value = {before == -(std::int64_t{1} << 51U) ? std::nan("") : static_cast<double>(before)};
      } else if (one.code == "steps") {
        auto const code = static_cast<double>(bytes.fixed(2));
        value = {code == 65535 ? std::nan("") : one.low * (1 - code / 65534) + one.high * (code / 65534)};
      } else if (one.code == "directions") {
        auto const u = static_cast<double>(bytes.fixed(2)), v = static_cast<double>(bytes.fixed(2));
        value = direction(u, v);
      } else {
        for (int channel = 0; channel < 3; ++channel) value.push_back(static_cast<double>(bytes.fixed(1)));
      }
      one.values.push_back(value);
    }
  }

  /// Decodes a direction: from the square to the octahedron, then to the sphere.
  static std::vector<double> direction(double u, double v) {
    if (u == 65535) return {std::nan(""), std::nan(""), std::nan("")};
    double x = 2 * u / 65534 - 1, y = 2 * v / 65534 - 1;
    double const z = 1 - std::abs(x) - std::abs(y);
    if (z < 0) {
      double const folded = x;
      x = (1 - std::abs(y)) * (folded < 0 ? -1 : 1);
      y = (1 - std::abs(folded)) * (y < 0 ? -1 : 1);
    }
    double const length = std::sqrt(x * x + y * y + z * z);
    return {x / length, y / length, z / length};
  }
};

}  // namespace farpoint_tests

// Pages: what the browser will decode is compared with what went in.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/random.hpp"
#include "page_reader.hpp"
#include "visualize.hpp"

namespace {

using namespace farpoint_viewer;
using farpoint_tests::random_source;
using farpoint_tests::read_page;
namespace fs = std::filesystem;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

/// A file that goes with the test.
class scratch_page {
 public:
  scratch_page() {
    static int pages = 0;
    path_ = fs::temp_directory_path() /
            ("farpoint_test_viewer_" + std::to_string(std::hash<std::string>{}(fs::current_path().string())) + "_" +
             std::to_string(++pages) + ".html");
  }
  ~scratch_page() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  scratch_page(scratch_page const&) = delete;
  scratch_page& operator=(scratch_page const&) = delete;

  fs::path const& path() const { return path_; }
  std::string content() const {
    std::ifstream stream{path_, std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, {}};
  }

 private:
  fs::path path_;
};

struct written_page {
  page_report report;
  std::string html;
  read_page read;
};

written_page write_and_read(scene const& content) {
  scratch_page const file;
  auto const report = write_page(file.path(), content);
  auto const html = file.content();
  return {report, html, read_page{html}};
}

rows_view rows(std::vector<double> const& values, std::size_t columns = 3) {
  return {values.data(), values.size() / columns, columns};
}

bool is_finite(rows_view const& points, std::size_t row) {
  return std::isfinite(points.at(row, 0)) && std::isfinite(points.at(row, 1)) && std::isfinite(points.at(row, 2));
}

/// Points come with their indices, no farther off than the page says, which is neither more nor less than they are.
void check_points(farpoint_tests::read_cloud const& read, rows_view const& points, cloud_report const& report) {
  std::vector<std::size_t> finite;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    if (is_finite(points, i)) finite.push_back(i);
  }
  REQUIRE(read.points == points.rows());
  REQUIRE(read.drawn == finite.size());
  REQUIRE(read.indices == finite);
  REQUIRE(report.drawn == finite.size());
  REQUIRE(report.left_out == points.rows() - finite.size());
  double largest = 0;
  for (std::size_t i = 0; i < finite.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      largest = std::max(largest, std::abs(read.positions[i][axis] - points.at(finite[i], axis)));
    }
  }
  REQUIRE(largest == report.largest_error);
  REQUIRE(read.largest_error == report.largest_error);
}

/// Sweeps as a LiDAR makes them, or points in no order; one in `not_finite` (if > 0) is not finite.
std::vector<double> make_points(random_source& random, std::size_t count, std::array<double, 3> center, double extent,
                                std::int64_t not_finite, bool in_order) {
  std::vector<double> points;
  for (std::size_t i = 0; i < count; ++i) {
    double const angle = 0.01 * static_cast<double>(i);
    std::array<double, 3> const around{std::cos(angle), std::sin(angle), 0.1 * random.uniform()};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      points.push_back(center[axis] + extent / 2 * (in_order ? around[axis] : 2.0 * random.uniform() - 1));
    }
    if (not_finite > 0 && random.below(not_finite) == 0) {
      std::array<double, 3> const values{nan_value, infinity, -infinity};
      points[3 * i + static_cast<std::size_t>(random.below(3))] = values[static_cast<std::size_t>(random.below(3))];
    }
  }
  return points;
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("a page has the points of its clouds, off by no more than it says", "[viewer]") {
  std::uint64_t const seed = GENERATE(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
  CAPTURE(seed);
  random_source random{seed};
  std::array<std::size_t, 8> const sizes{0, 1, 2, 500, 32767, 32768, 32769, 70000};
  std::array<std::array<double, 3>, 4> const centers{
      {{0, 0, 0}, {-50, 20, 1}, {450'000, 5'400'000, 120}, {1e-9, -1e9, 1e5}}};
  std::array<double, 4> const extents{0, 1e-3, 100, 5e4};
  auto const size = sizes[static_cast<std::size_t>(random.below(8))];
  auto const center = centers[static_cast<std::size_t>(random.below(4))];
  auto const extent = extents[static_cast<std::size_t>(random.below(4))];
  std::array<std::int64_t, 4> const shares{0, 1, 2, 100};
  auto const input = make_points(random, size, center, extent, shares[static_cast<std::size_t>(random.below(4))],
                                 random.below(2) == 0);
  auto const result = make_points(random, 100, center, extent, 0, false);
  CAPTURE(size, center, extent);
  auto const page = write_and_read({"t", {{"input", rows(input)}, {"result", rows(result)}}});
  REQUIRE(page.report.bytes == page.html.size());
  check_points(page.read.clouds.at(0), rows(input), page.report.clouds.at(0));
  check_points(page.read.clouds.at(1), rows(result), page.report.clouds.at(1));
  // Half a step, of which the larger side has at least 2^23, and what the addition of the origin rounds.
  double const largest = std::abs(center[1]) + extent;
  for (auto const& report : page.report.clouds) REQUIRE(report.largest_error <= extent * 0x1p-23 + largest * 0x1p-43);
}

TEST_CASE("a sequence has the clouds of all moments", "[viewer]") {
  random_source random{5};
  std::vector<std::vector<double>> points;
  scene sequence;
  for (std::size_t i = 0; i < 5; ++i) {
    points.push_back(make_points(random, 100 * i, {double(i), 0, 0}, 10, 7, true));
    points.push_back(make_points(random, 10, {double(i), 0, 0}, 10, 0, true));
  }
  for (std::size_t i = 0; i < 5; ++i) {
    moment now{"moment " + std::to_string(i), {{"input", rows(points[2 * i])}}, {{"number", std::to_string(i)}}};
    if (i != 3) now.clouds.push_back({"result", rows(points[2 * i + 1])});
    sequence.moments.push_back(now);
  }
  auto const page = write_and_read(sequence);
  REQUIRE(page.read.clouds.size() == 9);
  std::size_t at = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    if (i == 7) continue;
    CAPTURE(i);
    auto const& read = page.read.clouds[at];
    check_points(read, rows(points[i]), page.report.clouds.at(at++));
    REQUIRE(read.moment == i / 2);
    REQUIRE(read.series == i % 2);
  }
  for (std::size_t i = 0; i < 5; ++i) {
    REQUIRE(page.read.moments.at(i).name == "moment " + std::to_string(i));
    REQUIRE(page.read.moments[i].figures == std::vector<std::array<std::string, 2>>{{"number", std::to_string(i)}});
  }
  scratch_page const file;
  sequence.clouds = {{"more", rows(points[0])}};
  REQUIRE_THROWS_AS(write_page(file.path(), sequence), std::invalid_argument);
  sequence.clouds.clear();
  sequence.moments[2].clouds.clear();
  REQUIRE_THROWS_AS(write_page(file.path(), sequence), std::invalid_argument);
}

TEST_CASE("a shape has the attributes that it needs", "[viewer]") {
  std::vector<double> const points{0, 0, 0, 1, 1, 1}, numbers{1, 2};
  cloud shaped{"c",
               rows(points),
               {{"number", attribute_kind::number, numbers},
                {"label", attribute_kind::label, numbers},
                {"direction", attribute_kind::direction, rows(points)}}};
  auto const written = [&shaped](std::optional<cube_shape> cubes, std::optional<splat_shape> splats) {
    shaped.cubes = cubes;
    shaped.splats = splats;
    scratch_page const file;
    scene content;
    content.clouds = {shaped};
    write_page(file.path(), content);
    return file.content();
  };
  auto const html = written(cube_shape{{0.5, -1, 2}, {1, 2, 3}, {0, 0, 0}}, splat_shape{2, 2, 0, 0});
  REQUIRE(count_of(html, R"("cubes":{"lower":[0.5,-1,2],"size":[1,2,3],"cells":[0,0,0]})") == 1);
  REQUIRE(count_of(html, R"("splats":{"normal":2,"tangent":2,"along":0,"across":0})") == 1);
  REQUIRE(count_of(written({}, {}), R"("cubes":null,"splats":null)") == 1);
  std::vector<cube_shape> const bad_cubes{{{0, 0, 0}, {1, 1, 1}, {0, 0, 3}},
                                          {{0, 0, 0}, {1, 1, 1}, {0, 1, 0}},
                                          {{0, 0, 0}, {1, 0, 1}, {0, 0, 0}},
                                          {{0, 0, 0}, {1, nan_value, 1}, {0, 0, 0}},
                                          {{infinity, 0, 0}, {1, 1, 1}, {0, 0, 0}}};
  for (auto const& bad : bad_cubes) REQUIRE_THROWS_AS(written(bad, {}), std::invalid_argument);
  std::vector<splat_shape> const bad_splats{{0, 2, 0, 0}, {2, 3, 0, 0}, {2, 2, 1, 0}, {2, 2, 0, 2}};
  for (auto const& bad : bad_splats) REQUIRE_THROWS_AS(written({}, bad), std::invalid_argument);
}

TEST_CASE("strays do not cost the other points their precision", "[viewer]") {
  random_source random{21};
  auto points = make_points(random, 100'000, {0, 0, 0}, 100, 50, false);
  points[3 * 70'000] = 1e30;
  points[3 * 70'001 + 1] = -1e12;
  for (std::size_t i = 70'000; i < 70'002; ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (!std::isfinite(points[3 * i + axis])) points[3 * i + axis] = 1;
    }
  }
  auto const page = write_and_read({"t", {{"strays", rows(points)}}});
  auto const& read = page.read.clouds.at(0);
  check_points(read, rows(points), page.report.clouds.at(0));
  for (std::size_t i = 0; i < read.indices.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double const value = points[3 * read.indices[i] + axis];
      REQUIRE(std::abs(read.positions[i][axis] - value) <= std::max(100 * 0x1p-23, std::abs(value) * 0x1p-23));
    }
  }
}

TEST_CASE("points beyond what a float holds are left out", "[viewer]") {
  std::vector<double> const points{0, 0, 0, 1, 1, 1, 1e300, 0, 0, 2, 2, 2};
  auto const page = write_and_read({"t", {{"huge", rows(points)}}});
  REQUIRE(page.report.clouds[0].left_out == 1);
  REQUIRE(page.read.clouds[0].indices == std::vector<std::size_t>{0, 1, 3});
}

TEST_CASE("coordinates in steps of a power of two are exact", "[viewer]") {
  random_source random{3};
  std::vector<float> points(3 * 40'000);
  for (auto& value : points) value = static_cast<float>(random.below(200 * 1024)) / 1024 - 80;
  auto const page = write_and_read({"t", {{"street", {points.data(), points.size() / 3, 3}}}});
  REQUIRE(page.report.clouds[0].largest_error == 0);
  REQUIRE(page.read.clouds[0].positions[12'345][2] == double{points[3 * 12'345 + 2]});
}

TEST_CASE("attributes of all kinds, in rows with gaps", "[viewer]") {
  std::uint64_t const seed = GENERATE(31, 32, 33);
  CAPTURE(seed);
  random_source random{seed};
  std::size_t const count = 40'000;
  // Each row: intensity, ring, label, normal, color, and something else.
  std::size_t const stride = 10;
  std::vector<double> table(stride * count);
  for (std::size_t i = 0; i < count; ++i) {
    double* const row = &table[stride * i];
    row[0] = random.below(50) == 0 ? nan_value : 3 * random.uniform() - 1;
    row[1] = static_cast<double>(random.below(256));
    row[2] = random.below(40) == 0
                 ? infinity
                 : static_cast<double>(random.below(std::int64_t{1} << 51U) - (std::int64_t{1} << 50U));
    for (std::size_t c = 3; c < 6; ++c) row[c] = random.below(4) == 0 ? 0 : 1e-3 * (2 * random.uniform() - 1);
    if (random.below(50) == 0) row[4] = nan_value;
    for (std::size_t c = 6; c < 9; ++c) row[c] = static_cast<double>(random.below(256));
  }
  auto const points = make_points(random, count, {0, 0, 0}, 10, 7, true);
  auto const column = [&](std::size_t first, std::size_t columns) {
    return rows_view{&table[first], count, columns, stride};
  };
  auto const page = write_and_read({"t",
                                    {{"cloud",
                                      rows(points),
                                      {{"intensity", attribute_kind::number, column(0, 1)},
                                       {"ring", attribute_kind::number, column(1, 1)},
                                       {"label", attribute_kind::label, column(2, 1)},
                                       {"normal", attribute_kind::direction, column(3, 3)},
                                       {"color", attribute_kind::color, column(6, 3)}}}}});
  auto const& read = page.read.clouds.at(0);
  REQUIRE(read.attributes.size() == 5);
  REQUIRE(read.attributes[0].code == "steps");
  REQUIRE(read.attributes[1].code == "integers");
  for (std::size_t i = 0; i < read.indices.size(); ++i) {
    double const* const row = &table[stride * read.indices[i]];
    auto const value = [&](std::size_t which) { return read.attributes[which].values.at(i); };
    if (std::isnan(row[0])) {
      REQUIRE(std::isnan(value(0)[0]));
    } else {
      REQUIRE(std::abs(value(0)[0] - row[0]) <= 3.0 / 65534 / 2 * 1.0001);
    }
    REQUIRE(value(1)[0] == row[1]);
    if (std::isinf(row[2])) {
      REQUIRE(std::isnan(value(2)[0]));
    } else {
      REQUIRE(value(2)[0] == row[2]);
    }
    double const length = std::sqrt(row[3] * row[3] + row[4] * row[4] + row[5] * row[5]);
    auto const normal = value(3);
    if (length > 0) {
      // The sine of the angle between them: 0.01 degrees.
      double const x = normal[1] * row[5] - normal[2] * row[4], y = normal[2] * row[3] - normal[0] * row[5],
                   z = normal[0] * row[4] - normal[1] * row[3];
      REQUIRE(std::sqrt(x * x + y * y + z * z) / length < 1.8e-4);
      REQUIRE(normal[0] * row[3] + normal[1] * row[4] + normal[2] * row[5] > 0);
    } else {
      REQUIRE(std::isnan(normal[0]));  // of zero or NaN
    }
    REQUIRE(value(4) == std::vector<double>{row[6], row[7], row[8]});
  }
}

TEST_CASE("attributes at the ends of their range", "[viewer]") {
  std::vector<double> const points{0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0};
  std::vector<double> const huge{-1.5e308, 1.5e308, 0.5, nan_value}, same{0.25, 0.25, 0.25, 0.25},
      none{nan_value, infinity, -infinity, nan_value}, axes{0, 0, -1, -1, 0, 0, 0, -1, 0, 1e-300, 0, 0};
  auto const page = write_and_read({"t",
                                    {{"cloud",
                                      rows(points),
                                      {{"huge", attribute_kind::number, rows(huge, 1)},
                                       {"same", attribute_kind::number, rows(same, 1)},
                                       {"none", attribute_kind::number, rows(none, 1)},
                                       {"axes", attribute_kind::direction, rows(axes)}}}}});
  auto const& read = page.read.clouds.at(0).attributes;
  REQUIRE(read[0].values[0][0] == -1.5e308);
  REQUIRE(read[0].values[1][0] == 1.5e308);
  REQUIRE(std::isnan(read[0].values[3][0]));
  REQUIRE(read[1].values[2][0] == 0.25);
  for (auto const& value : read[2].values) REQUIRE(std::isnan(value[0]));
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double const expected = axes[3 * i + axis] == 0 ? 0 : std::copysign(1.0, axes[3 * i + axis]);
      REQUIRE(std::abs(read[3].values[i][axis] - expected) < 1e-4);
    }
  }
}

TEST_CASE("names are text, whatever they contain", "[viewer]") {
  std::string const evil = "a</script><script>alert(1)</script><!--<b>&amp;\"'\\\n%%SCENE%%";
  std::vector<double> const points{1, 2, 3}, values{0.5};
  scene content{evil, {{evil, rows(points), {{evil, attribute_kind::number, rows(values, 1), evil}}}}, {{evil, evil}}};
  content.unit = content.color_by = evil;
  auto const page = write_and_read(content);
  REQUIRE(page.html.find("alert(1)</script>") == std::string::npos);
  REQUIRE(count_of(page.html, "<script") == 4);  // scene, program, one block, end
  REQUIRE(count_of(page.html, "</script>") == 4);
  REQUIRE(page.html.find("<b>") == std::string::npos);
  REQUIRE(page.html.find("<title>a&lt;/script&gt;&lt;script&gt;alert(1)") != std::string::npos);
  REQUIRE(page.read.clouds[0].name == evil);
  REQUIRE(page.read.clouds[0].attributes[0].name == evil);
  REQUIRE(page.read.figures[0] == std::array<std::string, 2>{evil, evil});

  // Not UTF-8: a byte that begins nothing, one that follows nothing, an overlong "/", half a pair, an end in between.
  content.clouds[0].name = "\xFF-\x80-\xC0\xAF-\xED\xA0\x80-\xC3\xA4\xE2\x82";
  auto const replaced = write_and_read(content).read.clouds[0].name;
  std::string const r = "\xEF\xBF\xBD";
  REQUIRE(replaced == r + "-" + r + "-" + r + r + "-" + r + r + r + "-\xC3\xA4" + r + r);
}

TEST_CASE("a page asks nothing of the network", "[viewer]") {
  std::vector<double> const points{1, 2, 3};
  auto const html = write_and_read({"t", {{"one", rows(points)}}}).html;
  REQUIRE(html.find("default-src 'none'") != std::string::npos);
  for (auto const* const part : {"http:", "https:", "src=", "import ", "fetch(", "%%", "url("}) {
    CAPTURE(part);
    REQUIRE(html.find(part) == std::string::npos);
  }
}

TEST_CASE("pages are compact", "[viewer]") {
  random_source random{5};
  auto const bytes_a_point = [&](std::size_t count, bool in_order) {
    auto const points = make_points(random, count, {450'000, 5'400'000, 100}, 150, 0, in_order);
    std::vector<double> const one(points.begin(), points.begin() + 3);
    auto const without = write_and_read({"t", {{"c", rows(one)}}}).report.bytes;
    auto const with = write_and_read({"t", {{"c", rows(points)}}}).report.bytes;
    return static_cast<double>(with - without) / static_cast<double>(count);
  };
  // Base64 has four bytes for three.
  REQUIRE(bytes_a_point(100'000, false) <= 12.1 * 4 / 3);
  REQUIRE(bytes_a_point(100'000, true) <= 10.1 * 4 / 3);
}

TEST_CASE("what is no scene is refused, and what cannot be written is named", "[viewer]") {
  scratch_page const file;
  std::vector<double> const points{1, 2, 3, 4, 5, 6}, values{1};
  REQUIRE_THROWS_AS(write_page(file.path(), {"t", {}}), std::invalid_argument);
  REQUIRE_THROWS_AS(write_page(file.path(), {"t", std::vector<cloud>(5)}), std::invalid_argument);
  REQUIRE_THROWS_AS(write_page(file.path(), {"t", {{"c", rows(points, 2)}}}), std::invalid_argument);
  for (auto const kind : {attribute_kind::number, attribute_kind::direction}) {
    REQUIRE_THROWS_AS(write_page(file.path(), {"t", {{"c", rows(points), {{"a", kind, rows(values, 1)}}}}}),
                      std::invalid_argument);
  }
  REQUIRE_THROWS_AS(
      write_page(file.path(), {"t", {{"c", rows(points), {{"a", attribute_kind::color, rows(points, 2)}}}}}),
      std::invalid_argument);
  REQUIRE_FALSE(fs::exists(file.path()));

  scene const good{"t", {{"c", rows(points)}}};
  using Catch::Matchers::ContainsSubstring;
  REQUIRE_THROWS_WITH(write_page("/nowhere/page.html", good), ContainsSubstring("/nowhere/page.html"));
  if (fs::exists("/dev/full")) {
    REQUIRE_THROWS_WITH(write_page("/dev/full", good), ContainsSubstring("/dev/full"));
    REQUIRE(fs::exists("/dev/full"));
  }
}

TEST_CASE("clouds without points make a page", "[viewer]") {
  std::vector<float> const nowhere{NAN, 0, 0, 0, INFINITY, 0};
  auto const page = write_and_read({"t", {{"none", {}}, {"not finite", {nowhere.data(), 2, 3}}}, {{"Points", "0"}}});
  REQUIRE(page.report.clouds[0].drawn == 0);
  REQUIRE(page.report.clouds[1].left_out == 2);
  REQUIRE(count_of(page.html, "class=\"block\"") == 0);
}

#ifdef __linux__
namespace {

/// The most memory this process has had since the last call of forget_peak(), in bytes.
[[maybe_unused]] std::size_t peak_memory() {
  std::ifstream status{"/proc/self/status"};
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::stoul(line.substr(6)) * 1024;
  }
  return 0;
}

[[maybe_unused]] bool forget_peak() {
  std::ofstream stream{"/proc/self/clear_refs"};
  stream << 5;
  stream.close();
  return stream.good();
}

}  // namespace

SLOW_TEST_CASE("five million points take no memory of their own", "[viewer][slow]") {
  std::size_t const count = 5'000'000;
  std::vector<float> points(3 * count), intensity(count);
  random_source random{9};
  for (auto& value : points) value = 100 * random.uniform();
  for (auto& value : intensity) value = random.uniform();
  if (!forget_peak()) {
    WARN("SKIPPED: this system does not forget the peak of a process's memory");
    return;
  }
  auto const before = peak_memory();
  scratch_page const file;
  auto const report = write_page(
      file.path(),
      {"t", {{"c", {points.data(), count, 3}, {{"i", attribute_kind::number, {intensity.data(), count, 1}}}}}});
  REQUIRE(peak_memory() < before + (std::size_t{32} << 20U));
  REQUIRE(report.clouds[0].drawn == count);
  REQUIRE(report.clouds[0].largest_error <= 128 * 0x1p-21 * 1.001);
  // Nine bytes for coordinates in no order, two for the intensity.
  REQUIRE(report.bytes <= count * 11.1 * 4 / 3);
}
#endif

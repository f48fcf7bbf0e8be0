// farpoint_viewer_pages FOLDER: writes the pages that the test in a browser opens.
//
// two.html      a wave at coordinates as UTM has them, some of its points not finite, and each twentieth point of it
// names.html    names that would be markup
// empty.html    no points
// cubes.html    four voxels
// splats.html   a sphere of splats
// ellipses.html three splats, one behind the others
// sequence.html three moments: a row of points that moves along x by its length, and each tenth of it but at the last
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <limits>
#include <vector>

#include "visualize.hpp"

namespace {

using namespace farpoint_viewer;

struct wave {
  std::vector<double> points;
  std::vector<float> intensity, normals;
  std::vector<std::int32_t> voxels;
  std::vector<std::uint8_t> colors;

  std::size_t size() const { return voxels.size(); }
};

/// Makes a wave of every `step`-th of 200 x 200 points, with a spacing of 0.25 m. Every hundredth point is not finite.
wave make_wave(std::size_t step) {
  wave made;
  for (std::size_t i = 0; i < 40'000; i += step) {
    double const x = 0.25 * static_cast<double>(i % 200), y = 0.25 * static_cast<double>(i / 200);
    double const z = 3 * std::sin(x / 6) * std::cos(y / 8);
    bool const is_finite = i % 100 != 50;
    made.points.insert(made.points.end(), {450'000 + x, 5'400'000 + y, is_finite ? 120 + z : std::nan("")});
    made.intensity.push_back(static_cast<float>(0.5 + 0.5 * std::sin(x) * std::sin(y)));
    made.normals.insert(made.normals.end(), {static_cast<float>(-0.5 * std::cos(x / 6) * std::cos(y / 8)),
                                             static_cast<float>(0.375 * std::sin(x / 6) * std::sin(y / 8)), 1.0F});
    made.voxels.push_back(static_cast<std::int32_t>(x / 5) + 10 * static_cast<std::int32_t>(y / 5));
    for (double const value : {x * 5, y * 5, 128.0}) made.colors.push_back(static_cast<std::uint8_t>(value));
  }
  return made;
}

cloud view(wave const& of, char const* name) {
  auto const n = of.size();
  return {name,
          {of.points.data(), n, 3},
          {{"Intensity", attribute_kind::number, {of.intensity.data(), n, 1}},
           {"Voxel", attribute_kind::label, {of.voxels.data(), n, 1}},
           {"Normal", attribute_kind::direction, {of.normals.data(), n, 3}},
           {"Color", attribute_kind::color, {of.colors.data(), n, 3}}}};
}

/// 100 points on a line along y, at x = 10 times the moment.
std::vector<float> row_at(std::size_t moment, std::size_t step) {
  std::vector<float> points;
  for (std::size_t i = 0; i < 100; i += step) {
    points.insert(points.end(), {10 * static_cast<float>(moment), 0.1F * static_cast<float>(i), 0});
  }
  return points;
}

void write_sequence(std::filesystem::path const& file) {
  std::vector<std::vector<float>> points;
  for (std::size_t i = 0; i < 3; ++i) {
    points.push_back(row_at(i, 1));
    points.push_back(row_at(i, 10));
  }
  scene sequence;
  sequence.title = "Rows";
  sequence.figures = {{"Moments", "3"}};
  for (std::size_t i = 0; i < 3; ++i) {
    moment now{"row " + std::to_string(i), {{"rows", rows_view{points[2 * i].data(), 100, 3}}}, {}};
    if (i < 2) now.clouds.push_back({"tenths", rows_view{points[2 * i + 1].data(), 10, 3}});
    now.figures = {{"Place", std::to_string(10 * i) + " m"}};
    sequence.moments.push_back(now);
  }
  write_page(file, sequence);
}

/// Writes points in distant voxels of 2 m, cells (0, 0, 0), (4, 0, 0), (0, 3, 0) and (4, 3, 2), and in their corners.
void write_cubes(std::filesystem::path const& file) {
  std::vector<std::int32_t> const x{0, 4, 0, 4}, y{0, 0, 3, 3}, z{0, 0, 0, 2};
  std::vector<float> points;
  for (std::size_t i = 0; i < 4; ++i) {
    for (auto const cell : {x[i], y[i], z[i]}) points.push_back(100.3F + 2 * static_cast<float>(cell));
  }
  constexpr auto number = attribute_kind::number;
  cloud voxels{"voxels", rows_view{points.data(), 4, 3}, {{"Z", number, z}, {"Y", number, y}, {"X", number, x}}};
  voxels.cubes = cube_shape{{100, 100, 100}, {2, 2, 2}, {2, 1, 0}};
  scene content;
  content.title = "Cubes";
  content.clouds = {voxels};
  write_page(file, content);
}

struct ellipses {
  std::vector<float> points, normals, tangents, along, across;
  std::vector<std::uint8_t> colors;

  cloud view(char const* name) const {
    auto const n = along.size();
    cloud made{name,
               {points.data(), n, 3},
               {{"Normal", attribute_kind::direction, {normals.data(), n, 3}},
                {"Tangent", attribute_kind::direction, {tangents.data(), n, 3}},
                {"Along", attribute_kind::number, along},
                {"Across", attribute_kind::number, across}}};
    made.splats = splat_shape{0, 1, 2, 3};
    if (!colors.empty()) made.attributes.push_back({"Color", attribute_kind::color, {colors.data(), n, 3}});
    return made;
  }
};

/// 3,000 splats on a sphere of 1 m, which cover it.
ellipses make_sphere() {
  ellipses made;
  for (std::size_t i = 0; i < 3000; ++i) {
    double const z = 1 - (2 * static_cast<double>(i) + 1) / 3000, angle = 2.399963 * static_cast<double>(i);
    double const r = std::sqrt(1 - z * z);
    for (double const value : {r * std::cos(angle), r * std::sin(angle), z}) {
      made.points.push_back(static_cast<float>(value));
      made.normals.push_back(static_cast<float>(value));
    }
    for (double const value : {-std::sin(angle), std::cos(angle), 0.0}) {
      made.tangents.push_back(static_cast<float>(value));
    }
    made.along.push_back(i % 2 == 0 ? 0.08F : 0.081F);
    made.across.push_back(0.07F);
  }
  return made;
}

/// Seen from above: a red ellipse around (-0.5, 0), four times as long along x as along y, a blue one around (0.5, 0),
/// and far below both a green one, whose normal points down.
ellipses make_ellipses() {
  return {{-0.5F, 0, 0, 0.5F, 0, 0, 0, 0, -3},
          {0, 0, 1, 0, 0, 1, 0, 0, -1},
          {1, 0, 0, 1, 0, 0, 1, 0, 0},
          {1, 1, 2},
          {0.25F, 0.25F, 2},
          {255, 0, 0, 0, 0, 255, 0, 255, 0}};
}

void write_splats(std::filesystem::path const& folder) {
  auto const sphere = make_sphere();
  scene content;
  content.title = "Sphere";
  content.clouds = {sphere.view("sphere")};
  write_page(folder / "splats.html", content);
  auto const few = make_ellipses();
  content.clouds = {few.view("ellipses")};
  content.color_by = "Color";
  write_page(folder / "ellipses.html", content);
}

void write_pages(std::filesystem::path const& folder) {
  auto const input = make_wave(1), result = make_wave(20);
  scene two{"Wave", {view(input, "input"), view(result, "result")}, {{"Points", "40,000"}, {"Samples", "2,000"}}};
  write_page(folder / "two.html", two);

  write_sequence(folder / "sequence.html");
  write_cubes(folder / "cubes.html");
  write_splats(folder);

  char const* const evil =
      "</script><script>document.title='taken'</script><img src=x onerror=alert(1)>&quot;\"'%%BLOCKS%%\xFF";
  scene names{evil, {view(result, evil)}, {{evil, evil}}};
  for (auto& one : names.clouds[0].attributes) one.name = one.unit = evil;
  names.unit = evil;
  write_page(folder / "names.html", names);

  auto const nowhere = std::numeric_limits<double>::infinity();
  std::vector<double> const infinite{nowhere, 0, 0, 0, -nowhere, 1};
  write_page(folder / "empty.html",
             {"Nothing", {{"none", {}}, {"infinite", {infinite.data(), 2, 3}}}, {{"Points", "0"}}});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "farpoint_viewer_pages FOLDER\n";
    return 2;
  }
  try {
    std::filesystem::create_directories(argv[1]);
    write_pages(argv[1]);
  } catch (std::exception const& error) {
    std::cerr << "farpoint_viewer_pages: " << error.what() << '\n';
    return 1;
  }
}

// Parts of the program and the demo: readers of cloud files, the simulated sweep, measures and pictures.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include <farpoint/reference/voxelize.hpp>

#include "../../support/catch.hpp"
#include "cloud_formats.hpp"
#include "cloud_io.hpp"
#include "coverage.hpp"
#include "file_bytes.hpp"
#include "image.hpp"
#include "render.hpp"
#include "street_scene.hpp"
#include "voxels.hpp"

namespace {

using namespace farpoint_tools;
namespace fs = std::filesystem;
using points3 = std::vector<std::array<float, 3>>;

// Exact in every scalar type that the files hold, except the last point.
points3 const three_points{{1, 2, 3}, {-4, 5, -6}, {0, 7, 100}};

// Returns records of `columns` floats: three coordinates, then `extra(point, column)`.
template <class Extra>
std::string records(int count, int columns, Extra const& extra) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) {
    values.insert(values.end(), {1.5F * static_cast<float>(i) - 20, 40.25F - static_cast<float>(i), -1.25F});
    for (int column = 3; column < columns; ++column) values.push_back(extra(i, column));
  }
  return floats(values);
}

// Returns an LZF stream of literals only.
std::string pack_lzf_plainly(std::string const& text) {
  std::string packed;
  for (std::size_t i = 0; i < text.size(); i += 32) {
    auto const run = text.substr(i, 32);
    packed += static_cast<char>(run.size() - 1);
    packed += run;
  }
  return packed;
}

std::string const xyz_header =
    "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n"
    "WIDTH 3\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 3\n";

// Header in PCL's style: padding, a double, an integer, and a field of several values.
std::string const mixed_header =
    "VERSION .7\nFIELDS label x _ y normal z\nSIZE 2 8 1 4 4 2\nTYPE U F U F F I\nCOUNT 1 1 4 1 3 1\n"
    "WIDTH 3\nHEIGHT 1\nPOINTS 3\n";

std::string mixed_record(std::array<float, 3> const& p) {
  return raw(std::uint16_t{7}) + raw(static_cast<double>(p[0])) + "pads" + raw(p[1]) + floats({9, 9, 9}) +
         raw(static_cast<std::int16_t>(p[2]));
}

}  // namespace

TEST_CASE("headerless files are read by their names", "[cloud_io]") {
  scratch_folder const folder;
  std::string const content = floats(std::vector<float>(60, 0.5F));  // fits every layout
  auto const size_of = [&](std::string const& name) { return read_cloud(folder.write(name, content)).points.size(); };
  CHECK(size_of("a.xyz.bin") == 20);
  CHECK(size_of("a.XYZ.BIN") == 20);
  CHECK(size_of("a.xyzi.bin") == 15);
  CHECK(size_of("a.pcd.bin") == 12);
  CHECK(size_of("nuscenes_sweep.bin") == 12);
  CHECK(size_of("velodyne_points/000000.bin") == 15);
  CHECK(has(complaint(folder.write("plain/a.bin", content)), "--format"));
  CHECK(read_cloud(folder.path() / "plain/a.bin", file_format::xyz).points.size() == 20);
  CHECK(read_cloud(folder.path() / "a.xyz.bin", file_format::nuscenes).points.size() == 12);
}

TEST_CASE("headerless files are read by their content", "[cloud_io]") {
  scratch_folder const folder;
  auto const read = [&](std::string const& content) { return read_cloud(folder.write("a.bin", content)); };
  auto const intensity = [](int i, int) { return static_cast<float>(i % 10) / 10; };
  auto const intensity_and_ring = [](int i, int column) { return static_cast<float>(column == 3 ? i : i % 32); };

  // 60 records of one layout are a whole number of records of each other layout, except nuScenes as xyz.
  auto const kitti = read(records(60, 4, intensity));
  CHECK(kitti.points.size() == 60);
  CHECK(has(kitti.format, "KITTI"));
  CHECK(kitti.points[2] == std::array<float, 3>{-17, 38.25F, -1.25F});

  auto const nuscenes = read(records(60, 5, intensity_and_ring));
  CHECK(nuscenes.points.size() == 60);
  CHECK(has(nuscenes.format, "nuScenes"));

  auto const xyz = read(records(80, 3, intensity));
  CHECK(xyz.points.size() == 80);
  CHECK(has(xyz.format, "xyz"));
}

TEST_CASE("points without a return stay in the cloud", "[cloud_io]") {
  scratch_folder const folder;
  float const nan = std::numeric_limits<float>::quiet_NaN();
  auto const cloud =
      read_cloud(folder.write("a.bin", floats({10, -3, 2, nan, nan, nan, -7, 8, 9, nan, 5, 6, 7, 1, 40})));
  REQUIRE(cloud.points.size() == 5);
  CHECK(has(cloud.format, "xyz"));
  CHECK(std::isnan(cloud.points[1][0]));
  CHECK(std::isnan(cloud.points[3][0]));
  CHECK(cloud.points[4] == std::array<float, 3>{7, 1, 40});
}

TEST_CASE("headerless files that are wrong get a clear error", "[cloud_io]") {
  scratch_folder const folder;
  CHECK(has(complaint(folder.write("a.bin", std::string(49, 'x'))), "49 bytes"));
  CHECK(has(complaint(folder.write("a.xyz.bin", std::string(25, 'x'))), "multiple of 12 bytes"));
  CHECK(has(complaint(folder.write("a.xyz.bin", std::string(25, 'x')), file_format::kitti), "multiple of 16 bytes"));
  CHECK(has(complaint(folder.write("a.bin", std::string(48, '\x7f'))), "look like none"));
  CHECK(has(complaint(folder.write("a.bin", "")), "empty file"));
}

TEST_CASE("files that are no clouds get a clear error", "[cloud_io]") {
  scratch_folder const folder;
  CHECK(has(complaint(folder.path() / "missing.ply"), "no such file"));
  CHECK(has(complaint(folder.path()), "a directory"));
  CHECK(has(complaint(folder.write("a.e57", "ASTM")), ".e57"));
  CHECK(has(complaint(folder.write("cloud", "ASTM")), "without an extension"));
  CHECK(has(complaint(folder.write("a.ply", "solid")), "\"solid\""));
  CHECK(has(complaint(folder.write("a.pcd", std::string("\x7f"
                                                        "ELF\0\1",
                                                        6))),
            "PCD header"));
}

TEST_CASE("ASCII PLY", "[cloud_io]") {
  scratch_folder const folder;
  auto const file =
      folder.write("a.ply",
                   "ply\r\nformat ascii 1.0\r\ncomment made by hand\r\nelement camera 1\r\n"
                   "property list uchar float matrix\r\nproperty float f\r\nelement vertex 3\r\n"
                   "property uchar red\r\nproperty double z\r\nproperty float x\r\n"
                   "property list uchar int tags\r\nproperty int y\r\nelement face 1\r\n"
                   "property list uchar int vertex_indices\r\nend_header\r\n"
                   "2 0.5 0.5 3\r\n255 3 1.0 0 2\r\n255 -6 -4e0 2 8 9 5\r\n\r\n0 1e2 +0 1 4 7\r\n3 0 1 2\r\n");
  auto const cloud = read_cloud(file);
  CHECK(cloud.points == three_points);
  CHECK(has(cloud.format, "PLY, ascii"));
}

TEST_CASE("binary PLY of both byte orders", "[cloud_io]") {
  scratch_folder const folder;
  auto const header = [](std::string const& order) {
    return "ply\nformat binary_" + order + "_endian 1.0\nelement extra 2\nproperty list ushort short values\n" +
           "element vertex 3\nproperty float x\nproperty uchar flag\nproperty list uchar int tags\nproperty double "
           "y\n" +
           "property short z\nelement face 0\nproperty list uchar int vertex_indices\nend_header\n";
  };
  std::string little = header("little");
  std::string big = header("big");
  for (std::uint16_t length = 0; length < 2; ++length) {
    little += raw(length) + std::string(2U * length, '!');
    big += big_endian(length) + std::string(2U * length, '!');
  }
  std::uint8_t tags = 0;
  for (auto const& p : three_points) {
    std::string const list = raw(tags) + std::string(4U * tags, '?');
    auto const z = static_cast<std::int16_t>(p[2]);
    little += raw(p[0]) + "f" + list + raw(static_cast<double>(p[1])) + raw(z);
    big += big_endian(p[0]) + "f" + list + big_endian(static_cast<double>(p[1])) + big_endian(z);
    ++tags;
  }
  CHECK(read_cloud(folder.write("little.ply", little)).points == three_points);
  CHECK(read_cloud(folder.write("big.ply", big)).points == three_points);
  CHECK(has(complaint(folder.write("short.ply", little.substr(0, little.size() - 1))), "record 2"));
}

TEST_CASE("PLY files that are wrong get a clear error", "[cloud_io]") {
  scratch_folder const folder;
  auto const with = [&](std::string const& header, std::string const& body) {
    return complaint(folder.write("a.ply", "ply\n" + header + "end_header\n" + body));
  };
  std::string const ascii = "format ascii 1.0\nelement vertex 2\n";
  std::string const xyz = "property float x\nproperty float y\nproperty float z\n";
  CHECK(has(with(ascii + xyz, "1 2 3\n4.25 5.25\n"), "\"4.25 5.25\""));
  CHECK(has(with(ascii + xyz, "1 2 3\n4 5 6 7\n"), "\"4 5 6 7\""));
  CHECK(has(with(ascii + xyz, "1 2 3\n4 five 6\n"), "a number for \"y\""));
  CHECK(has(with(ascii + xyz, "100 200 300\n"), "the end of the file in record 1"));
  CHECK(has(with(ascii + "property float x\nproperty float y\n", "1 2\n3 4\n"), "\"z\""));
  CHECK(has(with(ascii + "property list uchar float x\nproperty float y\nproperty float z\n", ""), "\"x\""));
  CHECK(has(with(ascii + "property quad x\n", ""), "property quad x"));
  CHECK(has(with("element vertex 1\n" + xyz, "1 2 3\n"), "format"));
  CHECK(has(with("format ascii 1.0\nelement face 1\nproperty int a\n", "1\n"), "vertex"));
  CHECK(has(with("format ascii 1.0\nelement vertex 0\n" + xyz, ""), "no points"));
  CHECK(has(with("format ascii 1.0\nelement vertex -1\n" + xyz, ""), "element vertex -1"));
  CHECK(has(complaint(folder.write("a.ply", "ply\nformat ascii 1.0\nelement vertex 1\n")), "end_header"));

  // The number of points in a header alone causes no large allocation or long loop.
  std::string const many = "1000000000000000000";
  CHECK(has(with("format ascii 1.0\nelement vertex " + many + "\n" + xyz, "1 2 3\n"), many));
  CHECK(has(with("format binary_little_endian 1.0\nelement vertex " + many + "\n" + xyz, "123456789012"), many));
  CHECK(has(with("format ascii 1.0\nelement nothing " + many + "\nelement vertex 0\n" + xyz, ""), "no points"));
  CHECK(has(with("format binary_little_endian 1.0\nelement vertex 1\n" + xyz + "property list uint double l\n",
                 floats({1, 2, 3}) + "\xff\xff\xff\xff"),
            "record 0"));
}

TEST_CASE("PCD of all encodings", "[cloud_io]") {
  scratch_folder const folder;
  CHECK(read_cloud(folder.write("a.pcd", xyz_header + "DATA ascii\n1 2 3\n-4 5 -6\n0 7 1e2\n")).points == three_points);

  std::string records;
  std::string fields;
  std::string fields_without_padding;
  for (auto const& p : three_points) records += mixed_record(p);
  std::size_t offset = 0;
  for (std::size_t const size : {2, 8, 4, 4, 12, 2}) {
    for (std::size_t i = 0; i < 3; ++i) {
      auto const value = records.substr(i * 32 + offset, size);
      fields += value;
      if (offset != 10) fields_without_padding += value;
    }
    offset += size;
  }
  auto const binary = read_cloud(folder.write("b.pcd", mixed_header + "DATA binary\n" + records));
  CHECK(binary.points == three_points);
  CHECK(has(binary.format, "PCD, binary"));

  for (auto const& unpacked : {fields, fields_without_padding}) {
    auto const packed = pack_lzf_plainly(unpacked);
    auto const sizes =
        raw(static_cast<std::uint32_t>(packed.size())) + raw(static_cast<std::uint32_t>(unpacked.size()));
    auto const file = folder.write("c.pcd", mixed_header + "DATA binary_compressed\n" + sizes + packed);
    CHECK(read_cloud(file).points == three_points);
  }

  // Each value of a field is one word of an ASCII row.
  auto const rows = "7 1 0 0 0 0 2 9 9 9 3\n7 -4 0 0 0 0 5 9 9 9 -6\n\n7 0 0 0 0 0 7 nan nan nan 100";
  CHECK(read_cloud(folder.write("d.pcd", mixed_header + "DATA ascii\n" + rows)).points == three_points);
}

TEST_CASE("PCD files that are wrong get a clear error", "[cloud_io]") {
  scratch_folder const folder;
  auto const with = [&](std::string const& content) { return complaint(folder.write("a.pcd", content)); };
  auto const changed = [](std::string text, std::string const& from, std::string const& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  CHECK(has(with(xyz_header + "DATA ascii\n1 2 3\n-4 5 -6\n"), "3 rows"));
  CHECK(has(with(xyz_header + "DATA ascii\n1 2 3\n-4 5 -6\n7 8\n"), "\"7 8\""));
  CHECK(has(with(xyz_header + "DATA ascii\n1 2 3\n-4 5 -6\n7 8 z\n"), "a number for \"z\""));
  CHECK(has(with(xyz_header + "DATA ascii\n1 2 3\n-4 5 -6\n7 8 9\n1 2 3\n"), "more"));
  CHECK(has(with(xyz_header + "DATA binary\n" + std::string(35, 'x')), "35 bytes"));
  CHECK(has(with(xyz_header + "DATA zip\n"), "DATA zip"));
  CHECK(has(with(xyz_header), "DATA"));
  CHECK(has(with(changed(xyz_header, "FIELDS x y z", "FIELDS x y w") + "DATA ascii\n"), "\"z\""));
  CHECK(has(with(changed(xyz_header, "SIZE 4 4 4", "SIZE 4 4") + "DATA ascii\n"), "3 values"));
  CHECK(has(with(changed(xyz_header, "SIZE 4 4 4", "SIZE 4 4 2") + "DATA ascii\n"), "SIZE 2"));
  CHECK(has(with(changed(xyz_header, "POINTS 3", "POINTS 4") + "DATA ascii\n"), "POINTS 4"));
  CHECK(has(with(changed(changed(xyz_header, "WIDTH 3", "WIDTH 0"), "POINTS 3", "POINTS 0") + "DATA ascii\n"),
            "no points"));
  auto const huge =
      changed(changed(xyz_header, "POINTS 3\n", ""), "WIDTH 3\nHEIGHT 1", "WIDTH 4294967295\nHEIGHT 4294967295");
  CHECK(has(with(huge + "DATA ascii\n1 2 3\n"), "rows of 3 values"));
  CHECK(has(with(huge + "DATA binary\n" + std::string(36, 'x')), "36 bytes"));
  CHECK(has(with(huge + "DATA binary_compressed\n" + std::string(36, 'x')), "compressed"));

  auto const packed = pack_lzf_plainly(std::string(36, 'x'));
  auto const sizes = raw(static_cast<std::uint32_t>(packed.size())) + raw(std::uint32_t{36});
  auto const compressed = xyz_header + "DATA binary_compressed\n" + sizes + packed;
  CHECK(complaint(folder.write("good.pcd", compressed)) == "no complaint");
  CHECK(has(with(compressed.substr(0, compressed.size() - 1)), "bytes of compressed data"));
  CHECK(has(with(changed(compressed, packed, "\xff" + packed.substr(1))), "damaged"));
}

TEST_CASE("a compressed PCD does not unpack to more than the limit", "[cloud_io]") {
  scratch_folder const folder;
  // Zeros: one literal point, then references to the previous byte, 11 points each.
  auto const zeros = [&](std::size_t references) {
    auto const points = std::to_string(1 + 11 * references);
    std::string packed = std::string{"\x17"} + std::string(24, '\0');
    for (std::size_t i = 0; i < references; ++i) packed.append("\xe0\xff\x00", 3);
    auto const sizes =
        raw(static_cast<std::uint32_t>(packed.size())) + raw(static_cast<std::uint32_t>(24 + 264 * references));
    return folder.write("zeros.pcd", "FIELDS x y z\nSIZE 8 8 8\nTYPE F F F\nWIDTH " + points + "\nHEIGHT 1\nPOINTS " +
                                         points + "\nDATA binary_compressed\n" + sizes + packed);
  };
  CHECK(max_unpacked(1) == 64U << 20U);
  CHECK(max_unpacked(8U << 20U) == 128U << 20U);
  std::size_t const most = ((64U << 20U) - 24) / 264;
  CHECK(read_cloud(zeros(most)).points.size() == 1 + 11 * most);
  auto const refused = complaint(zeros(most + 1));
  CHECK(has(refused, "67108864 bytes at most"));
  CHECK(has(refused, "DATA binary"));
}

TEST_CASE("LZF back references may overlap what they write", "[cloud_io]") {
  std::string const packed{
      "\x01"
      "ab"
      "\xa0\x01"
      "\xe0\x05\x00",
      8};
  // "ab", 7 bytes from 2 back, 14 bytes from 1 back.
  CHECK(unpack_lzf(packed, 23) ==
        "ab"
        "abababa"
        "aaaaaaaaaaaaaa");
  CHECK(!unpack_lzf(std::string("\x01"
                                "ab"
                                "\xa0\x02",
                                5),
                    9));  // before the beginning
  CHECK(!unpack_lzf(std::string("\x01"
                                "ab"
                                "\xa0\x01",
                                5),
                    8));  // more than the expected size
  CHECK(!unpack_lzf(std::string("\x01"
                                "ab"
                                "\xa0\x01",
                                5),
                    10));  // less than the expected size
  CHECK(!unpack_lzf(std::string("\x01"
                                "ab"
                                "\xa0",
                                4),
                    9));  // cut off
  CHECK(!unpack_lzf(std::string("\x01"
                                "ab",
                                3),
                    std::size_t{1} << 40));  // refused before memory is allocated
}

NUMBERS_TEST_CASE("the simulated sweep is the same every time", "[street_scene][numbers]") {
  auto const sweep = simulate_street_sweep(1);
  CHECK(sweep.size() >= 30000);
  CHECK(sweep.size() <= 60000);
  CHECK(sweep == simulate_street_sweep(1));
  CHECK(sweep != simulate_street_sweep(2));
  std::size_t near_ground = 0;
  for (auto const& p : sweep) {
    near_ground += std::fabs(p[2] + 1.73F) < 0.2F ? 1 : 0;
  }
  CHECK(near_ground > sweep.size() / 5);
  CHECK(near_ground < sweep.size() * 4 / 5);
}

TEST_CASE("coverage is the largest distance to a sample", "[coverage]") {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  points3 points{{0, 0, 0}, {10, 0, 0}, {0, 4, 0}, {nan, 0, 0}};
  for (int threads = 1; threads < 4; ++threads) {
    auto const radii = coverage_radii(points, {0, 1, 2}, {1, 2, 3}, threads);
    CHECK(radii == std::vector<double>{10, 4, 0});
  }
}

ONE_THREAD_TEST_CASE("the picture is a PNG of its size", "[render][one_thread]") {
  scratch_folder const folder;
  auto const file = folder.path() / "picture.png";
  auto const shape_of = [&](points3 const& points, std::vector<std::int64_t> const& samples) {
    write_png(render(points, samples, "a caption, with 1 unknown: \xc3"), file);
    std::ifstream stream{file, std::ios::binary};
    return std::string{std::istreambuf_iterator<char>{stream}, {}}.substr(0, 24);
  };
  std::string const expected = std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16) + big_endian(std::uint32_t{1800}) +
                               big_endian(std::uint32_t{900});
  CHECK(shape_of(simulate_street_sweep(3), {0, 1, 2, 30000}) == expected);

  // Clouds without an extent, and with an extreme one.
  float const nan = std::numeric_limits<float>::quiet_NaN();
  float const most = std::numeric_limits<float>::max();
  CHECK(shape_of({{1, 2, 3}}, {0}) == expected);
  CHECK(shape_of({{0, 0, 0}, {0, 0, 0}, {nan, 0, 0}}, {0, 1}) == expected);
  CHECK(shape_of({{most, most, most}, {-most, -most, -most}, {0, 1, 2}}, {1, 0, 2}) == expected);
  CHECK(shape_of({{1e-30F, 0, 0}, {0, 1e-30F, 0}}, {1, 0}) == expected);
  CHECK_THROWS_AS(write_png(image{2, 2}, folder.path() / "no" / "such" / "folder.png"), file_error);
}

TEST_CASE("voxels have a round size, some hundred along the cloud", "[voxels]") {
  auto const row_of = [](float length) {
    points3 points;
    for (int i = 0; i <= 1000; ++i) points.push_back({0, static_cast<float>(i) * length / 1000, 0});
    return points;
  };
  CHECK(choose_voxel_size(row_of(105)) == 1.0F);
  CHECK(choose_voxel_size(row_of(60)) == 0.5F);
  CHECK(choose_voxel_size(row_of(0.3F)) == 0.002F);
  CHECK(choose_voxel_size({{5, 5, 5}}) == 0.1F);  // one point has no extent
  CHECK(choose_voxel_size({}) == 0.1F);

  auto with_strays = row_of(105);
  with_strays.push_back({1e30F, -1e30F, std::numeric_limits<float>::quiet_NaN()});
  CHECK(choose_voxel_size(with_strays) == 1.0F);
}

namespace {
voxel_cloud voxels_of(points3 const& points, float size, farpoint::hard limits) {
  return collect_voxels(points, grid_around(points, size), limits,
                        [](auto const& clouds, auto const& params, auto const& output) {
                          return farpoint::reference::voxelize(clouds, params, output);
                        });
}
}  // namespace

TEST_CASE("the grid has room for all points, but for strays", "[voxels]") {
  points3 const points{{-3.2F, 7, 0}, {4, -8, 12.6F}, {4, -8, 12.7F}, {std::numeric_limits<float>::infinity(), 0, 0}};
  auto const voxels = voxels_of(points, 0.5F, {100, 1});
  CHECK(voxels.size() == 2);
  CHECK(voxels.report.non_finite == 1);
  CHECK(voxels.report.outside == 0);
  CHECK(voxels.report.surplus_points == 1);
  CHECK(voxels.mean_points(points.size()) == 1.5);
}

TEST_CASE("a stray does not make the grid too large", "[voxels]") {
  for (float const stray : {1e9F, 1e30F, std::numeric_limits<float>::max(), -std::numeric_limits<float>::max()}) {
    points3 points(500, {1, 2, 3});
    points.push_back({stray, stray, stray});
    auto const voxels = voxels_of(points, 0.1F, {100, 32});
    CHECK(voxels.size() == 1);
    CHECK(voxels.report.outside == 1);
    CHECK(voxels.report.surplus_points == 500 - 32);
  }
  points3 const far_away(3, {-std::numeric_limits<float>::max(), std::numeric_limits<float>::max(), 0});
  CHECK(voxels_of(far_away, 1e30F, {100, 32}).size() == 1);
}

TEST_CASE("voxels are compared to the bit", "[voxels]") {
  auto const sweep = simulate_street_sweep(1);
  auto const voxels = voxels_of(sweep, 0.5F, {1000, 32});
  CHECK(voxels.size() == 1000);
  auto changed = voxels;
  CHECK(equal_bits(voxels, changed));
  changed.centroids.back() = std::nextafter(changed.centroids.back(), 1e9F);
  CHECK_FALSE(equal_bits(voxels, changed));
  changed = voxels;
  ++changed.report.dropped_points;
  CHECK_FALSE(equal_bits(voxels, changed));
}

ONE_THREAD_TEST_CASE("the picture of the voxels is not empty on the right", "[render][one_thread]") {
  points3 points;
  for (int i = 0; i < 1000; ++i)
    points.push_back({static_cast<float>(i % 10), static_cast<float>(i / 10 % 10), static_cast<float>(i / 100)});
  auto const with = render_voxels(points, voxels_of(points, 1, {1000, 32}), "caption");
  auto const without = render_voxels(points, voxel_cloud{grid_around(points, 1), {}, {}, {}, {}}, "caption");
  CHECK(with.width() == 1800);
  CHECK(with.height() == 900);
  int left = 0;
  int right = 0;
  for (int y = 0; y < with.height(); ++y) {
    for (int x = 0; x < with.width(); ++x) {
      auto const& a = with.at(x, y);
      auto const& b = without.at(x, y);
      if (a.red != b.red || a.green != b.green || a.blue != b.blue) ++(x < 900 ? left : right);
    }
  }
  CHECK(left == 0);
  CHECK(right > 100'000);  // a block of a thousand cubes fills most of a panel
}

ONE_THREAD_TEST_CASE("voxels of clouds without an extent, and with an extreme one, are drawn", "[render][one_thread]") {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  float const most = std::numeric_limits<float>::max();
  for (points3 const& points :
       {points3{{1, 2, 3}}, points3{{0, 0, 0}, {0, 0, 0}, {nan, 0, 0}},
        points3{{most, most, most}, {-most, -most, -most}, {0, 1, 2}}, points3{{1e-30F, 0, 0}, {0, 1e-30F, 0}}}) {
    auto const voxels = voxels_of(points, choose_voxel_size(points), {100, 32});
    CHECK(voxels.size() >= 1);
    CHECK(render_voxels(points, voxels, "caption").width() == 1800);
  }
}

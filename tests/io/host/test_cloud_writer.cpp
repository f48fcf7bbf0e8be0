// Columns of cloud files other than coordinates, and clouds that are written and read back.
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>

#include "../../support/catch.hpp"
#include "cloud_writer.hpp"
#include "file_bytes.hpp"

namespace {

using namespace farpoint_tools;
using kind = scalar_kind;

constexpr kind all_kinds[] = {kind::int8,   kind::uint8, kind::int16,  kind::uint16,  kind::int32,
                              kind::uint32, kind::int64, kind::uint64, kind::float32, kind::float64};

template <class Value>
Value any_bits(std::mt19937_64& random) {
  auto const bits = random();
  Value value;
  std::memcpy(&value, &bits, sizeof value);
  // Text formats have one NaN, so payloads of NaN are not kept.
  return value == value ? value : std::numeric_limits<Value>::quiet_NaN();
}

// Makes points and columns of arbitrary bits. `exact` leaves out integers that double cannot represent, because text
// formats convert through double.
cloud any_cloud(std::uint64_t seed, std::size_t points, bool exact) {
  std::mt19937_64 random{seed};
  cloud made;
  for (std::size_t i = 0; i < points; ++i) {
    made.points.push_back({any_bits<float>(random), any_bits<float>(random), any_bits<float>(random)});
  }
  for (kind const type : all_kinds) {
    column values{std::string{"a_"} + name_of(type), type, points};
    for (std::size_t i = 0; i < points; ++i) {
      if (type == kind::float32) {
        values.set(i, any_bits<float>(random));
      } else if (type == kind::float64) {
        values.set(i, any_bits<double>(random));
      } else {
        values.set(i, static_cast<double>(static_cast<std::int64_t>(random()) >> (exact ? 11 : 0)));
      }
    }
    made.columns.push_back(values);
  }
  for (char const* const channel : {"red", "green", "blue"}) {
    column values{channel, kind::uint8, points};
    for (std::size_t i = 0; i < points; ++i) values.set(i, static_cast<double>(random() % 256));
    made.columns.push_back(values);
  }
  for (char const* const axis : {"nx", "ny", "nz"}) {
    column values{axis, kind::float32, points};
    for (std::size_t i = 0; i < points; ++i) values.set(i, std::sin(static_cast<double>(random() % 1000)));
    made.columns.push_back(values);
  }
  return made;
}

bool equal_points(cloud const& a, cloud const& b) {
  return a.points.size() == b.points.size() &&
         std::memcmp(a.points.data(), b.points.data(), a.points.size() * sizeof a.points[0]) == 0;
}

// Checks that each column of `a` is in `b` with equal name, type and bits.
void check_columns(cloud const& a, cloud const& b) {
  CHECK(a.columns.size() == b.columns.size());
  for (auto const& expected : a.columns) {
    INFO(expected.name());
    auto const* const found = b.find(expected.name());
    REQUIRE(found != nullptr);
    CHECK(found->kind() == expected.kind());
    CHECK(found->bytes() == expected.bytes());
  }
}

}  // namespace

TEST_CASE("scalars of every kind are rounded to the nearest, and end at their limits", "[cloud_io]") {
  char bytes[8];
  auto const through = [&](double value, kind type, byte_order order = byte_order::little) {
    encode(value, bytes, type, order);
    return decode(bytes, type, order);
  };
  double const nan = std::numeric_limits<double>::quiet_NaN();
  double const infinity = std::numeric_limits<double>::infinity();
  for (kind const type : all_kinds) {
    INFO(name_of(type));
    CHECK(through(100, type) == 100);
    CHECK(through(100, type, byte_order::big) == 100);
    CHECK(is_whole(type) == (through(0.25, type) == 0));
    if (is_whole(type)) CHECK(through(nan, type) == 0);
    if (!is_whole(type)) CHECK(std::isnan(through(nan, type)));
  }
  CHECK(through(300, kind::uint8) == 255);
  CHECK(through(-300, kind::uint8) == 0);
  CHECK(through(-300, kind::int8) == -128);
  CHECK(through(1e300, kind::int32) == 2147483647);
  CHECK(through(-infinity, kind::int64) == -9223372036854775808.0);
  CHECK(through(1e300, kind::uint64) == 18446744073709551615.0);
  CHECK(through(2.5, kind::uint16) == 2);
  CHECK(through(1e300, kind::float32) == infinity);
  CHECK(through(-1e300, kind::float32) == -infinity);
  encode(258, bytes, kind::uint16, byte_order::big);
  CHECK(std::string(bytes, 2) == "\x01\x02");
}

TEST_CASE("a cloud comes back from .ply and .pcd with every bit", "[cloud_io]") {
  scratch_folder const folder;
  std::uint64_t const seed = GENERATE(1U, 2U, 3U);
  std::size_t const points = GENERATE(1U, 2U, 257U);
  bool const ascii = GENERATE(false, true);
  INFO("seed " << seed << ", points " << points << ", ascii " << ascii);
  auto made = any_cloud(seed, points, ascii);

  auto const file = folder.path() / "a.pcd";
  write_cloud(made, file, output_format::pcd, ascii);
  auto const read = read_cloud(file);
  CHECK(equal_points(read, made));
  check_columns(made, read);

  // PLY has no integers of 64 bits.
  for (auto& values : made.columns) {
    if (values.kind() != kind::int64 && values.kind() != kind::uint64) continue;
    column wide{values.name(), kind::float64, points};
    for (std::size_t i = 0; i < points; ++i) wide.set(i, values.at(i));
    values = wide;
  }
  write_cloud(made, folder.path() / "a.ply", output_format::ply, ascii);
  auto const ply = read_cloud(folder.path() / "a.ply");
  CHECK(equal_points(ply, made));
  check_columns(made, ply);
}

TEST_CASE("a cloud comes back from .npy and .bin, as doubles where floats would change it", "[cloud_io]") {
  scratch_folder const folder;
  auto made = any_cloud(4, 100, true);
  auto const wide = GENERATE(true, false);
  if (!wide) {
    auto const keeps_value = [](column const& c) { return c.fits_float32(); };
    made.columns.erase(std::stable_partition(made.columns.begin(), made.columns.end(), keeps_value),
                       made.columns.end());
  }
  auto const kind_read = wide ? kind::float64 : kind::float32;
  CHECK(array_kind(made) == kind_read);
  auto const check = [&](cloud const& read, bool named) {
    REQUIRE(read.columns.size() == made.columns.size());
    for (std::size_t i = 0; i < made.points.size(); ++i) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        bool const nan = std::isnan(made.coordinate(i, axis)) && std::isnan(read.coordinate(i, axis));
        CHECK((nan || made.coordinate(i, axis) == read.coordinate(i, axis)));
      }
    }
    for (std::size_t c = 0; c < made.columns.size(); ++c) {
      INFO(made.columns[c].name());
      CHECK(read.columns[c].kind() == kind_read);
      CHECK(read.columns[c].name() == (named ? made.columns[c].name() : "column_" + std::to_string(3 + c)));
      for (std::size_t i = 0; i < made.points.size(); ++i) {
        bool const nan = std::isnan(made.columns[c].at(i)) && std::isnan(read.columns[c].at(i));
        CHECK((nan || made.columns[c].at(i) == read.columns[c].at(i)));
      }
    }
  };
  write_cloud(made, folder.path() / "a.npy", output_format::npy);
  check(read_cloud(folder.path() / "a.npy"), false);
  // Data that starts at a multiple of 64 bytes may be mapped.
  auto const data = 100 * size_of(kind_read) * (3 + made.columns.size());
  CHECK((content_of(folder.path() / "a.npy").size() - data) % 64 == 0);
  // The .json file takes precedence over a layout implied by the file's name.
  for (char const* const name : {"a.bin", "a.xyz.bin", "velodyne.bin"}) {
    write_cloud(made, folder.path() / name, output_format::bin);
    check(read_cloud(folder.path() / name), true);
  }
}

TEST_CASE("a .bin of a known layout is read without its .json, too", "[cloud_io]") {
  scratch_folder const folder;
  cloud sweep{{{1, 2, 3}, {4, 5, 6}}, "", {make_column("intensity", kind::float32, std::vector<float>{0.5F, 0.25F})}};
  write_cloud(sweep, folder.path() / "kitti.bin", output_format::bin);
  auto const kitti = read_cloud(folder.path() / "kitti.bin", file_format::kitti);
  CHECK(equal_points(kitti, sweep));
  check_columns(sweep, kitti);
  sweep.columns.push_back(make_column("ring", kind::float32, std::vector<float>{31, 0}));
  write_cloud(sweep, folder.path() / "nuscenes.bin", output_format::bin);
  check_columns(sweep, read_cloud(folder.path() / "nuscenes.bin", file_format::nuscenes));
}

TEST_CASE("CSV has names, and the fewest digits that are exact", "[cloud_io]") {
  cloud made{{{1, 0.1F, -2.5e-8F}, {std::numeric_limits<float>::quiet_NaN(), 16777216, -0.0F}}, "", {}};
  made.columns.push_back(make_column("a name,", kind::uint8, std::vector<int>{255, 0}));
  made.columns.push_back(make_column("t", kind::float64, std::vector<double>{0.1, 1e300}));
  CHECK(encode_cloud(made, output_format::csv) ==
        "x,y,z,a_name_,t\n1,0.1,-2.5e-08,255,0.1\nnan,16777216,-0,0,1e+300\n");
}

TEST_CASE("files keep what they have beside coordinates", "[cloud_io]") {
  scratch_folder const folder;
  auto const nuscenes = read_cloud(folder.write("a.pcd.bin", floats({1, 2, 3, 0.5F, 7, 4, 5, 6, 9, 31})));
  REQUIRE(nuscenes.columns.size() == 2);
  CHECK(nuscenes.find("intensity")->at(1) == 9);
  CHECK(nuscenes.find("ring")->at(0) == 7);

  auto const ply = read_cloud(
      folder.write("a.ply",
                   "ply\nformat ascii 1.0\nelement vertex 2\nproperty uchar diffuse_red\nproperty float x\n"
                   "property list uchar int tags\nproperty float y\nproperty float z\nproperty double t\nend_header\n"
                   "255 1 2 0 0 2 3 1e300\n7 4 0 5 6 -1\n"));
  REQUIRE(ply.columns.size() == 2);
  CHECK(ply.find("red")->kind() == kind::uint8);
  CHECK(ply.find("red")->at(0) == 255);
  CHECK(ply.find("t")->at(0) == 1e300);
  CHECK(ply.find("tags") == nullptr);

  auto const header = [](std::string const& fields, std::string const& sizes, std::string const& types) {
    return "VERSION .7\nFIELDS " + fields + "\nSIZE " + sizes + "\nTYPE " + types +
           "\nCOUNT 1 1 1 1 3\nWIDTH 1\nHEIGHT 1\nPOINTS 1\n";
  };
  auto const rgba = header("x y z rgba normal", "4 4 4 4 4", "F F F U F") + "DATA binary\n" + floats({1, 2, 3}) +
                    "\x01\x02\x03\x04" + floats({0, 1, 0});
  auto const pcd = read_cloud(folder.write("a.pcd", rgba));
  CHECK(pcd.columns.size() == 7);
  CHECK(pcd.find("red")->at(0) == 3);
  CHECK(pcd.find("green")->at(0) == 2);
  CHECK(pcd.find("blue")->at(0) == 1);
  CHECK(pcd.find("alpha")->at(0) == 4);
  CHECK(pcd.find("normal_1")->at(0) == 1);
  // PCL writes a packed color as the float with these bits: 4210752 is 0x4a808080.
  auto const rgb = header("normal_x x rgb y z", "4 4 4 4 4", "F F F F F") + "DATA ascii\n0.5 1 4210752.0 2 3 0 0\n";
  auto const ascii = read_cloud(folder.write("b.pcd", rgb));
  CHECK(ascii.points[0] == std::array<float, 3>{1, 2, 3});
  CHECK(ascii.find("nx")->at(0) == 0.5);
  CHECK(ascii.find("red")->at(0) == 0x80);
  CHECK(ascii.find("green")->at(0) == 0x80);
  CHECK(ascii.find("blue")->at(0) == 0x80);
  // Only packed colors are reordered.
  auto const two = read_cloud(folder.write(
      "b.ply",
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty uchar blue\nproperty uchar a\nproperty uchar red\n"
      "property float x\nproperty float y\nproperty float z\nend_header\n1 2 3 4 5 6\n"));
  CHECK(two.columns[0].name() == "blue");
  CHECK(two.columns[2].at(0) == 3);
}

TEST_CASE("OBJ vertices, with and without colors", "[cloud_io]") {
  scratch_folder const folder;
  auto const plain =
      read_cloud(folder.write("a.obj", "# made\nmtllib a.mtl\nv 1 2 3\r\nvn 0 0 1\n  v 4 5 6 1.0\nf 1 2 2\n"));
  CHECK(plain.points == std::vector<std::array<float, 3>>{{1, 2, 3}, {4, 5, 6}});
  CHECK(plain.columns.empty());
  auto const colored = read_cloud(folder.write("a.OBJ", "v 1 2 3 1 0 0.5\nv 4 5 6 1 0.2 2 -1"));
  CHECK(colored.find("red")->at(0) == 255);
  CHECK(colored.find("blue")->at(0) == 128);
  CHECK(colored.find("red")->at(1) == 51);
  CHECK(colored.find("green")->at(1) == 255);
  CHECK(colored.find("blue")->at(1) == 0);

  auto const with = [&](std::string const& text) { return complaint(folder.write("b.obj", text)); };
  CHECK(has(with("v 1 2\n"), "3, 4, 6 or 7 numbers in line 1"));
  CHECK(has(with("v 1 2 3\nv 1 2 three\n"), "line 2"));
  CHECK(has(with("v 1 2 3 4 5 6 7 8\n"), "at most"));
  CHECK(has(with("v 1 2 3 1 1 1\nv 1 2 3\n"), "in all vertices or in none"));
  CHECK(has(with("vn 1 2 3\n"), "no points"));
  CHECK(has(with(std::string(1000, '\xff')), "no points"));
}

TEST_CASE("NumPy arrays of both orders", "[cloud_io]") {
  scratch_folder const folder;
  auto const npy = [](std::string const& dict, std::string const& data, char version = 1) {
    auto const length = static_cast<std::uint32_t>(dict.size());
    return std::string{"\x93NUMPY"} + version + '\0' + raw(length).substr(0, version == 1 ? 2 : 4) + dict + data;
  };
  auto const dict = [](std::string const& type, std::string const& fortran, std::string const& shape) {
    return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
  };
  auto const read = [&](std::string const& content) { return read_cloud(folder.write("a.npy", content)); };
  std::vector<std::array<float, 3>> const expected{{1, 2, 3}, {4, 5, 6}};
  CHECK(read(npy(dict("<f4", "False", "(2, 3)"), floats({1, 2, 3, 4, 5, 6}))).points == expected);
  CHECK(read(npy(dict("<f4", "True", "(2, 3)"), floats({1, 4, 2, 5, 3, 6}), 2)).points == expected);
  std::string big;
  for (double const value : {1.0, 2.0, 3.0, 0.5, 4.0, 5.0, 6.0, 0.25}) big += big_endian(value);
  auto const wide = read(npy(dict(">f8", "False", "(2, 4)"), big, 3));
  CHECK(wide.points == expected);
  REQUIRE(wide.columns.size() == 1);
  CHECK(wide.columns[0].kind() == kind::float64);
  CHECK(wide.columns[0].at(1) == 0.25);
  CHECK(read(npy(dict("|u1", "False", "(2,3)"), "\1\2\3\4\5\6")).points == expected);

  auto const with = [&](std::string const& content) { return complaint(folder.write("b.npy", content)); };
  CHECK(has(with("\x93NUMP"), "a header"));
  CHECK(has(with(npy(dict("<f4", "False", "(2, 3)"), "").substr(0, 30)), "a .npy header of"));
  CHECK(has(with(npy(dict("<c8", "False", "(2, 3)"), "")), "integers, float32"));
  CHECK(has(with(npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,), }", "")), "integers, float32"));
  CHECK(has(with(npy(dict("<f4", "False", "(6,)"), "")), "the shape of points"));
  CHECK(has(with(npy(dict("<f4", "False", "(2, 3, 1)"), "")), "the shape of points"));
  CHECK(has(with(npy(dict("<f4", "False", "(2, 2)"), "")), "the shape of points"));
  CHECK(has(with(npy("{}", "")), "'descr'"));
  CHECK(has(with(npy(dict("<f4", "False", "(4000000000, 3)"), floats({1, 2, 3}))), "4000000000 x 3"));
  CHECK(has(with(npy(dict("<f4", "False", "(18446744073709551615, 1024)"), floats({1}))), "18446744073709551615"));
  CHECK(has(with(npy(dict("<f4", "False", "(0, 3)"), "")), "no points"));
}

TEST_CASE("headers cannot claim what costs memory", "[cloud_io]") {
  scratch_folder const folder;
  std::string properties;
  std::string fields = "FIELDS";
  for (int i = 0; i < 2000; ++i) {
    properties += "property char a\n";
    fields += " a";
  }
  auto const ply = "ply\nformat ascii 1.0\nelement vertex 1\n" + properties + "end_header\n";
  CHECK(has(complaint(folder.write("a.ply", ply)), "at most 1024 properties"));
  CHECK(has(complaint(folder.write("a.pcd", fields + "\n")), "at most 1024 fields"));
}

TEST_CASE("what is no regular file is refused unread", "[cloud_io]") {
  scratch_folder const folder;
  auto const pipe = folder.path() / "pipe.ply";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_AS(read_cloud(pipe), file_error);
  CHECK(has(complaint(pipe), "not a regular file"));
  CHECK_THROWS_AS(read_cloud("/dev/zero", file_format::xyz), file_error);
  CHECK_THROWS_AS(read_cloud(folder.path() / "none.ply"), file_error);
  CHECK_THROWS_AS(read_cloud(folder.path()), file_error);
}

TEST_CASE("a folder's clouds are those with a known name, in order", "[cloud_io]") {
  scratch_folder const folder;
  CHECK_THROWS_AS(clouds_of_folder(folder.path()), file_error);
  CHECK_THROWS_AS(clouds_of_folder(folder.path() / "none"), file_error);
  for (char const* const name : {"b.ply", "a.BIN", "notes.txt", "c.npy", "sub.pcd/d.ply"}) folder.write(name, "x");
  std::vector<std::string> names;
  for (auto const& file : clouds_of_folder(folder.path())) names.push_back(file.filename().string());
  CHECK(names == std::vector<std::string>{"a.BIN", "b.ply", "c.npy"});
}

TEST_CASE("writers say what they cannot write", "[cloud_io]") {
  scratch_folder const folder;
  cloud const made{{{1, 2, 3}}, "", {}};
  CHECK_THROWS_AS(write_cloud(made, folder.path() / "none/a.ply", output_format::ply), file_error);
  CHECK_THROWS_AS(write_cloud(made, folder.path(), output_format::ply), file_error);
  CHECK(output_format_of("a.csv") == output_format::csv);
  CHECK(output_format_of("a.las") == output_format::las);
  CHECK(!output_format_of("a.e57"));
}

// Descriptions of .bin files, coordinates that only doubles hold, and names of columns.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "../../support/catch.hpp"
#include "cloud_writer.hpp"
#include "file_bytes.hpp"

namespace {

using namespace farpoint_tools;
using kind = scalar_kind;

}  // namespace

TEST_CASE("a .json that is not of its .bin, or is damaged, is refused", "[cloud_io]") {
  scratch_folder const folder;
  cloud const made{{{1, 2, 3}, {4, 5, 6}}, "", {make_column("a \"b\\", kind::float32, std::vector<float>{7, 8})}};
  auto const bin = folder.path() / "a.bin";
  write_cloud(made, bin, output_format::bin);
  CHECK(content_of(folder.path() / "a.bin.json") ==
        "{\"points\": 2, \"dtype\": \"<f4\", \"columns\": [\"x\", \"y\", \"z\", \"a_\\\"b\\\\\"]}\n");
  CHECK(read_cloud(bin).find("a_\"b\\")->at(1) == 8);
  // A layout that the call names needs no .json.
  CHECK(read_cloud(bin, file_format::kitti).points.size() == 2);
  folder.write("a.bin", std::string(48, 'x'));
  CHECK(has(complaint(bin), "2 points of 16 bytes, as " + bin.string() + ".json says"));
  auto const with = [&](std::string const& json) {
    folder.write("a.bin.json", json);
    try {
      read_cloud(bin);
    } catch (cloud_error const& error) {
      CHECK(has(error.what(), "a.bin.json: expected "));
      return std::string{error.what()};
    }
    return std::string{"no complaint"};
  };
  std::string const good = R"({ "columns" : ["x","y","z"] , "points" : 4, "dtype": "<f4" })";
  CHECK(with(good) == "no complaint");
  for (std::size_t size = 0; size < good.size(); ++size) CHECK(with(good.substr(0, size)) != "no complaint");
  CHECK(has(with(R"({"points": 4, "dtype": "<i4", "columns": ["x", "y", "z"]})"), "\"<i4\""));
  CHECK(has(with(R"({"points": 4, "columns": ["x", "y", "w"]})"), "a column \"z\""));
  CHECK(has(with(R"({"points": -4, "columns": ["x", "y", "z"]})"), "a count"));
  CHECK(has(with(R"({"offset": 4})"), "\"offset\""));
}

TEST_CASE("coordinates that floats would change are kept as doubles", "[cloud_io]") {
  scratch_folder const folder;
  std::mt19937_64 random{7};
  std::uniform_real_distribution<double> within{0, 100};
  cloud made;
  std::vector<std::array<double, 3>> utm;
  for (int i = 0; i < 1000; ++i) utm.push_back({636001 + within(random), 5848935 + within(random), within(random)});
  utm[3] = {0, 0, 0};  // a stray
  utm[4][1] = std::numeric_limits<double>::quiet_NaN();
  utm[5] = {1e300, -1e300, std::numeric_limits<double>::infinity()};
  set_exact(made, utm);
  CHECK(!made.is_finite(4));
  CHECK(made.is_finite(5) == false);
  CHECK(made.is_finite(3));
  double largest = 0;
  for (std::size_t i = 6; i < utm.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      largest = std::max(largest, std::fabs(made.origin[axis] + double{made.points[i][axis]} - utm[i][axis]));
    }
  }
  CHECK(largest < 1e-4);
  auto const equal = [&](cloud const& read) {
    return read.exact.size() == utm.size() && std::memcmp(read.exact.data(), utm.data(), utm.size() * 24) == 0;
  };
  for (auto const format : {output_format::ply, output_format::pcd, output_format::npy, output_format::bin}) {
    auto const file = folder.path() / (std::string{"utm"} + extension_of(format));
    write_cloud(made, file, format);
    INFO(file.string());
    CHECK(equal(read_cloud(file)));
  }
  for (auto const format : {output_format::ply, output_format::pcd}) {
    auto const file = folder.path() / (std::string{"ascii"} + extension_of(format));
    write_cloud(made, file, format, true);
    CHECK(equal(read_cloud(file)));
  }
  CHECK(select(made, std::vector<int>{9, 8}).exact[1] == utm[8]);
  CHECK(select(made, std::vector<int>{9, 8}).points[1] == made.points[8]);
  CHECK(has(encode_cloud(select(made, std::vector<int>{3}), output_format::csv), "x,y,z\n0,0,0\n"));
  // A type that holds more than float32 does is enough; near 0, points are what the file says.
  auto const whole = read_cloud(
      folder.write("a.ply",
                   "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty int y\nproperty short z\n"
                   "end_header\n1.5 16777217 3\n2.5 16777219 5\n"));
  CHECK(whole.coordinate(0, 1) == 16777217);
  CHECK(whole.coordinate(0, 0) == 1.5);
  auto const near = read_cloud(folder.write("a.obj", "v 1 2 3\nv 4.1 5 6\n"));
  CHECK(near.coordinate(1, 0) == 4.1);
  CHECK(near.points[1] == std::array<float, 3>{4.1F, 5, 6});
  CHECK(near.origin == std::array<double, 3>{});
  CHECK(read_cloud(folder.write("b.obj", "v 636001.123 1 2\n")).coordinate(0, 0) == 636001.123);
}

TEST_CASE("no name is written twice", "[cloud_io]") {
  auto const values = [](char const* name) { return make_column(name, kind::float32, std::vector<float>{0}); };
  cloud made{{{1, 2, 3}}, "", {values("a"), values("x"), values("a"), values("a_2"), values("a b"), values("a_b")}};
  CHECK(has(encode_cloud(made, output_format::csv), "x,y,z,a,x_2,a_2,a_2_2,a_b,a_b_2\n"));
  CHECK(has(encode_cloud(made, output_format::ply), "float a_2_2\n"));
  made.columns = {values("nx"), values("normal_x")};
  CHECK(has(encode_cloud(made, output_format::pcd), "FIELDS x y z normal_x normal_x_2\n"));
  made.set(values("nx"));
  REQUIRE(made.columns.size() == 2);
  CHECK(made.columns[1].name() == "nx");
}

#include "../../examples/point_cloud2_message.hpp"
#include "../support/catch.hpp"
#include "message.hpp"

#include <array>
#include <string>

using namespace farpoint_tests;
using example::point_cloud2;
using farpoint::feature_view;
using farpoint::point_field_type;
using farpoint::point_view;
using farpoint::status;

namespace {

point_cloud2 small() {
  return make_message<point_cloud2>(8, 3);
}

std::string reason_of(point_cloud2 const& message) {
  point_view<float> points;
  farpoint::result const outcome = farpoint::view_point_cloud2(message, points);
  CHECK(outcome.code == status::bad_argument);
  CHECK(points.size() == 0);
  return outcome.reason;
}

template <class Void, class Message, class... Data>
constexpr bool is_viewed = false;
template <class Message, class... Data>
constexpr bool
    is_viewed<std::void_t<decltype(farpoint::view_point_cloud2(
                              std::declval<Message>(), std::declval<point_view<float>&>(), std::declval<Data>()...)),
                          decltype(farpoint::view_point_cloud2_features(
                              std::declval<Message>(), std::declval<farpoint::span<char const* const>>(),
                              std::declval<feature_view&>(), std::declval<Data>()...))>,
              Message, Data...> = true;

}  // namespace

TEST_CASE("PointCloud2: points and fields of every record, aligned or not", "[interop]") {
  point_cloud2 const message = small();
  point_view<float> points;
  REQUIRE(farpoint::view_point_cloud2(message, points));
  REQUIRE(points.size() == 24);
  feature_view features;
  constexpr char const* names[] = {"ring", "range", "x", "t", "intensity"};
  REQUIRE(farpoint::view_point_cloud2_features(message, names, features));
  REQUIRE(features.size() == 24);
  REQUIRE(features.count() == 5);
  for (int i = 0; i < 24; ++i) {
    auto const value = static_cast<float>(i);
    auto const point = points[i];
    CHECK(point[0] == value);
    CHECK(point[1] == -value);
    CHECK(point[2] == 0.5f * value);
    CHECK(features(i, 0) == value);
    CHECK(features(i, 1) == 3 * value);
    CHECK(features(i, 2) == value);
    CHECK(features(i, 3) == 1000 * value);
    CHECK(features(i, 4) == value + 0.25f);
  }
}

TEST_CASE("PointCloud2: doubles, and data that is elsewhere", "[interop]") {
  point_cloud2 message;
  message.width = 2;
  message.point_step = 40;
  message.row_step = 0;  // not read for a message of one row
  add_field(message, "z", 24, point_field_type::float64);
  add_field(message, "y", 8, point_field_type::float64);
  add_field(message, "x", 0, point_field_type::float64);
  message.data.resize(80);
  auto copy = message;
  for (std::size_t i = 0; i < 2; ++i) {
    put(copy, i, 0, 4.5e6 + static_cast<double>(i));
    put(copy, i, 8, -1.0);
    put(copy, i, 24, 0.125);
  }
  point_view<double> points;
  REQUIRE(farpoint::view_point_cloud2(message, points, copy.data.data()));
  CHECK(points[1][0] == 4.5e6 + 1);
  CHECK(points[1][1] == -1.0);
  CHECK(points[1][2] == 0.125);
  point_view<float> floats;
  CHECK(std::string{farpoint::view_point_cloud2(message, floats).reason} ==
        "PointCloud2: x, y and z are not all FLOAT32");
}

TEST_CASE("PointCloud2: a temporary is viewed if its data is elsewhere", "[interop]") {
  CHECK(is_viewed<void, point_cloud2&>);
  CHECK(is_viewed<void, point_cloud2 const&>);
  CHECK_FALSE(is_viewed<void, point_cloud2>);
  CHECK(is_viewed<void, point_cloud2, void const*>);
}

TEST_CASE("PointCloud2: an empty message has no points", "[interop]") {
  auto message = make_message<point_cloud2>(0, 1);
  point_view<float> points;
  REQUIRE(farpoint::view_point_cloud2(message, points));
  CHECK(points.size() == 0);
}

TEST_CASE("PointCloud2: headers that do not fit the data are refused", "[interop]") {
  auto message = small();
  message.is_bigendian = true;
  CHECK(reason_of(message) == "PointCloud2: the data is big-endian");

  message = small();
  message.row_step += 3;
  CHECK(reason_of(message) ==
        "PointCloud2: row_step is not width * point_step; a view cannot pass over padding between rows");

  for (std::uint32_t const height : {4u, 0xffffffffu}) {
    message = small();
    message.height = height;
    CHECK(reason_of(message) == "PointCloud2: data is smaller than width * height * point_step");
  }
  message = small();
  message.width = 0xffffffffu;
  message.height = 1;
  CHECK(reason_of(message) == "PointCloud2: data is smaller than width * height * point_step");
  message = small();
  message.data.pop_back();
  CHECK(reason_of(message) == "PointCloud2: data is smaller than width * height * point_step");

  message = small();
  message.point_step = 0;
  CHECK(reason_of(message) == "PointCloud2: point_step is 0");

  message = small();
  message.fields[1].name = "Y";
  CHECK(reason_of(message) == "PointCloud2: a field of x, y and z is missing");
  message = small();
  message.fields[2].datatype = 8;
  CHECK(reason_of(message) == "PointCloud2: x, y and z are not all FLOAT32");
  for (std::uint32_t const offset : {26u, 29u, 0xfffffffeu}) {
    message = small();
    message.fields[0].offset = offset;
    CHECK(reason_of(message) == "PointCloud2: x, y or z lies outside point_step");
  }
}

TEST_CASE("PointCloud2: features that are not there are refused", "[interop]") {
  auto message = small();
  feature_view features;
  auto const reason = [&](char const* name) {
    farpoint::result const outcome = farpoint::view_point_cloud2_features(message, std::array{name}, features);
    CHECK(outcome.code == status::bad_argument);
    CHECK(features.count() == 0);
    return std::string{outcome.reason};
  };
  CHECK(reason("reflectivity") == "PointCloud2: a field that features are made of is missing");
  message.fields[5].datatype = 9;
  CHECK(reason("ring") == "PointCloud2: a field has an unknown datatype");
  message.fields[5].datatype = 0;
  CHECK(reason("ring") == "PointCloud2: a field has an unknown datatype");
  message.fields[6].offset = 22;
  CHECK(reason("range") == "PointCloud2: a field that features are made of lies outside point_step");
  std::array<char const*, 65> many;
  many.fill("x");
  CHECK(farpoint::view_point_cloud2_features(message, many, features).code == status::bad_argument);
}

#include "../support/catch.hpp"

#include <farpoint/interop/dlpack.hpp>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

using farpoint::batch;
using farpoint::float16;
using farpoint::point_view;
using farpoint::span;
using farpoint::status;

namespace {

/// A tensor of memory that a test keeps.
struct tensor {
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  DLTensor dl{};

  template <class T>
  tensor(T* data, std::vector<std::int64_t> shape_, std::vector<std::int64_t> strides_ = {})
      : shape{std::move(shape_)}, strides{std::move(strides_)} {
    dl.data = data;
    dl.device = {kDLCPU, 0};
    dl.ndim = static_cast<int>(shape.size());
    dl.dtype = farpoint::detail::dlpack_type<T>();
    dl.shape = shape.data();
    dl.strides = strides.empty() ? nullptr : strides.data();
  }
  tensor(tensor const&) = delete;
};

std::vector<float> counting(std::size_t size) {
  std::vector<float> values(size);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

template <class Outcome>
std::string reason(Outcome const& outcome) {
  CHECK(outcome.code == status::bad_argument);
  return outcome.reason;
}

}  // namespace

TEST_CASE("DLPack: points of any strides", "[interop]") {
  auto values = counting(60);
  point_view<float> points;
  tensor const packed{values.data(), {20, 3}};
  REQUIRE(farpoint::view_dlpack(packed.dl, points));
  REQUIRE(points.size() == 20);
  CHECK(points[4][2] == 14);

  tensor const channels_first{values.data(), {20, 3}, {1, 20}};
  REQUIRE(farpoint::view_dlpack(channels_first.dl, points));
  CHECK(points[4][2] == 44);

  tensor part{values.data(), {4, 3}, {15, 1}};  // every fifth row, but the first
  part.dl.byte_offset = 15 * sizeof(float);
  REQUIRE(farpoint::view_dlpack(part.dl, points));
  CHECK(points.size() == 4);
  CHECK(points[2][0] == 45);

  tensor const reversed{values.data() + 57, {20, 3}, {-3, 1}};
  REQUIRE(farpoint::view_dlpack(reversed.dl, points));
  CHECK(points[0][0] == 57);
  CHECK(points[19][1] == 1);
}

TEST_CASE("DLPack: batches", "[interop]") {
  auto values = counting(60);
  auto clouds = batch<point_view<float>>{point_view<float>{}};
  tensor const packed{values.data(), {4, 5, 3}};
  REQUIRE(farpoint::view_dlpack(packed.dl, clouds));
  REQUIRE(clouds.size() == 4);
  CHECK(clouds[2].size() == 5);
  CHECK(clouds[2][1][0] == 33);

  tensor const apart{values.data(), {2, 5, 3}, {30, 3, 1}};
  CHECK(reason(farpoint::view_dlpack(apart.dl, clouds)) ==
        "DLPack: the clouds of a batch do not follow one another; make the tensor contiguous");
  CHECK(clouds.size() == 4);
  tensor const one{values.data(), {1, 5, 3}, {777, 3, 1}};
  REQUIRE(farpoint::view_dlpack(one.dl, clouds));
  CHECK(clouds[0][4][2] == 14);
  tensor const none{values.data(), {3, 0, 3}};
  REQUIRE(farpoint::view_dlpack(none.dl, clouds));
  CHECK(clouds.size() == 3);
  CHECK(clouds[1].size() == 0);
  // Strides that torch exports for a contiguous tensor of one point per cloud, and for a part of a larger tensor.
  for (std::int64_t const apart_by : {3, 15}) {
    tensor const single{values.data(), {4, 1, 3}, {apart_by, 1, 1}};
    REQUIRE(farpoint::view_dlpack(single.dl, clouds));
    REQUIRE(clouds.size() == 4);
    for (int cloud = 0; cloud < 4; ++cloud) {
      REQUIRE(clouds[cloud].size() == 1);
      CHECK(clouds[cloud][0][2] == static_cast<float>(cloud * apart_by + 2));
    }
  }
}

TEST_CASE("DLPack: what is no tensor of points is refused", "[interop]") {
  auto values = counting(60);
  point_view<float> points;
  CHECK(reason(farpoint::view_dlpack(tensor{values.data(), {60}}.dl, points)) ==
        "DLPack: points are a tensor of 2 axes, [points, coordinates]");
  CHECK(reason(farpoint::view_dlpack(tensor{values.data(), {15, 4}}.dl, points)) ==
        "DLPack: the last axis is not as long as a point has coordinates");
  std::vector<std::int32_t> integers(6);
  CHECK(reason(farpoint::view_dlpack(tensor{integers.data(), {2, 3}}.dl, points)) ==
        "DLPack: the tensor's type is not that of the coordinates");
  tensor narrow{values.data(), {20, 3}};
  narrow.dl.dtype.bits = 16;
  CHECK(reason(farpoint::view_dlpack(narrow.dl, points)) == "DLPack: the tensor's type is not that of the coordinates");
  point_view<float16> halves;
  CHECK(farpoint::view_dlpack(narrow.dl, halves));
  tensor const far{values.data(), {20, 3}, {1, std::int64_t{1} << 30}};
  CHECK(reason(farpoint::view_dlpack(far.dl, points)) ==
        "DLPack: the coordinates of a point lie more than 2 GiB apart");
}

TEST_CASE("DLPack: packed outputs", "[interop]") {
  std::vector<std::int32_t> indices(24);
  span<std::int32_t> range;
  REQUIRE(farpoint::view_dlpack(tensor{indices.data(), {2, 3, 4}}.dl, range));
  CHECK(range.data() == indices.data());
  CHECK(range.size() == 24);
  REQUIRE(farpoint::view_dlpack(tensor{indices.data(), {2, 1, 12}, {12, 99, 1}}.dl, range));
  CHECK(range.size() == 24);
  for (auto const& empty : {std::vector<std::int64_t>{0, 3}, std::vector<std::int64_t>{3, 0}}) {
    REQUIRE(farpoint::view_dlpack(tensor{indices.data(), empty, {1, 1}}.dl, range));
    CHECK(range.empty());
  }
  CHECK(reason(farpoint::view_dlpack(tensor{indices.data(), {2, 3}, {4, 1}}.dl, range)) ==
        "DLPack: the tensor's elements are not packed; make it contiguous");
  span<std::int64_t> wide;
  CHECK(reason(farpoint::view_dlpack(tensor{indices.data(), {24}}.dl, wide)) ==
        "DLPack: the tensor has elements of another type");
}

TEST_CASE("DLPack: where a tensor is", "[interop]") {
  auto values = counting(3);
  tensor one{values.data(), {1, 3}};
  CHECK(farpoint::is_on_host(one.dl));
  CHECK_FALSE(farpoint::is_on_device(one.dl));
  one.dl.device.device_type = static_cast<DLDeviceType>(2);
  CHECK_FALSE(farpoint::is_on_host(one.dl));
  CHECK(farpoint::is_on_device(one.dl));
  one.dl.device.device_type = static_cast<DLDeviceType>(13);
  CHECK(farpoint::is_on_host(one.dl));
  CHECK(farpoint::is_on_device(one.dl));
}

TEST_CASE("DLPack: a result is given away, and freed by whoever has it", "[interop]") {
  auto rows = std::make_shared<std::vector<std::int64_t>>(12);
  std::weak_ptr<std::vector<std::int64_t>> const alive = rows;
  std::int64_t* const data = rows->data();
  DLManagedTensor* const given =
      farpoint::make_dlpack(data, std::array<std::int64_t, 2>{4, 3}, {kDLCPU, 0}, std::move(rows));
  REQUIRE_FALSE(alive.expired());
  span<std::int64_t> range;
  REQUIRE(farpoint::view_dlpack(given->dl_tensor, range));
  CHECK(range.data() == data);
  CHECK(range.size() == 12);
  CHECK(given->dl_tensor.strides[0] == 3);
  given->deleter(given);
  CHECK(alive.expired());
}

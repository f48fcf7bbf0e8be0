// Placement of a host-memory call's arrays in device memory, and the copies to and from it, checked by a fake CUDA
// runtime.
#include "../../../src/place_in_frame.hpp"
#include "../../support/catch.hpp"
#include "fake_cuda.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

using namespace farpoint_tests;
using farpoint::index_t;
using farpoint::point_view;
using farpoint::span;
using farpoint::library::frame;
using farpoint::library::place;
using farpoint::library::thread_memory;

namespace {

std::vector<float> counting(std::size_t size) {
  std::vector<float> values(size);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

/// Goes through `lay_out(frame)` as a call does, and uploads. The bytes that were copied.
template <class LayOut>
std::size_t upload(frame& arrays, LayOut const& lay_out) {
  arrays.measure();
  lay_out(arrays);
  REQUIRE(arrays.place() == cudaSuccess);
  lay_out(arrays);
  std::size_t const before = copied_to_device;
  REQUIRE(arrays.upload() == cudaSuccess);
  return copied_to_device - before;
}

frame new_frame() {
  cudaError_t error = cudaErrorUnknown;
  thread_memory* const memory = thread_memory::get(error);
  REQUIRE(memory != nullptr);
  REQUIRE(error == cudaSuccess);
  return frame{*memory};
}

/// True if both views show the same points.
bool are_same(point_view<float> const& a, point_view<float> const& b) {
  bool same = a.size() == b.size();
  for (index_t i = 0; same && i < a.size(); ++i) {
    for (int axis = 0; axis < 3; ++axis) same = same && a[i][axis] == b[i][axis];
  }
  return same;
}

}  // namespace

TEST_CASE("frame: arrays arrive and come back, whatever their sizes", "[library]") {
  // Up to more than all slots hold.
  for (std::size_t const size : {1u, 63u, 64u, 65u, 131071u, 131072u, 131073u, 3000000u}) {
    auto const first = counting(size);
    auto const second = counting(size / 2 + 1);
    std::vector<float> back(size, -1.0f);
    span<float const> a;
    span<float const> b;
    span<float> out;
    frame arrays = new_frame();
    std::size_t const copied = upload(arrays, [&](frame& to) {
      a = to.input(span<float const>{first});
      b = to.input(span<float const>{second});
      out = to.output(span<float>{back}, static_cast<index_t>(size));
    });
    CAPTURE(size);
    CHECK(std::equal(a.begin(), a.end(), first.begin(), first.end()));
    CHECK(std::equal(b.begin(), b.end(), second.begin(), second.end()));
    // The gap that aligns the second may travel, too.
    CHECK(copied >= (first.size() + second.size()) * sizeof(float));
    CHECK(copied < (first.size() + second.size()) * sizeof(float) + 256);
    std::copy(a.begin(), a.end(), out.begin());
    REQUIRE(arrays.download() == cudaSuccess);
    CHECK(back == first);
  }
}

TEST_CASE("frame: what is an input twice is copied once", "[library]") {
  auto const values = counting(3000);
  point_view<float> const points{values.data(), 1000};
  point_view<float> const part = points.subview(100, 50);
  point_view<float> placed;
  point_view<float> placed_part;
  span<float const> features;
  frame arrays = new_frame();
  std::size_t const copied = upload(arrays, [&](frame& to) {
    placed = place(to, points);
    features = place(to, span<float const>{values});
    placed_part = place(to, part);
  });
  CHECK(copied == values.size() * sizeof(float));
  CHECK(features.data() != values.data());
  CHECK(std::equal(features.begin(), features.end(), values.begin(), values.end()));
  CHECK(are_same(placed, points));
  CHECK(are_same(placed_part, part));
}

TEST_CASE("frame: points in the records of their features go with them", "[library]") {
  auto const values = counting(5000);
  for (int const begin : {0, 4, 8}) {
    // x, y, z, or z, y, x, among the five features of a record.
    point_view<float> const forwards{values.data(), 1000, 20, {begin, begin + 4, begin + 8}};
    point_view<float> const backwards{values.data(), 1000, 20, {begin + 8, begin + 4, begin}};
    auto const features = farpoint::feature_view::packed(values.data(), 1000, 5);
    for (auto const& points : {forwards, backwards}) {
      point_view<float> placed;
      farpoint::feature_view rows;
      frame arrays = new_frame();
      std::size_t const copied = upload(arrays, [&](frame& to) {
        rows = place(to, features, false);
        placed = place(to, points);
      });
      CAPTURE(begin);
      CHECK(copied == values.size() * sizeof(float));
      CHECK(are_same(placed, points));
      CHECK(rows(999, 4) == 5000);
    }
  }
}

TEST_CASE("frame: points that are in no other input are packed", "[library]") {
  auto const values = counting(5000);
  point_view<float> const apart{values.data(), 1000, 20};
  point_view<float> const reversed{values.data() + 4995, 1000, -20, {8, 4, 0}};
  // Features of the points' records, except for the last record.
  auto const features = farpoint::feature_view::packed(values.data(), 999, 5);
  for (auto const& points : {apart, reversed}) {
    point_view<float> placed;
    frame arrays = new_frame();
    std::size_t const copied = upload(arrays, [&](frame& to) {
      static_cast<void>(place(to, features, false));
      placed = place(to, points);
    });
    CHECK(are_same(placed, points));
    CHECK(copied >= (999 * 5 + 3000) * sizeof(float));
    CHECK(placed.stride() == 12);
  }
}

TEST_CASE("frame: an output is nobody's input", "[library]") {
  // A call in place: rows that it does not write stay as they are.
  auto values = counting(300);
  auto const before = values;
  point_view<float> const points{values.data(), 100};
  point_view<float> placed;
  span<float> out;
  frame arrays = new_frame();
  upload(arrays, [&](frame& to) {
    out = to.output(span<float>{values}, 300, 1, true);
    placed = place(to, points);
  });
  CHECK(std::equal(out.begin(), out.end(), before.begin(), before.end()));
  CHECK(are_same(placed, points));
  out[0] = 77;
  CHECK(placed[0][0] == before[0]);
  REQUIRE(arrays.download() == cudaSuccess);
  CHECK(values[0] == 77);
  CHECK(values[299] == before[299]);
}

TEST_CASE("frame: a workspace is measured once", "[library]") {
  int asked = 0;
  farpoint::bytes workspace;
  frame arrays = new_frame();
  upload(arrays, [&](frame& to) {
    workspace = to.scratch([&] {
      ++asked;
      return std::size_t{1000};
    });
  });
  CHECK(asked == 1);
  CHECK(workspace.size() == 1000);
  CHECK(reinterpret_cast<std::uintptr_t>(workspace.data()) % 256 == 0);
}

TEST_CASE("frame: a call with more arrays than a frame holds fails, and writes none", "[library]") {
  auto const values = counting(4);
  std::vector<float> back(4, -1.0f);
  frame arrays = new_frame();
  for (int const count : {24, 25, 100}) {
    arrays.measure();
    for (int i = 0; i < count; ++i) arrays.output(span<float>{back}, 4, 1, true);
    CAPTURE(count);
    CHECK(arrays.place() == (count <= 24 ? cudaSuccess : cudaErrorInvalidConfiguration));
  }
}

TEST_CASE("thread memory: a pool that cannot be set up is not kept", "[library]") {
  current_device = 1;
  int const before = open_pools;
  outcome_of_attributes = cudaErrorNotSupported;
  cudaError_t error = cudaSuccess;
  for (int i = 0; i < 2; ++i) {
    CHECK(thread_memory::get(error) == nullptr);
    CHECK(error == cudaErrorNotSupported);
    CHECK(open_pools == before);
  }
  outcome_of_attributes = cudaSuccess;
  CHECK(thread_memory::get(error) != nullptr);
  CHECK(error == cudaSuccess);
  CHECK(open_pools == before + 1);
  current_device = 0;
}

// Sliding windows on a stream, and in a graph: the bytes of the model that the host is held against.
#include <farpoint/search/point_window.cuh>

#include "../../subset/device/call_on_device.cuh"
#include "../../support/device/clouds_on_device.cuh"
#include "../window_problem.hpp"
#include "knn_kernels.cuh"

using namespace farpoint_tests;
using farpoint::cuda_exec;
using farpoint::status;

TEST_CASE("point_window, device: slides of all kinds, as in a model of vectors",
          "[point_window][device][graph][sanitize]") {
  for_windows([](auto const& problem) { check_on_device(problem); });
}

TEST_CASE("point_window, device: windows of many tiles", "[point_window][device][graph]") {
  check_on_device(random_window<float>(1, shape::cube, 60000));
  check_on_device(random_window<double>(2, shape::non_finite, 40000));
}

TEST_CASE("point_window, device: a citizen of its stream", "[point_window][device]") {
  check_manners(random_window<float>(3, shape::cube, 2000));
}

TEST_CASE("point_window, device: each replay of a graph slides the window again", "[point_window][device][graph]") {
  test_stream const stream;
  cuda_exec const exec{stream.get()};
  index_t const capacity = 10;
  device_array<unsigned char> const memory{farpoint::point_window_bytes<float>(exec, capacity)};
  farpoint::point_window<float> window;
  REQUIRE(point_window_clear(exec, capacity, span_of<unsigned char>(memory), window));
  device_array<float> const scan{std::vector<float>{0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0}};
  device_array<farpoint::slide_report> const report{1};
  farpoint::batch const points{farpoint::point_view<float>{scan.data(), 4}};
  device_array<unsigned char> const workspace{point_window_slide_workspace_bytes(exec, window, points)};
  farpoint::device_point_bvh<float> index;
  farpoint::result outcome;
  captured_graph const graph{stream.get(), [&] {
                               outcome = point_window_slide(exec, window, points, {}, {{}, report.data()},
                                                            span_of<unsigned char>(workspace), index);
                             }};
  REQUIRE(outcome);
  std::vector<std::array<unsigned long long, 2>> const expected{{{0, 0}}, {{4, 0}}, {{8, 2}}, {{10, 4}}};
  for (auto const& [kept, dropped] : expected) {
    graph.replay();
    auto const found = report.download()[0];
    CHECK(found.kept == kept);
    CHECK(found.appended == 4);
    CHECK(found.dropped == dropped);
  }
}

TEST_CASE("point_window, device: bad arguments are refused at the door", "[point_window][device]") {
  cuda_exec const exec{cudaStream_t{}};
  farpoint::point_window<float> window;
  CHECK(farpoint::point_window_bytes<float>(exec, -1) == 0);
  CHECK(point_window_clear(exec, -1, {}, window).code == status::bad_argument);
  CHECK(point_window_clear(exec, 5, {}, window).code == status::workspace_too_small);
  CHECK(point_window_clear(exec, window).code == status::bad_argument);
  device_array<unsigned char> const memory{farpoint::point_window_bytes<float>(exec, 5)};
  REQUIRE(point_window_clear(exec, 5, span_of<unsigned char>(memory), window));
  device_array<float> const scan{6};
  farpoint::batch const points{farpoint::point_view<float>{scan.data(), 2}};
  farpoint::device_point_bvh<float> index;
  CHECK(point_window_slide(exec, window, points, {}, {}, {}, index).code == status::workspace_too_small);
  CHECK(index.size() == 0);
  REQUIRE_CUDA(cudaDeviceSynchronize());
}

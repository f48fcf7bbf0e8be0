// The convenience overload for thrust::device_vector.
#include <farpoint/interop/thrust.cuh>

#include <thrust/host_vector.h>

#include "../catch.hpp"
#include "../shared/fps_problem.hpp"
#include "every_kernel.cuh"

using namespace farpoint_tests;

TEST_CASE("fps, device: three lines for a thrust::device_vector", "[fps][device]") {
  auto const cloud = make_cloud(shape::cube, 900, 91);
  thrust::host_vector<float3> host;
  for (auto const& p : cloud) {
    host.push_back(make_float3(static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])));
  }
  thrust::device_vector<float3> const points = host;
  auto const expected = reference_answer(fps_problem<float>{cloud, 100});

  auto const picks = farpoint::fps(points, 100);
  thrust::host_vector<std::int32_t> const indices = picks.indices;
  thrust::host_vector<float> const distances = picks.distances;
  CHECK(std::equal(indices.begin(), indices.end(), expected.indices.begin(), expected.indices.end()));
  CHECK(std::equal(distances.begin(), distances.end(), expected.distances.begin(), expected.distances.end()));
  CHECK(farpoint::fps(points, 5000).indices.size() == 900);
  CHECK(farpoint::fps(thrust::device_vector<float3>{}, 3).indices.empty());
  CHECK_THROWS_AS(farpoint::fps(points, -1), std::invalid_argument);
}

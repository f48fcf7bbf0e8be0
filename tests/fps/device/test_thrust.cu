// The convenience overload for thrust::device_vector, and its vectors as spans and views.
#include <farpoint/gather.cuh>
#include <farpoint/interop/thrust.cuh>

#include <cuda_fp16.h>
#include <thrust/host_vector.h>

#include "../../support/catch.hpp"
#include "../fps_problem.hpp"
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

TEST_CASE("gather, device: thrust's vectors are spans, and __half is float16", "[gather][device]") {
  thrust::host_vector<__half> host;
  for (int i = 0; i < 6; ++i) host.push_back(__float2half(static_cast<float>(i)));
  thrust::device_vector<__half> const features = host;
  std::vector<std::int32_t> const wanted{2, -1, 0};
  thrust::device_vector<std::int32_t> const indices(wanted.begin(), wanted.end());
  thrust::device_vector<__half> output(6);
  test_stream const stream;
  REQUIRE_CUDA(cudaDeviceSynchronize());
  REQUIRE(farpoint::gather(farpoint::cuda_exec{stream.get()}, farpoint::span<__half const>{features}, 2, indices,
                           farpoint::span<__half>{output}));
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  thrust::host_vector<__half> const rows = output;
  std::vector<float> found;
  for (__half const value : rows) found.push_back(__half2float(value));
  CHECK(found == std::vector<float>{4, 5, 0, 0, 0, 1});

  CHECK(farpoint::feature_span{output}.is_float16());
  auto const view = farpoint::feature_view::packed(thrust::raw_pointer_cast(features.data()), 3, 2);
  CHECK(view.type(1) == farpoint::feature_type::float16);
  thrust::device_vector<float4> const points(9);
  CHECK(farpoint::view_points(points).size() == 9);
  CHECK(farpoint::view_points(points).stride() == sizeof(float4));
}

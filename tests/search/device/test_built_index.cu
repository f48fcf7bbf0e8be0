// Searches by an index that has been built give the bits of the host, on a stream.
#include <farpoint/estimate_normals.cuh>
#include <farpoint/estimate_normals.hpp>
#include <farpoint/interpolate.cuh>
#include <farpoint/interpolate.hpp>
#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/radius.hpp>

#include "../../support/catch.hpp"
#include "../../support/check_answer.hpp"
#include "../../support/device/clouds_on_device.cuh"
#include "../../support/host_array.hpp"
#include "../index_problem.hpp"
#include "knn_kernels.cuh"
#include "neighborhood_kernels.cuh"
#include "radius_kernels.cuh"

#include "../../support/device/stream_citizen.cuh"

using namespace farpoint_tests;
using farpoint::cuda_exec;
using farpoint::span;

namespace {

/// The clouds of a problem on both sides, and their indices.
class clouds_on_both {
 public:
  explicit clouds_on_both(index_problem const& problem)
      : problem_{problem},
        device_points_{problem.points},
        device_queries_{problem.queries},
        point_offsets_{problem.point_offsets},
        query_offsets_{problem.query_offsets},
        features{problem.features},
        host_points{index_problem::batch_of(problem.points.data(), problem.points.size(), problem.point_offsets.data(),
                                            problem.clouds())},
        host_queries{index_problem::batch_of(problem.queries.data(), problem.queries.size(),
                                             problem.query_offsets.data(), problem.clouds())},
        points{index_problem::batch_of(device_points_.data(), problem.points.size(), point_offsets_.data(),
                                       problem.clouds())},
        queries{index_problem::batch_of(device_queries_.data(), problem.queries.size(), query_offsets_.data(),
                                        problem.clouds())},
        host_memory_{point_bvh_bytes(host_exec{1}, host_points)},
        memory_{point_bvh_bytes(cuda_exec{stream.get()}, points)} {
    REQUIRE(build_point_bvh(host_exec{1}, host_points, host_memory_.get(), host_index));
    REQUIRE(build_point_bvh(cuda_exec{stream.get()}, points, span_of<unsigned char>(memory_), index));
  }

  /// Calls `enqueue(exec)`, and again by way of a graph, and waits for it.
  template <class Enqueue>
  void run(Enqueue const& enqueue) const {
    farpoint::result outcome = enqueue(cuda_exec{stream.get()});
    INFO(outcome.reason);
    REQUIRE(outcome);
    REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
    captured_graph const graph{stream.get(), [&] { outcome = enqueue(cuda_exec{stream.get()}); }};
    REQUIRE(outcome);
    graph.replay();
  }

 private:
  index_problem const& problem_;
  device_array<std::array<float, 3>> device_points_;
  device_array<std::array<float, 3>> device_queries_;
  device_array<index_t> point_offsets_;
  device_array<index_t> query_offsets_;

 public:
  test_stream stream;
  device_array<float> features;
  farpoint::batch<index_problem::view> host_points;
  farpoint::batch<index_problem::view> host_queries;
  farpoint::batch<index_problem::view> points;
  farpoint::batch<index_problem::view> queries;
  farpoint::point_bvh<float> host_index;
  farpoint::device_point_bvh<float> index;

 private:
  host_workspace host_memory_;
  device_array<unsigned char> memory_;
};

/// An output on both sides.
template <class T>
class on_both {
 public:
  explicit on_both(index_t size) : device_{static_cast<std::size_t>(size)}, host_{static_cast<std::size_t>(size)} {}
  span<T> device() const { return span_of<T>(device_); }
  span<T> host() const { return {host_.data(), host_.size()}; }
  bool same() const {
    auto const found = device_.download();
    bool const equal = found.empty() || std::memcmp(found.data(), host_.data(), found.size() * sizeof(T)) == 0;
    return equal && device_.intact();
  }

 private:
  device_array<T> device_;
  host_array<T> host_;
};

template <class... T>
void check_same(on_both<T> const&... outputs) {
  check_all({outputs.same()...});
}

/// Checks lists; those of 70 without distances.
void check_radius(clouds_on_both const& clouds, farpoint::radius_params params, index_t max, bool ordered) {
  params.max_neighbors = max;
  index_t const rows = clouds.queries.points().size();
  CAPTURE(max, ordered);
  on_both<std::int32_t> const indices{rows * max};
  bool const has_distances = max != 70;
  on_both<float> const distances{has_distances ? rows * max : 0};
  on_both<std::int32_t> const counts{rows};
  on_both<farpoint::radius_report> const report{1};
  device_array<unsigned char> const workspace{
      ordered ? radius_workspace_bytes(cuda_exec{clouds.stream.get()}, clouds.index, clouds.queries) : 0};
  clouds.run([&](cuda_exec exec) {
    return radius(exec, clouds.index, clouds.queries, params,
                  {indices.device(), distances.device(), counts.device(), report.device().data()},
                  ordered ? span_of<unsigned char>(workspace) : farpoint::bytes{});
  });
  REQUIRE(radius(host_exec{1}, clouds.host_index, clouds.host_queries, params,
                 {indices.host(), distances.host(), counts.host(), report.host().data()}));
  check_same(indices, distances, counts, report);
  CHECK(workspace.intact());
}

/// @param capacity  of the lists
void check_rows(clouds_on_both const& clouds, farpoint::radius_params const& params, index_t capacity) {
  CAPTURE(capacity);
  on_both<std::int32_t> const offsets{clouds.queries.points().size() + 1};
  on_both<std::int32_t> const indices{capacity};
  on_both<float> const distances{capacity};
  on_both<farpoint::radius_report> const report{1};
  device_array<unsigned char> const workspace{
      radius_workspace_bytes(cuda_exec{clouds.stream.get()}, clouds.index, clouds.points, clouds.queries)};
  clouds.run([&](cuda_exec exec) {
    return radius_rows(exec, clouds.index, clouds.points, clouds.queries, params,
                       {offsets.device(), indices.device(), distances.device(), report.device().data()},
                       span_of<unsigned char>(workspace));
  });
  REQUIRE(radius_rows(host_exec{1}, clouds.host_index, clouds.host_points, clouds.host_queries, params,
                      {offsets.host(), indices.host(), distances.host(), report.host().data()}));
  check_same(offsets, indices, distances, report);
  CHECK(workspace.intact());
  farpoint::bytes const less{span_of<unsigned char>(workspace).data(), workspace.size() - 1};
  auto const refused = radius_rows(cuda_exec{clouds.stream.get()}, clouds.index, clouds.points, clouds.queries, params,
                                   {offsets.device()}, less);
  CHECK(refused.code == farpoint::status::workspace_too_small);
}

void check_points(clouds_on_both const& clouds, index_t k) {
  index_t const rows = clouds.points.points().size();
  CAPTURE(k);
  on_both<float> const normals{3 * rows};
  on_both<float> const curvatures{rows};
  on_both<float> const means{rows};
  on_both<farpoint::knn_report> const report{1};
  on_both<farpoint::knn_report> const other_report{1};
  farpoint::normals_params params;
  params.k = k;
  device_array<unsigned char> const workspace{
      estimate_normals_workspace_bytes(cuda_exec{clouds.stream.get()}, clouds.index, clouds.points, params)};
  auto const memory = workspace.size() == 0 ? farpoint::bytes{} : span_of<unsigned char>(workspace);
  clouds.run([&](cuda_exec exec) {
    auto const outcome = estimate_normals(exec, clouds.index, clouds.points, params,
                                          {normals.device(), curvatures.device(), report.device().data()}, memory);
    if (!outcome) return outcome;
    return mean_knn_distance(exec, clouds.index, clouds.points, {k}, {means.device(), other_report.device().data()},
                             memory);
  });
  REQUIRE(estimate_normals(host_exec{1}, clouds.host_index, clouds.host_points, params,
                           {normals.host(), curvatures.host(), report.host().data()}));
  REQUIRE(mean_knn_distance(host_exec{1}, clouds.host_index, clouds.host_points, {k},
                            {means.host(), other_report.host().data()}, {}));
  check_same(normals, curvatures, means, report, other_report);
}

void check_interpolate(clouds_on_both const& clouds, index_problem const& problem) {
  on_both<float> const features{clouds.queries.points().size() * problem.channels};
  on_both<farpoint::knn_report> const report{1};
  clouds.run([&](cuda_exec exec) {
    return interpolate(exec, clouds.index, span_of<float const>(clouds.features), clouds.queries, problem.channels,
                       {features.device(), report.device().data()});
  });
  REQUIRE(interpolate(host_exec{1}, clouds.host_index, span<float const>{problem.features}, clouds.host_queries,
                      problem.channels, {features.host(), report.host().data()}));
  check_same(features, report);
}

}  // namespace

TEST_CASE("point_bvh, device: radius, rows, normals, means and interpolation by an index that has been built",
          "[point_bvh][device][sanitize]") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    auto const problem = random_index_problem(seed, 2000);
    clouds_on_both const clouds{problem};
    farpoint::radius_params params;
    params.radius = seed % 2 == 0 ? 1 : 0.1;
    for (auto const order : {farpoint::radius_order::index, farpoint::radius_order::nearest}) {
      params.order = order;
      for (index_t const max : {0, 5, 40, 70}) check_radius(clouds, params, max, seed % 3 == 0);
      for (index_t const capacity : {0, 1000, 200000}) check_rows(clouds, params, capacity);
    }
    check_points(clouds, seed % 4 == 0 ? 40 : 8);
    check_interpolate(clouds, problem);
  }
  // The call sorts this many queries.
  auto const large = random_index_problem(100, 40000);
  clouds_on_both const clouds{large};
  check_radius(clouds, {0.02}, 8, true);
  check_rows(clouds, {0.02}, 200000);
}

TEST_CASE("point_bvh, device: points that are not the index's are refused", "[point_bvh][device]") {
  auto const problem = random_index_problem(3, 100);
  clouds_on_both const clouds{problem};
  cuda_exec const exec{clouds.stream.get()};
  auto const others = clouds.points.points().subview(0, clouds.index.points() - 1);
  CHECK_FALSE(mean_knn_distance(exec, clouds.index, farpoint::batch{others}, {3}, {}));
  CHECK_FALSE(radius_rows(exec, clouds.index, farpoint::batch{others}, clouds.queries, {1.0}, {}, {}));
  REQUIRE_CUDA(cudaStreamSynchronize(clouds.stream.get()));
}

namespace {

struct index_backend {
  template <class T>
  using array = device_array<T>;
  template <class Scalar>
  using bvh = farpoint::device_point_bvh<Scalar>;

  cuda_exec exec() const { return {stream.get()}; }
  void wait() const { REQUIRE_CUDA(cudaStreamSynchronize(stream.get())); }

  test_stream stream;
};

}  // namespace

#define BACKEND_NAME "device"
#define BACKEND_TAG "[device][sanitize]"
#include "../index_report_tests.inc"

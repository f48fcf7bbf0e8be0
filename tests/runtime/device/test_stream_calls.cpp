// The compiled library on device memory: plain C++, in which one spelling calls the header's function on the host and
// the library's on a stream, with the same bits.
#include <farpoint/estimate_normals.hpp>
#include <farpoint/fps.hpp>
#include <farpoint/interpolate.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/runtime.hpp>
#include <farpoint/voxelize.hpp>

#include <thread>

#include "../../support/catch.hpp"
#include "../plain_caller/seven_functions.hpp"
#include "mirrored_clouds.hpp"

using namespace farpoint_tests;
using farpoint::knn_params;

namespace {

template <class Coord>
class problem {
 public:
  using scalar = farpoint::scalar_of<Coord>;
  static constexpr index_t n = 3000;
  static constexpr index_t m = 700;
  static constexpr index_t k = 5;

  void check_fps() {
    mirror<std::int32_t> indices{2 * 40};
    mirror<scalar> distances{2 * 40};
    mirror<std::int64_t> counts{2};
    farpoint::fps_params params;
    params.samples = 40;
    check_same_as_host(
        [&](auto exec, auto& workspace) {
          auto const clouds = points_.on(exec);
          return fps(exec, clouds, params, {indices.on(exec), distances.on(exec), counts.on(exec)},
                     workspace.of_size(exec, fps_workspace_bytes(exec, clouds, params)));
        },
        indices, distances, counts);
  }

  void check_fps_weighted() {
    mirror<std::int32_t> indices{2 * 40};
    mirror<scalar> distances{2 * 40};
    mirror<std::int64_t> counts{2};
    std::vector<scalar> values;
    for (index_t i = 0; i < n; ++i) values.push_back(static_cast<scalar>(i % 7));
    mirror<scalar> const weights{std::move(values)};
    farpoint::fps_params params;
    params.samples = 40;
    check_same_as_host(
        [&](auto exec, auto& workspace) {
          auto const clouds = points_.on(exec);
          return fps_weighted(exec, clouds, weights.of(exec), params,
                              {indices.on(exec), distances.on(exec), counts.on(exec)},
                              workspace.of_size(exec, fps_weighted_workspace_bytes(exec, clouds)));
        },
        indices, distances, counts);
  }

  void check_poisson_subset() {
    mirror<std::int32_t> indices{2 * 60};
    mirror<scalar> distances{2 * 60};
    mirror<std::int64_t> counts{2};
    check_same_as_host(
        [&](auto exec, auto& workspace) {
          auto const clouds = points_.on(exec);
          return poisson_subset(exec, clouds, 0.3, {indices.on(exec), distances.on(exec), counts.on(exec)},
                                workspace.of_size(exec, poisson_subset_workspace_bytes(exec, clouds, 60)));
        },
        indices, distances, counts);
  }

  void check_fps_extend() {
    std::vector<std::int32_t> earlier(40, -1);
    for (std::int32_t i = 0; i < 10; ++i) earlier[static_cast<std::size_t>(i)] = 17 * i;
    mirror<std::int32_t> indices{std::move(earlier)};
    farpoint::fps_params params;
    params.samples = 30;
    check_same_as_host(
        [&](auto exec, auto& workspace) {
          auto const cloud = points_.on(exec).points();
          farpoint::fps_params chosen = params;
          chosen.chosen = indices.of(exec).subspan(0, 10);
          using one_cloud = farpoint::batch<std::decay_t<decltype(cloud)>>;
          return fps_extend(exec, cloud, 10, params, {indices.on(exec)},
                            workspace.of_size(exec, fps_workspace_bytes(exec, one_cloud{cloud}, chosen)));
        },
        indices);
  }

  void check_voxelize() {
    mirror<std::int32_t> coords{3 * 500};
    mirror<float> means{3 * 500};
    mirror<scalar> centroids{3 * 500};
    mirror<std::int64_t> count{1};
    check_same_as_host(
        [&](auto exec, auto& workspace) {
          auto const clouds = points_.on(exec);
          farpoint::voxelize_params<scalar> params;
          params.grid = {{{0, 0, 0}}, {{scalar(0.125), scalar(0.125), scalar(0.125)}}, {{8, 8, 8}}};
          params.features = farpoint::feature_view::packed(points_.points.of(exec).data(), n, 3);
          farpoint::voxelize_output<scalar> output;
          output.capacity = 500;
          output.coords = coords.on(exec);
          output.mean = means.on(exec);
          output.centroid = centroids.on(exec);
          output.voxel_count = count.on(exec);
          return voxelize(exec, clouds, params, output,
                          workspace.of_size(exec, voxelize_workspace_bytes(exec, clouds, params, output)));
        },
        coords, means, centroids, count);
  }

  void check_knn() {
    lists found{m * k, m};
    check_with_queries(
        [&](auto exec, auto const& points, auto const& queries, auto& workspace) {
          return knn(exec, points, queries, knn_params{k}, found.template output<farpoint::knn_output<scalar>>(exec),
                     workspace.of_size(exec, knn_workspace_bytes(exec, points, queries, knn_params{k})));
        },
        found.indices, found.distances, found.counts);
  }

  void check_knn_of_points() {
    lists found{n * k, n};
    check_same_as_host(
        [&](auto exec, auto& workspace) {
          auto const points = points_.on(exec);
          return knn(exec, points, knn_params{k}, found.template output<farpoint::knn_output<scalar>>(exec),
                     workspace.of_size(exec, knn_workspace_bytes(exec, points, knn_params{k})));
        },
        found.indices, found.distances, found.counts);
  }

  void check_searches_by_index() {
    lists found{m * k, m};
    check_by_index(
        [&](auto exec, auto const& index, auto& workspace) {
          auto const queries = queries_.on(exec);
          return knn(exec, index, queries, knn_params{k}, found.template output<farpoint::knn_output<scalar>>(exec),
                     workspace.of_size(exec, knn_workspace_bytes(exec, index, queries)));
        },
        found.indices, found.distances, found.counts);
    check_by_index(
        [&](auto exec, auto const& index, auto& workspace) {
          auto const queries = queries_.on(exec);
          return radius(exec, index, queries, ball(), found.template output<farpoint::radius_output<scalar>>(exec),
                        workspace.of_size(exec, radius_workspace_bytes(exec, index, queries)));
        },
        found.indices, found.distances, found.counts);
    lists rows{20000, m + 1};
    check_by_index(
        [&](auto exec, auto const& index, auto& workspace) {
          auto const points = points_.on(exec);
          auto const queries = queries_.on(exec);
          farpoint::radius_rows_output<scalar> const output{rows.counts.on(exec), rows.indices.on(exec),
                                                            rows.distances.on(exec)};
          return radius_rows(exec, index, points, queries, ball(), output,
                             workspace.of_size(exec, radius_workspace_bytes(exec, index, points, queries)));
        },
        rows.indices, rows.distances, rows.counts);
    mirror<scalar> normals{3 * n};
    check_by_index(
        [&](auto exec, auto const& index, auto& workspace) {
          auto const points = points_.on(exec);
          farpoint::normals_params const params;
          return estimate_normals(
              exec, index, points, params, {normals.on(exec)},
              workspace.of_size(exec, estimate_normals_workspace_bytes(exec, index, points, params)));
        },
        normals);
    mirror<scalar> means{n};
    check_by_index(
        [&](auto exec, auto const& index, auto& workspace) {
          auto const points = points_.on(exec);
          return mean_knn_distance(
              exec, index, points, {k}, {means.on(exec)},
              workspace.of_size(exec, mean_knn_distance_workspace_bytes(exec, index, points, {k})));
        },
        means);
    mirror<float> const features{std::vector<float>(2 * n, 0.75f)};
    mirror<float> interpolated{2 * m};
    check_by_index(
        [&](auto exec, auto const& index, auto& workspace) {
          auto const queries = queries_.on(exec);
          return interpolate(exec, index, features.of(exec), queries, 2, {interpolated.on(exec)},
                             workspace.of_size(exec, interpolate_workspace_bytes(exec, index, queries)));
        },
        interpolated);
  }

  void check_radius() {
    lists found{m * k, m};
    check_with_queries(
        [&](auto exec, auto const& points, auto const& queries, auto& workspace) {
          return radius(exec, points, queries, ball(), found.template output<farpoint::radius_output<scalar>>(exec),
                        workspace.of_size(exec, radius_workspace_bytes(exec, points, queries)));
        },
        found.indices, found.distances, found.counts);
  }

  void check_radius_rows() {
    lists found{20000, n + 1};
    check_same_as_host(
        [&](auto exec, auto& workspace) {
          auto const points = points_.on(exec);
          farpoint::radius_rows_output<scalar> const output{found.counts.on(exec), found.indices.on(exec),
                                                            found.distances.on(exec)};
          return radius_rows(exec, points, ball(), output,
                             workspace.of_size(exec, radius_workspace_bytes(exec, points)));
        },
        found.indices, found.distances, found.counts);
  }

  void check_normals() {
    mirror<scalar> normals{3 * n};
    mirror<scalar> curvatures{n};
    mirror<scalar> covariances{6 * n};
    farpoint::normals_params params;
    check_same_as_host(
        [&](auto exec, auto& workspace) {
          auto const points = points_.on(exec);
          return estimate_normals(exec, points, params,
                                  {normals.on(exec), curvatures.on(exec), nullptr, covariances.on(exec)},
                                  workspace.of_size(exec, normals_bytes(exec, points, params)));
        },
        normals, curvatures, covariances);
  }

  void check_means() {
    mirror<scalar> means{n};
    check_same_as_host(
        [&](auto exec, auto& workspace) {
          auto const points = points_.on(exec);
          return mean_knn_distance(exec, points, {k}, {means.on(exec)},
                                   workspace.of_size(exec, means_bytes(exec, points)));
        },
        means);
  }

  void check_interpolation() {
    mirror<float> const features{std::vector<float>(2 * n, 0.75f)};
    mirror<float> interpolated{2 * m};
    check_with_queries(
        [&](auto exec, auto const& points, auto const& queries, auto& workspace) {
          return interpolate(exec, points, features.of(exec), queries, 2, {interpolated.on(exec)},
                             workspace.of_size(exec, interpolation_bytes(exec, points, queries)));
        },
        interpolated);
  }

 private:
  struct lists {
    mirror<std::int32_t> indices;
    mirror<scalar> distances;
    mirror<std::int32_t> counts;

    lists(index_t elements, index_t rows) : indices{elements}, distances{elements}, counts{rows} {}
    template <class Output, class Exec>
    Output output(Exec exec) {
      return {indices.on(exec), distances.on(exec), counts.on(exec)};
    }
  };
  template <class Exec>
  using index_on = std::conditional_t<std::is_same_v<Exec, host_exec>, farpoint::point_bvh<scalar>,
                                      farpoint::device_point_bvh<scalar>>;

  /// `call(exec, points, queries, workspace)`.
  template <class Call, class... Outputs>
  void check_with_queries(Call const& call, Outputs const&... outputs) {
    check_same_as_host(
        [&](auto exec, auto& workspace) { return call(exec, points_.on(exec), queries_.on(exec), workspace); },
        outputs...);
  }

  /// `call(exec, index, workspace)` with BVHs of the points.
  template <class Call, class... Outputs>
  void check_by_index(Call const& call, Outputs const&... outputs) {
    mirrored_workspace memory;
    check_same_as_host(
        [&](auto exec, auto& workspace) {
          auto const points = points_.on(exec);
          index_on<decltype(exec)> index;
          auto const built = build_point_bvh(exec, points, memory.of_size(exec, point_bvh_bytes(exec, points)), index);
          return built ? call(exec, index, workspace) : built;
        },
        outputs...);
  }

  static farpoint::radius_params ball() {
    farpoint::radius_params params;
    params.radius = 0.07;
    params.max_neighbors = k;
    return params;
  }

  // The host's workspaces are knn()'s.
  template <class Clouds>
  static std::size_t normals_bytes(host_exec exec, Clouds const& points, farpoint::normals_params const& params) {
    return knn_workspace_bytes(exec, points, knn_params{params.k});
  }
  template <class Clouds>
  static std::size_t normals_bytes(cuda_exec exec, Clouds const& points, farpoint::normals_params const& params) {
    return estimate_normals_workspace_bytes(exec, points, params);
  }
  template <class Clouds>
  static std::size_t means_bytes(host_exec exec, Clouds const& points) {
    return knn_workspace_bytes(exec, points, knn_params{k});
  }
  template <class Clouds>
  static std::size_t means_bytes(cuda_exec exec, Clouds const& points) {
    return mean_knn_distance_workspace_bytes(exec, points, {k});
  }
  template <class Clouds>
  static std::size_t interpolation_bytes(host_exec exec, Clouds const& points, Clouds const& queries) {
    return knn_workspace_bytes(exec, points, queries, knn_params{3});
  }
  template <class Clouds>
  static std::size_t interpolation_bytes(cuda_exec exec, Clouds const& points, Clouds const& queries) {
    return interpolate_workspace_bytes(exec, points, queries);
  }

  mirrored_clouds<Coord> points_{n, {0, 1700, n}, 11};
  mirrored_clouds<Coord> queries_{m, {0, 300, m}, 12};
};

template <class Coord>
void check_searches() {
  problem<Coord> problem;
  problem.check_voxelize();
  problem.check_knn();
  problem.check_knn_of_points();
  problem.check_searches_by_index();
  problem.check_radius();
  problem.check_radius_rows();
  problem.check_normals();
  problem.check_means();
  problem.check_interpolation();
}

}  // namespace

TEST_CASE("library, device: fps() is the header's", "[library][device]") {
  problem<float>{}.check_fps();
  problem<double>{}.check_fps();
  problem<farpoint::float16>{}.check_fps();
}

TEST_CASE("library, device: fps_weighted(), poisson_subset() and fps_extend() are the headers'", "[library][device]") {
  auto const check = [](auto sampling) {
    sampling.check_fps_weighted();
    sampling.check_poisson_subset();
    sampling.check_fps_extend();
  };
  check(problem<float>{});
  check(problem<double>{});
  check(problem<farpoint::float16>{});
}

TEST_CASE("library, device: the other functions are the headers'", "[library][device]") {
  check_searches<float>();
  check_searches<double>();
  check_searches<farpoint::float16>();
}

TEST_CASE("library, device: wrong arguments are refused, and nothing is written", "[library][device]") {
  mirrored_clouds<float> const points{100, {0, 100}, 1};
  mirror<std::int32_t> indices{100 * 4};
  test_stream const stream;
  cuda_exec const exec{stream.get()};
  auto const cloud = points.on(exec);
  CHECK(knn(exec, cloud, knn_params{0}, {indices.on(exec)}, {}).code == farpoint::status::bad_argument);
  CHECK(knn(exec, cloud, knn_params{4}, {indices.on(exec)}, {}).code == farpoint::status::workspace_too_small);
  CHECK(indices.same());
}

TEST_CASE("library, device: a workspace without room for wide clouds is refused", "[library][device]") {
  mirrored_clouds<farpoint::float16> const points{100, {0, 100}, 1};
  mirror<std::int32_t> indices{100 * 4};
  test_stream const stream;
  cuda_exec const exec{stream.get()};
  auto const cloud = points.on(exec);
  std::size_t const needed = knn_workspace_bytes(exec, cloud, knn_params{4});
  call_workspace memory;
  farpoint::bytes const workspace = memory.of_size(needed);
  auto const none = knn(exec, cloud, knn_params{4}, {indices.on(exec)}, {});
  CHECK(none.code == farpoint::status::workspace_too_small);
  CHECK(std::string{none.reason} == "knn: the workspace has no room for the clouds in float");
  auto const shorter = knn(exec, cloud, knn_params{4}, {indices.on(exec)}, workspace.first(needed - 1));
  CHECK(shorter.code == farpoint::status::workspace_too_small);
  CHECK(std::string{shorter.reason} == "knn: the workspace is smaller than the knn_workspace_bytes() of this call");
  CHECK(shorter.needed == needed);
  CHECK(shorter.given == needed - 1);
  CHECK(indices.same());
}

namespace {

/// All memory of process_frame(), which is compiled without CUDA's headers.
class frame {
 public:
  explicit frame(std::uint64_t seed)
      : points_{coordinates<float>(make_cloud(shape::cube, static_cast<std::size_t>(n), seed))},
        outputs_{static_cast<std::size_t>(3 * voxels + 2 + samples + (8 + 16 + 3 + 1 + 3) * n)} {}

  farpoint::result enqueue(cudaStream_t stream) {
    frame_memory memory;
    memory.points = {points_.data(), points_.size()};
    unsigned* next = outputs_.data();
    take(next, memory.voxels, 1);
    take(next, memory.means, 3 * voxels);
    take(next, memory.samples, samples);
    take(next, memory.neighbors, 8 * n);
    take(next, memory.balls, 16 * n);
    take(next, memory.normals, 3 * n);
    take(next, memory.distances, n);
    take(next, memory.interpolated, 3 * n);
    cuda_exec const exec{stream};
    return process_frame(exec, memory, workspace_.of_size(frame_workspace_bytes(exec, memory)));
  }

  /// Returns the output of the last call, whose stream was synchronized; empty if a guard was overwritten.
  std::vector<unsigned> answer() const {
    return outputs_.intact() && workspace_.intact() ? outputs_.download() : std::vector<unsigned>{};
  }

 private:
  static constexpr index_t n = 2000;
  static constexpr index_t voxels = 512;
  static constexpr index_t samples = 100;

  template <class T>
  static void take(unsigned*& next, farpoint::span<T>& array, index_t size) {
    array = {reinterpret_cast<T*>(next), static_cast<std::size_t>(size)};
    next += static_cast<std::size_t>(size) * sizeof(T) / sizeof(unsigned);
  }

  device_array<float> points_;
  device_array<unsigned> outputs_;
  call_workspace workspace_;
};

}  // namespace

TEST_CASE("library, device: seven functions from a file without CUDA's headers", "[library][device][graph]") {
  frame first{1};
  test_stream const stream;
  REQUIRE(first.enqueue(stream.get()));
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  auto const expected = first.answer();
  REQUIRE(!expected.empty());
  check_stream_citizen([&](cudaStream_t other) { return first.enqueue(other); },
                       [&](farpoint::result const& outcome) { return outcome && first.answer() == expected; });
}

TEST_CASE("library, device: eight threads at once", "[library][device]") {
  std::vector<std::unique_ptr<frame>> frames;
  std::vector<std::vector<unsigned>> expected;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    frames.push_back(std::make_unique<frame>(seed));
    REQUIRE(frames.back()->enqueue(nullptr));
    REQUIRE_CUDA(cudaStreamSynchronize(nullptr));
    expected.push_back(frames.back()->answer());
  }
  std::vector<int> same(frames.size(), 0);
  std::vector<std::thread> callers;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    callers.emplace_back([&, i] {
      test_stream const stream;
      int right = 0;
      for (int repeat = 0; repeat < 10; ++repeat) {
        auto const outcome = frames[i]->enqueue(stream.get());
        REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
        right += outcome && frames[i]->answer() == expected[i] ? 1 : 0;
      }
      same[i] = right;
    });
  }
  for (auto& caller : callers) caller.join();
  CHECK(same == std::vector<int>(frames.size(), 10));
}

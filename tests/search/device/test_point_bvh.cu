// point_bvh_ref in user kernels: searches return what searches on the host return in a BVH that the host has built.
#include <farpoint/point_bvh.cuh>
#include <farpoint/point_bvh.hpp>

#include "../../support/catch.hpp"
#include "../../support/device/clouds_on_device.cuh"
#include "../../support/device/stream_citizen.cuh"
#include "../box_of_finite.hpp"
#include "knn_kernels.cuh"

using namespace farpoint_tests;
using farpoint::cuda_exec;
using farpoint::host_exec;
using farpoint::neighbor_key;
using farpoint::point_bvh_ref;
using farpoint::vec;

namespace {

constexpr int max_k = 8;

/// Results of one query: the k nearest points, the number of points within a radius, and the farthest of these.
template <class Scalar>
struct finding {
  std::uint32_t index[max_k];
  Scalar distance2[max_k];
  std::uint32_t within;      ///< number of points within the radius
  std::uint32_t within_mix;  ///< hash of their indices that does not depend on the order
  Scalar farthest2;          ///< largest squared distance of a point within the radius
};

template <class Scalar>
FARPOINT_HD finding<Scalar> find_around(point_bvh_ref<Scalar> const& index, vec<Scalar> const& q, int k, Scalar radius2,
                                        std::uint32_t excluded) {
  finding<Scalar> found{};
  neighbor_key<Scalar> keys[max_k];
  auto const list = index.template nearest<max_k>(q, k, radius2, excluded);
  list.write(keys, k);
  for (int j = 0; j < k; ++j) {
    found.index[j] = keys[j].index();
    found.distance2[j] = keys[j].distance2();
  }
  index.within(q, radius2, [&](std::uint32_t i, Scalar d) {
    ++found.within;
    found.within_mix += (i + 1) * 2654435761u;
    found.farthest2 = d > found.farthest2 ? d : found.farthest2;
  });
  return found;
}

/// Searches around each finite point, in the point's own cloud. One block; its threads share the points.
template <class Points>
__global__ void search_kernel(farpoint::device_point_bvh<typename Points::scalar> const index,
                              farpoint::batch<Points> const clouds, int k, typename Points::scalar radius2,
                              finding<typename Points::scalar>* found) {
  for (index_t b = 0; b < clouds.size(); ++b) {
    Points const cloud = clouds[b];
    for (index_t i = threadIdx.x; i < cloud.size(); i += blockDim.x) {
      auto const q = cloud[i];
      if (!farpoint::is_finite(q)) continue;
      found[clouds.begin_of(b) + i] = find_around(index[b], q, k, radius2, static_cast<std::uint32_t>(i));
    }
  }
}

/// Counts how often for_each() visits each point. A visit with wrong coordinates counts as 1,000.
template <class Points>
__global__ void count_visits_kernel(farpoint::device_point_bvh<typename Points::scalar> const index,
                                    farpoint::batch<Points> const clouds, int* seen) {
  index_t const b = blockIdx.x;
  Points const cloud = clouds[b];
  index[b].for_each([&](std::uint32_t i, auto const& p) {
    auto const wanted = cloud[i];
    bool const is_right = p[0] == wanted[0] && p[1] == wanted[1] && p[2] == wanted[2];
    seen[clouds.begin_of(b) + i] += is_right ? 1 : 1000;
  });
}

/// BVH of a problem's clouds on the device, and results of searches in it.
template <class Problem>
class searched_index {
 public:
  using scalar = typename Problem::scalar;

  searched_index(Problem const& problem, scalar radius2)
      : problem_{problem},
        radius2_{radius2},
        clouds_{problem},
        memory_{farpoint::point_bvh_bytes(cuda_exec{stream_.get()}, clouds_.points())},
        found_{std::vector<finding<scalar>>(static_cast<std::size_t>(problem.points.points), finding<scalar>{})},
        seen_{std::vector<int>(static_cast<std::size_t>(problem.points.points))} {}

  /// Builds the index and searches in it.
  void enqueue() {
    cudaStream_t const stream = stream_.get();
    farpoint::device_point_bvh<scalar> index;
    auto const clouds = clouds_.points();
    REQUIRE(build_point_bvh(cuda_exec{stream}, clouds, span_of<unsigned char>(memory_), index));
    search_kernel<<<1, 256, 0, stream>>>(index, clouds, static_cast<int>(problem_.k), radius2_, found_.data());
    REQUIRE_CUDA(cudaMemsetAsync(seen_.data(), 0, seen_.size() * sizeof(int), stream));
    count_visits_kernel<<<static_cast<unsigned>(clouds.size()), 1, 0, stream>>>(index, clouds, seen_.data());
    REQUIRE_CUDA(cudaGetLastError());
  }

  /// Checks the results for the clouds of `problem`, after enqueue() or a replay of its graph.
  void check(Problem const& problem) const {
    REQUIRE_CUDA(cudaStreamSynchronize(stream_.get()));
    CHECK(memory_.intact());
    auto const clouds = clouds_in_place(problem.points);
    farpoint::detail::host_workspace const memory{farpoint::point_bvh_bytes(host_exec{}, clouds)};
    farpoint::point_bvh<scalar> index;
    REQUIRE(farpoint::build_point_bvh(host_exec{}, clouds, memory.get(), index));
    auto const found = found_.download();
    auto const seen = seen_.download();
    bool same = true;
    for (index_t b = 0; b < clouds.size(); ++b) {
      auto const cloud = clouds[b];
      for (index_t i = 0; i < cloud.size(); ++i) {
        auto const at = static_cast<std::size_t>(clouds.begin_of(b) + i);
        bool const is_query = farpoint::is_finite(cloud[i]);
        same = same && seen[at] == (is_query ? 1 : 0);
        if (!is_query) continue;
        auto const wanted =
            find_around(index[b], cloud[i], static_cast<int>(problem.k), radius2_, static_cast<std::uint32_t>(i));
        same = same && std::memcmp(&found[at], &wanted, sizeof wanted) == 0;
      }
    }
    CHECK(same);
  }

  clouds_on_device<Problem>& clouds() { return clouds_; }
  cudaStream_t stream() const { return stream_.get(); }

 private:
  Problem const& problem_;
  scalar radius2_;
  test_stream stream_;
  clouds_on_device<Problem> clouds_;
  device_array<unsigned char> memory_;
  device_array<finding<scalar>> found_;
  device_array<int> seen_;
};

template <class Coord>
void check_shapes() {
  for (shape const which : all_shapes) {
    for (std::size_t const n : {1u, 9u, 65u, 2000u}) {
      for (index_t const k : {1, 5, 8}) {
        CAPTURE(static_cast<int>(which), n, k);
        knn_problem<Coord> problem{make_cloud(which, n, n), k};
        auto const size = static_cast<index_t>(n);
        if (n > 9) problem.points.offsets = {0, size / 3, size / 3, size};
        searched_index<knn_problem<Coord>> searched{problem, k == 5 ? typename knn_problem<Coord>::scalar(0.01) : 1};
        searched.enqueue();
        searched.check(problem);
      }
    }
  }
}

template <class Scalar>
__global__ void bounds_kernel(farpoint::device_point_bvh<Scalar> const index, farpoint::bounding_box<Scalar>* bounds) {
  bounds[threadIdx.x] = index[threadIdx.x].bounds();
}

/// BVH of a problem's clouds. The constructor enqueues the build.
struct built_index {
  explicit built_index(knn_problem<float> const& problem)
      : clouds{problem}, memory{farpoint::point_bvh_bytes(cuda_exec{stream.get()}, clouds.points())} {
    REQUIRE(build_point_bvh(cuda_exec{stream.get()}, clouds.points(), span_of<unsigned char>(memory), index));
  }

  test_stream stream;
  clouds_on_device<knn_problem<float>> clouds;
  device_array<unsigned char> memory;
  farpoint::device_point_bvh<float> index;
};

}  // namespace

TEST_CASE("point_bvh_ref, device: searches in a user's kernel equal searches on the host", "[point_bvh][device]") {
  check_shapes<float>();
  check_shapes<double>();
}

TEST_CASE("point_bvh_ref, device: a graph is replayed with other points", "[point_bvh][device][graph][sanitize]") {
  std::vector<knn_problem<float>> problems;
  for (shape const which : {shape::cube, shape::rings, shape::non_finite, shape::cube}) {
    problems.emplace_back(make_cloud(which, 1500, 3), 6);
  }
  searched_index<knn_problem<float>> searched{problems[0], 0.02f};
  captured_graph const graph{searched.stream(), [&] { searched.enqueue(); }};
  for (auto const& problem : problems) {
    searched.clouds().upload(problem);
    graph.replay();
    searched.check(problem);
  }
}

TEST_CASE("point_bvh_ref, device: bounds of the finite points", "[point_bvh][device][sanitize]") {
  for (shape const which : all_shapes) {
    for (std::size_t const n : {0u, 1u, 8u, 9u, 70u, 3000u}) {
      CAPTURE(static_cast<int>(which), n);
      knn_problem<float> problem{make_cloud(which, n, n), 1};
      if (n > 9) problem.points.offsets = {0, 5, 5, static_cast<index_t>(n)};
      built_index const built{problem};
      auto const clouds = clouds_in_place(problem.points);
      device_array<farpoint::bounding_box<float>> const bounds{static_cast<std::size_t>(clouds.size())};
      bounds_kernel<<<1, static_cast<unsigned>(clouds.size()), 0, built.stream.get()>>>(built.index, bounds.data());
      REQUIRE_CUDA(cudaStreamSynchronize(built.stream.get()));
      auto const found = bounds.download();
      for (index_t b = 0; b < clouds.size(); ++b) {
        CHECK(same_box(found[static_cast<std::size_t>(b)], box_of_finite(clouds[b])));
      }
    }
  }
}

TEST_CASE("device_point_bvh: packets are in the order of descending extents", "[point_bvh][device]") {
  for (shape const which : {shape::cube, shape::rings, shape::all_equal, shape::non_finite}) {
    knn_problem<float> const problem{make_cloud(which, 70001, 5), 1};
    built_index const built{problem};
    auto const& index = built.index;
    REQUIRE_CUDA(cudaStreamSynchronize(built.stream.get()));
    farpoint::detail::point_bvh_cloud cloud{};
    REQUIRE_CUDA(cudaMemcpy(&cloud, index.arrays().clouds, sizeof cloud, cudaMemcpyDefault));
    auto const points = static_cast<std::size_t>(cloud.size);
    std::vector<std::uint32_t> order((points + 31) / 32);
    std::vector<farpoint::point_leaf<float>> leaves((points + 7) / 8);
    auto const copy = [](auto& to, auto const* from) {
      return cudaMemcpy(to.data(), from, to.size() * sizeof to[0], cudaMemcpyDefault);
    };
    REQUIRE_CUDA(copy(order, index.arrays().packets));
    REQUIRE_CUDA(copy(leaves, index.arrays().leaves));
    CAPTURE(static_cast<int>(which), points);
    std::vector<bool> seen(order.size());
    bool is_permutation = true;
    bool is_descending = true;
    int last = 1000;
    for (std::uint32_t const packet : order) {
      is_permutation = is_permutation && packet < order.size() && !seen[packet];
      if (!is_permutation) break;
      seen[packet] = true;
      auto box = farpoint::bounding_box<float>::empty();
      for (std::size_t i = 32 * std::size_t{packet}; i < std::min(32 * std::size_t{packet} + 32, points); ++i) {
        box.grow(leaves[i / 8].at(static_cast<int>(i % 8)));
      }
      float extent2 = 0;
      for (int axis = 0; axis < 3; ++axis) {
        extent2 += (box.high[axis] - box.low[axis]) * (box.high[axis] - box.low[axis]);
      }
      int const exponent = extent2 == 0 ? -1000 : std::ilogb(extent2);
      // This sum may be rounded to another exponent than the builder's, and the builder may merge two exponents.
      is_descending = is_descending && exponent <= last + 1;
      last = exponent;
    }
    CHECK(is_permutation);
    CHECK(is_descending);
  }
}

TEST_CASE("device_point_bvh: knn() takes no workspace, or one that is large enough", "[point_bvh][device]") {
  index_t const rows = 20000;
  knn_problem<float> problem{make_cloud(shape::cube, 500, 1), 3};
  built_index const built{problem};
  auto const& clouds = built.clouds;
  auto const& index = built.index;
  cuda_exec const exec{built.stream.get()};
  // Enough queries for knn() to sort them in the workspace; a stride of 0 makes all of them the first point.
  farpoint::point_view<float> const one{clouds.points().points().base(), rows, 0};
  farpoint::batch<farpoint::point_view<float>> const queries{one};
  device_array<std::int32_t> const indices{static_cast<std::size_t>(3 * rows)};
  farpoint::knn_output<float> const output{span_of<std::int32_t>(indices)};
  std::size_t const needed = farpoint::knn_workspace_bytes(exec, index, queries);
  REQUIRE(needed > 0);
  device_array<unsigned char> const workspace{needed};
  auto const code = [&](std::size_t size) {
    return farpoint::knn(exec, index, queries, farpoint::knn_params{3}, output, {workspace.data(), size}).code;
  };
  CHECK(code(needed - 1) == farpoint::status::workspace_too_small);
  CHECK(code(1) == farpoint::status::workspace_too_small);
  CHECK(indices.untouched());
  CHECK(code(0) == farpoint::status::ok);
  REQUIRE_CUDA(cudaStreamSynchronize(built.stream.get()));
  auto const without = indices.download();
  CHECK(code(needed) == farpoint::status::ok);
  REQUIRE_CUDA(cudaStreamSynchronize(built.stream.get()));
  CHECK(without == indices.download());
  CHECK(workspace.intact());
}

// Size queries and calls with numbers at the limits of their types return a size or a status, without overflow. Builds
// with UndefinedBehaviorSanitizer detect the overflow.
#include <farpoint/estimate_normals.hpp>
#include <farpoint/fps.hpp>
#include <farpoint/gather.hpp>
#include <farpoint/hash_map.hpp>
#include <farpoint/interpolate.hpp>
#include <farpoint/knn_screen.hpp>
#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/quadtree.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/voxelize.hpp>

#include <limits>

#include "../../screen/knn_screen_problem.hpp"
#include "../../support/catch.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;

namespace {

constexpr index_t least = std::numeric_limits<index_t>::min();
constexpr index_t most = std::numeric_limits<index_t>::max();
constexpr index_t numbers[] = {least,
                               least + 1,
                               -1,
                               0,
                               1,
                               1000,
                               std::numeric_limits<std::int32_t>::max(),
                               index_t{1} << 32,
                               index_t{1} << 40,
                               index_t{1} << 62,
                               most / 64,
                               most - 1,
                               most};
constexpr host_exec execs[] = {host_exec{1}, host_exec{3}, host_exec{-1}};

template <class Scalar = float>
using view_of = farpoint::point_view<Scalar>;

/// Calls `check(batch)` for batches of sizes at the limits, regular and ragged. Their points must not be read.
template <class Scalar, class Check>
void for_batches(Check const& check) {
  static Scalar const point[3] = {};
  static index_t const offsets[2] = {};
  for (index_t const points : numbers) {
    view_of<Scalar> const view{point, points};
    for (index_t const clouds : numbers) {
      CAPTURE(points, clouds);
      check(farpoint::batch<view_of<Scalar>>::regular(view, clouds));
    }
    for (index_t const largest : numbers) {
      CAPTURE(points, largest);
      check(farpoint::batch<view_of<Scalar>>::ragged(view, {offsets, 2}, largest));
    }
  }
}

/// Returns true for batches that a call without memory refuses.
template <class Batch>
bool is_huge(Batch const& clouds) {
  if (clouds.size() == 0) return false;
  return clouds.points().size() > 100000 || clouds.points().size() < 0 || clouds.size() > 100000 || clouds.size() < 0;
}

}  // namespace

TEST_CASE("huge sizes: fps", "[limits][host]") {
  for_batches<float>([](auto const& clouds) {
    for (index_t const samples : {least, index_t{-1}, index_t{0}, index_t{7}, most}) {
      for (host_exec const exec : execs) {
        farpoint::fps_params params;
        params.samples = samples;
        static_cast<void>(fps_workspace_bytes(exec, clouds, params));
        if (is_huge(clouds) && samples != 0) {
          CHECK_FALSE(farpoint::fps(exec, clouds, params, farpoint::fps_output<float>{}, {}));
        }
      }
    }
  });
}

TEST_CASE("huge sizes: voxelize", "[limits][host]") {
  for_batches<double>([](auto const& clouds) {
    for (index_t const capacity : numbers) {
      farpoint::voxelize_params<double> params;
      params.grid.origin = {{0, 0, 0}};
      params.grid.size = {{1, 1, 1}};
      params.grid.dims = {{1 << 30, 1 << 30, 1 << 30}};
      params.mode = farpoint::hard{most, most};
      farpoint::voxelize_output<double> output;
      output.capacity = capacity;
      for (host_exec const exec : execs) {
        static_cast<void>(voxelize_workspace_bytes(exec, clouds, params, output));
        if (is_huge(clouds)) CHECK_FALSE(farpoint::voxelize(exec, clouds, params, output, {}));
      }
    }
  });
}

TEST_CASE("huge sizes: knn, radius and what is made of neighbors", "[limits][host]") {
  for_batches<float>([](auto const& clouds) {
    using view = view_of<float>;
    static float const point[3] = {};
    for (host_exec const exec : execs) {
      for (index_t const k : {least, index_t{1}, most}) {
        static_cast<void>(knn_workspace_bytes(exec, clouds, farpoint::knn_params{k}));
        if (!is_huge(clouds)) continue;
        CHECK_FALSE(knn(exec, clouds, farpoint::knn_params{k}, farpoint::knn_output<float>{}, {}));
        CHECK_FALSE(radius(exec, clouds, {0, k}, farpoint::radius_output<float>{}, {}));
        CHECK_FALSE(mean_knn_distance(exec, clouds, {k}, {}, {}));
      }
      for (index_t const asked : numbers) {
        auto const queries = farpoint::batch<view>::regular(view{point, asked}, clouds.size());
        static_cast<void>(knn_workspace_bytes(exec, clouds, queries, farpoint::knn_params{8}));
        static_cast<void>(radius_workspace_bytes(exec, clouds, queries));
        if (!is_huge(clouds)) continue;
        CHECK_FALSE(knn(exec, clouds, queries, farpoint::knn_params{8}, farpoint::knn_output<float>{}, {}));
        CHECK_FALSE(interpolate(exec, clouds, {}, queries, most, {}, {}));
      }
      static_cast<void>(point_bvh_bytes(exec, clouds));
      if (!is_huge(clouds)) continue;
      farpoint::point_bvh<float> index;
      CHECK_FALSE(build_point_bvh(exec, clouds, {}, index));
      CHECK_FALSE(radius_rows(exec, clouds, {}, farpoint::radius_rows_output<float>{}, {}));
      CHECK_FALSE(estimate_normals(exec, clouds, {}, farpoint::normals_output<float>{}, {}));
    }
  });
}

TEST_CASE("huge sizes: knn in screen space", "[limits][host]") {
  for_batches<float>([](auto const& clouds) {
    for (int const side : {-1, 0, 1, 8192, std::numeric_limits<int>::max()}) {
      for (int const rounds : {std::numeric_limits<int>::min(), 0, 3, std::numeric_limits<int>::max()}) {
        for (int const layers : {std::numeric_limits<int>::min(), 1, std::numeric_limits<int>::max()}) {
          farpoint::screen_space method{camera_at_cube<float>(side, side)};
          method.rounds = rounds;
          method.layers = layers;
          method.candidates = most;
          method.k = 8;
          static_cast<void>(knn_workspace_bytes(host_exec{1}, clouds, method));
          auto longest = method;
          longest.k = most;
          static_cast<void>(knn_workspace_bytes(host_exec{3}, clouds, longest));
          if (!is_huge(clouds)) continue;
          CHECK_FALSE(knn(host_exec{1}, clouds, method, farpoint::knn_screen_output<float>{}, {}));
        }
      }
    }
  });
}

TEST_CASE("huge sizes: gather and hash maps", "[limits][host]") {
  std::vector<float> const features(10);
  std::vector<float> output(10);
  std::vector<std::int32_t> const indices(3);
  for (index_t const channels : numbers) {
    if (channels == 1) continue;
    CHECK_FALSE(
        gather(host_exec{1}, farpoint::span<float const>{features}, channels, indices, farpoint::span<float>{output}));
  }
  for (index_t const keys : numbers) {
    for (double const load : {0.0, 1e-300, 0.5, 1.0, -1.0, std::nan("")}) {
      CAPTURE(keys, load);
      CHECK(farpoint::hash_map_ref<std::uint32_t>::buckets_for(keys, load) >= 0);
      CHECK(farpoint::hash_map_ref<std::uint64_t, std::uint64_t>::buckets_for(keys, load) >= 0);
    }
  }
}

/// @file
/// Farthest point samples, nearest neighbors and ball queries by pytorch3d, its sources as they are.

#include "peers/external/device_peers.hpp"
#include "peers/external/torch_tensors.hpp"

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <cub/cub.cuh>

#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <tuple>
#include <vector>

namespace farpoint_bench {
namespace {

// The sources' headers have been included: their names stay in this namespace.
namespace pytorch3d {
#include "ball_query/ball_query.cu"
#include "knn/knn.cu"
#include "sample_farthest_points/sample_farthest_points.cu"

class fps final : public device_fps {
 public:
  explicit fps(input const& in)
      : in_{in},
        points_{tensor_of(in.xyz, {in.clouds, in.points, 3})},
        lengths_{integers(in.clouds, in.points)},
        sizes_{integers(in.clouds, in.samples)},
        starts_{integers(in.clouds, 0)} {}

  static bool suits(input const&) { return true; }
  void enqueue(cudaStream_t) override {
    samples_ = FarthestPointSamplingCuda(points_, lengths_, sizes_, starts_, in_.samples);
  }
  std::vector<std::int32_t> indices() const override { return download(samples_); }

 private:
  input in_;
  at::Tensor points_;
  at::Tensor lengths_;
  at::Tensor sizes_;
  at::Tensor starts_;
  at::Tensor samples_;
};

/// As knn_points() of its Python package, whose default is to sort the lists.
class knn final : public device_knn {
 public:
  explicit knn(input const& in)
      : in_{in},
        points_{tensor_of(in.xyz, {1, in.points, 3})},
        queries_{tensor_of(in.queries_xyz, {1, in.queries, 3})},
        lengths_{integers(1, in.points)},
        query_lengths_{integers(1, in.queries)} {}

  static bool suits(input const& in) {
    return std::isinf(in.radius) && static_cast<double>(in.points) * in.queries <= 5e10;
  }
  void enqueue(cudaStream_t) override {
    auto const [found, distances] = KNearestNeighborIdxCuda(queries_, points_, query_lengths_, lengths_, 2, in_.k, -1);
    found_ = in_.k > 1 ? found.gather(2, std::get<1>(distances.sort(2))) : found;
  }
  std::vector<std::int32_t> indices() const override { return download(found_); }

 private:
  input in_;
  at::Tensor points_;
  at::Tensor queries_;
  at::Tensor lengths_;
  at::Tensor query_lengths_;
  at::Tensor found_;
};

class ball_query final : public device_ball_query {
 public:
  explicit ball_query(input const& in)
      : in_{in},
        points_{tensor_of(in.xyz, {in.clouds, in.points, 3})},
        queries_{tensor_of(in.queries_xyz, {in.clouds, in.queries, 3})},
        lengths_{integers(in.clouds, in.points)},
        query_lengths_{integers(in.clouds, in.queries)} {}

  static bool suits(input const& in) { return static_cast<double>(in.clouds) * in.points * in.queries <= 5e10; }
  void enqueue(cudaStream_t) override {
    found_ = std::get<0>(BallQueryCuda(queries_, points_, query_lengths_, lengths_, in_.most, in_.radius, false));
  }
  std::vector<std::int32_t> indices() const override { return download(found_); }

 private:
  input in_;
  at::Tensor points_;
  at::Tensor queries_;
  at::Tensor lengths_;
  at::Tensor query_lengths_;
  at::Tensor found_;
};
}  // namespace pytorch3d

register_device_peer<device_fps, pytorch3d::fps> const samples{"pytorch3d", peer_stream::standard};
register_device_peer<device_knn, pytorch3d::knn> const neighbors{"pytorch3d", peer_stream::standard};
register_device_peer<device_ball_query, pytorch3d::ball_query> const balls{"pytorch3d", peer_stream::standard};

}  // namespace
}  // namespace farpoint_bench

/// @file
/// Farthest point samples, nearest neighbors and ball queries by torch_cluster, its sources as they are.

#include "peers/external/device_peers.hpp"
#include "peers/external/torch_tensors.hpp"

#include <ATen/cuda/CUDAContext.h>
#include <torch/torch.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace farpoint_bench {
namespace {

// The sources' headers have been included: their names stay in this namespace.
namespace torch_cluster {
#include "cuda/fps_cuda.cu"
#include "cuda/knn_cuda.cu"
#include "cuda/radius_cuda.cu"

/// It copies the number of samples to the host in each call.
class fps final : public device_fps {
 public:
  explicit fps(input const& in)
      : in_{in},
        points_{tensor_of(in.xyz, {std::int64_t{in.clouds} * in.points, 3})},
        offsets_{offsets_of(in.clouds, in.points)},
        // The number of samples is rounded up.
        ratio_{at::full({1}, (in.samples - 0.5) / in.points, points_.options())} {}

  static bool suits(input const&) { return true; }
  void enqueue(cudaStream_t) override { samples_ = fps_cuda(points_, offsets_, ratio_, false); }
  std::vector<std::int32_t> indices() const override {
    return download(samples_.view({in_.clouds, -1}) - offsets_.narrow(0, 0, in_.clouds).unsqueeze(1));
  }

 private:
  input in_;
  at::Tensor points_;
  at::Tensor offsets_;
  at::Tensor ratio_;
  at::Tensor samples_;
};

class knn final : public device_knn {
 public:
  explicit knn(input const& in)
      : in_{in},
        points_{tensor_of(in.xyz, {in.points, 3})},
        queries_{tensor_of(in.queries_xyz, {in.queries, 3})},
        offsets_{offsets_of(1, in.points)},
        query_offsets_{offsets_of(1, in.queries)} {}

  static bool suits(input const& in) {
    return in.k <= 100 && std::isinf(in.radius) && static_cast<double>(in.points) * in.queries <= 2e10;
  }
  void enqueue(cudaStream_t) override { pairs_ = knn_cuda(points_, queries_, offsets_, query_offsets_, in_.k, false); }
  std::vector<std::int32_t> indices() const override { return download(pairs_[1]); }

 private:
  input in_;
  at::Tensor points_;
  at::Tensor queries_;
  at::Tensor offsets_;
  at::Tensor query_offsets_;
  at::Tensor pairs_;
};

class ball_query final : public device_ball_query {
 public:
  explicit ball_query(input const& in)
      : in_{in},
        points_{tensor_of(in.xyz, {std::int64_t{in.clouds} * in.points, 3})},
        queries_{tensor_of(in.queries_xyz, {std::int64_t{in.clouds} * in.queries, 3})},
        offsets_{offsets_of(in.clouds, in.points)},
        query_offsets_{offsets_of(in.clouds, in.queries)} {}

  static bool suits(input const& in) { return static_cast<double>(in.clouds) * in.points * in.queries <= 2e10; }
  void enqueue(cudaStream_t) override {
    pairs_ = radius_cuda(points_, queries_, offsets_, query_offsets_, in_.radius, in_.most, false);
  }
  std::vector<std::int32_t> indices() const override {
    std::vector<std::int32_t> const of = download(pairs_[0]);
    std::vector<std::int32_t> const neighbors = download(pairs_[1]);
    auto const most = static_cast<std::size_t>(in_.most);
    std::vector<std::int32_t> lists(static_cast<std::size_t>(in_.clouds) * static_cast<std::size_t>(in_.queries) * most,
                                    -1);
    std::size_t place = 0;
    for (std::size_t i = 0; i < of.size(); ++i) {
      place = i > 0 && of[i] == of[i - 1] ? place + 1 : 0;
      std::int32_t const cloud = of[i] / in_.queries;
      lists[static_cast<std::size_t>(of[i]) * most + place] = neighbors[i] - cloud * in_.points;
    }
    return lists;
  }

 private:
  input in_;
  at::Tensor points_;
  at::Tensor queries_;
  at::Tensor offsets_;
  at::Tensor query_offsets_;
  at::Tensor pairs_;
};
}  // namespace torch_cluster

register_device_peer<device_fps, torch_cluster::fps> const samples{"torch_cluster", peer_stream::standard};
register_device_peer<device_knn, torch_cluster::knn> const neighbors{"torch_cluster", peer_stream::standard};
register_device_peer<device_ball_query, torch_cluster::ball_query> const balls{"torch_cluster", peer_stream::standard};

}  // namespace
}  // namespace farpoint_bench

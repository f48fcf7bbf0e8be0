/// @file
/// Nearest neighbors by cuBQL, whose queries are device functions: a kernel with a thread a query.
///
/// A variant is a builder, a number of points of a leaf, and a list: cuBQL's own, which it inserts into linearly, or
/// one in registers, which cuBQL's traversal fills by the function that it calls for each point. Queries that are the
/// points are asked in the order of the leaves, so that the threads of a warp walk the same nodes.

#include "peers/external/device_peers.hpp"
#include "support/cuda_handles.hpp"

#define CUBQL_GPU_BUILDER_IMPLEMENTATION 1
// The builders need it before them.
#include <cuBQL/bvh.h>

#include <cuBQL/builder/cuda.h>
#include <cuBQL/builder/cuda/radix.h>
#include <cuBQL/builder/cuda/rebinMortonBuilder.h>
#include <cuBQL/queries/pointData/knn.h>
#include <cuBQL/traversal/shrinkingRadiusQuery.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace farpoint_bench {
namespace {

using tree = cuBQL::BinaryBVH<float, 3>;
using box = cuBQL::box_t<float, 3>;
using point = cuBQL::vec_t<float, 3>;

constexpr unsigned block_size = 128;
unsigned blocks_for(int threads) {
  return (static_cast<unsigned>(threads) + block_size - 1) / block_size;
}

__global__ void boxes_kernel(point const* points, int size, box* boxes) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= size) return;
  box made;
  made.lower = made.upper = points[i];
  boxes[i] = made;
}

/// The query of this thread: its entry of `order`, or its number where that is null.
__device__ int query_of_thread(int size, std::uint32_t const* order) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  return i < size && order != nullptr ? static_cast<int>(order[i]) : i;
}

template <int K>
__global__ void __launch_bounds__(block_size)
    linear_kernel(tree const index, point const* points, point const* queries, int size, std::uint32_t const* order,
                  std::int32_t* indices) {
  int const i = query_of_thread(size, order);
  if (i >= size) return;
  cuBQL::knn::Candidate found[K];
  cuBQL::points::findKNN(found, K, index, points, queries[i]);
  for (int j = 0; j < K; ++j) indices[static_cast<std::size_t>(i) * K + j] = found[j].primID;
}

template <int K>
__global__ void __launch_bounds__(block_size)
    registers_kernel(tree const index, point const* points, point const* queries, int size, std::uint32_t const* order,
                     float radius2, std::int32_t* indices) {
  int const i = query_of_thread(size, order);
  if (i >= size) return;
  point const query = queries[i];
  float distances[K];
  std::int32_t found[K];
#pragma unroll
  for (int j = 0; j < K; ++j) {
    distances[j] = radius2;
    found[j] = -1;
  }
  auto const visit = [&](int candidate) {
    point const p = points[candidate];
    float const x = p.x - query.x;
    float const y = p.y - query.y;
    float const z = p.z - query.z;
    float const distance = x * x + y * y + z * z;
    if (distance < distances[K - 1]) {
      distances[K - 1] = distance;
      found[K - 1] = candidate;
#pragma unroll
      for (int j = K - 1; j > 0; --j) {
        bool const swaps = distances[j] < distances[j - 1];
        float const nearer = swaps ? distances[j] : distances[j - 1];
        float const farther = swaps ? distances[j - 1] : distances[j];
        std::int32_t const near = swaps ? found[j] : found[j - 1];
        std::int32_t const far = swaps ? found[j - 1] : found[j];
        distances[j - 1] = nearer;
        distances[j] = farther;
        found[j - 1] = near;
        found[j] = far;
      }
    }
    return distances[K - 1];
  };
  cuBQL::shrinkingRadiusQuery::forEachPrim(visit, index, query, radius2);
  for (int j = 0; j < K; ++j) indices[static_cast<std::size_t>(i) * K + j] = found[j];
}

enum class builder { spatial_median, radix, rebin_radix };
enum class list { linear, registers };

template <list List, int K>
void search(cudaStream_t stream, tree const& index, device_knn::input const& in, std::int32_t* indices) {
  auto const* const points = reinterpret_cast<point const*>(in.xyz);
  auto const* const queries = reinterpret_cast<point const*>(in.queries_xyz);
  std::uint32_t const* const order = queries == points ? index.primIDs : nullptr;
  if constexpr (List == list::linear) {
    linear_kernel<K>
        <<<blocks_for(in.queries), block_size, 0, stream>>>(index, points, queries, in.queries, order, indices);
  } else {
    registers_kernel<K><<<blocks_for(in.queries), block_size, 0, stream>>>(index, points, queries, in.queries, order,
                                                                           in.radius * in.radius, indices);
  }
  check(cudaGetLastError(), "the kernel around cuBQL's traversal");
}

template <builder Builder, int Leaf, list List>
class cubql final : public device_knn {
 public:
  explicit cubql(input const& in)
      : in_{in},
        boxes_{static_cast<std::size_t>(in.points)},
        indices_{static_cast<std::size_t>(in.queries) * static_cast<std::size_t>(in.k)} {}
  ~cubql() override {
    if (index_.nodes == nullptr) return;
    cuBQL::cuda::free(index_);
    cudaStreamSynchronize(nullptr);
  }

  static bool suits(input const& in) {
    if (in.is_degenerate && Builder == builder::radix) return false;
    // While cuBQL's list is not full, it takes points outside the radius, too.
    if (in.radius < INFINITY && List == list::linear) return false;
    switch (in.k) {
      case 1:
      case 3:
      case 8:
      case 16:
      case 32: return true;
      // Not in registers.
      case 64: return List == list::linear;
      default: return false;
    }
  }

  void prepare(cudaStream_t stream) override {
    if (in_.has_index) build(stream);
  }

  void enqueue(cudaStream_t stream) override {
    if (!in_.has_index) build(stream);
    switch (in_.k) {
      case 1: return search<List, 1>(stream, index_, in_, indices_.data());
      case 3: return search<List, 3>(stream, index_, in_, indices_.data());
      case 8: return search<List, 8>(stream, index_, in_, indices_.data());
      case 16: return search<List, 16>(stream, index_, in_, indices_.data());
      case 32: return search<List, 32>(stream, index_, in_, indices_.data());
      default: return search<list::linear, 64>(stream, index_, in_, indices_.data());
    }
  }

  std::vector<std::int32_t> indices() const override { return indices_.download(); }

 private:
  void build(cudaStream_t stream) {
    if (index_.nodes != nullptr) cuBQL::cuda::free(index_, stream);
    index_ = tree{};
    auto const* const points = reinterpret_cast<point const*>(in_.xyz);
    boxes_kernel<<<blocks_for(in_.points), block_size, 0, stream>>>(points, in_.points, boxes_.data());
    check(cudaGetLastError(), "boxes_kernel");
    cuBQL::BuildConfig config;
    config.makeLeafThreshold = Leaf;
    auto const size = static_cast<std::uint32_t>(in_.points);
    if constexpr (Builder == builder::spatial_median) {
      cuBQL::gpuBuilder(index_, boxes_.data(), size, config, stream);
    } else if constexpr (Builder == builder::radix) {
      cuBQL::cuda::radixBuilder(index_, boxes_.data(), size, config, stream);
    } else {
      cuBQL::cuda::rebinRadixBuilder(index_, boxes_.data(), size, config, stream);
    }
  }

  input in_;
  device_buffer<box> boxes_;
  device_buffer<std::int32_t> indices_;
  tree index_;
};

template <builder Builder, int Leaf, list List>
using variant = register_device_peer<device_knn, cubql<Builder, Leaf, List>>;

variant<builder::radix, 8, list::linear> const radix_linear{"cubql_radix_leaf8"};
variant<builder::radix, 8, list::registers> const radix_registers{"cubql_radix_leaf8_registers"};
variant<builder::spatial_median, 8, list::linear> const median_linear{"cubql_median_leaf8"};
variant<builder::spatial_median, 8, list::registers> const median_registers{"cubql_median_leaf8_registers"};
variant<builder::spatial_median, 4, list::registers> const median_leaf4{"cubql_median_leaf4_registers"};
variant<builder::rebin_radix, 8, list::registers> const rebin_registers{"cubql_rebin_leaf8_registers"};

}  // namespace
}  // namespace farpoint_bench

/// @file
/// knn() in screen space on a GPU, the approximate search: a thread for each visible point.
#pragma once

#include <farpoint/detail/screen/number_points.cuh>
#include <farpoint/detail/screen/rounds/growing_window.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Camera>
struct screen_search_args {
  using scalar = typename Camera::scalar;
  using key = neighbor_key<scalar>;

  Camera camera;
  screen_rounds_request<scalar> request;
  quadtree_ref tree;
  screen_points<scalar> points;
  vec<scalar>* packed;  ///< the points in the order of the tree
  key* lists;           ///< `[threads, k]`, for lists that registers do not hold
  screen_row_writer<scalar> writer;
  screen_state const* state;
};

/// Arranges the points so that neighbors on the screen are neighbors in memory.
template <class Camera, int BlockSize>
__global__ void __launch_bounds__(BlockSize) screen_arrange_kernel(screen_search_args<Camera> const args) {
  auto const size = static_cast<std::uint32_t>(args.points.offsets[1]);
  for (std::uint32_t i = blockIdx.x * BlockSize + threadIdx.x; i < size; i += gridDim.x * BlockSize) {
    args.packed[i] = args.points.at[args.tree.index(i)];
  }
}

/// @tparam Capacity  of a list in registers; 0: it lies in memory
template <class Camera, int Capacity, int BlockSize>
__global__ void __launch_bounds__(BlockSize) screen_rounds_kernel(screen_search_args<Camera> const args) {
  using key = typename screen_search_args<Camera>::key;
  auto const writer = rows_of_cloud(args.writer, *args.state);
  auto const size = static_cast<std::uint32_t>(args.points.offsets[1]);
  std::uint32_t const thread = blockIdx.x * BlockSize + threadIdx.x;
  int const k = args.request.k;
  for (std::uint32_t i = thread; i < size; i += gridDim.x * BlockSize) {
    if constexpr (Capacity > 0) {
      auto const list = search_rounds(args.tree, args.packed, args.camera, args.request, i, [k](key const& limit) {
        return topk_list<key, Capacity>{k, limit};
      });
      key keys[Capacity];
      list.write(keys, k);
      writer.write_keys(args.tree.index(i), keys, count_keys(keys, k));
    } else {
      key* const keys = args.lists + std::size_t{thread} * static_cast<std::size_t>(k);
      auto list = search_rounds(args.tree, args.packed, args.camera, args.request, i, [keys, k](key const& limit) {
        return topk_heap<key>{keys, k, limit};
      });
      list.sort();
      writer.write_keys(args.tree.index(i), keys, count_keys(keys, k));
    }
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE

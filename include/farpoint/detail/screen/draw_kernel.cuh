/// @file
/// knn() in screen space on a GPU, first steps: z-buffers are cleared, and the cloud is drawn.
#pragma once

#include <farpoint/detail/screen/draw_point.hpp>
#include <farpoint/detail/screen/number_points.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Points, class Camera>
struct draw_args : number_args<Points> {
  Camera camera;
  int layer;           ///< that is drawn
  index_t tile_words;  ///< of `tiles`, and of what follows them
};

template <class Points, class Camera, int BlockSize>
__global__ void __launch_bounds__(BlockSize) screen_clear_kernel(draw_args<Points, Camera> const args) {
  index_t const first = index_t{blockIdx.x} * BlockSize + threadIdx.x;
  index_t const step = index_t{gridDim.x} * BlockSize;
  index_t const words = args.images[0].size() * args.images.size();
  // Clears 16 bytes at a time: the 8 bytes behind an odd number of words are unused.
  constexpr std::uint64_t clear = zbuffer_ref::clear_value;
  auto* const pairs = reinterpret_cast<ulonglong2*>(args.points.words);
  for (index_t i = first; 2 * i < words; i += step) pairs[i] = make_ulonglong2(clear, clear);
  for (index_t i = first; i < args.tile_words; i += step) args.tiles[i] = 0;
  if (first == 0) *args.state = {0, 0, 0, 0, 0, args.clouds.begin_of(0)};
}

/// Every point that the camera sees is offered to its pixel's layer.
template <class Points, class Camera, int BlockSize>
__global__ void __launch_bounds__(BlockSize) screen_draw_kernel(draw_args<Points, Camera> const args) {
  Points const cloud = args.cloud();
  undrawn_points undrawn;
  for (index_t i = index_t{blockIdx.x} * BlockSize + threadIdx.x; i < cloud.size();
       i += index_t{gridDim.x} * BlockSize) {
    args.points.pixel_of[i] = draw_point(cloud, i, args.camera, args.images, args.layer, undrawn);
  }
  if (args.writer.output.report == nullptr || args.layer > 0) return;
  std::uint32_t const non_finite = cuda_warp::sum(undrawn.non_finite);
  std::uint32_t const unseen = cuda_warp::sum(undrawn.unseen);
  if (cuda_warp::lane() != 0) return;
  if (non_finite != 0) atomic_add(&args.state->non_finite, std::uint64_t{non_finite});
  if (unseen != 0) atomic_add(&args.state->unseen, std::uint64_t{unseen});
}

}  // namespace detail
FARPOINT_END_NAMESPACE

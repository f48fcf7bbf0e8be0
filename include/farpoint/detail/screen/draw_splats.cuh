/// @file
/// The CUDA backend of draw_splats().
#pragma once

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/detail/screen/draw_splats.hpp>
#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Points>
struct splat_kernel_args {
  splat_scene<Points> scene;
  splat_pass pass;
};

/// One pass over the splats. A few lanes draw a splat; a large one, which they would be long at, a warp.
template <class Points, class Selector>
__global__ void __launch_bounds__(Selector::block_size) splat_kernel(splat_kernel_args<Points> const args) {
  constexpr unsigned lanes = Selector::lanes;
  constexpr unsigned per_warp = cuda_warp::lanes / lanes;
  static_assert(lanes * per_warp == cuda_warp::lanes, "farpoint: lanes must be a power of two, at most 32");
  auto const& scene = args.scene;
  unsigned const lane = cuda_warp::lane();
  index_t const warps = index_t{gridDim.x} * (Selector::block_size / cuda_warp::lanes);
  index_t const warp = (index_t{blockIdx.x} * Selector::block_size + threadIdx.x) / cuda_warp::lanes;
  for (index_t first = warp * per_warp; first < scene.count(); first += warps * per_warp) {
    index_t const splat = first + lane / lanes;
    splat_shape const shape = scene.shape_of(splat, args.pass);
    bool const is_large = shape.pixels() > Selector::large;
    if (!is_large) scene.draw(args.pass, shape, splat, lane % lanes, lanes);
    for (unsigned left = __ballot_sync(~0u, is_large && lane % lanes == 0); left != 0; left &= left - 1) {
      index_t const one = first + (static_cast<unsigned>(__ffs(static_cast<int>(left))) - 1) / lanes;
      scene.draw(args.pass, scene.shape_of(one, args.pass), one, lane, cuda_warp::lanes);
    }
  }
}

/// draw_splats() for cuda_exec.
template <class Selector, class Points>
result draw_splats_cuda(cuda_exec exec, splat_scene<Points> scene, bytes workspace) noexcept {
  if (result const checked = prepare_splats(scene, workspace); !checked) return checked;
  splat_memory const& memory = scene.memory;
  kernel_launcher launcher{exec.stream};
  launcher.then([&] { return cudaMemsetAsync(memory.fronts, 0xff, memory.depth_bytes, exec.stream); });
  launcher.clear(memory.sums, static_cast<std::size_t>(scene.pixels()) * sizeof(splat_sums));
  index_t const threads = scene.size() * Selector::lanes;
  for (splat_pass const pass : {splat_pass::cover, splat_pass::front, splat_pass::blend}) {
    if (threads == 0 || (pass == splat_pass::cover && memory.covers == nullptr)) continue;
    launcher.launch(splat_kernel<Points, Selector>,
                    launcher.blocks(threads, Selector::block_size, Selector::blocks_per_multiprocessor),
                    Selector::block_size, splat_kernel_args<Points>{scene, pass});
  }
  if (launcher.error() == cudaSuccess) return for_each_index(exec, scene.pixels(), scene);
  return cuda_failure(launcher.error(), "draw_splats: a kernel could not be launched");
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Kernel of fps() by regions: one block per cloud, one launch, no workspace.
#pragma once

#include <farpoint/block/dynamic_shared.cuh>
#include <farpoint/detail/fps/local_maxima/machine.cuh>
#include <farpoint/detail/fps/regions/sampler.hpp>
#include <farpoint/grid/kernel_launcher.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Samples cloud blockIdx.x.
template <class Shape, class Points>
__global__ void __launch_bounds__(Shape::block_size, 1) fps_regions_kernel(fps_args<Points> const args) {
  if (fps_has_bad_offsets<Shape::block_size>(args, true)) return fps_leave_empty<Shape::block_size>(args);
  index_t const b = blockIdx.x;
  Points const cloud = args.clouds[b];
  using call_type = local_maxima_call<cuda_machine, Points>;
  auto& shared = *static_cast<region_memory<Shape>*>(dynamic_shared());
  region_sampler<Shape, cuda_machine, call_type>{call_type{args, b, cloud}, shared}.run(cloud);
}

/// Enqueues the kernel. A separate function can be compiled once for several files.
template <class Shape, class Points>
FARPOINT_HIDDEN void fps_enqueue_regions(kernel_launcher& launcher, fps_args<Points> const& args) noexcept {
  auto const blocks = static_cast<unsigned>(args.clouds.size());
  cudaLaunchConfig_t config = launch_config(blocks, Shape::block_size, launcher.stream());
  config.dynamicSmemBytes = sizeof(region_memory<Shape>);
  launcher.launch(fps_regions_kernel<Shape, Points>, config, args);
}

/// Plan of a launch: the first shape of a selector that holds the largest cloud.
template <class Selector, class Points>
class regions_plan {
 public:
  regions_plan(index_t largest, device_properties const& device) noexcept : largest_{largest}, device_{device} {}

  /// Returns false if the clouds or the device rule the kernel out.
  bool works() const noexcept {
    bool works = false;
    with_shape([&](auto shape) {
      works = sizeof(region_memory<decltype(shape)>) <= static_cast<std::size_t>(device_.shared_bytes);
    });
    return works;
  }

  void launch(kernel_launcher& launcher, fps_args<Points> const& args) const noexcept {
    with_shape([&](auto shape) { fps_enqueue_regions<decltype(shape)>(launcher, args); });
  }

 private:
  static constexpr bool has_kernels = Selector::has_regions && Points::dim <= 3;

  template <std::size_t Number = 0, class Act>
  void with_shape(Act const& act) const noexcept {
    if constexpr (has_kernels && Number < std::size(Selector::region_shapes)) {
      constexpr fps_region_tuning t = Selector::region_shapes[Number];
      if (largest_ > t.capacity()) return with_shape<Number + 1>(act);
      act(region_shape<typename Points::scalar, Points::dim, t.warps, t.points_per_lane, t.listed, t.tested>{});
    }
  }

  index_t largest_;
  device_properties device_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

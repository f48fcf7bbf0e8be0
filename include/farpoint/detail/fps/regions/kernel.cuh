/// @file
/// Kernel of fps() by regions: one block per cloud, one launch, no workspace.
#pragma once

#include <farpoint/block/dynamic_shared.cuh>
#include <farpoint/detail/fps/local_maxima/machine.cuh>
#include <farpoint/detail/fps/regions/sampler.hpp>
#include <farpoint/grid/device_properties.cuh>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/tuning/fps.hpp>

#include <iterator>

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

/// Plan of a launch: the first shape of a selector that holds the largest cloud, or the last shape of the same capacity
/// if clouds outnumber the multiprocessors, so that a multiprocessor has several smaller blocks.
template <class Selector, class Points>
class regions_plan {
 public:
  regions_plan(index_t largest, index_t clouds, device_properties const& device) noexcept
      : largest_{largest}, has_many_{clouds > device.multiprocessors}, device_{device} {}

  /// Returns the size of the largest cloud that a shape holds on the device; 0 if there is no shape.
  static index_t capacity(device_properties const& device) noexcept { return capacity_from<0>(device); }

  void launch(kernel_launcher& launcher, fps_args<Points> const& args) const noexcept {
    launch_from<0>(launcher, args);
  }

 private:
  using scalar = typename Points::scalar;
  static constexpr std::size_t shapes = std::size(Selector::region_shapes);

  static constexpr fps_region_tuning tuning(std::size_t shape) noexcept { return Selector::region_shapes[shape]; }
  template <std::size_t Shape>
  using shape_type = region_shape<scalar, Points::dim, tuning(Shape).warps, tuning(Shape).points_per_lane,
                                  tuning(Shape).listed, tuning(Shape).tested>;

  /// Returns true if the points and lists of a lane leave enough of its registers for the rest of the kernel. In more
  /// than three dimensions, large shapes would keep most of the lists in local memory.
  template <std::size_t Shape>
  static constexpr bool has_registers() noexcept {
    using shape = shape_type<Shape>;
    constexpr int most = smaller(65536 / shape::block_size, 255);
    constexpr int balls = shape::each + shape::listed + shape::passes;
    return balls * (Points::dim + 1) * int{sizeof(scalar)} / 4 <= most;
  }
  template <std::size_t Shape>
  static bool works(device_properties const& device) noexcept {
    return has_registers<Shape>() &&
           sizeof(region_memory<shape_type<Shape>>) <= static_cast<std::size_t>(device.shared_bytes);
  }

  template <std::size_t Shape>
  static index_t capacity_from(device_properties const& device) noexcept {
    if constexpr (Shape < shapes) {
      index_t const others = capacity_from<Shape + 1>(device);
      return works<Shape>(device) ? larger(others, index_t{tuning(Shape).capacity()}) : others;
    } else {
      return 0;
    }
  }

  template <std::size_t Shape>
  void launch_from(kernel_launcher& launcher, fps_args<Points> const& args) const noexcept {
    if constexpr (Shape < shapes) {
      bool const is_followed =
          Shape + 1 < shapes && tuning((Shape + 1) % shapes).capacity() == tuning(Shape).capacity();
      bool const is_used = largest_ <= tuning(Shape).capacity() && works<Shape>(device_);
      if (!is_used || (has_many_ && is_followed)) return launch_from<Shape + 1>(launcher, args);
      if constexpr (has_registers<Shape>()) fps_enqueue_regions<shape_type<Shape>>(launcher, args);
    } else {
      launcher.then([] { return cudaErrorInvalidConfiguration; });
    }
  }

  index_t largest_;
  bool has_many_;
  device_properties device_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

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
#include <type_traits>

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

/// Plan of a launch.
template <class Selector, class Points>
class regions_plan {
 public:
  regions_plan(index_t largest, index_t clouds, device_properties const& device) noexcept
      : shape_{shape_for(largest, clouds, device)} {}

  /// Returns the size of the largest cloud that a shape holds on the device; 0 if there is no shape.
  static index_t capacity(device_properties const& device) noexcept {
    index_t most = 0;
    for_each_shape([&](auto shape) {
      if (works<shape>(device)) most = larger(most, index_t{tuning<shape>.capacity()});
    });
    return most;
  }

  /// Returns the index in Selector::region_shapes of the first shape that holds the largest cloud, or of the last one
  /// of the same capacity if clouds outnumber the multiprocessors, so that a multiprocessor has several smaller blocks.
  /// Returns -1 if there is none.
  static int shape_for(index_t largest, index_t clouds, device_properties const& device) noexcept {
    int found = -1;
    int capacity = 0;
    for_each_shape([&](auto shape) {
      if (largest > tuning<shape>.capacity() || !works<shape>(device)) return;
      bool const is_alternative = clouds > device.multiprocessors && tuning<shape>.capacity() == capacity;
      if (found >= 0 && !is_alternative) return;
      found = static_cast<int>(shape);
      capacity = tuning<shape>.capacity();
    });
    return found;
  }

  void launch(kernel_launcher& launcher, fps_args<Points> const& args) const noexcept {
    if (shape_ < 0) launcher.then([] { return cudaErrorInvalidConfiguration; });
    for_each_shape([&](auto shape) {
      if constexpr (has_registers<shape>()) {
        if (shape_ == static_cast<int>(shape)) fps_enqueue_regions<shape_type<shape>>(launcher, args);
      }
    });
  }

 private:
  using scalar = typename Points::scalar;

  template <std::size_t Shape>
  static constexpr fps_region_tuning tuning = Selector::region_shapes[Shape];
  template <std::size_t Shape>
  using shape_type = region_shape<scalar, Points::dim, tuning<Shape>.warps, tuning<Shape>.points_per_lane,
                                  tuning<Shape>.listed, tuning<Shape>.tested>;

  /// Calls act(std::integral_constant) with the index of each shape.
  template <std::size_t Shape = 0, class Act>
  static void for_each_shape(Act const& act) noexcept {
    if constexpr (Shape < std::size(Selector::region_shapes)) {
      act(std::integral_constant<std::size_t, Shape>{});
      for_each_shape<Shape + 1>(act);
    }
  }

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

  int shape_;  ///< index in Selector::region_shapes; -1: none
};

}  // namespace detail
FARPOINT_END_NAMESPACE

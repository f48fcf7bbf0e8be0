/// @file
/// CUDA backend of fps(): argument checks, choice of kernels, and launches.
#pragma once

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/fps/block_kernel.cuh>
#include <farpoint/detail/fps/check.hpp>
#include <farpoint/detail/fps/cut_rows.hpp>
#include <farpoint/detail/fps/global_memory_kernel.cuh>
#include <farpoint/detail/fps/local_maxima/plan.cuh>
#include <farpoint/detail/fps/multi_block_plan.cuh>
#include <farpoint/detail/fps/no_samples.cuh>
#include <farpoint/detail/fps/regions/kernel.cuh>
#include <farpoint/detail/fps/register_kernel.cuh>
#include <farpoint/grid/bad_offsets.cuh>
#include <farpoint/grid/device_properties.cuh>
#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/tuning/fps.hpp>
#include <farpoint/tuning/loops.hpp>

#include <iterator>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Plan of a call: the kernels that serve it, and the workspace that they need.
template <class Selector, class Points>
class fps_cuda_plan {
 public:
  using scalar = typename Points::scalar;
  static constexpr int dim = Points::dim;
  static constexpr std::size_t shapes = std::size(Selector::blocks);
  static constexpr std::size_t rounds_shapes = std::size(Selector::rounds_blocks);
  static_assert(is_block_size(Selector::streaming_block_size) && is_block_size(Selector::group_block_size),
                "farpoint: an fps_selector's blocks must have whole warps, 32 to 1,024 threads");
  static_assert(Selector::grid_points_per_block > 0, "farpoint: fps_selector::grid_points_per_block must be positive");
  static_assert(Selector::most_points_in_phases <= index_t{1} << 30,
                "farpoint: fps_selector::most_points_in_phases must be 2^30 at most");
  /// Compile-time sizes of fps_kernel::in_block.
  template <std::size_t Shape>
  using block_config = fps_rounds_config<Points, Selector::rounds_blocks[Shape].block_size, Selector::rounds_list_size,
                                         fps_chunking<Selector::chunks.points, Selector::chunks.per_group>>;

  fps_cuda_plan(batch<Points> const& clouds, fps_params const& params,
                device_properties const& device = device_properties::current()) noexcept
      : clouds_{clouds},
        largest_{bounded_points(clouds.largest())},
        points_{bounded_points(clouds.points().size())},
        device_{device.narrowed_to(Selector::max_multiprocessors)} {
    fps_case const c{largest_,          points_,         clouds.size(),   params.samples, clouds.is_ragged(),
                     register_points(), rounds_points(), maxima_points(), chunk_points(), device_.multiprocessors};
    choice_ = usable(Selector::choose(c));
  }

  /// Returns the kernel that serves the call, with its options.
  fps_choice const& choice() const noexcept { return choice_; }

  std::size_t bytes() const noexcept {
    if (is_by_maxima(choice_.kernel)) return maxima_flag_bytes() + local_maxima(choice_).bytes();
    if (choice_.kernel == fps_kernel::in_grid) return multi_block().bytes();
    if (choice_.kernel != fps_kernel::in_global_memory) return flag_bytes();
    return flag_bytes() + static_cast<std::size_t>(points_) * fps_global_memory_scalars<Points> * sizeof(scalar);
  }

  cudaError_t launch(fps_args<Points> args, unsigned char* workspace, cudaStream_t stream) const noexcept {
    if constexpr (fps_has_local_maxima<Selector, Points>) {
      if (is_by_maxima(choice_.kernel)) return launch_maxima(args, workspace, stream);
    }
    kernel_launcher launcher{stream};
    if constexpr (has_rounds) {
      if (choice_.kernel == fps_kernel::in_grid) return multi_block().launch(args, workspace, stream);
    }
    if (flag_bytes() > 0) {
      look_at_offsets(launcher, args, reinterpret_cast<unsigned*>(workspace));
      workspace += flag_bytes();
    }
    if (choice_.kernel == fps_kernel::in_regions) {
      regions().launch(launcher, args);
      return launcher.error();
    }
    if constexpr (has_rounds) {
      if (choice_.kernel == fps_kernel::in_block) {
        launcher.then([&] { return launch_block<0>(args, stream); });
        return launcher.error();
      }
    }
    fps_size_range rest{-1, max_narrow_points};
    bool const all_large = !clouds_.is_ragged() && choice_.kernel == fps_kernel::in_global_memory;
    if (!all_large) {
      launch_registers<0>(launcher, {args, {-1, register_points()}});
      rest.above = register_points();
    }
    if (choice_.kernel == fps_kernel::in_global_memory) {
      fps_enqueue_global_memory<Points, Selector::streaming_block_size>(
          launcher, {args, rest, reinterpret_cast<scalar*>(workspace)});
    }
    return launcher.error();
  }

 private:
  /// True if kernels that work by rounds are compiled. Boxes and Morton codes prune little in more than three
  /// dimensions, where most distances between points are similar.
  static constexpr bool has_rounds = dim <= 3;

  /// Returns the bytes at the front of the workspace for the number of invalid offsets, if a separate kernel counts
  /// them.
  std::size_t flag_bytes() const noexcept {
    return clouds_.is_ragged() && clouds_.size() > fps_most_offsets_looked_at ? workspace_alignment : 0;
  }

  /// Returns flag_bytes() for the kernels by local maxima. Only with shared-out blocks do they take more clouds than
  /// each block checks.
  std::size_t maxima_flag_bytes() const noexcept { return choice_.shared_out ? flag_bytes() : 0; }

  cudaError_t launch_maxima(fps_args<Points> args, unsigned char* workspace, cudaStream_t stream) const noexcept {
    if (maxima_flag_bytes() > 0) {
      kernel_launcher launcher{stream};
      look_at_offsets(launcher, args, reinterpret_cast<unsigned*>(workspace));
      if (launcher.error() != cudaSuccess) return launcher.error();
    }
    return local_maxima(choice_).launch(args, workspace + maxima_flag_bytes(), stream);
  }

  void look_at_offsets(kernel_launcher& launcher, fps_args<Points>& args, unsigned* flag) const noexcept {
    fps_report* const report = args.output.report;
    launcher.clear(flag, sizeof *flag);
    count_bad_offsets(launcher, clouds_, flag, report == nullptr ? nullptr : &report->bad_offsets);
    args.bad_offsets = flag;
  }

  static constexpr bool is_by_maxima(fps_kernel kernel) noexcept {
    return kernel == fps_kernel::maxima_in_block || kernel == fps_kernel::maxima_in_grid;
  }
  local_maxima_plan<Selector, Points> local_maxima(fps_choice const& choice) const noexcept {
    return {clouds_, device_, choice};
  }

  regions_plan<Selector, Points> regions() const noexcept { return {largest_, device_}; }

  /// Returns the chosen kernel, or the next best one that this device can run.
  fps_choice usable(fps_choice choice) const noexcept {
    bool const has_flag = flag_bytes() > 0;
    if (choice.kernel == fps_kernel::in_regions && !regions().works()) choice = {fps_kernel::in_block};
    if (choice.kernel == fps_kernel::maxima_in_grid) {
      if (choice.shared_out && choice.blocks <= 0) choice.blocks = device_.multiprocessors;
      choice.blocks = larger(1, smaller(choice.blocks, device_.multiprocessors));
      // The lists of many blocks may exceed shared memory: try fewer blocks.
      while (choice.blocks > 4 && !local_maxima(choice).works()) choice.blocks -= choice.blocks / 4;
    }
    bool const is_shared_out = choice.kernel == fps_kernel::maxima_in_grid && choice.shared_out;
    bool const rules_out = has_flag && !is_shared_out;
    if (is_by_maxima(choice.kernel) && (rules_out || !local_maxima(choice).works())) choice = {fps_kernel::in_block};
    // The sort of in_grid numbers points by 32 bits, a tile at a time.
    bool const small_enough = points_ > 0 && points_ <= 0xffff0000;
    if (choice.kernel == fps_kernel::in_block && (!has_rounds || largest_ > rounds_points())) {
      choice.kernel = fps_kernel::in_grid;
    }
    if (choice.kernel == fps_kernel::in_grid && (!has_rounds || !small_enough || device_.cooperative == 0)) {
      choice.kernel = fps_kernel::in_registers;
    }
    // Covers selectors that return a value outside fps_kernel, too.
    bool const is_last_resort = choice.kernel != fps_kernel::in_grid && choice.kernel != fps_kernel::in_block &&
                                choice.kernel != fps_kernel::in_regions && !is_by_maxima(choice.kernel);
    if (is_last_resort && largest_ > register_points()) choice.kernel = fps_kernel::in_global_memory;
    return choice;
  }

  fps_multi_block_plan<Selector, Points> multi_block() const noexcept { return {clouds_, device_}; }

  /// Returns true if the points of a shape leave enough of a thread's 255 registers for the rest of the kernel.
  static constexpr bool fits(std::size_t shape) noexcept {
    constexpr int budget = 96;
    return Selector::blocks[shape].points_per_thread * (dim + 1) * int{sizeof(scalar)} / 4 <= budget;
  }

  /// Returns the size of the largest cloud that a register kernel holds.
  static constexpr index_t register_points() noexcept {
    index_t capacity = 0;
    for (std::size_t shape = 0; shape < shapes; ++shape) {
      if (fits(shape) && Selector::blocks[shape].capacity() > capacity) capacity = Selector::blocks[shape].capacity();
    }
    return capacity;
  }

  /// Returns the number of points that a block of the largest shape by local maxima holds in registers.
  static constexpr index_t maxima_points() noexcept {
    return fps_has_local_maxima<Selector, Points> ? maxima_shapes<Selector, scalar>::most_in_registers : 0;
  }

  /// Returns the maximum number of points per block by local maxima, where points lie in memory.
  static constexpr index_t chunk_points() noexcept {
    if constexpr (fps_has_local_maxima<Selector, Points>) {
      return local_maxima_plan<Selector, Points>::chunk_points();
    } else {
      return 0;
    }
  }

  /// Returns the size of the largest cloud that shape `Shape` or a later one holds in this device's shared memory.
  template <std::size_t Shape = 0>
  index_t rounds_points() const noexcept {
    if constexpr (has_rounds && Shape < rounds_shapes) {
      return larger(rounds_shape_points<Shape>(), rounds_points<Shape + 1>());
    } else {
      return 0;
    }
  }

  template <std::size_t Shape>
  index_t rounds_shape_points() const noexcept {
    using config = block_config<Shape>;
    using partition = typename config::partition;
    constexpr fps_block_tuning shape = Selector::rounds_blocks[Shape];
    constexpr std::size_t fixed = sizeof(typename config::shared) + 1024;
    auto const limit = static_cast<std::size_t>(device_.shared_bytes);
    if (limit < fixed + fps_block_bytes<config, shape.points_per_thread>(0)) return 0;
    auto const chunks = static_cast<index_t>((limit - fixed) / partition::bytes(1));
    return smaller<index_t>(chunks * config::chunking::chunk, shape.capacity());
  }

  /// Launches the first shape from `Shape` on that holds the largest cloud.
  template <std::size_t Shape>
  cudaError_t launch_block(fps_args<Points> const& args, cudaStream_t stream) const noexcept {
    if constexpr (Shape < rounds_shapes) {
      if (largest_ > rounds_shape_points<Shape>()) return launch_block<Shape + 1>(args, stream);
      using config = block_config<Shape>;
      constexpr int points_per_thread = Selector::rounds_blocks[Shape].points_per_thread;
      cudaLaunchConfig_t launch = launch_config(static_cast<unsigned>(clouds_.size()), config::block_size, stream);
      launch.dynamicSmemBytes = fps_block_bytes<config, points_per_thread>(largest_);
      return launch_kernel(fps_block_kernel<config, points_per_thread>, launch, args);
    } else {
      return cudaErrorInvalidConfiguration;
    }
  }

  /// Launches the first shape from `Shape` on that holds the largest cloud, or else the largest shape.
  template <std::size_t Shape>
  void launch_registers(kernel_launcher& launcher, fps_registers_args<Points> const& args) const noexcept {
    if constexpr (Shape < shapes) {
      if constexpr (fits(Shape)) {
        constexpr fps_block_tuning shape = Selector::blocks[Shape];
        if (shape.capacity() >= largest_ || shape.capacity() == register_points()) {
          return fps_enqueue_registers<Points, shape.block_size, shape.points_per_thread>(launcher, args);
        }
      }
      launch_registers<Shape + 1>(launcher, args);
    } else {
      launcher.then([] { return cudaErrorInvalidConfiguration; });
    }
  }

  batch<Points> clouds_;
  index_t largest_;
  index_t points_;
  device_properties device_;
  fps_choice choice_{fps_kernel::in_registers};
};

/// fps() for cuda_exec.
template <class Selector, class Points>
result fps_cuda(cuda_exec exec, batch<Points> const& clouds, fps_params const& params,
                fps_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  if (result const checked = check_fps(clouds, params, output); !checked) return checked;
  if (clouds.largest() > max_narrow_points) {
    return reject("fps: cuda_exec takes clouds of at most 2^31 - 1 points");
  }
  if (clouds.size() > max_narrow_points) return reject("fps: cuda_exec takes at most 2^31 - 1 clouds");
  fps_cuda_plan<Selector, Points> const plan{clouds, params, device_properties::of(exec)};
  if (result const checked = check_workspace(workspace, plan.bytes(), FARPOINT_WORKSPACE_OF("fps")); !checked)
    return checked;

  kernel_launcher launcher{exec.stream};
  if (output.report != nullptr) launcher.clear(output.report, sizeof(fps_report));
  if (params.samples == 0) fps_enqueue_no_samples(launcher, clouds, output);
  if (clouds.size() == 0 || params.samples == 0 || launcher.error() != cudaSuccess) {
    return cuda_failure(launcher.error(), "fps: the report and the counts could not be written");
  }

  fps_args<Points> const args{clouds, params, output};
  cudaError_t const error = plan.launch(args, workspace.data(), exec.stream);
  if (error != cudaSuccess || params.sample_counts.empty()) {
    return cuda_failure(error, "fps: a kernel could not be launched");
  }
  return for_each_index(exec, clouds.size() * params.samples, fps_cut_rows<Points>{args});
}

}  // namespace detail
FARPOINT_END_NAMESPACE

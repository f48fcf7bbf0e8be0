/// @file
/// CUDA backend of fps(): argument checks, choice of kernels, and launches.
#pragma once

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/fps/check.hpp>
#include <farpoint/detail/fps/cut_rows.hpp>
#include <farpoint/detail/fps/global_memory_kernel.cuh>
#include <farpoint/detail/fps/local_maxima/plan.cuh>
#include <farpoint/detail/fps/no_samples.cuh>
#include <farpoint/detail/fps/regions/kernel.cuh>
#include <farpoint/grid/bad_offsets.cuh>
#include <farpoint/grid/device_properties.cuh>
#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/tuning/fps.hpp>
#include <farpoint/tuning/loops.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Plan of a call: the kernel that serves it, and the workspace that it needs.
template <class Selector, class Points>
class fps_cuda_plan {
 public:
  using scalar = typename Points::scalar;
  static_assert(is_block_size(Selector::streaming_block_size),
                "farpoint: an fps_selector's blocks must have whole warps, 32 to 1,024 threads");

  fps_cuda_plan(batch<Points> const& clouds, fps_params const& params,
                device_properties const& device = device_properties::current()) noexcept
      : clouds_{clouds},
        largest_{bounded_points(clouds.largest())},
        points_{bounded_points(clouds.points().size())},
        device_{device.narrowed_to(Selector::max_multiprocessors)} {
    using shapes = maxima_shapes<Selector, Points>;
    index_t const chosen = clouds.size() > 0 ? params.chosen.size() / clouds.size() : 0;
    fps_case const c{largest_,
                     points_,
                     clouds.size(),
                     params.samples,
                     chosen,
                     clouds.is_ragged(),
                     int{sizeof(scalar)},
                     regions_plan<Selector, Points>::capacity(device_),
                     has_teams ? shapes::max_in_registers : 0,
                     device_.multiprocessors};
    // The first choice that works serves the call, or else in_global_memory, which always works.
    fps_choice const candidates[] = {
        Selector::choose(c), {fps_kernel::in_regions}, shared_out(false), shared_out(true)};
    for (fps_choice const& candidate : candidates) {
      if (accept(candidate)) break;
    }
  }

  /// Returns the kernel that serves the call, with its options.
  fps_choice const& choice() const noexcept { return choice_; }

  std::size_t bytes() const noexcept {
    std::size_t const flag = flag_bytes();
    if (choice_.kernel == fps_kernel::in_regions) return flag;
    std::size_t const serial = static_cast<std::size_t>(points_) * fps_global_memory_scalars<Points> * sizeof(scalar);
    // On fewer multiprocessors another kernel may serve the call.
    if constexpr (has_teams) {
      if (choice_.kernel == fps_kernel::in_teams) return flag + larger(serial, teams(choice_).bytes());
    }
    return flag + serial;
  }

  cudaError_t launch(fps_args<Points> args, unsigned char* workspace, cudaStream_t stream) const noexcept {
    kernel_launcher launcher{stream};
    if (flag_bytes() > 0) {
      look_at_offsets(launcher, args, reinterpret_cast<unsigned*>(workspace));
      workspace += flag_bytes();
    }
    if constexpr (has_teams) {
      if (choice_.kernel == fps_kernel::in_teams) {
        launcher.then([&] { return teams(choice_).launch(args, workspace, stream); });
        return launcher.error();
      }
    }
    if (choice_.kernel == fps_kernel::in_regions) {
      regions_plan<Selector, Points>{largest_, clouds_.size(), device_}.launch(launcher, args);
    } else {
      fps_enqueue_global_memory<Points, Selector::streaming_block_size>(launcher,
                                                                        {args, reinterpret_cast<scalar*>(workspace)});
    }
    return launcher.error();
  }

 private:
  /// True if teams are compiled. Boxes prune little in more than three dimensions, where most distances between points
  /// are similar.
  static constexpr bool has_teams = Points::dim <= 3;

  /// Teams for large clouds, and blocks that process small clouds in turn: they serve every batch that fits.
  static constexpr fps_choice shared_out(bool boxes) noexcept {
    fps_choice choice{fps_kernel::in_teams, 0, boxes};
    choice.shared_out = true;
    return choice;
  }

  /// Makes a choice the plan's if it works.
  bool accept(fps_choice const& choice) noexcept {
    if (choice.kernel == fps_kernel::in_global_memory) {
      choice_ = choice;
      return true;
    }
    if (choice.kernel == fps_kernel::in_regions) {
      if (largest_ > regions_plan<Selector, Points>::capacity(device_)) return false;
      choice_ = choice;
      return true;
    }
    if constexpr (has_teams) {
      if (choice.kernel != fps_kernel::in_teams) return false;
      // Blocks of equal teams check all offsets themselves: more than some thousands take a kernel.
      if (flag_bytes() > 0 && !choice.shared_out) return false;
      local_maxima_plan<Selector, Points> plan = teams(choice);
      if (!plan.fit()) return false;
      choice_ = plan.choice();
      return true;
    }
    return false;
  }

  local_maxima_plan<Selector, Points> teams(fps_choice const& choice) const noexcept {
    return {clouds_, device_, choice};
  }

  /// Returns the bytes at the front of the workspace for the number of invalid offsets, if a separate kernel counts
  /// them.
  std::size_t flag_bytes() const noexcept {
    return clouds_.is_ragged() && clouds_.size() > fps_max_offsets_looked_at ? workspace_alignment : 0;
  }

  void look_at_offsets(kernel_launcher& launcher, fps_args<Points>& args, unsigned* flag) const noexcept {
    fps_report* const report = args.output.report;
    launcher.clear(flag, sizeof *flag);
    count_bad_offsets(launcher, clouds_, flag, report == nullptr ? nullptr : &report->bad_offsets);
    args.bad_offsets = flag;
  }

  batch<Points> clouds_;
  index_t largest_;
  index_t points_;
  device_properties device_;
  fps_choice choice_{fps_kernel::in_global_memory};
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

/// @file
/// The CUDA backend of project().
#pragma once

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/detail/screen/project.hpp>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/tuning/screen.hpp>
#include <farpoint/warp/count_in_report.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Points, class Camera>
struct project_args {
  batch<Points> points;  ///< one cloud
  Camera camera;
  zbuffer_ref zbuffer;
  project_report* report;  ///< zero; may be null
};

/// Every point that the camera sees is offered to its pixel.
template <class Points, class Camera, int BlockSize>
__global__ void __launch_bounds__(BlockSize) project_kernel(project_args<Points, Camera> const args) {
  Points const cloud = cloud_to_draw(args.points);
  undrawn_points undrawn;
  index_t const first = index_t{blockIdx.x} * BlockSize + threadIdx.x;
  for (index_t i = first; i < cloud.size(); i += index_t{gridDim.x} * BlockSize) {
    draw_point(cloud, i, args.camera, layer_of(args.zbuffer), 0, undrawn);
  }
  if (args.report == nullptr) return;
  count_in_report_by_warp(&args.report->non_finite_points, undrawn.non_finite);
  count_in_report_by_warp(&args.report->unseen_points, undrawn.unseen);
  if (first == 0) args.report->bad_offsets = static_cast<unsigned long long>(count_bad_offsets(args.points));
}

/// project() for cuda_exec.
template <class Selector, class Points, class Camera>
result project_cuda(cuda_exec exec, batch<Points> const& points, Camera const& camera, zbuffer_ref const& zbuffer,
                    project_report* report) noexcept {
  if (result const checked = check_project(points, camera, zbuffer); !checked) return checked;
  constexpr int block_size = Selector::block_size;
  kernel_launcher launcher{exec.stream};
  auto const size = static_cast<std::size_t>(zbuffer.size()) * sizeof(std::uint64_t);
  static_assert(zbuffer_ref::clear_value == ~std::uint64_t{0}, "farpoint: a z-buffer is cleared by bytes of 255");
  launcher.then([&] { return cudaMemsetAsync(zbuffer.data(), 0xff, size, exec.stream); });
  if (report != nullptr) launcher.clear(report, sizeof *report);
  launcher.launch(project_kernel<Points, Camera, block_size>,
                  launcher.blocks(points.points().size(), block_size, Selector::blocks_per_multiprocessor), block_size,
                  project_args<Points, Camera>{points, camera, zbuffer, report});
  return cuda_failure(launcher.error(), "project: a kernel could not be launched");
}

}  // namespace detail
FARPOINT_END_NAMESPACE

// farpoint as an operator of torch: torch.ops.farpoint.fps(points, samples), on the device that the points are on. It
// reads the tensor where it lies, whatever its strides, and works on torch's current stream with torch's memory.
//
//   from torch.utils.cpp_extension import load
//   load("farpoint_ops", ["09_torch_extension.cpp"], extra_ldflags=["-lfarpoint"], is_python_module=False)
//   picks = torch.ops.farpoint.fps(points, 1024)
//
// The main() below calls the operator as Python does, and is only for the test.
#include <farpoint/fps.hpp>
#include <farpoint/runtime.hpp>

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>
#if __has_include(<c10/cuda/impl/cuda_cmake_macros.h>)
#include <c10/cuda/CUDAStream.h>
#define WITH_CUDA
#endif

#include <cstdio>

//! [operator]
/// points [clouds, n, 3] of float or double -> [clouds, samples] of int64, as torch.gather takes them.
template <class Coord, class Exec>
at::Tensor sample(Exec exec, at::Tensor const& points, std::int64_t samples) {
  auto const rows = points.contiguous();
  using view = farpoint::point_view<Coord>;
  auto const clouds =
      farpoint::batch<view>::regular({rows.data_ptr<Coord>(), rows.size(0) * rows.size(1)}, rows.size(0));
  farpoint::fps_params params;
  params.samples = samples;

  auto indices = at::empty({rows.size(0), samples}, rows.options().dtype(at::kLong));
  // Torch's allocators give aligned memory in the order of the stream.
  auto const bytes = fps_workspace_bytes(exec, clouds, params);
  auto workspace = at::empty({static_cast<std::int64_t>(bytes) + 255}, rows.options().dtype(at::kByte));
  auto* const first = workspace.data_ptr<std::uint8_t>();
  auto* const aligned = first + (256 - reinterpret_cast<std::uintptr_t>(first) % 256) % 256;

  farpoint::fps_output<farpoint::scalar_of<Coord>> output;
  output.indices = farpoint::span{indices.data_ptr<std::int64_t>(), static_cast<std::size_t>(indices.numel())};
  auto const outcome = fps(exec, clouds, params, output, {aligned, bytes});
  TORCH_CHECK(outcome, outcome.reason);
  return indices;
}

at::Tensor farthest_points(at::Tensor const& points, std::int64_t samples) {
  TORCH_CHECK(points.dim() == 3 && points.size(2) == 3, "fps: points are [clouds, n, 3]");
  TORCH_CHECK(samples >= 0, "fps: samples is negative");
  auto const on = [&](auto exec) {
    return points.scalar_type() == at::kDouble ? sample<double>(exec, points, samples)
                                               : sample<float>(exec, points.to(at::kFloat), samples);
  };
#ifdef WITH_CUDA
  if (points.is_cuda()) return on(farpoint::cuda_exec{c10::cuda::getCurrentCUDAStream().stream()});
#endif
  TORCH_CHECK(points.is_cpu(), "fps: the points are on a device that this build does not know");
  return on(farpoint::host_exec{});
}

TORCH_LIBRARY(farpoint, library) {
  library.def("fps(Tensor points, int samples) -> Tensor", farthest_points);
}
//! [operator]

int main() {
  auto const found = c10::Dispatcher::singleton().findSchemaOrThrow("farpoint::fps", "");
  auto const operation = found.typed<at::Tensor(at::Tensor const&, std::int64_t)>();

  // Two clouds, as a view that is not contiguous: points on a line, where the farthest ones are known.
  auto const line = at::arange(9, at::kFloat).reshape({1, 9, 1}).expand({2, 9, 3});
  auto const picks = operation.call(line, 3);
  auto const expected = at::tensor({0, 8, 4}, at::kLong).expand({2, 3});
  bool right = picks.equal(expected) && operation.call(line.to(at::kDouble), 3).equal(expected);
  if (at::hasCUDA()) right = right && operation.call(line.cuda(), 3).cpu().equal(expected);
  std::printf("samples of two lines of nine points: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}

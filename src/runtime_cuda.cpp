// fps() of host memory on a GPU, for callers without nvcc: upload, one core call on a stream of its own, download.
#include "runtime_cuda.hpp"
#include "device_call.hpp"
#include "on_stream.hpp"

#include <chrono>
#include <vector>

FARPOINT_BEGIN_NAMESPACE
namespace runtime::detail {

namespace {

/// Indices widened to 64 bits for the way to the device.
std::vector<index_t> to_vector(index_view indices) {
  std::vector<index_t> copy(static_cast<std::size_t>(indices.size()));
  for (index_t i = 0; i < indices.size(); ++i) copy[static_cast<std::size_t>(i)] = indices[i];
  return copy;
}

result fps_failed(cudaError_t error) noexcept {
  return failed(error, "fps: device memory ran out", "fps: a CUDA call failed");
}

}  // namespace

template <class Scalar>
result fps_on_cuda(batch<point_view<Scalar>> const& clouds, fps_params const& params, fps_output<Scalar> const& output,
                   run_info& info) {
  auto const elements = static_cast<std::size_t>(clouds.size() * params.samples);
  auto const cloud_count = static_cast<std::size_t>(clouds.size());
  std::vector<index_t> const firsts = to_vector(params.firsts);
  std::vector<index_t> const chosen = to_vector(params.chosen);
  std::vector<index_t> const sample_counts = to_vector(params.sample_counts);

  cudaError_t error = cudaSuccess;
  tell_device(info.device, sizeof info.device, error);
  if (error != cudaSuccess) return fps_failed(error);

  device_buffer const points{static_cast<std::size_t>(clouds.points().size()) * 3 * sizeof(Scalar), error};
  device_buffer const offsets{clouds.offsets().size_bytes(), error};
  device_buffer const device_firsts{firsts.size() * sizeof(index_t), error};
  device_buffer const device_chosen{chosen.size() * sizeof(index_t), error};
  device_buffer const device_sample_counts{sample_counts.size() * sizeof(index_t), error};
  device_buffer const indices{elements * index_bytes(output.indices.wide()), error};
  device_buffer const distances{output.distances.empty() ? 0 : elements * sizeof(Scalar), error};
  device_buffer const counts{output.counts.empty() ? 0 : cloud_count * index_bytes(output.counts.wide()), error};
  device_buffer const report{output.report == nullptr ? 0 : sizeof(fps_report), error};

  point_view<Scalar> const view{points.data(), clouds.points().size()};
  auto const device_clouds =
      clouds.is_ragged() ? batch<point_view<Scalar>>::ragged(view, offsets.as<index_t const>(), clouds.largest())
                         : batch<point_view<Scalar>>::regular(view, clouds.size());
  fps_params device_params = params;
  device_params.firsts = device_firsts.as<index_t const>();
  device_params.chosen = device_chosen.as<index_t const>();
  device_params.sample_counts = device_sample_counts.as<index_t const>();
  fps_output<Scalar> const device_output{as_indices(indices, output.indices.wide()), distances.as<Scalar>(),
                                         as_indices(counts, output.counts.wide()),
                                         static_cast<fps_report*>(report.data())};

  scoped_stream const stream{error};
  cuda_exec const exec{stream.get()};
  device_buffer const workspace{
      library::on_stream<library::fps_function>::workspace_bytes(exec, device_clouds, device_params), error};
  points.upload(clouds.points().base(), stream.get(), error);
  offsets.upload(clouds.offsets().data(), stream.get(), error);
  device_firsts.upload(firsts.data(), stream.get(), error);
  device_chosen.upload(chosen.data(), stream.get(), error);
  device_sample_counts.upload(sample_counts.data(), stream.get(), error);
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream.get());
  if (error != cudaSuccess) return fps_failed(error);

  auto const start = std::chrono::steady_clock::now();
  bytes const scratch = workspace.as<unsigned char>();
  result const outcome =
      library::on_stream<library::fps_function>::run(exec, device_clouds, device_params, device_output, scratch);
  if (!outcome) return outcome;
  error = cudaStreamSynchronize(stream.get());
  info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  indices.download(output.indices.data(), stream.get(), error);
  distances.download(output.distances.data(), stream.get(), error);
  counts.download(output.counts.data(), stream.get(), error);
  report.download(output.report, stream.get(), error);
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream.get());
  return error == cudaSuccess ? result{} : fps_failed(error);
}

template result fps_on_cuda(batch<point_view<float>> const&, fps_params const&, fps_output<float> const&, run_info&);
template result fps_on_cuda(batch<point_view<double>> const&, fps_params const&, fps_output<double> const&, run_info&);

}  // namespace runtime::detail
FARPOINT_END_NAMESPACE

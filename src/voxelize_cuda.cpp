// voxelize() of host memory on a GPU, for callers without nvcc: upload, one core call on a stream of its own, download
// of the rows that were written.
#include "device_call.hpp"
#include "on_stream.hpp"
#include "runtime_cuda.hpp"

#include <chrono>

FARPOINT_BEGIN_NAMESPACE
namespace runtime::detail {

namespace {

result voxelize_failed(cudaError_t error) noexcept {
  return failed(error, "voxelize: device memory ran out", "voxelize: a CUDA call failed");
}

std::size_t feature_bytes(feature_span const& values) noexcept {
  return values.is_float16() ? sizeof(float16) : sizeof(float);
}

feature_span as_features(device_buffer const& buffer, bool half_precision) noexcept {
  if (half_precision) return buffer.as<float16>();
  return buffer.as<float>();
}

/// Device memory for the parts of an output that the caller wants.
template <class Scalar>
class device_output {
 public:
  device_output(voxelize_output<Scalar> const& host, index_t points, index_t clouds, index_t features,
                index_t max_points, cudaError_t& error) noexcept
      : host_{host},
        features_{features},
        max_points_{max_points},
        coords_{host.coords.empty() ? 0 : bytes_of(host.capacity * columns(), sizeof(std::int32_t)), error},
        points_per_voxel_{size_of(host.points_per_voxel, host.capacity), error},
        gathered_{size_of(host.gathered, host.gathered.empty() ? 0 : host.capacity * max_points), error},
        mean_{size_of(host.mean, host.capacity), error},
        max_{size_of(host.max, host.capacity), error},
        first_{size_of(host.first, host.capacity), error},
        centroid_{host.centroid.empty() ? 0 : bytes_of(host.capacity * 3, sizeof(Scalar)), error},
        list_offsets_{size_of(host.list_offsets, host.capacity + 1), error},
        list_points_{size_of(host.list_points, points), error},
        point_voxel_{size_of(host.point_voxel, points), error},
        voxel_count_{sizeof(index_t), error},
        voxel_offsets_{size_of(host.voxel_offsets, clouds + 1), error},
        report_{host.report == nullptr ? 0 : sizeof(voxelize_report), error} {}

  voxelize_output<Scalar> get() const noexcept {
    voxelize_output<Scalar> output;
    output.capacity = host_.capacity;
    output.coords = coords_.as<std::int32_t>();
    output.columns = host_.columns;
    output.points_per_voxel = host_.points_per_voxel.over(points_per_voxel_.data());
    output.gathered = as_features(gathered_, host_.gathered.is_float16());
    output.mean = as_features(mean_, host_.mean.is_float16());
    output.max = as_features(max_, host_.max.is_float16());
    output.first = as_features(first_, host_.first.is_float16());
    output.centroid = centroid_.as<Scalar>();
    output.list_offsets = as_indices(list_offsets_, host_.list_offsets.wide());
    output.list_points = as_indices(list_points_, host_.list_points.wide());
    output.point_voxel = as_indices(point_voxel_, host_.point_voxel.wide());
    output.voxel_count = voxel_count_.as<std::int64_t>();
    output.voxel_offsets = as_indices(voxel_offsets_, host_.voxel_offsets.wide());
    output.report = static_cast<voxelize_report*>(report_.data());
    return output;
  }

  /// Blocks. Rows past the number of voxels are the caller's, and stay as they are.
  void download(cudaStream_t stream, cudaError_t& error) const noexcept {
    index_t rows = 0;
    voxel_count_.download(&rows, stream, error);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    if (error != cudaSuccess) return;
    if (!host_.voxel_count.empty()) host_.voxel_count.set(0, rows);

    coords_.download(host_.coords.data(), bytes_of(rows * columns(), sizeof(std::int32_t)), stream, error);
    points_per_voxel_.download(host_.points_per_voxel.data(), size_of(host_.points_per_voxel, rows), stream, error);
    download_features(gathered_, host_.gathered, host_.gathered.empty() ? 0 : rows * max_points_, stream, error);
    download_features(mean_, host_.mean, rows, stream, error);
    download_features(max_, host_.max, rows, stream, error);
    download_features(first_, host_.first, rows, stream, error);
    centroid_.download(host_.centroid.data(), bytes_of(rows * 3, sizeof(Scalar)), stream, error);
    download_indices(list_offsets_, host_.list_offsets, rows + 1, stream, error);
    point_voxel_.download(host_.point_voxel.data(), stream, error);
    voxel_offsets_.download(host_.voxel_offsets.data(), stream, error);
    report_.download(host_.report, stream, error);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    if (error != cudaSuccess || host_.list_points.empty()) return;

    index_view const offsets =
        host_.list_offsets.wide()
            ? index_view{span<std::int64_t const>{static_cast<std::int64_t const*>(host_.list_offsets.data()),
                                                  static_cast<std::size_t>(rows) + 1}}
            : index_view{span<std::int32_t const>{static_cast<std::int32_t const*>(host_.list_offsets.data()),
                                                  static_cast<std::size_t>(rows) + 1}};
    download_indices(list_points_, host_.list_points, offsets[rows], stream, error);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
  }

 private:
  static std::size_t bytes_of(index_t elements, std::size_t each) noexcept {
    return static_cast<std::size_t>(elements) * each;
  }
  static std::size_t size_of(index_span const& part, index_t elements) noexcept {
    return part.empty() ? 0 : bytes_of(elements, index_bytes(part.wide()));
  }
  static std::size_t size_of(count_span const& part, index_t elements) noexcept {
    return part.empty() ? 0 : bytes_of(elements, index_bytes(part.wide()));
  }
  std::size_t size_of(feature_span const& part, index_t records) const noexcept {
    return part.empty() ? 0 : bytes_of(records * features_, feature_bytes(part));
  }
  index_t columns() const noexcept { return column_count(host_.columns); }

  void download_indices(device_buffer const& from, index_span const& to, index_t elements, cudaStream_t stream,
                        cudaError_t& error) const noexcept {
    from.download(to.data(), size_of(to, elements), stream, error);
  }
  void download_features(device_buffer const& from, feature_span const& to, index_t records, cudaStream_t stream,
                         cudaError_t& error) const noexcept {
    from.download(to.data(), size_of(to, records), stream, error);
  }

  voxelize_output<Scalar> const& host_;
  index_t features_;
  index_t max_points_;
  device_buffer coords_, points_per_voxel_, gathered_, mean_, max_, first_, centroid_, list_offsets_, list_points_,
      point_voxel_, voxel_count_, voxel_offsets_, report_;
};

}  // namespace

template <class Scalar>
result voxelize_on_cuda(batch<point_view<Scalar>> const& clouds, voxelize_params<Scalar> const& params,
                        voxelize_output<Scalar> const& output, run_info& info) {
  cudaError_t error = cudaSuccess;
  tell_device(info.device, sizeof info.device, error);
  if (error != cudaSuccess) return voxelize_failed(error);

  index_t const count = clouds.points().size();
  index_t const features = params.features.count();
  device_buffer const points{static_cast<std::size_t>(count) * 3 * sizeof(Scalar), error};
  device_buffer const offsets{clouds.offsets().size_bytes(), error};
  device_buffer const values{static_cast<std::size_t>(count * features) * sizeof(float), error};
  device_output<Scalar> const parts{output, count, clouds.size(), features, params.mode.max_points, error};

  point_view<Scalar> const view{points.data(), count};
  auto const device_clouds =
      clouds.is_ragged() ? batch<point_view<Scalar>>::ragged(view, offsets.as<index_t const>(), clouds.largest())
                         : batch<point_view<Scalar>>::regular(view, clouds.size());
  voxelize_params<Scalar> device_params = params;
  device_params.features =
      feature_view::packed(static_cast<float const*>(values.data()), count, static_cast<int>(features));

  scoped_stream const stream{error};
  cuda_exec const exec{stream.get()};
  device_buffer const workspace{
      library::on_stream<library::voxelize_function>::workspace_bytes(exec, device_clouds, device_params, parts.get()),
      error};
  points.upload(clouds.points().base(), stream.get(), error);
  offsets.upload(clouds.offsets().data(), stream.get(), error);
  values.upload(params.features.base(), stream.get(), error);
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream.get());
  if (error != cudaSuccess) return voxelize_failed(error);

  auto const start = std::chrono::steady_clock::now();
  bytes const scratch = workspace.as<unsigned char>();
  result const outcome =
      library::on_stream<library::voxelize_function>::run(exec, device_clouds, device_params, parts.get(), scratch);
  if (!outcome) return outcome;
  error = cudaStreamSynchronize(stream.get());
  info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  parts.download(stream.get(), error);
  return error == cudaSuccess ? result{} : voxelize_failed(error);
}

template result voxelize_on_cuda(batch<point_view<float>> const&, voxelize_params<float> const&,
                                 voxelize_output<float> const&, run_info&);
template result voxelize_on_cuda(batch<point_view<double>> const&, voxelize_params<double> const&,
                                 voxelize_output<double> const&, run_info&);

}  // namespace runtime::detail
FARPOINT_END_NAMESPACE

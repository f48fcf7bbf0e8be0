// Every host call of fps.hpp and of voxelize.hpp, and what takes voxels.
#include "clouds.hpp"

#include <farpoint/fps.hpp>
#include <farpoint/gather.hpp>
#include <farpoint/offsets_of_sizes.hpp>
#include <farpoint/pillar_features.hpp>
#include <farpoint/reference/fps.hpp>
#include <farpoint/reference/voxelize.hpp>
#include <farpoint/voxelize.hpp>

void sample_and_voxelize();

namespace {

template <class Coord, int Dim>
void sample() {
  clouds<Coord, Dim> in;
  using points = typename clouds<Coord, Dim>::points;
  using scalar = typename points::scalar;
  farpoint::fps_params const params;
  farpoint::fps_output<scalar> const output;
  farpoint::span<scalar const> const weights;
  in.bound = farpoint::fps_workspace_bytes(in.exec, in.all, params);
  static_cast<void>(farpoint::fps_workspace_bound<points>(in.exec, farpoint::batch_limits{}, in.bound));
  static_cast<void>(farpoint::fps(in.exec, in.all, params, output, in.workspace));
  static_cast<void>(farpoint::fps_extend(in.exec, in.view, 0, params, output, in.workspace));
  in.bound = farpoint::poisson_subset_workspace_bytes(in.exec, in.all, 1);
  static_cast<void>(farpoint::poisson_subset(in.exec, in.all, 1.0, output, in.workspace));
  in.bound = farpoint::fps_weighted_workspace_bytes(in.exec, in.all);
  static_cast<void>(farpoint::fps_weighted_workspace_bound<points>(in.exec, farpoint::batch_limits{}, in.bound));
  static_cast<void>(farpoint::fps_weighted(in.exec, in.all, weights, params, output, in.workspace));
  static_cast<void>(farpoint::reference::fps(in.all, params, output));
  static_cast<void>(farpoint::fps(in.cloud, 0));
  static_cast<void>(farpoint::poisson_subset(in.cloud, 1.0));
}

template <class Coord>
struct sampling {
  void operator()() const {
    sample<Coord, 2>();
    sample<Coord, 3>();
    sample<Coord, 6>();
  }
};

template <class Coord>
struct voxelization {
  void operator()() const {
    clouds<Coord> in;
    using points = typename clouds<Coord>::points;
    using scalar = typename points::scalar;
    farpoint::voxelize_params<scalar> params;
    params.grid = farpoint::voxel_grid<scalar>::from_range({{0, 0, 0}}, {{1, 1, 1}}, {{1, 1, 1}});
    params.mode = farpoint::hard{1, 1};
    farpoint::voxelize_output<scalar> const output;
    in.bound = farpoint::voxelize_workspace_bytes(in.exec, in.all, params, output);
    static_cast<void>(farpoint::voxelize_workspace_bound<points>(in.exec, farpoint::batch_limits{}, in.bound));
    static_cast<void>(farpoint::voxelize(in.exec, in.all, params, output, in.workspace));
    static_cast<void>(farpoint::reference::voxelize(in.all, params, output));
    static_cast<void>(farpoint::voxelize(in.cloud, params));
  }
};

template <class Value>
void gather_values() {
  std::vector<Value> const features;
  std::vector<std::int32_t> const indices;
  std::vector<Value> rows;
  farpoint::gather_report report;
  static_cast<void>(farpoint::gather(farpoint::host_exec{1}, farpoint::span<Value const>{features}, 1, indices,
                                     farpoint::span<Value>{rows}, &report));
  static_cast<void>(farpoint::gather(farpoint::host_exec{1},
                                     farpoint::feature_rows<Value const>::channels_first(features, 1, 1), indices,
                                     farpoint::feature_rows<Value>::regular(rows, 1, 1), &report));
  static_cast<void>(farpoint::gather(features, indices));
}

}  // namespace

void sample_and_voxelize() {
  call_for_each_coord<sampling>();
  call_for_each_coord<voxelization>();
  gather_values<float>();
  gather_values<double>();
  gather_values<farpoint::float16>();
  gather_values<std::uint8_t>();
  farpoint::voxelize_params<float> const params;
  farpoint::voxelize_output<float> const voxels;
  static_cast<void>(farpoint::pillar_features(farpoint::host_exec{1}, params, voxels, farpoint::pillar_centers::xyz,
                                              farpoint::feature_span{}));
  std::vector<std::int32_t> const sizes;
  std::vector<farpoint::index_t> offsets(1);
  static_cast<void>(
      farpoint::offsets_of_sizes(farpoint::host_exec{1}, sizes, farpoint::span<farpoint::index_t>{offsets}));
}

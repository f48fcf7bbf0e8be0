/// @file
/// voxelize().
#include "arrays.hpp"
#include "module.hpp"

#include <farpoint/runtime/host_calls.hpp>
#include <farpoint/runtime/stream_calls.hpp>

#include <nanobind/stl/array.h>

namespace farpoint_python {
namespace {

struct voxelize_wish {
  std::array<double, 3> lower;
  std::array<double, 3> upper;
  std::array<double, 3> size;
  std::optional<index_t> max_voxels;
  std::optional<index_t> max_points;
  bool grid_order = false;
  std::optional<std::uint64_t> seed;
};

template <class Scalar>
farpoint::vec<Scalar> vec_of(std::array<double, 3> const& values) {
  return {{static_cast<Scalar>(values[0]), static_cast<Scalar>(values[1]), static_cast<Scalar>(values[2])}};
}

template <class Scalar>
farpoint::voxelize_params<Scalar> params_of(voxelize_wish const& wish, input const& points, bool reads_features) {
  farpoint::voxelize_params<Scalar> params;
  params.grid = farpoint::voxel_grid<Scalar>::from_range(vec_of<Scalar>(wish.lower), vec_of<Scalar>(wish.upper),
                                                         vec_of<Scalar>(wish.size));
  if (wish.max_voxels && wish.max_points) params.mode = farpoint::hard{*wish.max_voxels, *wish.max_points};
  if (wish.grid_order) params.order = farpoint::voxel_order::grid;
  if (wish.seed) {
    params.points = farpoint::voxel_points::random_subset;
    params.seed = *wish.seed;
  }
  if (reads_features) params.features = feature_columns_of(points);
  return params;
}

farpoint::voxel_columns columns_of(bool batch, bool zyx) {
  if (batch) return zyx ? farpoint::voxel_columns::batch_zyx : farpoint::voxel_columns::batch_xyz;
  return zyx ? farpoint::voxel_columns::zyx : farpoint::voxel_columns::xyz;
}

/// Outputs by name; those that are left out cost nothing.
struct voxelize_arrays {
  index_t capacity;
  optional_output coords;
  optional_output num_points;
  optional_output voxels;
  optional_output mean;
  optional_output point_voxel;
  optional_output voxel_count;
  optional_output voxel_offsets;
  bool batch;
  bool zyx;

  template <class Scalar>
  farpoint::voxelize_output<Scalar> outputs() const {
    farpoint::voxelize_output<Scalar> out;
    out.capacity = capacity;
    out.coords = values_of<std::int32_t>(coords);
    out.columns = columns_of(batch, zyx);
    if (num_points) out.points_per_voxel = farpoint::count_span{values_of<std::int32_t>(*num_points)};
    out.gathered = features_of(voxels);
    out.mean = features_of(mean);
    out.point_voxel = indices_of(point_voxel);
    out.voxel_count = indices_of(voxel_count);
    out.voxel_offsets = indices_of(voxel_offsets);
    return out;
  }
};

void voxelize(place const& where, input const& points, optional_input const& offsets, voxelize_wish const& wish,
              voxelize_arrays const& arrays) {
  with_scalar(points, [&](auto zero) {
    using scalar = decltype(zero);
    auto const clouds = clouds_of<scalar>(where, points, offsets);
    auto const params = params_of<scalar>(wish, points, arrays.voxels || arrays.mean);
    auto const out = arrays.outputs<scalar>();
    call(
        where, [&](auto const& options) { return farpoint::runtime::voxelize(clouds, params, out, options); },
        [&](auto exec) { return farpoint::voxelize_workspace_bytes(exec, clouds, params, out); },
        [&](auto exec, auto workspace) { return farpoint::voxelize(exec, clouds, params, out, workspace); });
  });
}

}  // namespace

void add_voxelize(nb::module_& m) {
  m.def(
      "voxel_grid_dims",
      [](std::array<double, 3> const& lower, std::array<double, 3> const& upper, std::array<double, 3> const& size) {
        auto const grid = farpoint::voxel_grid<double>::from_range(
            {{lower[0], lower[1], lower[2]}}, {{upper[0], upper[1], upper[2]}}, {{size[0], size[1], size[2]}});
        return std::array<std::int32_t, 3>{grid.dims[0], grid.dims[1], grid.dims[2]};
      },
      nb::arg("lower"), nb::arg("upper"), nb::arg("size"));
  m.def(
      "voxelize",
      [](place const& where, input const& points, optional_input const& offsets, std::array<double, 3> const& lower,
         std::array<double, 3> const& upper, std::array<double, 3> const& size, std::optional<index_t> max_voxels,
         std::optional<index_t> max_points, bool grid_order, std::optional<std::uint64_t> seed, index_t capacity,
         bool batch, bool zyx, optional_output const& coords, optional_output const& num_points,
         optional_output const& voxels, optional_output const& mean, optional_output const& point_voxel,
         optional_output const& voxel_count, optional_output const& voxel_offsets) {
        voxelize(where, points, offsets, {lower, upper, size, max_voxels, max_points, grid_order, seed},
                 {capacity, coords, num_points, voxels, mean, point_voxel, voxel_count, voxel_offsets, batch, zyx});
      },
      nb::arg("place"), nb::arg("points"), nb::arg("offsets").none(), nb::arg("lower"), nb::arg("upper"),
      nb::arg("size"), nb::arg("max_voxels").none(), nb::arg("max_points").none(), nb::arg("grid_order"),
      nb::arg("seed").none(), nb::arg("capacity"), nb::arg("batch"), nb::arg("zyx"), nb::arg("coords").none(),
      nb::arg("num_points").none(), nb::arg("voxels").none(), nb::arg("mean").none(), nb::arg("point_voxel").none(),
      nb::arg("voxel_count").none(), nb::arg("voxel_offsets").none());
}

}  // namespace farpoint_python

/// @file
/// Parameters of calls that make voxels, and their outputs by name.
#pragma once

#include "arrays.hpp"

#include <farpoint/types/voxelize.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace farpoint_python {

/// Parameters of a call that are no arrays.
struct voxelize_arguments {
  std::array<double, 3> lower{};
  std::array<double, 3> upper{};
  std::array<double, 3> size{};
  std::optional<index_t> max_voxels{};
  std::optional<index_t> max_points{};
  bool grid_order = false;
  std::optional<std::uint64_t> seed{};
};

template <class Scalar>
farpoint::vec<Scalar> vec_of(std::array<double, 3> const& values) {
  return {{static_cast<Scalar>(values[0]), static_cast<Scalar>(values[1]), static_cast<Scalar>(values[2])}};
}

template <class Scalar>
farpoint::voxelize_params<Scalar> params_of(voxelize_arguments const& arguments, input const& points,
                                            bool reads_features) {
  farpoint::voxelize_params<Scalar> params;
  params.grid = farpoint::voxel_grid<Scalar>::from_range(
      vec_of<Scalar>(arguments.lower), vec_of<Scalar>(arguments.upper), vec_of<Scalar>(arguments.size));
  if (arguments.max_voxels && arguments.max_points) {
    params.mode = farpoint::hard{*arguments.max_voxels, *arguments.max_points};
  }
  if (arguments.grid_order) params.order = farpoint::voxel_order::grid;
  if (arguments.seed) {
    params.points = farpoint::voxel_points::random_subset;
    params.seed = *arguments.seed;
  }
  if (reads_features) params.features = feature_columns_of(points);
  return params;
}

inline farpoint::voxel_columns columns_of(bool batch, bool zyx) {
  if (batch) return zyx ? farpoint::voxel_columns::batch_zyx : farpoint::voxel_columns::batch_xyz;
  return zyx ? farpoint::voxel_columns::zyx : farpoint::voxel_columns::xyz;
}

/// Keys of the answer: the outputs that a call can name, then the two that every answer has.
enum class output_name {
  coords,
  num_points,
  voxels,
  mean,
  point_voxel,
  max,
  first,
  centroid,
  list_offsets,
  list_points,
  voxel_count,
  voxel_offsets
};

inline constexpr std::array<char const*, 12> output_names{
    "coords", "num_points", "voxels",       "mean",        "point_voxel", "max",
    "first",  "centroid",   "list_offsets", "list_points", "voxel_count", "voxel_offsets"};

/// A string of Python, made once.
inline nb::handle key_of(output_name name) {
  static auto const all = [] {
    std::array<PyObject*, output_names.size()> made{};
    std::transform(output_names.begin(), output_names.end(), made.begin(), PyUnicode_InternFromString);
    return made;
  }();
  return all[static_cast<std::size_t>(name)];
}

/// Outputs by name; outputs that are left out cost nothing.
struct voxelize_arrays {
  index_t capacity = 0;
  bool batch = false;
  bool zyx = false;
  std::array<optional_output, output_names.size()> all;

  /// True if any output is made of the columns of the points.
  bool reads_features() const {
    using name = output_name;
    auto const made_of = {name::voxels, name::mean, name::max, name::first};
    return std::any_of(made_of.begin(), made_of.end(), [this](name each) { return (*this)[each].has_value(); });
  }
  optional_output& operator[](output_name name) { return all[static_cast<std::size_t>(name)]; }
  optional_output const& operator[](output_name name) const { return all[static_cast<std::size_t>(name)]; }

  template <class Scalar>
  farpoint::voxelize_output<Scalar> outputs() const {
    auto const& of = *this;
    using name = output_name;
    farpoint::voxelize_output<Scalar> out;
    out.capacity = capacity;
    out.coords = values_of<std::int32_t>(of[name::coords]);
    out.columns = columns_of(batch, zyx);
    if (auto const& counts = of[name::num_points]) {
      out.points_per_voxel = farpoint::count_span{values_of<std::int32_t>(*counts)};
    }
    out.gathered = features_of<Scalar>(of[name::voxels]);
    out.mean = features_of<Scalar>(of[name::mean]);
    out.max = features_of<Scalar>(of[name::max]);
    out.first = features_of<Scalar>(of[name::first]);
    out.centroid = values_of<Scalar>(of[name::centroid]);
    out.list_offsets = indices_of(of[name::list_offsets]);
    out.list_points = indices_of(of[name::list_points]);
    out.point_voxel = indices_of(of[name::point_voxel]);
    out.voxel_count = indices_of(of[name::voxel_count]);
    out.voxel_offsets = indices_of(of[name::voxel_offsets]);
    return out;
  }
};

/// Outputs of a dict.
inline voxelize_arrays arrays_of(nb::dict const& outputs, index_t capacity, bool batch, bool zyx) {
  voxelize_arrays arrays{capacity, batch, zyx, {}};
  for (std::size_t each = 0; each < output_names.size(); ++each) {
    nb::handle const key = key_of(static_cast<output_name>(each));
    if (outputs.contains(key)) static_cast<void>(arrays.all[each].emplace().read(outputs[key]));
  }
  return arrays;
}

}  // namespace farpoint_python

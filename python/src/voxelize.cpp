/// @file
/// voxelize().
#include "arrays.hpp"
#include "module.hpp"
#include "quick.hpp"
#include "voxel_outputs.hpp"

#include <farpoint/runtime/host_calls.hpp>
#include <farpoint/runtime/stream_calls.hpp>
#include <farpoint/runtime/stream_rows.hpp>

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace farpoint_python {
namespace {

/// Sizes that determine the shapes of outputs.
struct output_sizes {
  index_t clouds = 1;
  std::optional<index_t> max_points{};
  std::optional<index_t> max_voxels{};
  std::optional<index_t> capacity{};
  bool batch = false;                               ///< `coords` begin with the cloud
  tensor_type_id scalar = tensor_type_id::float32;  ///< type of the points and of `centroid`
  tensor_type_id values = tensor_type_id::float32;  ///< type of outputs made of features; means of doubles are doubles
  std::array<index_t, 2> points{};                  ///< `[N]` or `[B, N]`
  std::size_t axes = 1;                             ///< length of `points` that is used
  index_t features = 0;                             ///< values per point

  /// Maximum number of voxels.
  index_t rows() const {
    index_t const total = axes == 1 ? points[0] : points[0] * points[1];
    index_t const most = max_voxels ? std::min(total, clouds * std::min(*max_voxels, total)) : total;
    return capacity ? std::min(most, *capacity) : most;
  }

  /// Calls make(name, shape, axes, type) for each output.
  template <class Make>
  void for_each(Make const& make) const {
    using id = tensor_type_id;
    auto const each = [&](output_name name, std::initializer_list<index_t> shape, id type) {
      make(name, shape.begin(), shape.size(), type);
    };
    index_t const voxels = rows();
    each(output_name::coords, {voxels, batch ? 4 : 3}, id::int32);
    each(output_name::num_points, {voxels}, id::int32);
    if (max_points) each(output_name::voxels, {voxels, *max_points, features}, values);
    each(output_name::mean, {voxels, features}, scalar == id::float64 ? scalar : values);
    make(output_name::point_voxel, points.data(), axes, id::int64);
    each(output_name::max, {voxels, features}, values);
    each(output_name::first, {voxels, features}, values);
    each(output_name::centroid, {voxels, 3}, scalar);
    each(output_name::list_offsets, {voxels + 1}, id::int64);
    each(output_name::list_points, {axes == 1 ? points[0] : points[0] * points[1]}, id::int64);
    each(output_name::voxel_count, {1}, id::int64);
    each(output_name::voxel_offsets, {clouds + 1}, id::int64);
  }
};

/// Rows of the outputs behind the last voxel. On a device the call does not wait for their number; they are zeros.
farpoint::library::padded_rows padded_rows_of(voxelize_arrays const& arrays) {
  using name = output_name;
  farpoint::library::padded_rows padded;
  if (arrays.capacity == 0 || !arrays[name::voxel_count]) return padded;
  padded.rows = arrays.capacity;
  padded.written = values_of<index_t>(*arrays[name::voxel_count]).data();
  for (auto const each :
       {name::coords, name::num_points, name::voxels, name::mean, name::max, name::first, name::centroid}) {
    if (auto const& array = arrays[each]) {
      padded.add(array->data(), static_cast<index_t>(array->nbytes()) / arrays.capacity);
    }
  }
  return padded;
}

void voxelize(place const& where, input const& points, optional_input const& offsets,
              voxelize_arguments const& arguments, voxelize_arrays const& arrays) {
  with_scalar(points, [&](auto zero) {
    using scalar = decltype(zero);
    auto const clouds = clouds_of<scalar>(where, points, offsets);
    auto const out = arrays.outputs<scalar>();
    auto const params = params_of<scalar>(arguments, points, arrays.reads_features());
    auto const padded = padded_rows_of(arrays);
    call(
        where, [&](auto const& options) { return farpoint::runtime::voxelize(clouds, params, out, options); },
        [&](auto exec) { return farpoint::voxelize_workspace_bytes(exec, clouds, params, out); },
        [&](auto exec, auto workspace) {
          auto const found = farpoint::voxelize(exec, clouds, params, out, workspace);
          return found && padded.rows > 0 ? farpoint::library::zero_rows_past(exec, padded) : found;
        });
  });
}

/// Arguments of quick_voxelize() that are no tensors.
struct quick_voxelize_arguments {
  nb::handle max_points;
  nb::handle max_voxels;
  nb::handle outputs;  ///< names, or None for all
  bool grid_order = false;
  bool batch = false;
  bool zyx = false;
  nb::handle dtype;  ///< type of the outputs made of features; None for the type of the points
};

/// Reads exactly Count floats of a tuple or a list.
template <std::size_t Count>
bool read_numbers(nb::handle from, std::array<double, Count>& numbers) {
  if (!PyTuple_CheckExact(from.ptr()) && !PyList_CheckExact(from.ptr())) return false;
  if (static_cast<std::size_t>(PySequence_Size(from.ptr())) != Count) return false;
  for (std::size_t i = 0; i < Count; ++i) {
    index_t whole = 0;
    nb::object const item = from[i];
    if (read_number(item, numbers[i])) continue;
    if (!read_number(item, whole)) return false;
    numbers[i] = static_cast<double>(whole);
  }
  return true;
}

bool read_grid(nb::handle size, nb::handle range, voxelize_arguments& grid) {
  std::array<double, 6> bounds{};
  double each = 0;
  if (read_number(size, each)) {
    grid.size = {each, each, each};
  } else if (!read_numbers(size, grid.size)) {
    return false;
  }
  if (!read_numbers(range, bounds)) return false;
  grid.lower = {bounds[0], bounds[1], bounds[2]};
  grid.upper = {bounds[3], bounds[4], bounds[5]};
  return true;
}

/// Both, or neither.
bool read_hard(quick_voxelize_arguments const& arguments, voxelize_arguments& to) {
  if (arguments.max_points.is_none() && arguments.max_voxels.is_none()) return true;
  index_t points = 0;
  index_t voxels = 0;
  if (!read_number(arguments.max_points, points) || !read_number(arguments.max_voxels, voxels)) return false;
  to.max_points = points;
  to.max_voxels = voxels;
  return points >= 1 && voxels >= 1;
}

/// By output_name.
using output_set = std::array<bool, output_names.size()>;

/// False for all but a tuple or a list of names as they stand in source code, which Python interns, and for lists of
/// points, whose ends on a device are not made here.
/// @param result  gets the names as keys, in their order
bool read_outputs(nb::handle names, bool hard, output_set& wanted, nb::dict& result) {
  auto const usual = static_cast<std::size_t>(output_name::max);
  auto const count = static_cast<std::size_t>(output_name::list_offsets);
  wanted.fill(false);
  std::fill_n(wanted.begin(), usual, names.is_none());
  wanted[static_cast<std::size_t>(output_name::voxel_count)] = true;
  wanted[static_cast<std::size_t>(output_name::voxel_offsets)] = true;
  if (names.is_none()) return true;
  if (!PyTuple_CheckExact(names.ptr()) && !PyList_CheckExact(names.ptr())) return false;
  for (nb::handle const name : names) {
    std::size_t each = 0;
    while (each < count && !key_of(static_cast<output_name>(each)).is(name)) ++each;
    if (each == count) return false;
    wanted[each] = true;
    result[name] = nb::none();
  }
  return hard || !wanted[static_cast<std::size_t>(output_name::voxels)];
}

/// Reads the type of outputs made of features.
/// @return false for a type that such points have not, or to which means have to be converted
bool read_value_type(nb::handle dtype, tensor_type_id scalar, tensor_type_id& values) {
  using id = tensor_type_id;
  values = scalar;
  if (dtype.is_none()) return true;
  return scalar == id::float64 ? read_type(dtype, {id::float64}, values)
                               : read_type(dtype, {id::float32, id::float16}, values);
}

nb::object quick_voxelize(nb::handle points, nb::handle size, nb::handle range,
                          quick_voxelize_arguments const& arguments, nb::handle threads) {
  tensor_call const on{points, threads};
  voxelize_arguments grid;
  output_set wanted{};
  nb::dict result;
  if (!on || !are_points(on.first(), true) || !read_grid(size, range, grid) || !read_hard(arguments, grid) ||
      !read_outputs(arguments.outputs, grid.max_points.has_value(), wanted, result)) {
    return nb::none();
  }
  grid.grid_order = arguments.grid_order;
  auto const& from = on.first();
  output_sizes sizes;
  sizes.scalar = type_id_of(from.dtype());
  if (!read_value_type(arguments.dtype, sizes.scalar, sizes.values)) return nb::none();
  sizes.axes = from.ndim() - 1;
  for (std::size_t axis = 0; axis < sizes.axes; ++axis) sizes.points[axis] = from.shape(axis);
  if (sizes.axes == 2) sizes.clouds = from.shape(0);
  sizes.features = extent_of(from, sizes.axes);
  sizes.max_points = grid.max_points;
  sizes.max_voxels = grid.max_voxels;
  sizes.batch = arguments.batch;

  voxelize_arrays arrays{sizes.rows(), arguments.batch, arguments.zyx, {}};
  sizes.for_each([&](output_name name, index_t const* shape, std::size_t axes, tensor_type_id type) {
    if (!wanted[static_cast<std::size_t>(name)]) return;
    nb::object tensor;
    arrays[name] = on.make(tensor, shape, axes, type);
    result[key_of(name)] = tensor;
  });
  voxelize(on.where(), from, {}, grid, arrays);
  return result;
}

tensor_type_id float_named(std::string const& name) {
  for (auto const type : {tensor_type_id::float16, tensor_type_id::float32, tensor_type_id::float64}) {
    if (name == name_of(type)) return type;
  }
  throw nb::value_error("voxelize: values are float16, float32 or float64");
}

/// Shape and type of each output by name, for arrays that Python makes.
nb::dict voxelize_shapes(std::vector<index_t> const& points, output_sizes sizes) {
  sizes.axes = points.size() - 1;
  std::copy_n(points.begin(), sizes.axes, sizes.points.begin());
  sizes.features = points.back();
  nb::dict shapes;
  sizes.for_each([&](output_name name, index_t const* shape, std::size_t axes, tensor_type_id type) {
    nb::list lengths;
    for (std::size_t axis = 0; axis < axes; ++axis) lengths.append(shape[axis]);
    shapes[key_of(name)] = nb::make_tuple(nb::tuple(lengths), name_of(type));
  });
  return shapes;
}

}  // namespace

void add_voxelize(nb::module_& m) {
  m.def(
      "quick_voxelize",
      [](nb::handle points, nb::handle size, nb::handle range, nb::handle max_points, nb::handle max_voxels,
         nb::handle outputs, bool grid_order, bool batch, bool zyx, nb::handle dtype, nb::handle threads) {
        return quick_voxelize(points, size, range, {max_points, max_voxels, outputs, grid_order, batch, zyx, dtype},
                              threads);
      },
      nb::arg("points").none(), nb::arg("voxel_size").none(), nb::arg("point_range").none(),
      nb::arg("max_points").none(), nb::arg("max_voxels").none(), nb::arg("outputs").none(), nb::arg("grid_order"),
      nb::arg("batch"), nb::arg("zyx"), nb::arg("dtype").none(), nb::arg("threads").none());
  m.def(
      "voxel_grid_dims",
      [](std::array<double, 3> const& lower, std::array<double, 3> const& upper, std::array<double, 3> const& size) {
        auto const grid = farpoint::voxel_grid<double>::from_range(
            {{lower[0], lower[1], lower[2]}}, {{upper[0], upper[1], upper[2]}}, {{size[0], size[1], size[2]}});
        return std::array<std::int32_t, 3>{grid.dims[0], grid.dims[1], grid.dims[2]};
      },
      nb::arg("lower"), nb::arg("upper"), nb::arg("size"));
  m.def(
      "voxelize_shapes",
      [](std::vector<index_t> const& points, index_t clouds, std::optional<index_t> max_points,
         std::optional<index_t> max_voxels, std::optional<index_t> capacity, bool batch, std::string const& scalar,
         std::string const& values) {
        return voxelize_shapes(
            points, {clouds, max_points, max_voxels, capacity, batch, float_named(scalar), float_named(values)});
      },
      nb::arg("points"), nb::arg("clouds"), nb::arg("max_points").none(), nb::arg("max_voxels").none(),
      nb::arg("capacity").none(), nb::arg("batch"), nb::arg("scalar"), nb::arg("values"),
      "Shape and type of each output by name, for points (N, F) or (B, N, F) of a type, and the type of other "
      "outputs.");
  m.def(
      "voxelize",
      [](place const& where, input const& points, optional_input const& offsets, std::array<double, 3> const& lower,
         std::array<double, 3> const& upper, std::array<double, 3> const& size, std::optional<index_t> max_voxels,
         std::optional<index_t> max_points, bool grid_order, std::optional<std::uint64_t> seed, index_t capacity,
         bool batch, bool zyx, nb::dict const& outputs) {
        voxelize(where, points, offsets, {lower, upper, size, max_voxels, max_points, grid_order, seed},
                 arrays_of(outputs, capacity, batch, zyx));
      },
      nb::arg("place"), nb::arg("points"), nb::arg("offsets").none(), nb::arg("lower"), nb::arg("upper"),
      nb::arg("size"), nb::arg("max_voxels").none(), nb::arg("max_points").none(), nb::arg("grid_order"),
      nb::arg("seed").none(), nb::arg("capacity"), nb::arg("batch"), nb::arg("zyx"), nb::arg("outputs"));
}

}  // namespace farpoint_python

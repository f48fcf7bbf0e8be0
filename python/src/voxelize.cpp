/// @file
/// voxelize().
#include "arrays.hpp"
#include "module.hpp"
#include "quick.hpp"

#include <farpoint/runtime/host_calls.hpp>
#include <farpoint/runtime/stream_calls.hpp>
#include <farpoint/runtime/stream_rows.hpp>

#include <nanobind/stl/array.h>

#include <algorithm>
#include <array>
#include <initializer_list>

namespace farpoint_python {
namespace {

struct voxelize_wish {
  std::array<double, 3> lower{};
  std::array<double, 3> upper{};
  std::array<double, 3> size{};
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
  index_t capacity = 0;
  optional_output coords;
  optional_output num_points;
  optional_output voxels;
  optional_output mean;
  optional_output point_voxel;
  optional_output voxel_count;
  optional_output voxel_offsets;
  bool batch = false;
  bool zyx = false;

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

/// Rows of the outputs that no voxel may have. On a device nobody waits for their number, and they are zeros.
farpoint::library::padded_rows padded_rows_of(voxelize_arrays const& arrays) {
  farpoint::library::padded_rows padded;
  if (arrays.capacity == 0 || !arrays.voxel_count) return padded;
  padded.rows = arrays.capacity;
  padded.written = values_of<index_t>(*arrays.voxel_count).data();
  for (auto const* array : {&arrays.coords, &arrays.num_points, &arrays.voxels, &arrays.mean}) {
    if (*array) padded.add((*array)->data(), static_cast<index_t>((*array)->nbytes()) / arrays.capacity);
  }
  return padded;
}

void voxelize(place const& where, input const& points, optional_input const& offsets, voxelize_wish const& wish,
              voxelize_arrays const& arrays) {
  with_scalar(points, [&](auto zero) {
    using scalar = decltype(zero);
    auto const clouds = clouds_of<scalar>(where, points, offsets);
    auto const params = params_of<scalar>(wish, points, arrays.voxels || arrays.mean);
    auto const out = arrays.outputs<scalar>();
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

/// What quick_voxelize() is asked for beside tensors.
struct quick_voxelize_wish {
  nb::handle max_points;
  nb::handle max_voxels;
  bool grid_order = false;
  bool batch = false;
  bool zyx = false;
  bool narrow = false;  ///< float16 for `voxels` and `mean`
};

/// So many floats of a tuple or a list.
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

bool read_grid(nb::handle size, nb::handle range, voxelize_wish& grid) {
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

/// The keys of the answer.
enum class output_name { coords, num_points, voxels, mean, point_voxel, voxel_count, voxel_offsets };

/// A string of Python, made once.
PyObject* name_of(output_name name) {
  static std::array<PyObject*, 7> const all{
      PyUnicode_InternFromString("coords"),       PyUnicode_InternFromString("num_points"),
      PyUnicode_InternFromString("voxels"),       PyUnicode_InternFromString("mean"),
      PyUnicode_InternFromString("point_voxel"),  PyUnicode_InternFromString("voxel_count"),
      PyUnicode_InternFromString("voxel_offsets")};
  return all[static_cast<std::size_t>(name)];
}

/// Both, or neither.
bool read_hard(quick_voxelize_wish const& wish, voxelize_wish& to) {
  if (wish.max_points.is_none() && wish.max_voxels.is_none()) return true;
  index_t points = 0;
  index_t voxels = 0;
  if (!read_number(wish.max_points, points) || !read_number(wish.max_voxels, voxels)) return false;
  to.max_points = points;
  to.max_voxels = voxels;
  return points >= 1 && voxels >= 1;
}

nb::object quick_voxelize(nb::handle points, nb::handle size, nb::handle range, quick_voxelize_wish const& wish,
                          nb::handle threads) {
  tensor_call const on{points, threads};
  voxelize_wish grid;
  if (!on || !are_points(on.first(), true) || !read_grid(size, range, grid) || !read_hard(wish, grid)) {
    return nb::none();
  }
  grid.grid_order = wish.grid_order;
  auto const& from = on.first();
  index_t const clouds = from.ndim() == 3 ? from.shape(0) : 1;
  index_t const total = rows_of(from);
  index_t const features = extent_of(from, from.ndim() - 1);
  index_t const rows = grid.max_voxels ? std::min(total, clouds * std::min(*grid.max_voxels, total)) : total;
  using id = tensor_type_id;
  id const values = wish.narrow ? id::float16 : id::float32;

  nb::dict result;
  auto const make = [&](output_name name, std::initializer_list<index_t> shape, id type) {
    nb::object tensor;
    optional_output made = on.make(tensor, shape, type);
    if (PyDict_SetItem(result.ptr(), name_of(name), tensor.ptr()) != 0) nb::raise_python_error();
    return made;
  };
  voxelize_arrays arrays;
  arrays.capacity = rows;
  arrays.batch = wish.batch;
  arrays.zyx = wish.zyx;
  arrays.coords = make(output_name::coords, {rows, wish.batch ? 4 : 3}, id::int32);
  arrays.num_points = make(output_name::num_points, {rows}, id::int32);
  if (grid.max_points) arrays.voxels = make(output_name::voxels, {rows, *grid.max_points, features}, values);
  arrays.mean = make(output_name::mean, {rows, features}, values);
  arrays.point_voxel = from.ndim() == 2 ? make(output_name::point_voxel, {total}, id::int64)
                                        : make(output_name::point_voxel, {clouds, from.shape(1)}, id::int64);
  arrays.voxel_count = make(output_name::voxel_count, {1}, id::int64);
  arrays.voxel_offsets = make(output_name::voxel_offsets, {clouds + 1}, id::int64);
  voxelize(on.where(), from, {}, grid, arrays);
  return result;
}

}  // namespace

void add_voxelize(nb::module_& m) {
  m.def(
      "quick_voxelize",
      [](nb::handle points, nb::handle size, nb::handle range, nb::handle max_points, nb::handle max_voxels,
         bool grid_order, bool batch, bool zyx, bool narrow, nb::handle threads) {
        return quick_voxelize(points, size, range, {max_points, max_voxels, grid_order, batch, zyx, narrow}, threads);
      },
      nb::arg("points").none(), nb::arg("voxel_size").none(), nb::arg("point_range").none(),
      nb::arg("max_points").none(), nb::arg("max_voxels").none(), nb::arg("grid_order"), nb::arg("batch"),
      nb::arg("zyx"), nb::arg("narrow"), nb::arg("threads").none());
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

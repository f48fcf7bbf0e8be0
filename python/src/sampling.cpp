/// @file
/// fps() and gather().
#include "arrays.hpp"
#include "fps_params.hpp"
#include "module.hpp"
#include "quick.hpp"

#include <farpoint/runtime/host_calls.hpp>
#include <farpoint/runtime/stream_calls.hpp>
#include <farpoint/runtime/stream_gather.hpp>

#include <nanobind/stl/vector.h>

#include <optional>
#include <vector>

namespace farpoint_python {
namespace {

template <class Coord>
void fps_of(place const& where, farpoint::batch<farpoint::point_view<Coord>> const& clouds,
            farpoint::fps_params const& params, farpoint::fps_output<farpoint::scalar_of<Coord>> const& out) {
  call(
      where, [&](auto const& options) { return farpoint::runtime::fps(clouds, params, out, options); },
      [&](auto exec) { return farpoint::fps_workspace_bytes(exec, clouds, params); },
      [&](auto exec, auto workspace) { return farpoint::fps(exec, clouds, params, out, workspace); });
}

template <class Coord>
void fps_as(place const& where, input const& points, optional_input const& offsets, farpoint::fps_params const& params,
            output const& indices, optional_output const& distances, optional_output const& counts) {
  using scalar = farpoint::scalar_of<Coord>;
  farpoint::fps_output<scalar> out;
  out.indices = indices_of(indices);
  out.distances = values_of<scalar>(distances);
  out.counts = indices_of(counts);
  fps_of<Coord>(where, clouds_of<Coord>(where, points, offsets), params, out);
}

struct fps_arguments {
  index_t samples = 0;
  index_t first = 0;
  double stop_below = 0;
  std::optional<std::uint64_t> seed;
  optional_input firsts;
  optional_input chosen;
  optional_input sample_counts;

  farpoint::fps_params params() const {
    farpoint::fps_params all = fps_params_of(samples, first, stop_below, seed);
    all.firsts = indices_of(firsts);
    all.chosen = indices_of(chosen);
    all.sample_counts = indices_of(sample_counts);
    return all;
  }
};

void fps(place const& where, input const& points, optional_input const& offsets, fps_arguments const& arguments,
         output const& indices, optional_output const& distances, optional_output const& counts) {
  auto const params = arguments.params();
  if (holds_float16(points)) {
    fps_as<farpoint::float16>(where, points, offsets, params, indices, distances, counts);
  } else if (holds<double>(points)) {
    fps_as<double>(where, points, offsets, params, indices, distances, counts);
  } else if (holds<float>(points)) {
    fps_as<float>(where, points, offsets, params, indices, distances, counts);
  } else {
    refuse("fps: points are not float16, float32 or float64");
  }
}

/// Arguments of gather().
struct gather_arrays {
  input features;
  optional_input offsets;
  input indices;
  optional_input index_offsets;
  index_t each = 1;
  bool channels_first = false;
  output gathered;
};

template <class Value>
farpoint::feature_rows<Value const> rows_from(gather_arrays const& arrays) {
  auto const& features = arrays.features;
  row_layout const layout{features, arrays.channels_first};
  farpoint::span<Value const> const values{static_cast<Value const*>(features.data()), layout.extent()};
  using rows = farpoint::feature_rows<Value const>;
  if (!arrays.offsets) return rows::strided(values, layout.clouds, layout.rows, layout.columns, layout.strides);
  if (!features.is_packed()) refuse("gather: rows of ragged clouds are contiguous");
  return rows::ragged(values, values_of<index_t>(*arrays.offsets), layout.columns, 1);
}

template <class Value>
farpoint::feature_rows<Value> rows_to(gather_arrays const& arrays) {
  auto const& gathered = arrays.gathered;
  if (!gathered.is_packed()) refuse("gather: the output is not contiguous");
  farpoint::span<Value> const values{static_cast<Value*>(gathered.data()), gathered.size()};
  row_layout const from{arrays.features, arrays.channels_first};
  using rows = farpoint::feature_rows<Value>;
  if (arrays.index_offsets) {
    return rows::ragged(values, values_of<index_t>(*arrays.index_offsets), from.columns, arrays.each);
  }
  index_t const each = from.clouds == 0 ? 0 : static_cast<index_t>(arrays.indices.size()) / from.clouds;
  index_t const cloud = each * from.columns;
  if (cloud * from.clouds != static_cast<index_t>(gathered.size())) refuse("gather: the output has another size");
  farpoint::feature_strides const strides = arrays.channels_first ? farpoint::feature_strides{cloud, 1, each}
                                                                  : farpoint::feature_strides{cloud, from.columns, 1};
  return rows::strided(values, from.clouds, each, from.columns, strides);
}

template <class Value>
void gather_as(place const& where, gather_arrays const& arrays) {
  auto const from = rows_from<Value>(arrays);
  auto const to = rows_to<Value>(arrays);
  auto const which = indices_of(arrays.indices);
  call(
      where, [&](auto const& options) { return farpoint::runtime::gather(from, which, to, nullptr, options); },
      [](auto) { return std::size_t{0}; }, [&](auto exec, auto) { return farpoint::gather(exec, from, which, to); });
}

void gather(place const& where, gather_arrays const& arrays) {
  // Bits are copied: a type's size is all that counts.
  index_t const bytes = item_bytes(arrays.features);
  if (item_bytes(arrays.gathered) != bytes) refuse("gather: the output has another type");
  switch (bytes) {
    case 1: return gather_as<std::uint8_t>(where, arrays);
    case 2: return gather_as<farpoint::float16>(where, arrays);
    case 4: return gather_as<std::int32_t>(where, arrays);
    case 8: return gather_as<std::int64_t>(where, arrays);
    default: refuse("gather: values of features have 1, 2, 4 or 8 bytes");
  }
}

nb::object quick_fps(nb::handle points, nb::handle samples, nb::handle first, nb::handle index_type,
                     nb::handle threads) {
  tensor_call const on{points, threads};
  tensor_type_id type{};
  fps_arguments arguments;
  if (!on || !are_points(on.first()) || !read_index_type(index_type, type)) return nb::none();
  if (!read_number(samples, arguments.samples) || !read_number(first, arguments.first) || arguments.samples < 0) {
    return nb::none();
  }
  nb::object found;
  auto const indices = on.first().ndim() == 2 ? on.make(found, {arguments.samples}, type)
                                              : on.make(found, {on.first().shape(0), arguments.samples}, type);
  fps(on.where(), on.first(), {}, arguments, indices, {}, {});
  return found;
}

using shape_of_array = std::vector<index_t>;

/// Shape of what is gathered by indices of rows, or for each cloud of indices of its rows; none where they do not suit
/// the features, of two or three axes.
std::optional<shape_of_array> shape_of_gathered(shape_of_array const& features, shape_of_array const& indices,
                                                bool channels_first) {
  std::size_t const batched = features.size() - 2;
  if (batched == 1 && (indices.empty() || indices[0] != features[0])) return {};
  shape_of_array shape = indices;
  index_t const channels = features[channels_first ? batched : batched + 1];
  shape.insert(channels_first ? shape.begin() + static_cast<std::ptrdiff_t>(batched) : shape.end(), channels);
  return shape;
}

shape_of_array shape_of(input const& array) {
  shape_of_array shape;
  for (std::size_t axis = 0; axis < array.ndim(); ++axis) shape.push_back(extent_of(array, axis));
  return shape;
}

nb::object quick_gather(nb::handle features, nb::handle indices, bool channels_first, nb::handle threads) {
  tensor_call on{features, threads};
  input which;
  if (!on || !on.add(indices, which) || !which.is_packed()) return nb::none();
  if ((!holds<std::int32_t>(which) && !holds<std::int64_t>(which)) || which.ndim() > memory_layout::max_axes) {
    return nb::none();
  }
  auto const& from = on.first();
  if ((from.ndim() != 2 && from.ndim() != 3) || from.itemsize() > 8) return nb::none();
  for (std::size_t axis = 0; axis < from.ndim(); ++axis) {
    if (from.stride(axis) < 0) return nb::none();
  }
  auto const shape = shape_of_gathered(shape_of(from), shape_of(which), channels_first);
  if (!shape) return nb::none();
  nb::object gathered;
  output const to = on.make(gathered, shape->data(), shape->size(), type_id_of(from.dtype()));
  gather(on.where(), {from, {}, which, {}, 1, channels_first, to});
  return gathered;
}

}  // namespace

void add_sampling(nb::module_& m) {
  m.def(
      "fps",
      [](place const& where, input const& points, optional_input const& offsets, index_t samples, index_t first,
         double stop_below, std::optional<std::uint64_t> seed, optional_input const& firsts,
         optional_input const& chosen, optional_input const& sample_counts, output const& indices,
         optional_output const& distances, optional_output const& counts) {
        fps(where, points, offsets, fps_arguments{samples, first, stop_below, seed, firsts, chosen, sample_counts},
            indices, distances, counts);
      },
      nb::arg("place"), nb::arg("points"), nb::arg("offsets").none(), nb::arg("samples"), nb::arg("first"),
      nb::arg("stop_below"), nb::arg("seed").none(), nb::arg("firsts").none(), nb::arg("chosen").none(),
      nb::arg("sample_counts").none(), nb::arg("indices"), nb::arg("distances").none(), nb::arg("counts").none());
  m.def("quick_fps", &quick_fps, nb::arg("points").none(), nb::arg("samples").none(), nb::arg("first").none(),
        nb::arg("index_dtype").none(), nb::arg("threads").none());
  m.def("gathered_shape", &shape_of_gathered, nb::arg("features"), nb::arg("indices"), nb::arg("channels_first"),
        "The shape of what gather() returns, by those of features (N, C) or (B, N, C) and of indices; None if these do "
        "not suit.");
  m.def("quick_gather", &quick_gather, nb::arg("features").none(), nb::arg("indices").none(), nb::arg("channels_first"),
        nb::arg("threads").none());
  m.def(
      "gather",
      [](place const& where, input const& features, optional_input const& offsets, input const& indices,
         optional_input const& index_offsets, index_t each, bool channels_first, output const& gathered) {
        gather(where, {features, offsets, indices, index_offsets, each, channels_first, gathered});
      },
      nb::arg("place"), nb::arg("features"), nb::arg("offsets").none(), nb::arg("indices"),
      nb::arg("index_offsets").none(), nb::arg("each"), nb::arg("channels_first"), nb::arg("gathered"));
}

}  // namespace farpoint_python

/// @file
/// fps() and gather().
#include "arrays.hpp"
#include "module.hpp"

#include <farpoint/runtime/host_calls.hpp>
#include <farpoint/runtime/stream_calls.hpp>
#include <farpoint/runtime/stream_gather.hpp>

namespace farpoint_python {
namespace {

template <class Coord>
void fps_of(place const& where, farpoint::batch<farpoint::point_view<Coord>> const& clouds,
            farpoint::fps_params const& params, farpoint::fps_output<farpoint::scalar_of<Coord>> const& out) {
  call(
      where, [&](auto const& wish) { return farpoint::runtime::fps(clouds, params, out, wish); },
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

struct fps_wish {
  index_t samples = 0;
  index_t first = 0;
  double stop_below = 0;
  std::optional<std::uint64_t> seed;
  optional_input firsts;
  optional_input chosen;
  optional_input sample_counts;

  farpoint::fps_params params() const {
    farpoint::fps_params all;
    all.samples = samples;
    all.first = first;
    all.stop_below = stop_below;
    all.random_first = seed.has_value();
    all.seed = seed.value_or(0);
    all.firsts = indices_of(firsts);
    all.chosen = indices_of(chosen);
    all.sample_counts = indices_of(sample_counts);
    return all;
  }
};

void fps(place const& where, input const& points, optional_input const& offsets, fps_wish const& wish,
         output const& indices, optional_output const& distances, optional_output const& counts) {
  auto const params = wish.params();
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

template <class Value, class Array>
farpoint::feature_rows<Value> rows_of(Array const& array, optional_input const& offsets, index_t each) {
  row_layout const layout{array};
  farpoint::span<Value> const values{static_cast<Value*>(array.data()), layout.extent()};
  if (offsets) {
    if (!is_packed(array)) refuse("gather: rows of ragged clouds are contiguous");
    return farpoint::feature_rows<Value>::ragged(values, values_of<index_t>(*offsets), layout.columns, each);
  }
  return farpoint::feature_rows<Value>::strided(values, layout.clouds, layout.rows, layout.columns, layout.strides);
}

template <class Value>
void gather_as(place const& where, input const& features, optional_input const& offsets, input const& indices,
               optional_input const& index_offsets, index_t each, output const& gathered) {
  auto const from = rows_of<Value const>(features, offsets, 1);
  auto const to = rows_of<Value>(gathered, index_offsets, each);
  auto const which = indices_of(indices);
  call(
      where, [&](auto const& wish) { return farpoint::runtime::gather(from, which, to, nullptr, wish); },
      [](auto) { return std::size_t{0}; }, [&](auto exec, auto) { return farpoint::gather(exec, from, which, to); });
}

void gather(place const& where, input const& features, optional_input const& offsets, input const& indices,
            optional_input const& index_offsets, index_t each, output const& gathered) {
  // Bits are copied: a type's size is all that counts.
  if (item_bytes(gathered) != item_bytes(features)) refuse("gather: the output has another type");
  switch (item_bytes(features)) {
    case 1: return gather_as<std::uint8_t>(where, features, offsets, indices, index_offsets, each, gathered);
    case 2: return gather_as<farpoint::float16>(where, features, offsets, indices, index_offsets, each, gathered);
    case 4: return gather_as<std::int32_t>(where, features, offsets, indices, index_offsets, each, gathered);
    case 8: return gather_as<std::int64_t>(where, features, offsets, indices, index_offsets, each, gathered);
    default: refuse("gather: values of features have 1, 2, 4 or 8 bytes");
  }
}

}  // namespace

void add_sampling(nb::module_& m) {
  m.def(
      "fps",
      [](place const& where, input const& points, optional_input const& offsets, index_t samples, index_t first,
         double stop_below, std::optional<std::uint64_t> seed, optional_input const& firsts,
         optional_input const& chosen, optional_input const& sample_counts, output const& indices,
         optional_output const& distances, optional_output const& counts) {
        fps(where, points, offsets, fps_wish{samples, first, stop_below, seed, firsts, chosen, sample_counts}, indices,
            distances, counts);
      },
      nb::arg("place"), nb::arg("points"), nb::arg("offsets").none(), nb::arg("samples"), nb::arg("first"),
      nb::arg("stop_below"), nb::arg("seed").none(), nb::arg("firsts").none(), nb::arg("chosen").none(),
      nb::arg("sample_counts").none(), nb::arg("indices"), nb::arg("distances").none(), nb::arg("counts").none());
  m.def("gather", &gather, nb::arg("place"), nb::arg("features"), nb::arg("offsets").none(), nb::arg("indices"),
        nb::arg("index_offsets").none(), nb::arg("each"), nb::arg("gathered"));
}

}  // namespace farpoint_python

// Arguments of a host-memory call that runs on a device: each overload reserves device memory in a frame for the arrays
// of an argument, and returns the argument with these arrays.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/features.hpp>
#include <farpoint/types/estimate_normals.hpp>
#include <farpoint/types/feature_rows.hpp>
#include <farpoint/types/fps.hpp>
#include <farpoint/types/hash_map.hpp>
#include <farpoint/types/interpolate.hpp>
#include <farpoint/types/knn.hpp>
#include <farpoint/types/knn_screen.hpp>
#include <farpoint/types/mean_knn_distance.hpp>
#include <farpoint/types/radius.hpp>
#include <farpoint/types/voxelize.hpp>

#include "frame.hpp"

FARPOINT_BEGIN_NAMESPACE
namespace library {

/// Returns points with gaps between them inside a copied array, if their records were copied for their features.
template <class Coord>
point_view<Coord> find_points(frame const& on_device, point_view<Coord> const& points) noexcept {
  int const lowest = detail::smaller(detail::smaller(points.offset(0), points.offset(1)), points.offset(2));
  int const highest = detail::larger(detail::larger(points.offset(0), points.offset(1)), points.offset(2));
  if (points.size() == 0 || points.stride() < 0) return {};
  index_t const size = (points.size() - 1) * points.stride() + highest - lowest + index_t{sizeof(Coord)};
  void const* const first = on_device.find_input(points.base() + lowest, static_cast<std::size_t>(size));
  if (first == nullptr) return {};
  return {first,
          points.size(),
          points.stride(),
          {points.offset(0) - lowest, points.offset(1) - lowest, points.offset(2) - lowest}};
}

/// Copies points without gaps: a GPU reads packed points fastest, and gaps would only cost transfer time.
template <class Coord>
point_view<Coord> place(frame& on_device, point_view<Coord> const& points) noexcept {
  constexpr auto size = index_t{sizeof(Coord)};
  bool const is_packed = points.stride() == 3 * size && points.offset(1) == points.offset(0) + size &&
                         points.offset(2) == points.offset(0) + 2 * size;
  if (is_packed || points.size() == 0) {
    unsigned char const* const first = points.size() == 0 ? nullptr : points.base() + points.offset(0);
    return {on_device.input(first, static_cast<std::size_t>(points.size() * 3 * size)), points.size()};
  }
  if (auto const there = find_points(on_device, points); there.size() > 0) return there;
  auto const pack = [](void const* source, index_t first, index_t count, void* to) {
    auto const& from = *static_cast<point_view<Coord> const*>(source);
    unsigned char const* record = from.base() + first * from.stride();
    auto* at = static_cast<unsigned char*>(to);
    for (index_t i = 0; i < count; ++i, record += from.stride()) {
      for (int axis = 0; axis < 3; ++axis, at += size) std::memcpy(at, record + from.offset(axis), sizeof(Coord));
    }
  };
  return {on_device.input(&points, points.size(), 3 * sizeof(Coord), pack), points.size()};
}

template <class Points>
batch<Points> place(frame& on_device, batch<Points> const& clouds) noexcept {
  Points const points = place(on_device, clouds.points());
  if (!clouds.is_ragged()) return batch<Points>::regular(points, clouds.size());
  return batch<Points>::ragged(points, on_device.input(clouds.offsets()), clouds.largest());
}

inline fps_params place(frame& on_device, fps_params const& params) noexcept {
  fps_params placed = params;
  placed.firsts = on_device.input(params.firsts);
  placed.chosen = on_device.input(params.chosen);
  placed.sample_counts = on_device.input(params.sample_counts);
  return placed;
}

template <class Scalar>
fps_output<Scalar> place(frame& on_device, fps_output<Scalar> const& output, index_t clouds, index_t samples) noexcept {
  return {on_device.output(output.indices, clouds, samples), on_device.output(output.distances, clouds, samples),
          on_device.output(output.counts, clouds), on_device.output(output.report)};
}

/// Copies features without gaps, converted to float.
inline feature_view place_as_floats(frame& on_device, feature_view const& features) noexcept {
  auto const read = [](void const* source, index_t first, index_t count, void* to) {
    auto const& from = *static_cast<feature_view const*>(source);
    auto* at = static_cast<float*>(to);
    for (index_t i = 0; i < count; ++i, at += from.count()) from.read(first + i, at);
  };
  std::size_t const row = static_cast<std::size_t>(features.count()) * sizeof(float);
  auto const* const packed = static_cast<float const*>(on_device.input(&features, features.size(), row, read));
  return feature_view::packed(packed, features.size(), features.count());
}

/// Copies features without gaps, each with its own type, in words of 8 bytes.
inline feature_view place_in_words(frame& on_device, feature_view const& features) noexcept {
  constexpr index_t word = 8;
  auto const read = [](void const* source, index_t first, index_t count, void* to) {
    auto const& from = *static_cast<feature_view const*>(source);
    auto* at = static_cast<unsigned char*>(to);
    for (index_t i = 0; i < count; ++i) {
      unsigned char const* const record = from.base() + (first + i) * from.stride();
      for (int f = 0; f < from.count(); ++f, at += word) {
        std::memcpy(at, record + from.offset(f), static_cast<std::size_t>(detail::size_of(from.type(f))));
      }
    }
  };
  int offsets[feature_view::max_count] = {};
  feature_type types[feature_view::max_count] = {};
  for (int f = 0; f < features.count(); ++f) {
    offsets[f] = f * static_cast<int>(word);
    types[f] = features.type(f);
  }
  index_t const row = features.count() * word;
  auto const* const packed = on_device.input(&features, features.size(), static_cast<std::size_t>(row), read);
  return feature_view::fields(packed, features.size(), row, offsets, types, features.count());
}

/// Copies whole records of features if most of their bytes are features, which is faster than packing.
/// @param keeps_types  true if the bits of values matter beyond the nearest float
inline feature_view place(frame& on_device, feature_view const& features, bool keeps_types) noexcept {
  if (features.size() == 0 || features.count() == 0) return features;
  index_t extent = 0;
  index_t used = 0;
  bool is_forwards = features.stride() >= 0;
  int offsets[feature_view::max_count] = {};
  feature_type types[feature_view::max_count] = {};
  for (int f = 0; f < features.count(); ++f) {
    index_t const size = detail::size_of(features.type(f));
    offsets[f] = features.offset(f);
    types[f] = features.type(f);
    is_forwards = is_forwards && offsets[f] >= 0;
    extent = detail::larger(extent, offsets[f] + size);
    used += size;
  }
  if (is_forwards && extent <= 2 * used && features.stride() <= 2 * used) {
    auto const size = static_cast<std::size_t>((features.size() - 1) * features.stride() + extent);
    return feature_view::fields(on_device.input(features.base(), size), features.size(), features.stride(), offsets,
                                types, features.count());
  }
  return keeps_types ? place_in_words(on_device, features) : place_as_floats(on_device, features);
}

template <class Scalar>
basic_feature_span<Scalar> place(frame& on_device, basic_feature_span<Scalar> const& output, index_t rows, index_t row,
                                 written_rows written) noexcept {
  auto const size = static_cast<std::size_t>(output.size());
  if (output.is_float16()) {
    return on_device.output(span<float16>{static_cast<float16*>(output.data()), size}, rows, row, false, written);
  }
  if constexpr (std::is_same_v<Scalar, double>) {
    if (output.is_float64()) {
      return on_device.output(span<double>{static_cast<double*>(output.data()), size}, rows, row, false, written);
    }
  }
  return on_device.output(span<float>{static_cast<float*>(output.data()), size}, rows, row, false, written);
}

inline count_span place(frame& on_device, count_span const& output, index_t rows, written_rows written) noexcept {
  std::size_t const size = output.wide() ? sizeof(std::int64_t) : sizeof(std::int32_t);
  if (output.empty()) return output;
  written.size = size;
  return output.over(on_device.output(output.data(), static_cast<std::size_t>(rows) * size, false, written));
}

/// Reserves device memory for the output. Rows behind the number of voxels stay unchanged in host memory.
template <class Scalar>
voxelize_output<Scalar> place(frame& on_device, voxelize_output<Scalar> const& output, index_t points, index_t clouds,
                              voxelize_params<Scalar> const& params) noexcept {
  index_t const capacity = output.capacity;
  index_t const features = params.features.count();
  // The number of rows to copy back is needed even if the caller has no output for it.
  static thread_local index_t unwanted = 0;
  index_span const count = output.voxel_count.empty() ? index_span{span<index_t>{&unwanted, 1}} : output.voxel_count;
  voxelize_output<Scalar> placed;
  placed.capacity = capacity;
  placed.columns = output.columns;
  placed.voxel_count = on_device.output(count, 1);
  written_rows const rows{on_device.count_rows(placed.voxel_count), 0, 0};
  written_rows const ends{rows.counter, 1, 0};
  placed.coords = on_device.output(output.coords, capacity, column_count(output.columns), false, rows);
  placed.points_per_voxel = place(on_device, output.points_per_voxel, capacity, rows);
  index_t const gathered = output.gathered.empty() ? 0 : params.mode.max_points * features;
  placed.gathered = place(on_device, output.gathered, capacity, gathered, rows);
  placed.mean = place(on_device, output.mean, capacity, features, rows);
  placed.max = place(on_device, output.max, capacity, features, rows);
  placed.first = place(on_device, output.first, capacity, features, rows);
  placed.centroid = on_device.output(output.centroid, capacity, 3, false, rows);
  placed.list_offsets = on_device.output(output.list_offsets, capacity + 1, 1, false, ends);
  if (!output.list_points.empty()) {
    written_rows const listed{on_device.count_rows_by(placed.list_offsets, rows.counter), 0, 0};
    placed.list_points = on_device.output(output.list_points, points, 1, false, listed);
  }
  placed.point_voxel = on_device.output(output.point_voxel, points);
  placed.voxel_offsets = on_device.output(output.voxel_offsets, clouds + 1);
  placed.report = on_device.output(output.report);
  return placed;
}

/// Returns true if a call may leave rows of an output with a row per point unchanged: rows of points in no cloud.
template <class Points>
bool leaves_rows(batch<Points> const& clouds) noexcept {
  if (clouds.size() == 0) return true;
  if (!clouds.is_ragged()) return false;
  auto const offsets = clouds.offsets();
  if (offsets.front() != 0 || offsets.back() != clouds.points().size()) return true;
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] - offsets[i - 1] > clouds.largest()) return true;
  }
  return false;
}

// Outputs of searches have one row per query.

/// Reserves device memory for the output of knn() or radius(): lists of `most` neighbors.
template <template <class> class Output, class Scalar, class Queries,
          class = decltype(Output<Scalar>::indices, Output<Scalar>::distances, Output<Scalar>::counts)>
Output<Scalar> place(frame& on_device, Output<Scalar> const& output, batch<Queries> const& queries,
                     index_t most) noexcept {
  index_t const rows = queries.points().size();
  bool const keep = leaves_rows(queries);
  return {on_device.output(output.indices, rows, most, keep), on_device.output(output.distances, rows, most, keep),
          on_device.output(output.counts, rows, 1, keep), on_device.output(output.report)};
}

template <class Scalar, class Queries>
radius_rows_output<Scalar> place(frame& on_device, radius_rows_output<Scalar> const& output,
                                 batch<Queries> const& queries) noexcept {
  index_t const rows = queries.points().size();
  radius_rows_output<Scalar> placed;
  placed.offsets = on_device.output(output.offsets, rows + 1);
  // The last offset is the number of entries that the call writes, unless it exceeds the capacity.
  auto const last = static_cast<std::size_t>(rows);
  index_span const total =
      output.offsets.wide()
          ? index_span{span<std::int64_t>{static_cast<std::int64_t*>(placed.offsets.data()) + last, 1}}
          : index_span{span<std::int32_t>{static_cast<std::int32_t*>(placed.offsets.data()) + last, 1}};
  written_rows const written{on_device.count_rows(total), 0, 0};
  index_t const capacity = output.indices.size();
  placed.indices = on_device.output(output.indices, capacity, 1, false, written);
  placed.distances = on_device.output(output.distances, capacity, 1, false, written);
  placed.report = on_device.output(output.report);
  return placed;
}

template <class Scalar, class Points>
normals_output<Scalar> place(frame& on_device, normals_output<Scalar> const& output,
                             batch<Points> const& points) noexcept {
  index_t const rows = points.points().size();
  bool const keep = leaves_rows(points);
  return {on_device.output(output.normals, rows, 3, keep), on_device.output(output.curvatures, rows, 1, keep),
          on_device.output(output.report), on_device.output(output.covariances, rows, 6, keep)};
}

template <class Queries>
interpolate_output place(frame& on_device, interpolate_output const& output, batch<Queries> const& queries,
                         index_t channels) noexcept {
  return {on_device.output(output.features, queries.points().size(), channels, leaves_rows(queries)),
          on_device.output(output.report)};
}

template <class Scalar, class Points>
mean_knn_distance_output<Scalar> place(frame& on_device, mean_knn_distance_output<Scalar> const& output,
                                       batch<Points> const& points) noexcept {
  return {on_device.output(output.means, points.points().size(), 1, leaves_rows(points)),
          on_device.output(output.report)};
}

template <class Report>
Report* place(frame& on_device, Report* report) noexcept {
  return on_device.output(report);
}

template <class Value>
span<Value const> place(frame& on_device, span<Value const> values) noexcept {
  return on_device.input(values);
}
inline index_view place(frame& on_device, index_view const& indices) noexcept {
  return on_device.input(indices);
}
/// Reserves device memory for an output of `count` values.
template <class Value>
span<Value> place(frame& on_device, span<Value> output, index_t count) noexcept {
  return on_device.output(output, count);
}

inline index_span place(frame& on_device, index_span output, index_t count) noexcept {
  return on_device.output(output, count);
}

/// Reserves device memory for the pairs. Entries behind the number of keys stay unchanged.
template <class Key, class Value>
hash_map_pairs<Key, Value> place(frame& on_device, hash_map_pairs<Key, Value> const& output) noexcept {
  static thread_local std::uint64_t unwanted = 0;
  hash_map_pairs<Key, Value> placed;
  placed.count = on_device.output(output.count == nullptr ? &unwanted : output.count);
  // The count is read as a signed number: no map has 2^63 keys.
  index_span const keys = span<std::int64_t>{reinterpret_cast<std::int64_t*>(placed.count), 1};
  written_rows const written{on_device.count_rows(keys), 0, 0};
  auto const capacity = static_cast<index_t>(output.keys.size());
  placed.keys = on_device.output(output.keys, capacity, 1, false, written);
  placed.values = on_device.output(output.values, capacity, 1, false, written);
  return placed;
}

template <class Value>
feature_rows<Value> like(feature_rows<Value> const& rows, span<Value> values, span<index_t const> offsets) noexcept {
  if (rows.is_ragged()) return feature_rows<Value>::ragged(values, offsets, rows.channels(), rows.each());
  return feature_rows<Value>::strided(values, rows.clouds(), rows.rows(), rows.channels(), rows.strides());
}

template <class Value>
feature_rows<Value const> place(frame& on_device, feature_rows<Value const> const& rows) noexcept {
  span<Value const> const values = on_device.input(rows.values());
  return like(rows, values, rows.is_ragged() ? on_device.input(rows.offsets()) : span<index_t const>{});
}

/// Reserves device memory for an output of rows. Rows of no cloud and the gaps between strided rows stay unchanged.
template <class Value>
feature_rows<Value> place(frame& on_device, feature_rows<Value> const& rows) noexcept {
  auto const size = static_cast<index_t>(rows.values().size());
  bool const is_dense = !rows.is_ragged() && size == rows.clouds() * rows.rows() * rows.channels();
  span<index_t const> const offsets = rows.is_ragged() ? on_device.input(rows.offsets()) : span<index_t const>{};
  return like(rows, on_device.output(rows.values(), size, 1, !is_dense), offsets);
}

}  // namespace library
FARPOINT_END_NAMESPACE

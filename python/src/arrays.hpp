/// @file
/// Arrays of Python as farpoint takes them: views of points, rows of features, ranges of indices.
///
/// The Python half (farpoint/_call.py) checks shapes and writes the messages for users. Checks that memory safety
/// depends on are repeated here.
#pragma once

#include "array.hpp"
#include "place.hpp"

#include <farpoint/core/batch.hpp>
#include <farpoint/core/features.hpp>
#include <farpoint/core/index_span.hpp>
#include <farpoint/core/points.hpp>
#include <farpoint/types/feature_rows.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <array>
#include <climits>
#include <cstdint>
#include <optional>
#include <utility>

namespace farpoint_python {

namespace nb = nanobind;
using farpoint::index_t;

using optional_input = std::optional<input>;
using optional_output = std::optional<output>;

[[noreturn]] inline void refuse(char const* sentence) {
  throw nb::value_error(sentence);
}

/// True for an array of this type.
template <class Value, class Array>
bool holds(Array const& array) {
  return array.dtype() == nb::dtype<Value>();
}
template <class Array>
bool holds_float16(Array const& array) {
  return array.dtype() == nb::dlpack::dtype{static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float), 16, 1};
}

template <class Array>
index_t item_bytes(Array const& array) {
  return static_cast<index_t>(array.itemsize());
}

/// Values from one row to the next, where an array of one row has no say.
template <class Array>
index_t stride_of(Array const& array, std::size_t axis) {
  return static_cast<index_t>(array.stride(axis));
}
template <class Array>
index_t extent_of(Array const& array, std::size_t axis) {
  return static_cast<index_t>(array.shape(axis));
}

/// All values of an array.
template <class Value>
farpoint::span<Value> values_of(output const& array) {
  if (!holds<Value>(array) || !array.is_packed()) refuse("an output has another type, or is not contiguous");
  return {static_cast<Value*>(array.data()), array.size()};
}
template <class Value>
farpoint::span<Value> values_of(optional_output const& array) {
  return array ? values_of<Value>(*array) : farpoint::span<Value>{};
}

template <class Value>
farpoint::span<Value const> values_of(input const& array) {
  if (!holds<Value>(array) || !array.is_packed()) refuse("an array has another type, or is not contiguous");
  return {static_cast<Value const*>(array.data()), array.size()};
}

inline farpoint::index_span indices_of(output const& array) {
  if (holds<std::int32_t>(array)) return farpoint::index_span{values_of<std::int32_t>(array)};
  return farpoint::index_span{values_of<std::int64_t>(array)};
}
inline farpoint::index_span indices_of(optional_output const& array) {
  return array ? indices_of(*array) : farpoint::index_span{};
}
inline farpoint::index_view indices_of(input const& array) {
  if (holds<std::int32_t>(array)) return farpoint::index_view{values_of<std::int32_t>(array)};
  return farpoint::index_view{values_of<std::int64_t>(array)};
}
inline farpoint::index_view indices_of(optional_input const& array) {
  return array ? indices_of(*array) : farpoint::index_view{};
}

/// An output of features: binary16, floats or, of points of doubles, doubles.
template <class Scalar>
farpoint::basic_feature_span<Scalar> features_of(optional_output const& array) {
  if (!array) return {};
  if constexpr (std::is_same_v<Scalar, double>) {
    if (holds<double>(*array)) return values_of<double>(*array);
  }
  if (!holds_float16(*array)) return values_of<float>(*array);
  if (!array->is_packed()) refuse("an output is not contiguous");
  return farpoint::span<farpoint::float16>{static_cast<farpoint::float16*>(array->data()), array->size()};
}

/// How the rows of an array of `[rows, columns]` or `[clouds, rows, columns]` lie in memory.
struct row_layout {
  index_t clouds = 1;
  index_t rows = 0;     ///< rows per cloud
  index_t columns = 0;  ///< values per row
  farpoint::feature_strides strides{0, 0, 1};

  /// @param channels_first  the array is `[columns, rows]` or `[clouds, columns, rows]`
  template <class Array>
  explicit row_layout(Array const& array, bool channels_first = false) {
    if (array.ndim() != 2 && array.ndim() != 3) refuse("an array is neither (N, C) nor (B, N, C)");
    std::size_t const first = array.ndim() - 2;
    std::size_t const row = channels_first ? first + 1 : first;
    std::size_t const column = channels_first ? first : first + 1;
    rows = extent_of(array, row);
    columns = extent_of(array, column);
    strides.row = stride_of(array, row);
    strides.channel = stride_of(array, column);
    strides.cloud = strides.row * rows;
    if (first == 1) {
      clouds = extent_of(array, 0);
      strides.cloud = stride_of(array, 0);
    }
  }

  /// Values from the first to the last, for strides that are not negative.
  std::size_t extent() const {
    if (clouds == 0 || rows == 0 || columns == 0) return 0;
    if (strides.cloud < 0 || strides.row < 0 || strides.channel < 0) refuse("features have a negative stride");
    return static_cast<std::size_t>((clouds - 1) * strides.cloud + (rows - 1) * strides.row +
                                    (columns - 1) * strides.channel + 1);
  }

  /// Stride between rows in values; equal across the boundary of two clouds, or the array is refused.
  index_t uniform_stride() const {
    if (rows == 1) return strides.cloud;
    if (clouds > 1 && rows > 0 && strides.cloud != strides.row * rows) refuse("clouds do not follow one another");
    return strides.row;
  }
};

/// The first three columns of an array as points, with the array's strides.
/// @param y_first  y is the first coordinate of the view and x the second: the order in which nvcc adds up the squares
///                 of the published kernels
template <class Coord>
farpoint::point_view<Coord> points_of(input const& array, bool y_first) {
  row_layout const layout{array};
  if (layout.columns < 3) refuse("points have fewer than three coordinates");
  std::array<int, 3> offsets{};
  for (int axis = 0; axis < 3; ++axis) {
    index_t const offset = axis * layout.strides.channel * item_bytes(array);
    if (offset > INT_MAX || offset < INT_MIN) refuse("coordinates of a point lie too far apart: copy the points");
    offsets[static_cast<std::size_t>(axis)] = static_cast<int>(offset);
  }
  if (y_first) std::swap(offsets[0], offsets[1]);
  return {array.data(), layout.clouds * layout.rows, layout.uniform_stride() * item_bytes(array), offsets};
}

/// Clouds of an array: `[N, 3]`, `[B, N, 3]`, or `[N, 3]` cut at offsets.
template <class Coord>
farpoint::batch<farpoint::point_view<Coord>> clouds_of(place const& where, input const& array,
                                                       optional_input const& offsets) {
  auto const points = points_of<Coord>(array, where.y_first);
  if (offsets) return farpoint::batch<farpoint::point_view<Coord>>::ragged(points, values_of<index_t>(*offsets));
  return farpoint::batch<farpoint::point_view<Coord>>::regular(points, row_layout{array}.clouds);
}

/// Columns of an array as features of its rows.
inline farpoint::feature_view feature_columns_of(input const& array) {
  row_layout const layout{array};
  constexpr int most = farpoint::feature_view::max_count;
  if (layout.columns > most) refuse("voxelize: points have more than 64 columns");
  using farpoint::feature_type;
  feature_type type = feature_type::float32;
  if (holds_float16(array)) {
    type = feature_type::float16;
  } else if (holds<double>(array)) {
    type = feature_type::float64;
  } else if (!holds<float>(array)) {
    refuse("voxelize: features are float16, float32 or float64");
  }
  int offsets[most] = {};
  feature_type types[most] = {};
  for (int column = 0; column < static_cast<int>(layout.columns); ++column) {
    index_t const offset = column * layout.strides.channel * item_bytes(array);
    if (offset > INT_MAX || offset < INT_MIN) refuse("columns of a point lie too far apart: copy the points");
    offsets[column] = static_cast<int>(offset);
    types[column] = type;
  }
  return farpoint::feature_view::fields(array.data(), layout.clouds * layout.rows,
                                        layout.uniform_stride() * item_bytes(array), offsets, types,
                                        static_cast<int>(layout.columns));
}

/// Calls f with a float or a double, as which the coordinates of `points` are.
template <class F>
void with_scalar(input const& points, F const& f) {
  if (holds<float>(points)) {
    f(float{});
  } else if (holds<double>(points)) {
    f(double{});
  } else {
    refuse("points are neither float32 nor float64");
  }
}

}  // namespace farpoint_python

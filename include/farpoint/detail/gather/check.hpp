/// @file
/// Checks of the arguments of gather(), for every backend.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/types/gather.hpp>

#include <utility>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// True if values have the same bits on a GPU, where a long double is a double.
template <class Value>
inline constexpr bool is_on_gpu = !std::is_same_v<std::remove_cv_t<Value>, long double>;

/// Checks sizes only: the arrays may be in device memory.
template <class Value>
result check_gather(span<Value const> features, index_t channels, index_t rows, span<Value> output) noexcept {
  static_assert(std::is_trivially_copyable_v<Value>, "farpoint: gather() copies values byte by byte");
  if (channels < 1) return reject("gather: channels is not positive");
  if (static_cast<index_t>(features.size()) % channels != 0) {
    return reject("gather: the size of features is not a multiple of channels");
  }
  if (!holds(static_cast<index_t>(output.size()), rows, channels)) {
    return reject("gather: output is smaller than indices x channels");
  }
  return {};
}

/// Numbers of one dimension of rows, and the values between them.
struct feature_extent {
  index_t count;
  index_t stride;
};

/// The dimensions of rows, ascending by stride; dimensions of one element first.
template <class Value>
struct feature_extents {
  feature_extent at[3];

  explicit feature_extents(feature_rows<Value> const& rows) noexcept
      : at{{rows.is_ragged() ? 1 : rows.clouds(), rows.strides().cloud},
           {rows.rows(), rows.strides().row},
           {rows.channels(), rows.strides().channel}} {
    for (auto& extent : at) extent.stride = extent.count > 1 ? extent.stride : 0;
    if (at[0].stride > at[1].stride) std::swap(at[0], at[1]);
    if (at[1].stride > at[2].stride) std::swap(at[1], at[2]);
    if (at[0].stride > at[1].stride) std::swap(at[0], at[1]);
  }

  /// True if the last value is among `size`; the counts are positive.
  bool fit(index_t size) const noexcept {
    index_t left = size - 1;
    for (auto const& extent : at) {
      if (extent.count <= 1) continue;
      if (extent.stride > left / (extent.count - 1)) return false;
      left -= extent.stride * (extent.count - 1);
    }
    return left >= 0;
  }

  /// True if two values may be the same; they fit.
  bool may_overlap() const noexcept {
    index_t last = 0;
    for (auto const& extent : at) {
      if (extent.count <= 1) continue;
      if (extent.stride <= last) return true;
      last += extent.stride * (extent.count - 1);
    }
    return false;
  }
};

/// Reasons for which rows are refused.
struct feature_rows_reasons {
  char const* not_whole;
  char const* too_small;
};

template <class Value>
result check_feature_rows(feature_rows<Value> const& rows, feature_rows_reasons const& reasons) noexcept {
  if (rows.rows() < 0) return reject(reasons.not_whole);
  if (rows.each() < 1) return reject("gather: the rows for each unit of offsets are not positive");
  if (rows.is_ragged() && rows.rows() % rows.each() != 0) return reject(reasons.not_whole);
  feature_strides const& strides = rows.strides();
  if (strides.cloud < 0 || strides.row < 0 || strides.channel < 0) return reject("gather: a stride is negative");
  if (rows.clouds() == 0 || rows.rows() == 0) return {};
  if (!feature_extents<Value>{rows}.fit(static_cast<index_t>(rows.values().size()))) return reject(reasons.too_small);
  return {};
}

/// Checks the shapes, strides and sizes of the arguments of gather().
template <class Value>
result check_gather(feature_rows<Value const> const& features, index_t indices,
                    feature_rows<Value> const& output) noexcept {
  static_assert(std::is_trivially_copyable_v<Value>, "farpoint: gather() copies values byte by byte");
  if (features.channels() < 1) return reject("gather: channels is not positive");
  if (features.channels() != output.channels()) {
    return reject("gather: features and output have different numbers of channels");
  }
  if (features.clouds() < 0) return reject("gather: the number of clouds is negative");
  if (features.clouds() != output.clouds()) {
    return reject("gather: features and output have different numbers of clouds");
  }
  if (features.clouds() > max_clouds) return reject("gather: more than 2^31 - 1 clouds");
  constexpr feature_rows_reasons of_features{"gather: features are not as many whole rows for each cloud",
                                             "gather: features are fewer than clouds x rows x channels"};
  if (result const checked = check_feature_rows(features, of_features); !checked) return checked;
  constexpr feature_rows_reasons of_output{"gather: output is not as many whole rows for each cloud",
                                           "gather: output is smaller than clouds x rows x channels"};
  if (result const checked = check_feature_rows(output, of_output); !checked) return checked;
  // A regular batch of no clouds has no rows, whatever it says.
  index_t const clouds = output.is_ragged() ? 1 : output.clouds();
  bool const has_row_each = clouds == 0 ? indices == 0 : indices % clouds == 0 && output.rows() == indices / clouds;
  if (!has_row_each) return reject("gather: output does not have a row for each index");
  if (indices > 0 && feature_extents<Value>{output}.may_overlap()) {
    return reject("gather: rows of output share values");
  }
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE

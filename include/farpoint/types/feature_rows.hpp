/// @file
/// Features of the clouds of a batch, for any memory layout.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Number of values between consecutive clouds, rows and channels.
struct feature_strides {
  index_t cloud;
  index_t row;
  index_t channel;
};

/// Rows of `channels()` values, one row per point (or index) of the clouds of a batch, in host or device memory.
///
/// Rows are counted within their cloud, like the indices from fps(), knn() and radius(). Non-owning and trivially
/// copyable. Cannot be made from a temporary that owns its memory, see is_borrowed. Sizes that exceed the memory are
/// rejected by the call that receives the rows.
template <class Value>
class feature_rows {
 public:
  using element_type = Value;

  constexpr feature_rows() = default;
  /// Converts writable rows to read-only rows.
  template <class Other, std::enable_if_t<std::is_same_v<Value, Other const>, int> = 0>
  constexpr feature_rows(feature_rows<Other> const& other) noexcept
      : values_{other.values()},
        clouds_{other.clouds()},
        rows_{other.rows()},
        channels_{other.channels()},
        strides_{other.strides()},
        offsets_{other.offsets()},
        each_{other.each()} {}

  /// Packed rows `[clouds, rows, channels]`, with the same number of rows in each cloud.
  static constexpr feature_rows regular(detail::kept_span<Value> values, index_t clouds, index_t channels) noexcept {
    index_t const rows = rows_of_size(values, clouds, channels);
    return strided(values, clouds, rows, channels, {rows_or_none(rows) * channels, channels, 1});
  }

  /// Channel-first rows `[clouds, channels, rows]`, with the same number of rows in each cloud: the layout of 1-D
  /// convolutions.
  static constexpr feature_rows channels_first(detail::kept_span<Value> values, index_t clouds,
                                               index_t channels) noexcept {
    index_t const rows = rows_of_size(values, clouds, channels);
    return strided(values, clouds, rows, channels, {rows_or_none(rows) * channels, 1, rows_or_none(rows)});
  }

  /// Packed rows `[rows, channels]`; cloud b has the rows `[each * offsets[b], each * offsets[b + 1])`.
  /// @param values    values of all rows
  /// @param offsets   `[clouds + 1]`, ascending, in the memory space of the execution: offsets of a batch of points, or
  ///                  of queries with `each` indices per query
  /// @param channels  number of values per row
  /// @param each      number of rows per unit of the offsets
  static constexpr feature_rows ragged(detail::kept_span<Value> values, detail::kept_span<index_t const> offsets,
                                       index_t channels, index_t each = 1) noexcept {
    index_t const clouds = offsets.empty() ? index_t{0} : static_cast<index_t>(offsets.size()) - 1;
    feature_rows all = strided(values, clouds, rows_of_size(values, 1, channels), channels, {0, channels, 1});
    all.offsets_ = offsets;
    all.each_ = each;
    return all;
  }

  /// Rows `[clouds, rows, channels]` with any non-negative strides: part of a tensor, or a tensor in another order.
  static constexpr feature_rows strided(detail::kept_span<Value> values, index_t clouds, index_t rows, index_t channels,
                                        feature_strides const& strides) noexcept {
    return {values, clouds, rows, channels, strides};
  }

  FARPOINT_HD constexpr span<Value> values() const noexcept { return values_; }
  FARPOINT_HD constexpr index_t clouds() const noexcept { return clouds_; }
  FARPOINT_HD constexpr index_t channels() const noexcept { return channels_; }
  /// Number of rows per cloud, or of all clouds if ragged; negative if the values are not whole rows.
  FARPOINT_HD constexpr index_t rows() const noexcept { return rows_; }
  FARPOINT_HD constexpr feature_strides const& strides() const noexcept { return strides_; }
  FARPOINT_HD constexpr bool is_ragged() const noexcept { return offsets_.data() != nullptr; }
  FARPOINT_HD constexpr span<index_t const> offsets() const noexcept { return offsets_; }
  /// Number of rows per unit of the offsets.
  FARPOINT_HD constexpr index_t each() const noexcept { return each_; }

  /// Number of rows of all clouds; if ragged, including rows that are in no cloud.
  FARPOINT_HD constexpr index_t total_rows() const noexcept { return is_ragged() ? rows_ : clouds_ * rows_; }
  /// Index of cloud b's first row among the rows of all clouds.
  FARPOINT_HD constexpr index_t begin_of(index_t b) const noexcept {
    return is_ragged() ? offsets_[static_cast<std::size_t>(b)] * each_ : b * rows_;
  }
  /// Number of rows of cloud b; unchecked.
  FARPOINT_HD constexpr index_t rows_of(index_t b) const noexcept {
    return is_ragged() ? begin_of(b + 1) - begin_of(b) : rows_;
  }
  /// First value of row i of cloud b; consecutive channels are at distances of strides().channel values. Unchecked.
  FARPOINT_HD constexpr Value* row(index_t b, index_t i) const noexcept {
    index_t const at = is_ragged() ? (begin_of(b) + i) * strides_.row : b * strides_.cloud + i * strides_.row;
    return values_.data() + at;
  }

 private:
  constexpr feature_rows(span<Value> values, index_t clouds, index_t rows, index_t channels,
                         feature_strides const& strides) noexcept
      : values_{values}, clouds_{clouds}, rows_{rows}, channels_{channels}, strides_{strides} {}

  static constexpr index_t rows_or_none(index_t rows) noexcept { return rows < 0 ? 0 : rows; }

  /// Number of rows per cloud of packed values; -1 if the values are not whole rows.
  static constexpr index_t rows_of_size(span<Value> values, index_t clouds, index_t channels) noexcept {
    auto const size = static_cast<index_t>(values.size());
    if (clouds <= 0 || channels <= 0) return size == 0 ? 0 : -1;
    index_t const rows = size / channels / clouds;
    return rows * clouds * channels == size ? rows : -1;
  }

  span<Value> values_;
  index_t clouds_ = 0;
  index_t rows_ = 0;
  index_t channels_ = 0;
  feature_strides strides_{};
  span<index_t const> offsets_;
  index_t each_ = 1;
};

FARPOINT_END_NAMESPACE

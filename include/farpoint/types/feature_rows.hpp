/// @file
/// Features of the clouds of a batch, however they lie in memory.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Values from one cloud, row or channel to the next.
struct feature_strides {
  index_t cloud;
  index_t row;
  index_t channel;
};

/// Rows of `channels()` values, a row for each point (or index) of the clouds of a batch, in host or device memory.
///
/// Rows are counted within their cloud, as the indices of fps(), knn() and radius() are. Non-owning and trivially
/// copyable. Not of a temporary that owns its memory, see is_borrowed. What does not fit the memory is refused by the
/// call that the rows are passed to.
template <class Value>
class feature_rows {
 public:
  using element_type = Value;

  constexpr feature_rows() = default;
  /// Of values to read, from values that could be written.
  template <class Other, std::enable_if_t<std::is_same_v<Value, Other const>, int> = 0>
  constexpr feature_rows(feature_rows<Other> const& other) noexcept
      : values_{other.values()},
        clouds_{other.clouds()},
        rows_{other.rows()},
        channels_{other.channels()},
        strides_{other.strides()},
        offsets_{other.offsets()},
        each_{other.each()} {}

  /// `[clouds, rows, channels]`, as many rows in each cloud.
  static constexpr feature_rows regular(detail::kept_span<Value> values, index_t clouds, index_t channels) noexcept {
    index_t const rows = rows_of_size(values, clouds, channels);
    return strided(values, clouds, rows, channels, {rows_or_none(rows) * channels, channels, 1});
  }

  /// `[clouds, channels, rows]`, as many rows in each cloud: the layout of 1-D convolutions.
  static constexpr feature_rows channels_first(detail::kept_span<Value> values, index_t clouds,
                                               index_t channels) noexcept {
    index_t const rows = rows_of_size(values, clouds, channels);
    return strided(values, clouds, rows, channels, {rows_or_none(rows) * channels, 1, rows_or_none(rows)});
  }

  /// `[rows, channels]`, of which cloud b has the rows `[each * offsets[b], each * offsets[b + 1])`.
  /// @param values    of all rows
  /// @param offsets   `[clouds + 1]`, ascending, in the memory space of the execution: those of a batch of points, or
  ///                  of the queries that have `each` indices
  /// @param channels  values of a row
  /// @param each      rows for each unit of the offsets
  static constexpr feature_rows ragged(detail::kept_span<Value> values, detail::kept_span<index_t const> offsets,
                                       index_t channels, index_t each = 1) noexcept {
    index_t const clouds = offsets.empty() ? index_t{0} : static_cast<index_t>(offsets.size()) - 1;
    feature_rows all = strided(values, clouds, rows_of_size(values, 1, channels), channels, {0, channels, 1});
    all.offsets_ = offsets;
    all.each_ = each;
    return all;
  }

  /// `[clouds, rows, channels]` with any strides that are not negative: part of a tensor, or one of another order.
  static constexpr feature_rows strided(detail::kept_span<Value> values, index_t clouds, index_t rows, index_t channels,
                                        feature_strides const& strides) noexcept {
    return {values, clouds, rows, channels, strides};
  }

  FARPOINT_HD constexpr span<Value> values() const noexcept { return values_; }
  FARPOINT_HD constexpr index_t clouds() const noexcept { return clouds_; }
  FARPOINT_HD constexpr index_t channels() const noexcept { return channels_; }
  /// Rows of each cloud, or of all if they are ragged; negative where the size is not that of whole rows.
  FARPOINT_HD constexpr index_t rows() const noexcept { return rows_; }
  FARPOINT_HD constexpr feature_strides const& strides() const noexcept { return strides_; }
  FARPOINT_HD constexpr bool is_ragged() const noexcept { return offsets_.data() != nullptr; }
  FARPOINT_HD constexpr span<index_t const> offsets() const noexcept { return offsets_; }
  /// Rows for each unit of the offsets.
  FARPOINT_HD constexpr index_t each() const noexcept { return each_; }

  /// Rows of all clouds, and of a ragged batch those that are in none.
  FARPOINT_HD constexpr index_t total_rows() const noexcept { return is_ragged() ? rows_ : clouds_ * rows_; }
  /// First row of cloud b among those of all.
  FARPOINT_HD constexpr index_t begin_of(index_t b) const noexcept {
    return is_ragged() ? offsets_[static_cast<std::size_t>(b)] * each_ : b * rows_;
  }
  /// Rows of cloud b; unchecked.
  FARPOINT_HD constexpr index_t rows_of(index_t b) const noexcept {
    return is_ragged() ? begin_of(b + 1) - begin_of(b) : rows_;
  }
  /// The first value of row i of cloud b; its others are strides().channel apart. Unchecked.
  FARPOINT_HD constexpr Value* row(index_t b, index_t i) const noexcept {
    index_t const at = is_ragged() ? (begin_of(b) + i) * strides_.row : b * strides_.cloud + i * strides_.row;
    return values_.data() + at;
  }

 private:
  constexpr feature_rows(span<Value> values, index_t clouds, index_t rows, index_t channels,
                         feature_strides const& strides) noexcept
      : values_{values}, clouds_{clouds}, rows_{rows}, channels_{channels}, strides_{strides} {}

  static constexpr index_t rows_or_none(index_t rows) noexcept { return rows < 0 ? 0 : rows; }

  /// Rows of each cloud in packed values; -1 where there are other values besides.
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

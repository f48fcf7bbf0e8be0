/// @file
/// Which row of the features of a batch a row of the output of gather() is.
#pragma once

#include <farpoint/core/index_span.hpp>
#include <farpoint/core/offsets.hpp>
#include <farpoint/types/gather.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Source and destination of a row.
template <class Value>
struct gathered_row {
  Value const* from;  ///< null: the row is zeros
  Value* to;          ///< null: the row is in no cloud of a ragged batch, and is not written
  bool out_of_range;  ///< for an index that is wrong
};

template <class Value>
struct gather_rows_args {
  feature_rows<Value const> features;
  index_view indices;
  feature_rows<Value> output;
  gather_report* report;  ///< may be null

  FARPOINT_HD bool is_ragged() const noexcept { return features.is_ragged() || output.is_ragged(); }
  /// Offsets of both, to be looked at one by one.
  FARPOINT_HD index_t offsets() const noexcept {
    return static_cast<index_t>(features.offsets().size() + output.offsets().size());
  }
  FARPOINT_HD bool is_bad(index_t offset) const noexcept {
    auto const of_features = static_cast<index_t>(features.offsets().size());
    if (offset < of_features) return is_bad_offset(features.offsets(), offset, features.rows() / features.each());
    return is_bad_offset(output.offsets(), offset - of_features, output.rows() / output.each());
  }

  /// Row r of the output, of index r. A 32-bit r is divided in 32 bits, which a GPU does much faster.
  /// @param empty  offsets are wrong: the row of the output is valid, its source null
  template <class Integer>
  FARPOINT_HD gathered_row<Value> row(Integer r, bool empty) const noexcept {
    auto const at = static_cast<index_t>(r);
    if (output.is_ragged()) {
      if (empty) return {nullptr, output.values().data() + at * output.strides().row, false};
      index_t const b = segment_of(output.clouds(), at, [this](index_t i) { return output.begin_of(i); });
      return row_of(b, at - output.begin_of(b), at);
    }
    auto const b = static_cast<index_t>(r / static_cast<Integer>(output.rows()));
    index_t const i = at - b * output.rows();
    return empty ? gathered_row<Value>{nullptr, output.row(b, i), false} : row_of(b, i, at);
  }

 private:
  FARPOINT_HD gathered_row<Value> row_of(index_t b, index_t i, index_t r) const noexcept {
    if (i < 0 || i >= output.rows_of(b)) return {nullptr, nullptr, false};
    index_t const index = indices[r];
    bool const is_there = index >= 0 && index < features.rows_of(b);
    return {is_there ? features.row(b, index) : nullptr, output.row(b, i), !is_there && index != -1};
  }
};

/// True where neighboring rows are closer than neighboring channels.
template <class Value>
FARPOINT_HD bool is_channels_first(feature_rows<Value> const& rows) noexcept {
  return rows.strides().row < rows.strides().channel;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Features of points: float or float16 values beside the coordinates, read from and written to strided records.
#pragma once

#include <farpoint/core/float16.hpp>
#include <farpoint/core/types.hpp>
#include <farpoint/core/unaligned.hpp>

#include <type_traits>
#include <utility>

FARPOINT_BEGIN_NAMESPACE

namespace detail {
template <class Value>
inline constexpr bool is_feature = std::is_same_v<Value, float> || std::is_same_v<Value, float16>;
}  // namespace detail

/// Read-only view of `[size(), count()]` features in records that are `stride` bytes apart, in host or device memory.
///
/// float or float16 at run time, so that kernels are not compiled twice; a float16 widens exactly. The coordinates may
/// be among the features (nuScenes: x, y, z, intensity, time). Any stride and offset: where one is not aligned for the
/// type, loads go byte by byte. Non-owning and trivially copyable. Unchecked; thread-safe.
class feature_view {
 public:
  /// Most features that a record can have.
  static constexpr int max_count = 64;

  constexpr feature_view() = default;

  /// `count` values of type float or float16 that follow one another from the start of each record.
  /// @param base     first record; null if there is none
  /// @param records  number of records
  /// @param count    features of each, 64 at most
  /// @param stride   bytes between records; 0: the records are packed
  template <class Value>
  static feature_view packed(Value const* base, index_t records, int count, index_t stride = 0) noexcept {
    static_assert(detail::is_feature<Value>, "farpoint: features are float or farpoint::float16");
    int offsets[max_count] = {};
    for (int i = 0; i < count && i < max_count; ++i) offsets[i] = i * int{sizeof(Value)};
    return fields<Value>(base, records, stride != 0 ? stride : index_t{sizeof(Value)} * count, offsets, count);
  }

  /// `count` values of type float or float16, the i-th `offsets[i]` bytes into each record: PointCloud2 fields,
  /// pcl::PointXYZI (0, 4, 8, 16).
  /// @param base     first record; null if there is none
  /// @param records  number of records
  /// @param stride   bytes between records
  /// @param offsets  `[count]`, host memory; copied
  /// @param count    features of each, 64 at most
  template <class Value>
  static feature_view fields(void const* base, index_t records, index_t stride, int const* offsets,
                             int count) noexcept {
    static_assert(detail::is_feature<Value>, "farpoint: features are float or farpoint::float16");
    feature_view view;
    view.base_ = static_cast<unsigned char const*>(base);
    view.records_ = records;
    view.stride_ = stride;
    view.count_ = count;
    view.half_ = std::is_same_v<Value, float16>;
    auto misfit = reinterpret_cast<std::uintptr_t>(base) | static_cast<std::uintptr_t>(stride);
    for (int i = 0; i < count && i < max_count; ++i) {
      view.offsets_[i] = offsets[i];
      misfit |= static_cast<std::uintptr_t>(offsets[i]);
    }
    view.aligned_ = misfit % alignof(Value) == 0;
    return view;
  }

  /// Number of records.
  FARPOINT_HD constexpr index_t size() const noexcept { return records_; }
  /// Features per record.
  FARPOINT_HD constexpr int count() const noexcept { return count_; }
  FARPOINT_HD constexpr unsigned char const* base() const noexcept { return base_; }
  FARPOINT_HD constexpr bool is_float16() const noexcept { return half_; }

  FARPOINT_HD float operator()(index_t record, int feature) const noexcept { return column(feature)(record); }

  /// One feature of all records, for a loop over records: its offset is looked up once.
  class feature_column {
   public:
    FARPOINT_HD float operator()(index_t record) const noexcept {
      unsigned char const* const address = base_ + record * stride_;
      if (plain_) return *reinterpret_cast<float const*>(address);
      return half_ ? static_cast<float>(detail::load<float16>(address, aligned_))
                   : detail::load<float>(address, aligned_);
    }

    /// True for floats that are loaded as such: base() + record * stride() points to them.
    FARPOINT_HD bool is_plain() const noexcept { return plain_; }
    FARPOINT_HD unsigned char const* base() const noexcept { return base_; }
    FARPOINT_HD index_t stride() const noexcept { return stride_; }

   private:
    friend class feature_view;
    unsigned char const* base_;
    index_t stride_;
    bool plain_;  ///< an aligned float
    bool half_;
    bool aligned_;
  };

  FARPOINT_HD feature_column column(int feature) const noexcept {
    feature_column column;
    column.base_ = base_ + offsets_[feature];
    column.stride_ = stride_;
    column.plain_ = aligned_ && !half_;
    column.half_ = half_;
    column.aligned_ = aligned_;
    return column;
  }

  /// Copies all features of a record to `values`, of count() elements; tests the type once.
  FARPOINT_HD void read(index_t record, float* values) const noexcept {
    unsigned char const* const start = base_ + record * stride_;
    if (half_) {
      for (int i = 0; i < count_; ++i)
        values[i] = static_cast<float>(detail::load<float16>(start + offsets_[i], aligned_));
    } else if (aligned_) {
      for (int i = 0; i < count_; ++i) values[i] = *reinterpret_cast<float const*>(start + offsets_[i]);
    } else {
      for (int i = 0; i < count_; ++i) values[i] = detail::load<float>(start + offsets_[i], false);
    }
  }

 private:
  unsigned char const* base_ = nullptr;
  index_t records_ = 0;
  index_t stride_ = 0;
  int count_ = 0;
  bool half_ = false;
  bool aligned_ = true;
  int offsets_[max_count] = {};
};

/// Writable range of float or float16 values in host or device memory. Non-owning, trivially copyable.
class feature_span {
 public:
  constexpr feature_span() = default;

  /// From std::vector, std::array, a span, ... of float or float16.
  template <class Container, class Value = std::remove_pointer_t<decltype(std::declval<Container&>().data())>,
            std::enable_if_t<detail::is_feature<Value>, int> = 0>
  constexpr feature_span(Container&& values) noexcept
      : data_{values.data()}, size_{static_cast<index_t>(values.size())}, half_{std::is_same_v<Value, float16>} {}

  FARPOINT_HD constexpr index_t size() const noexcept { return size_; }
  FARPOINT_HD constexpr bool empty() const noexcept { return size_ == 0; }
  FARPOINT_HD constexpr void* data() const noexcept { return data_; }
  FARPOINT_HD constexpr bool is_float16() const noexcept { return half_; }

  /// Rounds to nearest, ties to even, where the values are float16.
  FARPOINT_HD void set(index_t i, float value) const noexcept {
    if (half_) {
      static_cast<float16*>(data_)[i] = to_float16(value);
    } else {
      static_cast<float*>(data_)[i] = value;
    }
  }

  /// The same for `count` values that follow one another from `i` on.
  FARPOINT_HD void write(index_t i, float const* values, int count) const noexcept {
    if (half_) {
      for (int k = 0; k < count; ++k) static_cast<float16*>(data_)[i + k] = to_float16(values[k]);
    } else {
      for (int k = 0; k < count; ++k) static_cast<float*>(data_)[i + k] = values[k];
    }
  }

 private:
  void* data_ = nullptr;
  index_t size_ = 0;
  bool half_ = false;
};

FARPOINT_END_NAMESPACE

/// @file
/// Features of points: values of any arithmetic type that a GPU has, stored with the coordinates in strided records and
/// read as floats or doubles.
#pragma once

#include <farpoint/core/float16.hpp>
#include <farpoint/core/types.hpp>
#include <farpoint/core/unaligned.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

FARPOINT_BEGIN_NAMESPACE

/// Type of a feature in memory, little-endian.
enum class feature_type : std::uint8_t {
  float32,
  float16,
  float64,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64
};

namespace detail {
template <class Value>
inline constexpr bool is_feature = std::is_same_v<Value, float> || is_binary16<Value>;

/// True for types that a feature_view reads. Excludes __int128, which is integral in GNU dialects.
template <class Value>
inline constexpr bool is_feature_source = is_feature<Value> || std::is_same_v<Value, double> ||
                                          (std::is_integral_v<Value> && sizeof(Value) <= sizeof(std::uint64_t));

template <class Value>
constexpr feature_type feature_type_of() noexcept {
  constexpr bool is_signed = std::is_signed_v<Value>;
  if constexpr (is_binary16<Value>) return feature_type::float16;
  if constexpr (std::is_same_v<Value, float>) return feature_type::float32;
  if constexpr (std::is_same_v<Value, double>) return feature_type::float64;
  if constexpr (sizeof(Value) == 1) return is_signed ? feature_type::int8 : feature_type::uint8;
  if constexpr (sizeof(Value) == 2) return is_signed ? feature_type::int16 : feature_type::uint16;
  if constexpr (sizeof(Value) == 4) return is_signed ? feature_type::int32 : feature_type::uint32;
  return is_signed ? feature_type::int64 : feature_type::uint64;
}

FARPOINT_HD constexpr int size_of(feature_type type) noexcept {
  if (type == feature_type::int8 || type == feature_type::uint8) return 1;
  if (type == feature_type::float16 || type == feature_type::int16 || type == feature_type::uint16) return 2;
  return type == feature_type::float64 || type == feature_type::int64 || type == feature_type::uint64 ? 8 : 4;
}

/// Converts to the nearest value of another type. A NaN of another floating type becomes one fixed NaN, since backends
/// convert its bits differently.
template <class Value, class Source>
FARPOINT_HD Value nearest_feature(Source source) noexcept {
  auto nearest = static_cast<Value>(source);
  if constexpr (std::is_floating_point_v<Source> && !std::is_same_v<Source, Value>) {
    using word = std::conditional_t<sizeof(Value) == 8, std::uint64_t, std::uint32_t>;
    constexpr word nan = sizeof(Value) == 8 ? static_cast<word>(0x7ff8000000000000u) : word{0x7fc00000u};
    if (source != source) std::memcpy(&nearest, &nan, sizeof nearest);
  }
  return nearest;
}

/// Loads the value at an address as the nearest `Value`.
template <class Value = float>
FARPOINT_HD inline Value load_feature(unsigned char const* address, feature_type type, bool aligned) noexcept {
  switch (type) {
    case feature_type::float32: return nearest_feature<Value>(load<float>(address, aligned));
    case feature_type::float16: return nearest_feature<Value>(static_cast<float>(load<float16>(address, aligned)));
    case feature_type::float64: return nearest_feature<Value>(load<double>(address, aligned));
    case feature_type::int8: return nearest_feature<Value>(load<std::int8_t>(address, true));
    case feature_type::uint8: return nearest_feature<Value>(load<std::uint8_t>(address, true));
    case feature_type::int16: return nearest_feature<Value>(load<std::int16_t>(address, aligned));
    case feature_type::uint16: return nearest_feature<Value>(load<std::uint16_t>(address, aligned));
    case feature_type::int32: return nearest_feature<Value>(load<std::int32_t>(address, aligned));
    case feature_type::uint32: return nearest_feature<Value>(load<std::uint32_t>(address, aligned));
    case feature_type::int64: return nearest_feature<Value>(load<std::int64_t>(address, aligned));
    case feature_type::uint64:
    default: return nearest_feature<Value>(load<std::uint64_t>(address, aligned));
  }
}
}  // namespace detail

/// Read-only view of `[size(), count()]` features in records at distances of `stride` bytes, in host or device memory.
///
/// Each feature has its own type, known at run time, so that kernels are compiled once. Reading yields the nearest
/// float: exact for float, float16 and integers of 8 and 16 bits. The coordinates may be among the features (nuScenes:
/// x, y, z, intensity, time). Stride and offsets are arbitrary: a value that is misaligned for its type is loaded byte
/// by byte. Non-owning and trivially copyable. Does not check its arguments; thread-safe.
class feature_view {
 public:
  /// Maximum number of features per record.
  static constexpr int max_count = 64;

  constexpr feature_view() = default;

  /// View of `count` consecutive values of one type at the start of each record.
  /// @tparam Value   float, float16 or __half, double, or an integer of up to 64 bits
  /// @param base     first record; may be null if `records` is 0
  /// @param records  number of records
  /// @param count    number of features per record, at most 64
  /// @param stride   bytes between records; 0 for packed records
  template <class Value>
  static feature_view packed(Value const* base, index_t records, int count, index_t stride = 0) noexcept {
    int offsets[max_count] = {};
    for (int i = 0; i < count && i < max_count; ++i) offsets[i] = i * int{sizeof(Value)};
    return fields<Value>(base, records, stride != 0 ? stride : index_t{sizeof(Value)} * count, offsets, count);
  }

  /// View of `count` values of one type, value i at byte `offsets[i]` of each record: pcl::PointXYZI (0, 4, 8, 16).
  /// @tparam Value   float, float16 or __half, double, or an integer of up to 64 bits
  /// @param base     first record; may be null if `records` is 0
  /// @param records  number of records
  /// @param stride   bytes between records
  /// @param offsets  `[count]`, host memory; copied
  /// @param count    number of features per record, at most 64
  template <class Value>
  static feature_view fields(void const* base, index_t records, index_t stride, int const* offsets,
                             int count) noexcept {
    static_assert(detail::is_feature_source<Value>,
                  "farpoint: features are float, float16 or __half, double, or integers of up to 64 bits");
    feature_type types[max_count];
    for (feature_type& type : types) type = detail::feature_type_of<Value>();
    return fields(base, records, stride, offsets, types, count);
  }

  /// View of `count` values, value i of type `types[i]` at byte `offsets[i]` of each record: PointCloud2 fields.
  /// @param base     first record; may be null if `records` is 0
  /// @param records  number of records
  /// @param stride   bytes between records
  /// @param offsets  `[count]`, host memory; copied
  /// @param types    `[count]`, host memory; copied
  /// @param count    number of features per record, at most 64
  static feature_view fields(void const* base, index_t records, index_t stride, int const* offsets,
                             feature_type const* types, int count) noexcept {
    feature_view view;
    view.base_ = static_cast<unsigned char const*>(base);
    view.records_ = records;
    view.stride_ = stride;
    view.count_ = count;
    auto const common = reinterpret_cast<std::uintptr_t>(base) | static_cast<std::uintptr_t>(stride);
    for (int i = 0; i < count && i < max_count; ++i) {
      auto const size = static_cast<std::uintptr_t>(detail::size_of(types[i]));
      view.offsets_[i] = offsets[i];
      view.types_[i] = types[i];
      view.aligned_[i] = (common | static_cast<std::uintptr_t>(offsets[i])) % size == 0;
      view.plain_ = view.plain_ && view.aligned_[i] && types[i] == feature_type::float32;
    }
    return view;
  }

  /// Number of records.
  FARPOINT_HD constexpr index_t size() const noexcept { return records_; }
  /// Number of features per record.
  FARPOINT_HD constexpr int count() const noexcept { return count_; }
  FARPOINT_HD constexpr unsigned char const* base() const noexcept { return base_; }
  /// Bytes between records.
  FARPOINT_HD constexpr index_t stride() const noexcept { return stride_; }
  /// Bytes from the start of a record to the feature.
  FARPOINT_HD constexpr int offset(int feature) const noexcept { return offsets_[feature]; }
  FARPOINT_HD constexpr feature_type type(int feature) const noexcept { return types_[feature]; }
  /// True if all features are aligned floats: feature f of record r is the float at base() + r * stride() + offset(f).
  FARPOINT_HD constexpr bool is_plain() const noexcept { return plain_; }

  FARPOINT_HD float operator()(index_t record, int feature) const noexcept { return column(feature)(record); }

  /// Accessor of one feature, for a loop over records: it looks up offset and type once.
  class feature_column {
   public:
    FARPOINT_HD float operator()(index_t record) const noexcept { return get<float>(record); }
    /// @tparam Value  float or double, the type that is read
    template <class Value>
    FARPOINT_HD Value get(index_t record) const noexcept {
      unsigned char const* const address = base_ + record * stride_;
      if constexpr (std::is_same_v<Value, float>) {
        if (plain_) return *reinterpret_cast<float const*>(address);
      }
      return detail::load_feature<Value>(address, type_, aligned_);
    }

   private:
    friend class feature_view;
    unsigned char const* base_;
    index_t stride_;
    bool plain_;
    bool aligned_;
    feature_type type_;
  };

  FARPOINT_HD feature_column column(int feature) const noexcept {
    feature_column column;
    column.base_ = base_ + offsets_[feature];
    column.stride_ = stride_;
    column.plain_ = plain_;
    column.aligned_ = aligned_[feature];
    column.type_ = types_[feature];
    return column;
  }

  /// Copies all features of a record to `values`, which has room for count() elements.
  FARPOINT_HD void read(index_t record, float* values) const noexcept {
    unsigned char const* const start = base_ + record * stride_;
    if (plain_) {
      for (int i = 0; i < count_; ++i) values[i] = *reinterpret_cast<float const*>(start + offsets_[i]);
    } else {
      for (int i = 0; i < count_; ++i) values[i] = detail::load_feature(start + offsets_[i], types_[i], aligned_[i]);
    }
  }
  /// Copies all features of a record as the nearest doubles.
  FARPOINT_HD void read(index_t record, double* values) const noexcept {
    for (int i = 0; i < count_; ++i) values[i] = column(i).get<double>(record);
  }

 private:
  unsigned char const* base_ = nullptr;
  index_t records_ = 0;
  index_t stride_ = 0;
  int count_ = 0;
  bool plain_ = true;
  int offsets_[max_count] = {};
  feature_type types_[max_count] = {};
  bool aligned_[max_count] = {};
};

/// Writable range of values in host or device memory: binary16, float or, if `Value` is double, double.
///
/// Non-owning, trivially copyable. The interface passes values as `Value`.
/// @tparam Value  float: output for any points; double: output for points of doubles
template <class Value>
class basic_feature_span : public detail::untyped_range<void> {
  static_assert(std::is_same_v<Value, float> || std::is_same_v<Value, double>,
                "farpoint: features are written as floats or as doubles");

 public:
  constexpr basic_feature_span() = default;

  /// Range over a std::vector, std::array, span, ... whose elements are `Value`, float, or a type of is_binary16; not
  /// over a temporary that owns them.
  template <class Container, class Element = detail::element_of<Container>,
            std::enable_if_t<detail::is_feature<Element> || std::is_same_v<Element, Value>, int> = 0>
  constexpr basic_feature_span(Container&& values) noexcept
      : untyped_range{values}, type_{detail::feature_type_of<Element>()} {
    FARPOINT_REFUSE_TEMPORARY_OWNER(detail::is_temporary_owner<Container>);
  }
  /// Converts a range that cannot hold doubles to a range type that can.
  template <class Other, std::enable_if_t<std::is_same_v<Other, float> && !std::is_same_v<Other, Value>, int> = 0>
  constexpr basic_feature_span(basic_feature_span<Other> const& other) noexcept
      : basic_feature_span{other.data(), other.size(), other.type()} {}

  FARPOINT_HD constexpr feature_type type() const noexcept { return type_; }
  FARPOINT_HD constexpr bool is_float16() const noexcept { return type_ == feature_type::float16; }
  FARPOINT_HD constexpr bool is_float64() const noexcept {
    return std::is_same_v<Value, double> && type_ == feature_type::float64;
  }

  /// Returns this range if its values are computed as `Working`, else an empty range. binary16 and float are computed
  /// as float, double as double.
  template <class Working>
  FARPOINT_HD constexpr decltype(auto) computed_as() const noexcept {
    if constexpr (std::is_same_v<Value, float>) {
      static_assert(std::is_same_v<Working, float>, "farpoint: only outputs of doubles are computed as doubles");
      return static_cast<basic_feature_span const&>(*this);
    } else {
      using range = basic_feature_span<Working>;
      return is_float64() == std::is_same_v<Working, double> ? range{data_, size_, type_} : range{};
    }
  }

  FARPOINT_HD Value get(index_t i) const noexcept {
    if (is_float64()) return static_cast<Value>(static_cast<double const*>(data_)[i]);
    return static_cast<Value>(is_float16() ? static_cast<float>(static_cast<float16 const*>(data_)[i])
                                           : static_cast<float const*>(data_)[i]);
  }
  /// Stores a value; rounds to nearest, ties to even, if the stored type is narrower than `Value`.
  FARPOINT_HD void set(index_t i, Value value) const noexcept { write(i, &value, 1); }
  /// set() for a range whose is_float64() is false.
  FARPOINT_HD void set_narrow(index_t i, float value) const noexcept {
    if (is_float16()) {
      static_cast<float16*>(data_)[i] = to_float16(value);
    } else {
      static_cast<float*>(data_)[i] = value;
    }
  }

  /// Stores `count` consecutive values from index `i` on, as set() does.
  FARPOINT_HD void write(index_t i, Value const* values, int count) const noexcept {
    if (is_float64()) {
      for (int k = 0; k < count; ++k) static_cast<double*>(data_)[i + k] = static_cast<double>(values[k]);
    } else if (is_float16()) {
      for (int k = 0; k < count; ++k) static_cast<float16*>(data_)[i + k] = to_float16(static_cast<float>(values[k]));
    } else {
      for (int k = 0; k < count; ++k) static_cast<float*>(data_)[i + k] = static_cast<float>(values[k]);
    }
  }

 private:
  template <class Other>
  friend class basic_feature_span;

  FARPOINT_HD constexpr basic_feature_span(void* data, index_t size, feature_type type) noexcept : type_{type} {
    data_ = data;
    size_ = size;
  }

  feature_type type_ = feature_type::float32;
};

using feature_span = basic_feature_span<float>;

FARPOINT_END_NAMESPACE

/// @file
/// Views of sensor_msgs/PointCloud2 messages: the points, and any other fields as features. Nothing is copied.
///
/// `Message` is sensor_msgs::PointCloud2 (ROS 1), sensor_msgs::msg::PointCloud2 (ROS 2), or any type with their
/// members; no ROS header is needed here.
#pragma once

#include <farpoint/core/features.hpp>
#include <farpoint/core/points.hpp>
#include <farpoint/core/status.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

FARPOINT_BEGIN_NAMESPACE

/// The numbers that sensor_msgs/PointField gives its types.
enum class point_field_type : std::uint8_t { int8 = 1, uint8, int16, uint16, int32, uint32, float32, float64 };

namespace detail {

/// Null if the message has no such field.
template <class Message>
auto find_point_field(Message const& message, char const* name) noexcept -> decltype(message.fields.data()) {
  for (auto const& field : message.fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

/// The type that `number` stands for; false if it stands for none.
inline bool feature_type_of_field(unsigned number, feature_type& type) noexcept {
  constexpr feature_type types[] = {feature_type::int8,    feature_type::uint8,  feature_type::int16,
                                    feature_type::uint16,  feature_type::int32,  feature_type::uint32,
                                    feature_type::float32, feature_type::float64};
  if (number < 1 || number > 8) return false;
  type = types[number - 1];
  return true;
}

/// Checks that records follow one another at point_step and that all lie within the data.
template <class Message>
result check_point_cloud2(Message const& message) noexcept {
  if (message.is_bigendian) return reject("PointCloud2: the data is big-endian");
  std::uint64_t const points = std::uint64_t{message.width} * message.height;
  if (points == 0) return {};
  if (message.point_step == 0) return reject("PointCloud2: point_step is 0");
  if (message.height > 1 && message.row_step != std::uint64_t{message.width} * message.point_step) {
    return reject("PointCloud2: row_step is not width * point_step; a view cannot pass over padding between rows");
  }
  if (points > message.data.size() / message.point_step) {
    return reject("PointCloud2: data is smaller than width * height * point_step");
  }
  return {};
}

/// True if a field of `size` bytes lies within a record.
template <class Message, class Field>
bool is_in_record(Message const& message, Field const& field, int size) noexcept {
  return std::uint64_t{field.offset} + static_cast<std::uint64_t>(size) <= message.point_step &&
         field.offset <= static_cast<std::uint32_t>(std::numeric_limits<int>::max());
}

}  // namespace detail

/// Views the fields x, y and z of a message, in the order of its data; invalid points, which are NaN, among them.
///
/// On failure `points` stays as it is. Refused are big-endian data, fields of another type than Coord, rows with
/// padding between them, and headers that promise more than there is. O(fields); allocates nothing.
/// @tparam Coord   float for FLOAT32, double for FLOAT64
/// @param message  outlives the view, unless `data` is given
/// @param points   set to width * height points
/// @param data     a copy of message.data, perhaps in device memory; null: message.data itself
template <class Coord, class Message>
result view_point_cloud2(Message const& message, point_view<Coord>& points, void const* data = nullptr) noexcept {
  static_assert(std::is_same_v<Coord, float> || std::is_same_v<Coord, double>,
                "farpoint: the coordinates of a PointCloud2 are float or double");
  if (result const checked = detail::check_point_cloud2(message); !checked) return checked;
  constexpr bool is_double = std::is_same_v<Coord, double>;
  constexpr auto wanted = is_double ? point_field_type::float64 : point_field_type::float32;
  constexpr char const* names[] = {"x", "y", "z"};
  std::array<int, 3> offsets{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto const* const field = detail::find_point_field(message, names[axis]);
    if (field == nullptr) return detail::reject("PointCloud2: a field of x, y and z is missing");
    if (field->datatype != static_cast<std::uint8_t>(wanted)) {
      return detail::reject(is_double ? "PointCloud2: x, y and z are not all FLOAT64"
                                      : "PointCloud2: x, y and z are not all FLOAT32");
    }
    if (!detail::is_in_record(message, *field, int{sizeof(Coord)})) {
      return detail::reject("PointCloud2: x, y or z lies outside point_step");
    }
    offsets[axis] = static_cast<int>(field->offset);
  }
  auto const count = static_cast<index_t>(std::uint64_t{message.width} * message.height);
  points = {data != nullptr ? data : message.data.data(), count, static_cast<index_t>(message.point_step), offsets};
  return {};
}
/// A temporary ends before its view.
template <class Coord, class Message>
result view_point_cloud2(Message const&& message, point_view<Coord>& points) = delete;

/// Views fields of a message as features, in the order of `names`: intensity, ring, time, and the coordinates if
/// wanted. A field with a count above one gives its first element.
///
/// On failure `features` stays as it is. O(fields * names); allocates nothing.
/// @param message   outlives the view, unless `data` is given
/// @param names     names of fields, each a C string; 64 at most
/// @param features  set to width * height records
/// @param data      a copy of message.data, perhaps in device memory; null: message.data itself
template <class Message>
result view_point_cloud2_features(Message const& message, span<char const* const> names, feature_view& features,
                                  void const* data = nullptr) noexcept {
  if (result const checked = detail::check_point_cloud2(message); !checked) return checked;
  if (names.size() > static_cast<std::size_t>(feature_view::max_count)) {
    return detail::reject("PointCloud2: more than 64 features are asked for");
  }
  int offsets[feature_view::max_count] = {};
  feature_type types[feature_view::max_count] = {};
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto const* const field = detail::find_point_field(message, names[i]);
    if (field == nullptr) return detail::reject("PointCloud2: a field that features are made of is missing");
    if (!detail::feature_type_of_field(field->datatype, types[i])) {
      return detail::reject("PointCloud2: a field has an unknown datatype");
    }
    if (!detail::is_in_record(message, *field, detail::size_of(types[i]))) {
      return detail::reject("PointCloud2: a field that features are made of lies outside point_step");
    }
    offsets[i] = static_cast<int>(field->offset);
  }
  auto const count = static_cast<index_t>(std::uint64_t{message.width} * message.height);
  features =
      feature_view::fields(data != nullptr ? data : message.data.data(), count,
                           static_cast<index_t>(message.point_step), offsets, types, static_cast<int>(names.size()));
  return {};
}
/// A temporary ends before its view.
template <class Message>
result view_point_cloud2_features(Message const&& message, span<char const* const> names,
                                  feature_view& features) = delete;

FARPOINT_END_NAMESPACE

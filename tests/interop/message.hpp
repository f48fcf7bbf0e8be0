// Points written into a PointCloud2 message, of ROS or of the examples.
#pragma once

#include <farpoint/interop/point_cloud2.hpp>

#include <cstdint>
#include <cstring>

namespace farpoint_tests {

/// Appends a field at an offset.
template <class Message>
void add_field(Message& message, char const* name, std::uint32_t offset, farpoint::point_field_type type) {
  typename std::decay_t<decltype(message.fields)>::value_type field;
  field.name = name;
  field.offset = offset;
  field.datatype = static_cast<std::uint8_t>(type);
  field.count = 1;
  message.fields.push_back(field);
}

template <class Message, class Value>
void put(Message& message, std::size_t record, std::uint32_t offset, Value value) {
  std::memcpy(&message.data[record * message.point_step + offset], &value, sizeof value);
}

/// Ouster's records, packed: x, y, z, intensity as floats, time u32, ring u8, range f64: 29 bytes.
template <class Message>
Message make_message(std::uint32_t width, std::uint32_t height) {
  using farpoint::point_field_type;
  Message message;
  message.width = width;
  message.height = height;
  message.is_bigendian = false;
  message.point_step = 29;
  message.row_step = width * 29;
  message.data.resize(std::size_t{width} * height * 29);
  add_field(message, "x", 0, point_field_type::float32);
  add_field(message, "y", 4, point_field_type::float32);
  add_field(message, "z", 8, point_field_type::float32);
  add_field(message, "intensity", 12, point_field_type::float32);
  add_field(message, "t", 16, point_field_type::uint32);
  add_field(message, "ring", 20, point_field_type::uint8);
  add_field(message, "range", 21, point_field_type::float64);
  for (std::size_t i = 0; i < std::size_t{width} * height; ++i) {
    auto const value = static_cast<float>(i);
    put(message, i, 0, value);
    put(message, i, 4, -value);
    put(message, i, 8, 0.5f * value);
    put(message, i, 12, value + 0.25f);
    put(message, i, 16, static_cast<std::uint32_t>(1000 * i));
    put(message, i, 20, static_cast<std::uint8_t>(i % 128));
    put(message, i, 21, 3.0 * static_cast<double>(i));
  }
  return message;
}

}  // namespace farpoint_tests

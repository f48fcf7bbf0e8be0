// ASPRS LAS: the parts of its header and records that the reader and the writer share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scalar.hpp"

namespace farpoint_tools::las {

/// Size of the header in bytes: up to and including the bounds, which all versions have, and in version 1.4.
inline constexpr std::size_t header_bytes = 227;
inline constexpr std::size_t header_bytes_of_14 = 375;

/// Offsets of values in the header.
namespace at {
inline constexpr std::size_t encoding = 6, major = 24, minor = 25, header_size = 94, first_point = 96, records = 100,
                             format = 104, record_length = 105, legacy_points = 107, scale = 131, offset = 155,
                             bounds = 179, first_extended = 235, extended = 243, points = 247;
}  // namespace at

/// Bits of the header's global encoding that say what values mean: the kind of GPS time, and the kind of projection.
inline constexpr unsigned kept_encoding = 0x11;

/// A variable-length record: 54 bytes of header (60 where it follows the points), then its data.
inline constexpr std::size_t record_header_bytes = 54;
inline constexpr std::size_t extended_header_bytes = 60;
inline constexpr std::string_view projection_user = "LASF_Projection";
inline constexpr std::string_view spec_user = "LASF_Spec";
inline constexpr unsigned extra_bytes_id = 4;

/// Size in bytes of a descriptor, which describes one extra value: bytes of a record behind its point format.
inline constexpr std::size_t descriptor_bytes = 192;

/// The type of an extra value by its number in a descriptor, from 1.
inline constexpr scalar_kind extra_kinds[] = {
    scalar_kind::uint8, scalar_kind::int8,   scalar_kind::uint16, scalar_kind::int16,   scalar_kind::uint32,
    scalar_kind::int32, scalar_kind::uint64, scalar_kind::int64,  scalar_kind::float32, scalar_kind::float64};

/// A value of a point record other than its coordinates, which are three int32 at the record's start.
struct field {
  char const* name;
  scalar_kind kind;
  std::size_t at;
  unsigned first_bit = 0;
  unsigned bits = 0;  ///< 0: all of the value's kind

  unsigned mask() const { return (1U << bits) - 1U; }
};

/// Point formats are 0 to 10.
inline constexpr std::size_t formats = 11;

/// Bytes of a record, without extra values.
std::size_t record_bytes(std::size_t format);

/// The values of a record. Waveform packets (formats 4, 5, 9 and 10) are not among them.
std::vector<field> fields_of(std::size_t format);

}  // namespace farpoint_tools::las

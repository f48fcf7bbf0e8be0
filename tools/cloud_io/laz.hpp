// LAZ: LAS files whose point records LASzip has compressed. The records are compressed, and nothing else: what their
// values mean, las_layout.hpp and read_las() say for both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cloud_bytes.hpp"

namespace farpoint_tools::laz {

/// True if this build has LASzip. Without it unpack() and pack() only throw.
bool is_supported();

/// Why a build without LASzip refuses a file, and what to do.
inline constexpr char const* not_read =
    "compressed LAZ points, which this build does not read: install LASzip 3 (liblaszip-dev) and rebuild, or convert "
    "by "
    "\"laszip -i IN.laz -o OUT.las\" or laspy[lazrs]";
inline constexpr char const* not_written =
    "this build writes no LAZ: install LASzip 3 (liblaszip-dev) and rebuild, or write .las and convert by "
    "\"laszip -i IN.las -o OUT.laz\" or laspy[lazrs]";

/// The variable-length record that describes the compression.
inline constexpr std::string_view record_user = "laszip encoded";
inline constexpr unsigned record_id = 22204;

/// Bits of the header's point format: LASzip sets the first; versions before its first release set the second.
inline constexpr std::size_t packed_bit = 0x80;
inline constexpr std::size_t early_bit = 0x40;

/// Numbers of the header and the record that describe compressed points.
struct packed_points {
  std::size_t format = 0;  ///< 0 to 10
  std::size_t record_length = 0;
  std::uint64_t points = 0;
  std::size_t first_point = 0;       ///< offset in the file
  std::string_view descriptor = {};  ///< data of the record that describes the compression; empty without one
};

/// Most bytes that the records of a file of `file_bytes` bytes may unpack to. Scans take about a tenth of their size;
/// a thousandth is a cloud of equal points, or a damaged file that would fill the memory.
constexpr std::uint64_t max_unpacked(std::uint64_t file_bytes) {
  constexpr std::uint64_t always = std::uint64_t{64} << 20;
  return file_bytes > always / 1024 ? 1024 * file_bytes : always;
}

/// The records of a file, uncompressed: `points * record_length` bytes. Memory grows with the points that the file
/// really has, whatever its header states.
/// @throws cloud_error  for damaged or truncated points. LAZ has no checksum: other points may come out of damaged ones
std::string unpack(cloud_bytes const& file, packed_points const& what);

/// A LAZ file of the bytes of a LAS file: the same header, records and points, in any point format.
/// @param las  well-formed, as encode_las() makes it; without extended variable-length records
/// @throws cloud_error  without LASzip
std::string pack(std::string_view las);

}  // namespace farpoint_tools::laz

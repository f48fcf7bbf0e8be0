// The parts of compressed points, checked before LASzip reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "laz.hpp"

namespace farpoint_tools::laz {

/// LASzip's numbers of the values that it compresses together. Types with 14 are of point formats 6 to 10.
enum item_type : std::size_t {
  extra_bytes = 0,
  point_10 = 6,
  gps_time = 7,
  rgb = 8,
  wave_packet = 9,
  point_14 = 10,
  rgb_14 = 11,
  rgb_nir_14 = 12,
  wave_packet_14 = 13,
  extra_bytes_14 = 14
};

/// Values of a record that are compressed together.
struct item {
  std::size_t type;  ///< an item_type
  std::size_t size;  ///< bytes
};

/// Bytes of the descriptor before its items, and of an item.
inline constexpr std::size_t descriptor_bytes = 34;
inline constexpr std::size_t item_bytes = 6;
inline constexpr std::size_t chunk_size_at = 12;

/// The items of a record, in LASzip's order.
std::vector<item> items_of(std::size_t format, std::size_t record_length);

/// Compressed points that begin with a record which is not compressed.
struct chunk {
  std::uint64_t points;
  std::string_view bytes;
};

/// The parts of a file that LASzip reads one by one.
struct chunks {
  bool have_table = false;  ///< the offset of a table of chunks is before the points, which end where the table begins
  bool are_single = false;  ///< a part is one chunk
  std::vector<chunk> parts = {};
};

/// Checks the descriptor and the sizes in the file. Point formats 6 to 10 have a part for each chunk: a chunk states
/// the sizes of its layers, for which LASzip allocates memory unchecked. Formats 0 to 5 have one part with all chunks.
/// The table of chunks serves random access, and is not read.
/// @throws cloud_error
chunks chunks_of(cloud_bytes const& file, packed_points const& what);

}  // namespace farpoint_tools::laz

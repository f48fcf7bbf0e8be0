// One reader per format; read_cloud() chooses among them.
#pragma once

#include "bin_description.hpp"
#include "cloud_bytes.hpp"
#include "cloud_io.hpp"
#include "scalar.hpp"

namespace farpoint_tools {

/// read_cloud() of bytes in memory.
/// @param described  layout of a .bin, or null
cloud parse_cloud(cloud_bytes const& file, std::optional<file_format> forced,
                  bin_description const* described = nullptr);

/// A .bin layout: records of little-endian float32, coordinates first.
struct bin_layout {
  file_format format;
  std::size_t floats;
  char const* name;

  std::size_t record_bytes() const { return floats * 4; }
};

/// `format` is kitti, nuscenes or xyz.
bin_layout const& layout_of(file_format format);

/// The one layout that fits the size and values of the file.
/// @throws cloud_error  if none fits, or more than one
bin_layout const& guess_bin_layout(cloud_bytes const& file);

cloud read_bin(cloud_bytes const& file, bin_layout const& layout, std::string const& decided_by);
cloud read_described_bin(cloud_bytes const& file, bin_description const& described);
/// ASCII and binary of either byte order; all numbers of the element "vertex" are kept, lists are not.
cloud read_ply(cloud_bytes const& file);
/// DATA ascii, binary and binary_compressed; each value of a field becomes a column.
cloud read_pcd(cloud_bytes const& file);
/// The vertices of a Wavefront file, and their colors where it has them.
cloud read_obj(cloud_bytes const& file);
/// NumPy's array of points: three columns or more, the coordinates first.
cloud read_npy(cloud_bytes const& file);
/// Versions 1.0 to 1.4, all point formats without their waveforms; compressed ones (LAZ) in a build with LASzip.
/// Coordinates are doubles. A value that is 0 in every point, LAS's way to say "unknown", becomes no column.
cloud read_las(cloud_bytes const& file);
/// A row of numbers a line. Names of columns are in the first line, or in the last comment before the rows; without
/// any, the first three columns are coordinates. Coordinates are doubles. A first line of one number is the number of
/// points.
cloud read_text(cloud_bytes const& file);

/// Most values of a point: a header that claims more is damaged, and would cost memory.
inline constexpr std::size_t max_values = 1024;

/// The format that the content shows: LAS, PLY, PCD, NumPy, OBJ, or other text; nothing for other bytes.
std::optional<file_format> format_of_content(std::string_view bytes);

/// The name that a column has whatever the format: "nx" for PCD's "normal_x".
std::string common_name(std::string_view name);

/// Largest size that the data of a compressed .pcd of `file_bytes` bytes may unpack to.
constexpr std::size_t max_unpacked(std::size_t file_bytes) {
  constexpr std::size_t always = std::size_t{64} << 20;
  return file_bytes > always / 16 ? 16 * file_bytes : always;
}

/// Undoes LZF compression, the one of PCD's binary_compressed.
/// @return nothing when `packed` is damaged or does not give exactly `size` bytes
std::optional<std::string> unpack_lzf(std::string_view packed, std::size_t size);

}  // namespace farpoint_tools

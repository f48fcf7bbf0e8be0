// One reader per format; read_cloud() chooses among them.
#pragma once

#include "cloud_bytes.hpp"
#include "cloud_io.hpp"

namespace farpoint_demo {

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
/// ASCII and binary of either byte order; only the x, y, z of the element "vertex" are kept.
cloud read_ply(cloud_bytes const& file);
/// DATA ascii, binary and binary_compressed; only the fields x, y, z are kept.
cloud read_pcd(cloud_bytes const& file);

/// Undoes LZF compression, the one of PCD's binary_compressed.
/// @return nothing when `packed` is damaged or does not give exactly `size` bytes
std::optional<std::string> unpack_lzf(std::string_view packed, std::size_t size);

}  // namespace farpoint_demo

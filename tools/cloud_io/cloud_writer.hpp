// Writes point clouds: .ply, .pcd, .npy, .csv, .bin, .las, .laz.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cloud_io.hpp"

namespace farpoint_tools {

enum class output_format { ply, pcd, npy, csv, bin, las, laz };

/// Why this build cannot write a format; null for a format that it writes. LAZ needs LASzip.
char const* why_not_written(output_format format);

/// Format of a file name's ending; nullopt for an unknown ending.
std::optional<output_format> output_format_of(std::filesystem::path const& file);

/// ".ply"
char const* extension_of(output_format format);

/// The bytes of a file. Points stay in order and keep their bits: float32, or float64 where cloud::exact has them.
/// Columns keep their type. A name that another column has already gets a number: "a", "a_2".
///
/// - ply, pcd: binary, or ASCII; red, green, blue of type uint8 are PCD's packed "rgb", with alpha "rgba"
/// - npy: `[points, 3 + columns]`, of array_kind(); csv: a line of names, then a line a point
/// - bin: rows of array_kind(), x, y, z and the columns: with an intensity KITTI's layout, with a ring too nuScenes'
/// - las, laz: see encode_las() and encode_laz(); coordinates become integers
/// @throws cloud_error  if the format cannot represent the cloud
std::string encode_cloud(cloud const& from, output_format format, bool ascii = false);

/// Type of a .npy or .bin: float32, or float64 where float32 would change a coordinate or a value of a column.
scalar_kind array_kind(cloud const& from);

/// encode_cloud() to a file, which is replaced when the new one is complete. A .bin gets a .json that describes it,
/// but not on standard output ("-").
/// @throws file_error  that names the file
void write_cloud(cloud const& from, std::filesystem::path const& file, output_format format, bool ascii = false);

/// Writes a file, which is replaced when the new one is complete, or standard output ("-").
/// @throws file_error  that names the file
void write_bytes(std::string const& bytes, std::filesystem::path const& file);

/// The bytes of a .npy file of float32 or int32 `[rows, columns]`.
template <class Value>
std::string encode_npy(Value const* values, std::size_t rows, std::size_t columns);

extern template std::string encode_npy(float const*, std::size_t, std::size_t);
extern template std::string encode_npy(std::int32_t const*, std::size_t, std::size_t);

}  // namespace farpoint_tools

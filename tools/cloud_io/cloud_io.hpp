// Reads point clouds from files: .bin (KITTI, nuScenes, raw, or described by a .json), .ply, .pcd, .obj, .npy,
// .las, .laz, .xyz, .pts, .txt, .csv.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cloud.hpp"

namespace farpoint_tools {

/// The format of a file. If the caller does not say, the name or the content does.
enum class file_format { kitti, nuscenes, xyz, ply, pcd, obj, npy, las, text };

/// A file that cannot be read as a cloud. what() names the file, what was expected and what was found.
class cloud_error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A file that cannot be opened, read or written at all, whatever it holds.
class file_error : public cloud_error {
  using cloud_error::cloud_error;
};

/// The name of standard input, and of standard output.
inline constexpr char const* standard_stream = "-";

/// Reads a whole cloud. Coordinates of a type that holds more than float32 are kept as cloud::exact.
///
/// Format of `file`: `forced` if given; else the layout in the .json of a .bin; else by the name's ending (.ply, .pcd,
/// .obj, .npy, .las, .laz, .xyz, .pts, .txt, .csv, .pcd.bin, .xyz.bin, .xyzi.bin) or a "velodyne" or "nuscenes" in the
/// path; else, for other .bin files, the layout that fits size and content. The content says whether a LAS file is
/// compressed, which a build without LASzip refuses. The format of standard input ("-") is determined by its content.
/// Memory stays below eight times the file's size plus a megabyte, whatever the header states. For a compressed .pcd or
/// .laz, eight times the unpacked size counts, which max_unpacked() and laz::max_unpacked() limit.
/// @throws cloud_error  also for a well-formed file without points
/// @throws file_error   for what is no regular file, or cannot be read
cloud read_cloud(std::filesystem::path const& file, std::optional<file_format> forced = {});

/// True if read_cloud() takes files of this name's ending.
bool has_cloud_name(std::filesystem::path const& file);

/// The clouds of a folder, by their names, in alphabetical order. Folders within it are not looked into, and a .txt is
/// not taken for a cloud.
/// @throws file_error  also if the folder has no clouds
std::vector<std::filesystem::path> clouds_of_folder(std::filesystem::path const& folder);

}  // namespace farpoint_tools

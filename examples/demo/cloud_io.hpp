// Reads point clouds from files: KITTI, nuScenes and raw .bin, .ply, .pcd.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace farpoint_demo {

/// The format of a file. If the caller does not say, the name or the content does.
enum class file_format { kitti, nuscenes, xyz, ply, pcd };

/// A file that cannot be read as a cloud. what() names the file, what was expected and what was found.
class cloud_error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct cloud {
  std::vector<std::array<float, 3>> points;  ///< in the file's order, including points without a return (NaN)
  std::string format;                        ///< what the file was read as, for display
};

/// Reads a whole cloud; coordinates of other types are converted to float.
///
/// Format of `file`: `forced` if given, else by the name's ending (.ply, .pcd, .pcd.bin, .xyz.bin, .xyzi.bin), a
/// "velodyne" or "nuscenes" in the path, else, for other .bin files, the layout that fits size and content.
/// Memory stays within a small multiple of the file's size, whatever its header says.
/// @throws cloud_error  also for a well-formed file without points
cloud read_cloud(std::filesystem::path const& file, std::optional<file_format> forced = {});

}  // namespace farpoint_demo

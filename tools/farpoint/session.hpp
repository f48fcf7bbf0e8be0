// Runs a command on a file, or on each file of a folder.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "figures.hpp"
#include "options.hpp"
#include "surface_splats.hpp"

namespace farpoint_tools {

/// Voxel grid of a result that has the columns voxel_x, voxel_y and voxel_z: lower corner of cell (0, 0, 0), and edges
/// of a cell (m).
struct cube_grid {
  std::array<double, 3> lower{}, size{};
};

/// How a page draws a result.
struct drawing {
  std::optional<cube_grid> cubes;
  std::optional<splat_rows> splats;
  std::vector<column> more;   ///< columns that are not written to files
  bool has_input = false;     ///< true if the result contains the whole input, which the page then does not show twice
  std::string color_by = {};  ///< name of a column; empty: height
};

/// Result of a command for one cloud.
struct outcome {
  figures summary;                    ///< what the command prints
  cloud result;                       ///< cloud to write; empty if the command makes none
  bool equal = true;                  ///< false: --check has found a difference
  std::string backend = {};           ///< backend that computed it
  std::vector<column> of_input = {};  ///< attributes of the input's points, for --visualize
  std::string indices = {};           ///< bytes of a second file, a .npy; empty if the command makes none
  std::string done = {};              ///< title of a page: "voxels of 0.2 m"
  std::string result_name = "Result";
  drawing drawn = {};
};

using command = std::function<outcome(cloud const& input)>;

/// Where a command's clouds come from.
struct session_source {
  std::vector<std::filesystem::path> files;
  bool in_folder = false;
  std::function<cloud(std::filesystem::path const& file)> read;
};

/// True if the input is a folder.
bool is_folder(common_options const& options);

/// Files of the input: all clouds of a folder, or the single file.
/// @throws file_error
std::vector<std::filesystem::path> input_files(common_options const& options);

/// Runs a command over the input, prints its figures and writes its results. A file of a folder that cannot be read is
/// reported on stderr, and the run goes on with the next file.
/// @param name     the command, such as "voxelize"
/// @param indices  file for outcome::indices; a folder if the input is a folder
/// @return the exit code
/// @throws usage_error, file_error, cloud_error, compute_error
int run_session(std::string const& name, common_options const& options, command const& run,
                std::string const& indices = {});
/// run_session() with the clouds of `source`.
int run_session(std::string const& name, common_options const& options, session_source const& source,
                command const& run, std::string const& indices = {});

/// Prints the machine, and the result of a command without an INPUT, if any.
int run_without_input(std::string const& name, common_options const& options, std::optional<outcome> const& made);

/// Prints the line "farpoint: message" on stderr. Control characters are replaced by '?'.
void complain(std::string const& message);

}  // namespace farpoint_tools

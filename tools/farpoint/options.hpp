// Options of the commands.
#pragma once

#include <farpoint/runtime.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cloud_writer.hpp"

namespace farpoint_tools {

/// Options that most commands share.
struct common_options {
  std::string input;  ///< a file or a folder; empty where a command has something to do without one
  std::optional<file_format> format;
  farpoint::runtime::backend backend = farpoint::runtime::backend::automatic;
  int threads = 0;
  int repeat = 1;
  bool check = false;
  bool cpu = false;
  bool verbose = false;
  bool json = false;
  bool stats = false;
  std::string output;  ///< a file, or a folder
  output_format to = output_format::ply;
  bool ascii = false;
  bool visualize = false;
  std::int64_t page_points = 12'000'000;  ///< most points of a page; a browser keeps some 40 bytes of each

  /// True if a command's result is written or shown.
  bool wants_result() const { return !output.empty() || visualize; }
};

struct fps_options {
  std::int64_t samples = 4096;
  std::int64_t first = 0;
  std::optional<std::uint64_t> seed;
  double stop_below = 0;
  bool origin_skip = false;
};

enum class reduction { mean, max, first };

struct voxelize_options {
  std::vector<double> size;         ///< one edge (m) for all axes, or three; none: from the range or the first cloud
  std::vector<double> range;        ///< six: lower and upper corner (m); none: around all clouds
  std::vector<std::int64_t> cells;  ///< three numbers of voxels; none: from range and size
  std::int64_t max_voxels = 0;
  std::int64_t max_points = 0;
  farpoint::voxel_order order = farpoint::voxel_order::first_occurrence;
  std::optional<std::uint64_t> seed;  ///< seed of a random subset; nullopt: the first points
  reduction reduce = reduction::mean;
};

struct search_options {
  std::int64_t k = 8;
  double max_radius = std::numeric_limits<double>::infinity();
  bool with_self = false;
  std::string indices;  ///< a .npy to write; with a folder as input, a folder
};

struct normals_options {
  std::int64_t k = 16;
  double max_radius = std::numeric_limits<double>::infinity();
  std::vector<double> viewpoint = {0, 0, 0};
};

/// Statistical outliers, or with a radius above 0 those by numbers of neighbors.
struct clean_options {
  std::int64_t k = 16;
  double deviations = 2;
  double radius = 0;  ///< meters
  std::int64_t min_points = 2;
};

struct crop_options {
  std::vector<double> range;  ///< six: lower and upper corner (m)
  std::vector<double> ball;   ///< four: center and radius (m)
  bool outside = false;
};

struct merge_options {
  std::vector<std::string> inputs;  ///< files and folders
};

/// A number of points, or an edge of voxels (m) above 0.
struct sample_options {
  std::int64_t samples = 0;
  std::uint64_t seed = 1;
  double voxel_size = 0;
};

/// A command line with a value or a combination of options that is not possible.
class usage_error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The library could not do it: no usable GPU, no memory.
class compute_error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws what a result says.
void expect_ok(farpoint::result const& outcome);

namespace exit_code {
constexpr int ok = 0;
constexpr int usage = 1;
constexpr int bad_content = 2;
constexpr int unreadable = 3;
constexpr int unequal = 4;
constexpr int not_computed = 5;
}  // namespace exit_code

}  // namespace farpoint_tools

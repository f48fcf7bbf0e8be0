// The readers of point clouds: every file gives a cloud or a cloud_error. A cloud that was read is written, and comes
// back from .ply with every bit, from .pcd and .npy with its points, and from .las with its points to half a step of
// its grid.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>

#include "cloud_formats.hpp"
#include "cloud_writer.hpp"
#include "las_writer.hpp"

namespace {

using namespace farpoint_tools;

void check_points(cloud const& a, cloud const& b) {
  if (a.points.size() != b.points.size()) std::abort();
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double const x = a.coordinate(i, axis);
      double const y = b.coordinate(i, axis);
      if (std::memcmp(&x, &y, sizeof x) != 0 && (x == x || y == y)) std::abort();
    }
  }
}

void check_written(cloud const& read) {
  auto const back = [&](output_format format, file_format as) {
    return parse_cloud({"written", encode_cloud(read, format)}, as);
  };
  auto const ply = back(output_format::ply, file_format::ply);
  check_points(read, ply);
  if (ply.columns.size() != read.columns.size()) std::abort();
  for (std::size_t c = 0; c < ply.columns.size(); ++c) {
    auto const kind = read.columns[c].kind();
    bool const is_exact = is_whole(kind) && size_of(kind) < 8;
    if (is_exact && ply.columns[c].bytes() != read.columns[c].bytes()) std::abort();
  }
  check_points(read, back(output_format::pcd, file_format::pcd));
  check_points(read, back(output_format::npy, file_format::npy));
}

// LAS rounds coordinates to its grid. Coordinates that a LAS file had on its grid come back unchanged.
void check_written_las(cloud const& read) {
  std::string bytes;
  try {
    bytes = encode_las(read);
  } catch (cloud_error const&) {
    return;  // points that are not finite, or too many columns
  }
  auto const back = parse_cloud({"written", bytes}, file_format::las);
  if (back.points.size() != read.points.size()) std::abort();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto const grid = grid_of(read, axis);
    for (std::size_t i = 0; i < read.points.size(); ++i) {
      double const x = read.coordinate(i, axis);
      double const error = std::fabs(back.coordinate(i, axis) - x);
      // Half of a step, and the rounding of doubles.
      bool const is_near = error <= 0.5001 * std::fabs(grid.scale) + 1e-15 * std::fabs(x);
      if (!is_near || (read.las != nullptr && grid.has(x) && error != 0)) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
  // Numbers that inputs of the corpus begin with: new formats go to the end.
  constexpr std::optional<file_format> formats[] = {
      file_format::pcd, file_format::ply, file_format::kitti, file_format::nuscenes, file_format::xyz,
      file_format::obj, file_format::npy, std::nullopt,       file_format::las,      file_format::text};
  auto const choice = size == 0 ? std::size(formats) : data[0] % 16U;
  if (choice >= std::size(formats)) return 0;
  try {
    std::string const content{reinterpret_cast<char const*>(data + 1), size - 1};
    if (!formats[choice]) {
      parse_bin_description({"file", content});
      return 0;
    }
    auto const cloud = parse_cloud({"file", content}, formats[choice]);
    if (cloud.points.empty()) std::abort();
    for (auto const& column : cloud.columns) {
      if (column.size() != cloud.points.size()) std::abort();
    }
    check_written(cloud);
    check_written_las(cloud);
  } catch (cloud_error const& error) {
    std::string const message = error.what();
    if (message.empty() || message.find('\n') != std::string::npos) std::abort();
  }
  return 0;
}

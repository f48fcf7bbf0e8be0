// The readers of point clouds: whatever a file holds, there is a cloud or a cloud_error. What was read comes back from
// .ply with every bit, and from .pcd and .npy with its points.
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

#include "cloud_formats.hpp"
#include "cloud_writer.hpp"

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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
  constexpr file_format formats[] = {file_format::pcd, file_format::ply, file_format::kitti, file_format::nuscenes,
                                     file_format::xyz, file_format::obj, file_format::npy};
  if (size == 0) return 0;
  try {
    std::string const content{reinterpret_cast<char const*>(data + 1), size - 1};
    auto const choice = data[0] % (std::size(formats) + 1);
    if (choice == std::size(formats)) {
      parse_bin_description({"file", content});
      return 0;
    }
    auto const cloud = parse_cloud({"file", content}, formats[choice]);
    if (cloud.points.empty()) std::abort();
    for (auto const& column : cloud.columns) {
      if (column.size() != cloud.points.size()) std::abort();
    }
    check_written(cloud);
  } catch (cloud_error const& error) {
    std::string const message = error.what();
    if (message.empty() || message.find('\n') != std::string::npos) std::abort();
  }
  return 0;
}

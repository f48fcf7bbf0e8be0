#include "cloud_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cloud_formats.hpp"

namespace farpoint_demo {

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

cloud read_any_bin(cloud_bytes const& file) {
  auto const name = lower(file.path().filename().string());
  auto const folder = lower(file.path().parent_path().string());
  auto const read_as = [&file](file_format format) { return read_bin(file, layout_of(format), "by its name"); };
  if (ends_with(name, ".xyz.bin")) return read_as(file_format::xyz);
  if (ends_with(name, ".xyzi.bin")) return read_as(file_format::kitti);
  if (ends_with(name, ".pcd.bin")) return read_as(file_format::nuscenes);
  for (auto const& text : {name, folder}) {
    if (text.find("nuscenes") != std::string::npos) return read_as(file_format::nuscenes);
    if (text.find("kitti") != std::string::npos || text.find("velodyne") != std::string::npos) {
      return read_as(file_format::kitti);
    }
  }
  return read_bin(file, guess_bin_layout(file), "by its content");
}

cloud read_as(cloud_bytes const& file, file_format format) {
  switch (format) {
    case file_format::ply: return read_ply(file);
    case file_format::pcd: return read_pcd(file);
    default: return read_bin(file, layout_of(format), "as asked");
  }
}

cloud read_by_name(cloud_bytes const& file) {
  auto const extension = lower(file.path().extension().string());
  if (extension == ".bin") return read_any_bin(file);
  if (extension == ".ply") return read_ply(file);
  if (extension == ".pcd") return read_pcd(file);
  file.fail("a name that ends in .bin, .ply or .pcd (or --format)",
            extension.empty() ? std::string{"a name without an extension"} : excerpt(extension));
}

}  // namespace

cloud read_cloud(std::filesystem::path const& path, std::optional<file_format> forced) {
  cloud_bytes const file{path};
  auto result = forced ? read_as(file, *forced) : read_by_name(file);
  if (result.points.empty()) file.fail("at least one point", "a valid file of no points");
  return result;
}

}  // namespace farpoint_demo

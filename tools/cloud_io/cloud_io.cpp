#include "cloud_io.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "cloud_formats.hpp"

namespace farpoint_tools {

namespace fs = std::filesystem;

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
    case file_format::obj: return read_obj(file);
    case file_format::npy: return read_npy(file);
    case file_format::las: return read_las(file);
    case file_format::text: return read_text(file);
    default: return read_bin(file, layout_of(format), "as asked");
  }
}

cloud read_by_name(cloud_bytes const& file) {
  auto const extension = lower(file.path().extension().string());
  if (extension == ".bin") return read_any_bin(file);
  if (extension == ".ply") return read_ply(file);
  if (extension == ".pcd") return read_pcd(file);
  if (extension == ".obj") return read_obj(file);
  if (extension == ".las" || extension == ".laz") return read_las(file);
  if (extension == ".npy") return read_npy(file);
  return read_text(file);
}

// Before it is read: it may be large.
void expect_cloud_name(fs::path const& file) {
  if (has_cloud_name(file)) return;
  auto const extension = file.extension().string();
  throw cloud_error{complaint(
      file, "a name that ends in .bin, .ply, .pcd, .obj, .npy, .las, .laz, .xyz, .pts, .txt or .csv (or --format)",
      extension.empty() ? "a name without an extension" : excerpt(extension))};
}

}  // namespace

bool has_cloud_name(fs::path const& file) {
  constexpr std::string_view known[] = {".bin", ".ply", ".pcd", ".obj", ".npy", ".las",
                                        ".laz", ".xyz", ".pts", ".txt", ".csv"};
  return std::find(std::begin(known), std::end(known), lower(file.extension().string())) != std::end(known);
}

cloud parse_cloud(cloud_bytes const& file, std::optional<file_format> forced, bin_description const* described) {
  if (file.view().empty()) file.fail("a point cloud", "an empty file");
  auto result = described != nullptr ? read_described_bin(file, *described)
                : forced             ? read_as(file, *forced)
                                     : read_by_name(file);
  if (result.points.empty()) file.fail("at least one point", "a valid file of no points");
  return result;
}

std::optional<file_format> format_of_content(std::string_view bytes) {
  constexpr std::pair<std::string_view, file_format> starts[] = {
      {"LASF", file_format::las},      {"ply\n", file_format::ply},  {"ply\r", file_format::ply},
      {"\x93NUMPY", file_format::npy}, {"# .PCD", file_format::pcd}, {"VERSION", file_format::pcd},
      {"FIELDS", file_format::pcd},    {"v ", file_format::obj}};
  for (auto const& [start, format] : starts) {
    if (bytes.substr(0, start.size()) == start) return format;
  }
  auto const is_text = [](char c) { return c == '\t' || c == '\n' || c == '\r' || (c >= ' ' && c <= '~'); };
  auto const head = bytes.substr(0, 1024);
  if (!std::all_of(head.begin(), head.end(), is_text)) return std::nullopt;
  return head.find("\nv ") == std::string_view::npos ? file_format::text : file_format::obj;
}

cloud read_cloud(fs::path const& file, std::optional<file_format> forced) {
  if (file == standard_stream) {
    auto const bytes = cloud_bytes::from_standard_input();
    auto const format = forced ? forced : format_of_content(bytes.view());
    if (!format) bytes.fail("a cloud whose content shows its format (--format says which)", excerpt(bytes.view()));
    return parse_cloud(bytes, format);
  }
  expect_regular_file(file);
  if (!forced) expect_cloud_name(file);
  auto const description = description_of(file);
  bool const is_described = !forced && lower(file.extension().string()) == ".bin" && fs::exists(description);
  if (!is_described) return parse_cloud(cloud_bytes{file}, forced);
  auto const described = parse_bin_description(cloud_bytes{description});
  return parse_cloud(cloud_bytes{file}, forced, &described);
}

std::vector<fs::path> clouds_of_folder(fs::path const& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry{folder, error}; !error && entry != fs::directory_iterator{};
       entry.increment(error)) {
    bool const is_note = lower(entry->path().extension().string()) == ".txt";
    if (has_cloud_name(entry->path()) && !is_note && !entry->is_directory(error)) files.push_back(entry->path());
  }
  auto const fail = [&folder](char const* found) { throw file_error{complaint(folder, "a folder of clouds", found)}; };
  if (error) fail("one that cannot be read");
  if (files.empty()) fail("no .bin, .ply, .pcd, .obj, .npy, .las, .laz, .xyz, .pts or .csv in it");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace farpoint_tools

// farpoint demo: samples and voxelizes a point cloud, and shows the result in figures and pictures.
#include <fmt/format.h>
#include <farpoint/core/describe.hpp>
#include <farpoint/reference/fps.hpp>
#include <farpoint/reference/voxelize.hpp>
#include <farpoint/runtime.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <stdexcept>
#include <thread>

#include "cloud_writer.hpp"
#include "commands.hpp"
#include "coverage.hpp"
#include "figures.hpp"
#include "machine.hpp"
#include "progress.hpp"
#include "render.hpp"
#include "sampling.hpp"
#include "street_scene.hpp"
#include "voxels.hpp"

namespace farpoint_tools {

namespace runtime = farpoint::runtime;

namespace {

cloud load(demo_options const& options) {
  if (options.cloud_file.empty()) {
    return with_progress("simulating", [&] {
      return cloud{
          simulate_street_sweep(options.seed), fmt::format("simulated LiDAR sweep, seed {}", options.seed), {}};
    });
  }
  return with_progress("reading", [&] { return read_cloud(options.cloud_file, options.format); });
}

/// Calls `fps(clouds, params, output)` for one cloud, and trims the output to what was picked.
template <class Fps>
sampling<> collect(std::vector<point3> const& points, std::int64_t samples, std::int64_t first, Fps const& fps) {
  sampling<> picked{std::vector<std::int64_t>(static_cast<std::size_t>(samples)),
                    std::vector<float>(static_cast<std::size_t>(samples))};
  std::array<std::int64_t, 1> count{};
  farpoint::fps_params params;
  params.samples = samples;
  params.first = first;
  farpoint::fps_output<float> output;
  output.indices = picked.indices;
  output.distances = picked.distances;
  output.counts = count;
  if (auto const outcome = fps(farpoint::batch{farpoint::view_points(points)}, params, output); !outcome) {
    throw compute_error{farpoint::describe(outcome)};
  }
  picked.indices.resize(static_cast<std::size_t>(count[0]));
  picked.distances.resize(static_cast<std::size_t>(count[0]));
  return picked;
}

voxel_cloud make_voxels(std::vector<point3> const& points, demo_options const& options, int threads,
                        runtime::run_info& info) {
  auto const size = options.voxel_size > 0 ? options.voxel_size : choose_voxel_size(points);
  return with_progress("voxelizing", [&] {
    return collect_voxels(points, grid_around(points, size), options.voxel_limits,
                          [&](auto const& clouds, auto const& params, auto const& output) {
                            return runtime::voxelize(clouds, params, output, {options.backend, threads}, &info);
                          });
  });
}

/// "cloud.png": "cloud_voxels.png".
std::string voxel_picture_of(demo_options const& options) {
  if (!options.voxel_picture_file.empty()) return options.voxel_picture_file;
  std::filesystem::path const file{options.picture_file};
  auto const name = file.stem().string() + "_voxels" + file.extension().string();
  return (file.parent_path() / name).string();
}

void write_indices(std::vector<std::int64_t> const& indices, std::string const& file) {
  std::string text;
  for (auto const index : indices) text += fmt::format("{}\n", index);
  write_bytes(text, file);
}

/// Compares with the serial loop and prints the result. True if everything is equal, to the bit.
bool check_against_serial_loop(std::vector<point3> const& points, demo_options const& options, std::int64_t samples,
                               sampling<> const& picked) {
  auto const expected = with_progress("checking with the serial loop", [&] {
    return collect(points, samples, options.first, [](auto const& clouds, auto const& params, auto const& output) {
      return farpoint::reference::fps(clouds, params, output);
    });
  });
  bool const same_indices = picked.indices == expected.indices;
  bool const same_distances = picked.distances == expected.distances;
  print_row("check of samples",
            fmt::format("indices {}, distances {} the serial loop's", same_indices ? "equal" : "DIFFER from",
                        same_distances ? "equal" : "DIFFER from"));
  return same_indices && same_distances;
}

/// Compares the voxels with the serial loop; false, with a message, if they differ.
bool check_voxels(std::vector<point3> const& points, demo_options const& options, voxel_cloud const& voxels) {
  auto const expected = with_progress("checking with the serial loop", [&] {
    return collect_voxels(points, voxels.grid, options.voxel_limits,
                          [](auto const& clouds, auto const& params, auto const& output) {
                            return farpoint::reference::voxelize(clouds, params, output);
                          });
  });
  bool const same = equal_bits(voxels, expected);
  print_row("check of voxels",
            fmt::format("places, points and centroids {} the serial loop's", same ? "equal" : "DIFFER from"));
  return same;
}

void print_voxels(voxel_cloud const& voxels, std::size_t points, double seconds, demo_options const& options) {
  auto const& report = voxels.report;
  print_row("voxel size", fmt::format("{:g} m", voxels.grid.size[0]));
  print_row("voxels", fmt::format("{}", voxels.size()));
  print_row("mean points per voxel", fmt::format("{:.2f}", voxels.mean_points(points)));
  print_row("dropped", fmt::format("{} voxels with {} points", report.dropped_voxels, report.dropped_points));
  if (report.outside > 0) print_row("outside the grid", fmt::format("{} points", report.outside));
  print_row("not kept",
            fmt::format("{} points beyond {} per voxel", report.surplus_points, options.voxel_limits.max_points));
  print_row("time", fmt::format("{:.2f} ms", seconds * 1e3));
  print_row("picture", voxel_picture_of(options));
}

}  // namespace

int run_demo(demo_options const& options) {
  auto const input = load(options);
  auto const& points = input.points;
  auto const size = static_cast<std::int64_t>(points.size());
  if (options.first >= size) {
    throw usage_error{
        fmt::format("--first {}: the cloud has {} points, indices 0 to {}", options.first, size, size - 1)};
  }
  auto const finite = std::count_if(points.begin(), points.end(), is_finite);
  if (finite == 0) throw cloud_error{fmt::format("{}: none of its {} points is finite", options.cloud_file, size)};
  std::int64_t const samples = std::min(options.samples, size);
  int const threads =
      options.threads > 0 ? options.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));

  runtime::run_info info;
  auto const picked = with_progress("sampling", [&] {
    return collect(points, samples, options.first, [&](auto const& clouds, auto const& params, auto const& output) {
      return runtime::fps(clouds, params, output, {options.backend, threads}, &info);
    });
  });
  auto const backend = describe(info, options.backend);

  auto const count = picked.indices.size();
  std::vector<std::size_t> const parts{std::max<std::size_t>(count / 4, 1), std::max<std::size_t>(count / 2, 1), count};
  auto const radii =
      with_progress("measuring coverage", [&] { return coverage_radii(points, picked.indices, parts, threads); });
  with_progress("drawing", [&] {
    auto const caption = fmt::format("{} points   {} samples   backend {}", size, count, backend);
    write_png(render(points, picked.indices, caption), options.picture_file);
  });
  if (!options.indices_file.empty()) write_indices(picked.indices, options.indices_file);

  runtime::run_info voxel_info;
  auto const voxels = make_voxels(points, options, threads, voxel_info);
  with_progress("drawing", [&] {
    auto const caption = fmt::format("{} points   {} voxels   {:.1f} points per voxel   backend {}", size,
                                     voxels.size(), voxels.mean_points(points.size()), backend);
    write_png(render_voxels(points, voxels, caption), voxel_picture_of(options));
  });

  print_row("cloud", options.cloud_file.empty() ? "(none given)" : options.cloud_file);
  print_row("format", input.format);
  print_row("points", fmt::format("{}", size));
  print_row("finite points", fmt::format("{}", finite));
  print_row("samples", fmt::format("{}", count));
  print_row("backend", backend);
  print_row("time", fmt::format("{:.2f} ms", info.seconds * 1e3));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    print_row(fmt::format("coverage after {}", parts[i]), fmt::format("{:.3f} m", radii[i]));
  }
  print_row("picture", options.picture_file);
  if (!options.indices_file.empty()) print_row("indices", options.indices_file);
  fmt::print("\n");
  print_voxels(voxels, points.size(), voxel_info.seconds, options);
  if (!options.check) return 0;
  fmt::print("\n");
  std::fflush(stdout);
  bool const same_samples = check_against_serial_loop(points, options, samples, picked);
  return check_voxels(points, options, voxels) && same_samples ? 0 : exit_code::unequal;
}

}  // namespace farpoint_tools

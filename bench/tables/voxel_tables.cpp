// voxelize over a folder: what the published voxelizers' demonstrations print.
#include <farpoint/reference/voxelize.hpp>

#include "cloud_io.hpp"
#include "street_scene.hpp"
#include "tables.hpp"
#include "voxels.hpp"

namespace farpoint_tools {

namespace {

constexpr farpoint::hard limits{160'000, 32};

struct totals {
  double points = 0;
  double voxels = 0;
  double serial = 0;
  std::vector<double> times;
};

void add_cloud(std::vector<point3> const& points, float edge, tables_options const& options, totals& sum) {
  auto const grid = grid_around(points, edge);
  voxel_cloud expected;
  sum.serial += milliseconds_of(1, [&] {
    expected = collect_voxels(points, grid, limits, [](auto const& clouds, auto const& params, auto const& output) {
      return farpoint::reference::voxelize(clouds, params, output);
    });
  });
  auto const all = places(options);
  sum.times.resize(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    voxel_cloud found;
    sum.times[i] += milliseconds_at(all[i], options.repeats(), [&](auto const& where, auto& info) {
      found = collect_voxels(points, grid, limits, [&](auto const& clouds, auto const& params, auto const& output) {
        return farpoint::runtime::voxelize(clouds, params, output, where, &info);
      });
    });
    if (!equal_bits(found, expected)) {
      throw std::runtime_error{"voxelize: other voxels than the serial loop's, " + all[i].name};
    }
  }
  sum.points += static_cast<double>(points.size());
  sum.voxels += static_cast<double>(expected.size());
}

}  // namespace

std::string measure_voxels(tables_options const& options) {
  float const edge = 0.2F;
  totals sum;
  int files = 0;
  if (options.scans.empty()) {
    for (; files < (options.quick ? 1 : 6); ++files) {
      add_cloud(simulate_street_sweep(static_cast<std::uint64_t>(files) + 1), edge, options, sum);
    }
  } else {
    for (auto const& file : clouds_of_folder(options.scans)) {
      auto points = read_cloud(file).points;
      points.erase(std::remove_if(points.begin(), points.end(), [](auto const& p) { return !is_finite(p); }),
                   points.end());
      if (points.empty()) continue;
      add_cloud(points, edge, options, sum);
      ++files;
    }
    if (files == 0) throw std::runtime_error{options.scans.string() + ": no cloud with points"};
  }
  std::vector<std::pair<std::string, std::string>> times{{"serial loop", json_number(sum.serial / files)}};
  auto const all = places(options);
  for (std::size_t i = 0; i < all.size(); ++i) times.push_back({all[i].name, json_number(sum.times[i] / files)});
  return json_fields({{"files", std::to_string(files)},
                      {"clouds", json_text(options.scans.empty() ? "simulated sweeps" : "a folder of scans")},
                      {"edge_m", json_number(static_cast<double>(edge))},
                      {"points", json_number(sum.points / files)},
                      {"voxels", json_number(sum.voxels / files)},
                      {"same_bits", "true"},
                      {"ms", json_fields(times)}});
}

}  // namespace farpoint_tools

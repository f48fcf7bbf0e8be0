/// @file
/// Normals and centroids of voxels by farpoint and by other libraries on the host. See README.md.

#include "host_peers/problem.hpp"
#include "host_peers/register.hpp"
#include "peers/external/host_clouds.hpp"
#include "support/host_timing.hpp"
#include "support/problem_store.hpp"
#include "support/register_row.hpp"

#include <farpoint/core/workspace.hpp>
#include <farpoint/estimate_normals.hpp>
#include <farpoint/voxelize.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace farpoint_bench {
namespace {

constexpr float voxel_edge = 0.2f;  // m

/// Upper triangle of a covariance: xx, xy, xz, yy, yz, zz.
using covariance = std::array<double, 6>;

covariance covariance_of(std::vector<float> const& xyz, std::int32_t const* indices, std::size_t k) {
  double mean[3] = {};
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      mean[axis] += double{xyz[3 * static_cast<std::size_t>(indices[j]) + axis]};
  }
  covariance c{};
  for (std::size_t j = 0; j < k; ++j) {
    float const* const p = &xyz[3 * static_cast<std::size_t>(indices[j])];
    double d[3];
    for (int axis = 0; axis < 3; ++axis) d[axis] = double{p[axis]} - mean[axis] / static_cast<double>(k);
    c[0] += d[0] * d[0], c[1] += d[0] * d[1], c[2] += d[0] * d[2];
    c[3] += d[1] * d[1], c[4] += d[1] * d[2], c[5] += d[2] * d[2];
  }
  return c;
}

/// In closed form (Smith 1961).
double smallest_eigenvalue(covariance const& c) {
  double const mean = (c[0] + c[3] + c[5]) / 3;
  double const off = c[1] * c[1] + c[2] * c[2] + c[4] * c[4];
  double const a = c[0] - mean;
  double const b = c[3] - mean;
  double const e = c[5] - mean;
  double const p = std::sqrt((a * a + b * b + e * e + 2 * off) / 6);
  if (p == 0) return mean;
  double const det = a * (b * e - c[4] * c[4]) - c[1] * (c[1] * e - c[4] * c[2]) + c[2] * (c[1] * c[4] - b * c[2]);
  double const angle = std::acos(std::min(1.0, std::max(-1.0, det / (2 * p * p * p)))) / 3;
  return mean + 2 * p * std::cos(angle + 2 * 3.14159265358979323846 / 3);
}

/// Points of a cell, and the sum of their coordinates.
struct cell_sum {
  double xyz[3] = {};
  double points = 0;
};
using cell_key = std::array<long, 3>;

cell_key cell_of(float const* p) {
  cell_key cell;
  for (std::size_t axis = 0; axis < 3; ++axis) cell[axis] = std::lround(std::floor(p[axis] / voxel_edge));
  return cell;
}

/// A cloud, brute force's neighbors of some of its points, and its voxels by a map.
class cloud_problem {
 public:
  cloud_problem(knn_row const& row, std::vector<float> const& scan) : search_{row, scan} {
    for (std::size_t i = 0; i < xyz().size(); i += 3) {
      cell_sum& cell = cells_[cell_of(&xyz()[i])];
      for (std::size_t axis = 0; axis < 3; ++axis) cell.xyz[axis] += double{xyz()[i + axis]};
      cell.points += 1;
    }
  }

  knn_row const& row() const { return search_.row(); }
  std::vector<float> const& xyz() const { return search_.xyz(); }
  host_search_problem<float>::clouds points() const { return search_.points(); }
  std::size_t voxels() const { return cells_.size(); }

  /// Throws unless the spread along the normals of some points is the least there is, up to rounding.
  void expect_normals(std::vector<float> const& normals) const {
    search_.for_each_checked([&](std::size_t point, std::int32_t const* neighbors) {
      covariance const c = covariance_of(xyz(), neighbors, search_.k());
      double const x = double{normals[3 * point]};
      double const y = double{normals[3 * point + 1]};
      double const z = double{normals[3 * point + 2]};
      double const spread = x * (c[0] * x + 2 * (c[1] * y + c[2] * z)) + y * (c[3] * y + 2 * c[4] * z) + z * c[5] * z;
      bool const is_unit = std::fabs(x * x + y * y + z * z - 1) < 1e-3;
      if (is_unit && spread <= smallest_eigenvalue(c) + 1e-3 * (c[0] + c[3] + c[5])) return;
      throw std::runtime_error{"MISMATCH, " + row().name() + ": normal of point " + std::to_string(point)};
    });
  }

  /// Throws if more than a thousandth of the voxels differ from the map: some peers multiply by an inverse instead of
  /// dividing, which moves some points to the next voxel.
  void expect_centroids(std::vector<float> const& centroids) const {
    std::size_t same = 0;
    for (std::size_t i = 0; i < centroids.size(); i += 3) {
      auto const found = cells_.find(cell_of(&centroids[i]));
      if (found == cells_.end()) continue;
      bool near = true;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        double const right = found->second.xyz[axis] / found->second.points;
        near = near && std::fabs(double{centroids[i + axis]} - right) < 1e-3;
      }
      same += near ? 1 : 0;
    }
    std::size_t const all = std::max(voxels(), centroids.size() / 3);
    if (1000 * (all - same) <= all) return;
    throw std::runtime_error{"MISMATCH, " + row().name() + ": " + std::to_string(same) + " right centroids of " +
                             std::to_string(all)};
  }

 private:
  host_search_problem<float> search_;
  std::map<cell_key, cell_sum> cells_;
};

using cloud_store = problem_store<cloud_problem, knn_row>;

template <class Body>
void add(char const* suite, knn_row const& row, std::string const& who, int threads,
         std::shared_ptr<cloud_store> const& problems, Body body) {
  register_row(std::string{suite} + "/" + row.name() + "/" + who + "_threads_" + std::to_string(threads), row.calls,
               [row, body, threads, problems](benchmark::State& state) {
                 cloud_problem const& p = (*problems)[row];
                 body(state, p);
                 row.count(state);
                 state.counters["host_threads"] = threads;
               });
}

/// 12 bytes of a point in, 12 of a row out.
workload work_of(cloud_problem const& p, std::size_t rows) {
  auto const points = static_cast<double>(p.row().points);
  return {points, 0, 12 * (points + static_cast<double>(rows))};
}

template <class Call>
void time_normals(benchmark::State& state, cloud_problem const& p, Call const& call) {
  std::vector<float> normals(p.xyz().size());
  time_blocking_calls(state, work_of(p, normals.size() / 3), [&] { call(normals); });
  p.expect_normals(normals);
  state.SetLabel("some normals have the least spread");
}

void farpoint_normals(benchmark::State& state, cloud_problem const& p, int threads) {
  farpoint::host_exec const exec{threads};
  farpoint::normals_params params;
  params.k = p.row().k;
  farpoint::host_scratch const workspace{farpoint::estimate_normals_workspace_bytes(exec, p.points(), params)};
  time_normals(state, p, [&](std::vector<float>& normals) {
    check(farpoint::estimate_normals(exec, p.points(), params, farpoint::normals_output<float>{normals}, workspace),
          "farpoint::estimate_normals");
  });
}

template <class Call>
void time_centroids(benchmark::State& state, cloud_problem const& p, Call const& call) {
  std::vector<float> centroids;
  time_blocking_calls(state, work_of(p, p.voxels()), [&] { call(centroids); });
  p.expect_centroids(centroids);
  state.SetLabel("centroids are near those of a map");
  state.counters["voxels"] = static_cast<double>(centroids.size() / 3);
}

farpoint::voxel_grid<float> grid_around(std::vector<float> const& xyz) {
  farpoint::vec<float> lower{{xyz[0], xyz[1], xyz[2]}};
  farpoint::vec<float> upper = lower;
  for (std::size_t i = 0; i < xyz.size(); ++i) {
    int const axis = static_cast<int>(i % 3);
    lower[axis] = std::min(lower[axis], xyz[i]);
    upper[axis] = std::max(upper[axis], xyz[i]);
  }
  for (int axis = 0; axis < 3; ++axis) {
    lower[axis] = std::floor(lower[axis] / voxel_edge) * voxel_edge;
    upper[axis] = (std::floor(upper[axis] / voxel_edge) + 1) * voxel_edge;
  }
  return farpoint::voxel_grid<float>::from_range(lower, upper, {{voxel_edge, voxel_edge, voxel_edge}});
}

/// The box around the points is found in the call, as by peers.
void farpoint_centroids(benchmark::State& state, cloud_problem const& p, int threads) {
  farpoint::host_exec const exec{threads};
  auto const rows = p.row().points;
  std::vector<float> room(p.xyz().size());
  farpoint::voxelize_params<float> params;
  farpoint::voxelize_output<float> output;
  std::int32_t voxels = 0;
  output.capacity = rows;
  output.centroid = room;
  output.voxel_count = farpoint::span<std::int32_t>{&voxels, 1};
  farpoint::host_scratch const workspace{farpoint::voxelize_workspace_bytes(exec, p.points(), params, output)};
  time_centroids(state, p, [&](std::vector<float>& centroids) {
    params.grid = grid_around(p.xyz());
    check(farpoint::voxelize(exec, p.points(), params, output, workspace), "farpoint::voxelize");
    centroids.assign(room.begin(), room.begin() + 3 * voxels);
  });
}

void register_row_of(knn_row const& row, std::shared_ptr<cloud_store> const& problems) {
  for (int const threads : thread_counts()) {
    for (host_cloud_peer const& peer : host_cloud_peers()) {
      add("host_normals", row, peer.name, threads, problems, [=](benchmark::State& state, cloud_problem const& p) {
        auto const cloud = peer.make(p.xyz().data(), p.xyz().size() / 3);
        time_normals(state, p, [&](std::vector<float>& normals) {
          cloud->normals(static_cast<int>(p.row().k), threads, normals.data());
        });
      });
    }
    add("host_normals", row, "farpoint", threads, problems,
        [=](benchmark::State& state, cloud_problem const& p) { farpoint_normals(state, p, threads); });
  }
  for (host_cloud_peer const& peer : host_cloud_peers()) {
    add("host_centroids", row, peer.name, 1, problems, [=](benchmark::State& state, cloud_problem const& p) {
      auto const cloud = peer.make(p.xyz().data(), p.xyz().size() / 3);
      time_centroids(state, p, [&](std::vector<float>& centroids) { cloud->centroids(voxel_edge, centroids); });
    });
  }
  for (int const threads : thread_counts()) {
    add("host_centroids", row, "farpoint", threads, problems,
        [=](benchmark::State& state, cloud_problem const& p) { farpoint_centroids(state, p, threads); });
  }
}

}  // namespace

std::shared_ptr<void> register_clouds(std::vector<named_scan> const& scans) {
  auto const problems = std::make_shared<cloud_store>(scans);
  register_row_of({115'200, 16, knn_cloud::lidar, 5}, problems);
  for (named_scan const& scan : problems->scans()) {
    auto const points = static_cast<farpoint::index_t>(scan.xyz.size() / 3);
    register_row_of({points, 16, knn_cloud::scan, 5, scan.name.c_str()}, problems);
  }
  return problems;
}

}  // namespace farpoint_bench

// The voxels of a cloud that no rank has all of. Ranks are threads here; with MPI or NCCL they are processes, and the
// communicator is another one. All rows together have the bits of one call for the whole cloud.
#include <farpoint/scale/gather_voxels.hpp>
#include <farpoint/scale/voxelize_shard.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "ranks_of_threads.hpp"

namespace {

using example::point;
using view = farpoint::point_view<float>;

/// Results of a rank.
struct rank_rows {
  farpoint::result outcome;
  std::vector<float> centroids;
  std::vector<farpoint::index_t> numbers;  // numbers of its voxels in the whole cloud
  farpoint::voxelize_report report;        // counts of the whole cloud
  std::vector<float> all;                  // centroids of all ranks' voxels
};

template <class Communicator>
rank_rows work_of_a_rank(Communicator communicator, std::vector<point> const& mine, farpoint::index_t first_index,
                         farpoint::voxelize_params<float> const& params, farpoint::index_t all_points) {
  rank_rows rows;
  farpoint::host_exec const exec{1};
  farpoint::shard<view> const part{farpoint::view_points(mine), first_index};

  // Sized for a rank that owns all voxels. Usually ranks own about equal parts.
  auto const most = static_cast<std::size_t>(all_points);
  rows.centroids.resize(most * 3);
  rows.numbers.resize(most);
  farpoint::voxelize_shard_output<float> output;
  output.rows.capacity = all_points;
  output.rows.centroid = rows.centroids;
  output.rows.report = &rows.report;
  std::vector<std::int32_t> own(1);
  output.rows.voxel_count = own;
  output.numbers = rows.numbers;
  output.received_capacity = all_points;

  farpoint::host_scratch const workspace{
      voxelize_shard_workspace_bytes(exec, communicator.ranks(), part, params, output)};
  rows.outcome = voxelize_shard(exec, communicator, part, params, output, workspace);
  if (!rows.outcome) return rows;

  // A rank that can hold all voxels may gather them.
  //! [gather]
  rows.all.resize(most * 3);
  farpoint::voxelize_output<float> all;
  all.capacity = all_points;
  all.centroid = rows.all;
  farpoint::host_scratch const room{gather_voxels_workspace_bytes(communicator.ranks(), params, output, all)};
  rows.outcome = gather_voxels(exec, communicator, params, output, all, room);
  //! [gather]
  rows.numbers.resize(static_cast<std::size_t>(own[0]));
  return rows;
}

}  // namespace

int main() {
  example::shared_cloud cloud{{}, {0, 11000, 11000, 20000}};  // the second rank has no points
  for (int i = 0; i < 20000; ++i) {
    cloud.points.push_back({static_cast<float>(i * 37 % 1009) * 0.01f, static_cast<float>(i * 71 % 2003) * 0.01f,
                            static_cast<float>(i * 13 % 307) * 0.01f});
  }
  farpoint::voxelize_params<float> params;
  params.grid = farpoint::voxel_grid<float>::from_range({{0, 0, 0}}, {{10, 20, 3}}, {{0.5f, 0.5f, 0.5f}});
  params.mode = farpoint::hard{4000, 6};

  auto const rows =
      example::on_every_rank(cloud, [&](auto communicator, auto const& mine, farpoint::index_t first_index) {
        return work_of_a_rank(communicator, mine, first_index, params, cloud.begins.back());
      });

  // One call for the whole cloud has the same rows, at these numbers.
  auto const expected = farpoint::voxelize(cloud.points, params);
  std::size_t voxels = 0;
  for (auto const& of_rank : rows) {
    if (!of_rank.outcome) {
      std::fprintf(stderr, "%s\n", of_rank.outcome.reason);
      return 1;
    }
    if (!std::equal(expected.centroids.begin(), expected.centroids.end(), of_rank.all.begin())) {
      std::fprintf(stderr, "what a rank has gathered is not what one call gives\n");
      return 1;
    }
    for (std::size_t row = 0; row < of_rank.numbers.size(); ++row, ++voxels) {
      auto const number = static_cast<std::size_t>(of_rank.numbers[row]);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (of_rank.centroids[row * 3 + axis] != expected.centroids[number * 3 + axis]) {
          std::fprintf(stderr, "voxel %zu has another centroid\n", number);
          return 1;
        }
      }
    }
  }
  if (voxels != expected.report.voxels || rows[0].report.surplus_points != expected.report.surplus_points) return 1;
  std::printf("%zu points on %zu ranks: %zu voxels\n", cloud.points.size(), rows.size(), voxels);
  return 0;
}

// Nearest neighbors in a map whose tiles lie on several ranks: only queries near the borders of tiles travel. The
// answers have the bits of one call for the whole map. If points are dealt out at random instead, repartition() gives
// each rank a compact part first, which is indexed once and searched often.
#include <farpoint/estimate_normals.hpp>
#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/scale/knn_shard.hpp>
#include <farpoint/scale/neighborhood_shard.hpp>
#include <farpoint/scale/repartition.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "ranks_of_threads.hpp"

namespace {

using example::point;
using view = farpoint::point_view<float>;

constexpr farpoint::index_t k = 8;

struct rank_rows : example::rank_lists {
  farpoint::index_t exchanged = 0;
};

template <class Communicator>
rank_rows work_of_a_rank(Communicator communicator, std::vector<point> const& mine, farpoint::index_t first_index) {
  rank_rows rows;
  farpoint::host_exec const exec{1};
  farpoint::shard<view> const part{farpoint::view_points(mine), first_index};
  rows.indices.resize(mine.size() * k);
  rows.distances.resize(mine.size() * k);
  farpoint::knn_shard_output<float> output;
  output.indices = rows.indices;
  output.distances = rows.distances;

  // The neighbors of the rank's own points: first among the rank's points, then among those of other ranks.
  //! [plan]
  farpoint::knn_params const params{k};
  farpoint::host_scratch const workspace{
      knn_shard_plan_workspace_bytes(exec, communicator.ranks(), part, part.points, params, output)};
  auto search = knn_shard_plan(exec, communicator, part, part.points, params, output, workspace);
  farpoint::host_scratch const room{search.workspace_bytes()};
  rows.outcome = search.run(room);
  //! [plan]
  rows.exchanged = search.exchanged();
  return rows;
}

/// Points that a rank owns, and what it finds out about them.
struct owned_part {
  farpoint::result outcome;
  std::vector<float> points;
  std::vector<farpoint::index_t> indices;
  std::vector<float> heights;
  example::rank_lists lists;
  std::vector<float> normals;
  std::vector<float> means;
};

/// Makes both halves of a call: `plan(workspace)` is the first, which needs `size` bytes.
template <class Plan>
farpoint::result in_two_halves(std::size_t size, Plan const& plan) {
  farpoint::host_scratch const workspace{size};
  auto search = plan(workspace);
  farpoint::host_scratch const room{search.workspace_bytes()};
  return search.run(room);
}

/// Neighbors of the points that a rank owns, their normals and mean distances, and heights from those of the neighbors.
template <class Planned>
farpoint::result search_owned_part(farpoint::thread_communicator communicator, Planned const& moved, owned_part& own) {
  farpoint::host_exec const exec{1};
  int const ranks = communicator.ranks();
  //! [index]
  view const owned{own.points.data(), moved.owned()};
  farpoint::host_scratch const memory{point_bvh_bytes(exec, farpoint::batch{owned})};
  farpoint::point_bvh<float> bvh;
  farpoint::result outcome = build_point_bvh(exec, farpoint::batch{owned}, memory, bvh);  // once, for all searches
  farpoint::indexed_shard const part{farpoint::shard<view>{owned}, bvh, own.indices, moved.owners()};
  //! [index]
  own.lists.indices.resize(own.indices.size() * k);
  own.lists.distances.resize(own.lists.indices.size());
  own.normals.resize(own.points.size());
  own.means.resize(own.indices.size());

  //! [searches]
  farpoint::knn_shard_output<float> lists;
  lists.indices = own.lists.indices;
  lists.distances = own.lists.distances;
  farpoint::knn_params const params{k};
  outcome = in_two_halves(knn_shard_plan_workspace_bytes(exec, ranks, part, owned, params, lists),
                          [&](farpoint::bytes workspace) {
                            return knn_shard_plan(exec, communicator, part, owned, params, lists, workspace);
                          });
  //! [searches]
  if (!outcome) return outcome;

  //! [normals]
  farpoint::normals_params wanted;
  wanted.k = k;
  farpoint::normals_output<float> output;
  output.normals = own.normals;
  outcome = in_two_halves(estimate_normals_shard_plan_workspace_bytes(exec, ranks, part, wanted, output),
                          [&](farpoint::bytes workspace) {
                            return estimate_normals_shard_plan(exec, communicator, part, wanted, output, workspace);
                          });
  //! [normals]
  if (!outcome) return outcome;
  outcome = in_two_halves(mean_knn_distance_shard_plan_workspace_bytes(exec, ranks, part, {k}, {own.means}),
                          [&](farpoint::bytes workspace) {
                            return mean_knn_distance_shard_plan(exec, communicator, part, {k}, {own.means}, workspace);
                          });
  if (!outcome) return outcome;
  // A query at a point gets the height of this point.
  std::vector<float> between(own.heights.size());
  farpoint::interpolate_output const heights{between};
  outcome = in_two_halves(interpolate_shard_plan_workspace_bytes(exec, ranks, part, own.heights, owned, 1, heights),
                          [&](farpoint::bytes workspace) {
                            return interpolate_shard_plan(exec, communicator, part, own.heights, owned, 1, heights,
                                                          workspace);
                          });
  if (outcome && between != own.heights) return {farpoint::status::bad_argument, 0, "a point has another height"};
  return outcome;
}

owned_part part_of_an_owner(farpoint::thread_communicator communicator, std::vector<point> const& mine,
                            farpoint::index_t first_index) {
  owned_part part_of_map;
  farpoint::host_exec const exec{1};
  farpoint::shard<view> const part{farpoint::view_points(mine), first_index};
  std::vector<float> heights;
  for (point const& p : mine) heights.push_back(p[2]);

  //! [repartition]
  farpoint::host_scratch const workspace{repartition_plan_workspace_bytes(exec, communicator.ranks(), part)};
  auto moved = repartition_plan(exec, communicator, part, workspace);
  auto const owned = static_cast<std::size_t>(moved.owned());
  part_of_map.points.resize(owned * 3);
  part_of_map.indices.resize(owned);
  farpoint::host_scratch const room{moved.workspace_bytes()};
  part_of_map.outcome = moved.run({part_of_map.points, part_of_map.indices}, room);
  //! [repartition]
  if (!part_of_map.outcome) return part_of_map;

  //! [features]
  part_of_map.heights.resize(owned);
  farpoint::host_scratch const space{moved.features_workspace_bytes<float>(1)};
  part_of_map.outcome = moved.send_features<float>(heights, 1, part_of_map.heights, space);
  //! [features]
  if (!part_of_map.outcome) return part_of_map;
  part_of_map.outcome = search_owned_part(communicator, moved, part_of_map);
  return part_of_map;
}

/// Deals the points of a map out at random, and checks what the owners get.
bool check_repartition(example::shared_cloud map) {
  std::vector<point> const tiles = map.points;
  for (std::size_t i = 0; i < tiles.size(); ++i) map.points[i] = tiles[i * 7919 % tiles.size()];
  auto const parts = example::on_every_rank(map, part_of_an_owner);
  // One call for the whole cloud.
  auto const expected = farpoint::knn(map.points, k);
  farpoint::normals_params wanted;
  wanted.k = k;
  auto const normals = farpoint::estimate_normals(map.points, wanted).normals;
  auto const means = farpoint::mean_knn_distance(map.points, k);
  std::size_t owned = 0;
  for (auto const& part : parts) {
    if (!part.outcome) {
      std::fprintf(stderr, "%s\n", part.outcome.reason);
      return false;
    }
    for (std::size_t i = 0; i < part.indices.size(); ++i) {
      auto const& p = map.points[static_cast<std::size_t>(part.indices[i])];
      if (part.points[3 * i] != p[0] || part.points[3 * i + 2] != p[2] || part.heights[i] != p[2]) return false;
      auto const row = static_cast<std::ptrdiff_t>(part.indices[i] * k);
      auto const own = part.lists.indices.begin() + static_cast<std::ptrdiff_t>(i) * k;
      if (!std::equal(own, own + k, expected.indices.begin() + row)) return false;
      auto const at = static_cast<std::size_t>(part.indices[i]);
      if (!std::equal(&part.normals[3 * i], &part.normals[3 * i] + 3, &normals[3 * at])) return false;
      if (part.means[i] != means[at]) return false;
    }
    owned += part.indices.size();
  }
  return owned == map.points.size();
}

}  // namespace

int main() {
  example::shared_cloud const map = example::map_of_tiles();
  auto const rows = example::on_every_rank(map, work_of_a_rank<farpoint::thread_communicator>);

  auto const expected = farpoint::knn(map.points, k);
  farpoint::index_t exchanged = 0;
  std::size_t at = 0;
  for (auto const& own : rows) {
    if (!own.outcome) {
      std::fprintf(stderr, "%s\n", own.outcome.reason);
      return 1;
    }
    exchanged += own.exchanged;
    for (std::size_t i = 0; i < own.indices.size(); ++i, ++at) {
      if (own.indices[i] != expected.indices[at] || own.distances[i] != expected.distances[at]) {
        std::fprintf(stderr, "entry %zu is another neighbor\n", at);
        return 1;
      }
    }
  }
  if (!check_repartition(map)) {
    std::fprintf(stderr, "an owner has other points\n");
    return 1;
  }
  std::printf("%zu points on %zu ranks, of which at most %lld were asked of another rank\n", map.points.size(),
              rows.size(), static_cast<long long>(exchanged));
  return 0;
}

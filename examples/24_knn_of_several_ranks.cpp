// Nearest neighbors in a map whose tiles lie on several ranks: only queries near the borders of tiles travel. The
// answer has the bits of one call for the whole map.
#include <farpoint/scale/knn_shard.hpp>

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
  farpoint::exact const method{};
  farpoint::host_scratch const workspace{
      knn_shard_plan_workspace_bytes(exec, communicator.ranks(), part, part.points, method, k, output)};
  auto search = knn_shard_plan(exec, communicator, part, part.points, method, k, output, workspace);
  farpoint::host_scratch const room{search.workspace_bytes()};
  rows.outcome = search.run(room);
  //! [plan]
  rows.exchanged = search.exchanged();
  return rows;
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
  std::printf("%zu points on %zu ranks, of which at most %lld were asked of another rank\n", map.points.size(),
              rows.size(), static_cast<long long>(exchanged));
  return 0;
}

// Balls around the points of a map whose tiles lie on several ranks: only queries near the borders of tiles travel. The
// answer has the bits of one call for the whole map.
#include <farpoint/radius.hpp>
#include <farpoint/scale/radius_shard.hpp>

#include <cstdio>
#include <vector>

#include "ranks_of_threads.hpp"

namespace {

using example::point;
using view = farpoint::point_view<float>;

constexpr farpoint::index_t ball_size = 16;

farpoint::radius_params ball() {
  farpoint::radius_params params;
  params.radius = 0.25;
  params.max_neighbors = ball_size;
  return params;
}

struct rank_balls : example::rank_lists {
  std::vector<farpoint::index_t> counts;
  farpoint::index_t exchanged = 0;
};

template <class Communicator>
rank_balls work_of_a_rank(Communicator communicator, std::vector<point> const& mine, farpoint::index_t first_index) {
  rank_balls balls;
  farpoint::radius_params const params = ball();
  farpoint::host_exec const exec{1};
  farpoint::shard<view> const part{farpoint::view_points(mine), first_index};
  balls.indices.resize(mine.size() * ball_size);
  balls.distances.resize(mine.size() * ball_size);
  balls.counts.resize(mine.size());
  farpoint::radius_shard_output<float> output;
  output.indices = balls.indices;
  output.distances = balls.distances;
  output.counts = balls.counts;

  // Around the rank's own points: first among the rank's points, then among those of other ranks.
  //! [plan]
  farpoint::host_scratch const workspace{
      radius_shard_plan_workspace_bytes(exec, communicator.ranks(), part, part.points, params, output)};
  auto search = radius_shard_plan(exec, communicator, part, part.points, params, output, workspace);
  farpoint::host_scratch const room{search.workspace_bytes()};
  balls.outcome = search.run(room);
  //! [plan]
  balls.exchanged = search.exchanged();
  return balls;
}

}  // namespace

int main() {
  example::shared_cloud const map = example::map_of_tiles();
  auto const balls = example::on_every_rank(map, work_of_a_rank<farpoint::thread_communicator>);

  auto const expected = farpoint::radius(map.points, ball());
  farpoint::index_t exchanged = 0;
  std::size_t row = 0;
  for (auto const& own : balls) {
    if (!own.outcome) {
      std::fprintf(stderr, "%s\n", own.outcome.reason);
      return 1;
    }
    exchanged += own.exchanged;
    for (std::size_t i = 0; i < own.counts.size(); ++i, ++row) {
      bool right = own.counts[i] == expected.counts[row];
      for (std::size_t j = 0; j < ball_size; ++j) {
        right = right && own.indices[i * ball_size + j] == expected.indices[row * ball_size + j] &&
                own.distances[i * ball_size + j] == expected.distances[row * ball_size + j];
      }
      if (!right) {
        std::fprintf(stderr, "the ball around point %zu has other points\n", row);
        return 1;
      }
    }
  }
  std::printf("%zu balls on %zu ranks, of which at most %lld were asked of another rank\n", row, balls.size(),
              static_cast<long long>(exchanged));
  return 0;
}

// Farthest points of a map whose tiles lie on several ranks: every rank gets all samples, and points stay where they
// are. The answer has the bits of one call for the whole map.
#include <farpoint/fps.hpp>
#include <farpoint/scale/fps_shard.hpp>

#include <cstdio>
#include <vector>

#include "ranks_of_threads.hpp"

namespace {

using example::point;
using view = farpoint::point_view<float>;

struct rank_samples : example::rank_lists {
  farpoint::index_t exchanges = 0;
};

template <class Communicator>
rank_samples work_of_a_rank(Communicator communicator, std::vector<point> const& mine, farpoint::index_t first_index,
                            farpoint::index_t samples) {
  rank_samples picks;
  farpoint::host_exec const exec{1};
  farpoint::shard<view> const part{farpoint::view_points(mine), first_index};
  farpoint::fps_params params;
  params.samples = samples;
  picks.indices.resize(static_cast<std::size_t>(samples));
  picks.distances.resize(static_cast<std::size_t>(samples));
  farpoint::fps_shard_output<float> output;
  output.indices = picks.indices;
  output.distances = picks.distances;
  output.exchanges = &picks.exchanges;

  farpoint::host_scratch const workspace{fps_shard_workspace_bytes(exec, communicator.ranks(), part, params, output)};
  picks.outcome = fps_shard(exec, communicator, part, params, output, workspace);
  return picks;
}

}  // namespace

int main() {
  constexpr farpoint::index_t samples = 500;
  example::shared_cloud const map = example::map_of_tiles();
  auto const picks =
      example::on_every_rank(map, [](auto communicator, auto const& mine, farpoint::index_t first_index) {
        return work_of_a_rank(communicator, mine, first_index, samples);
      });

  auto const expected = farpoint::fps(map.points, samples);
  for (auto const& own : picks) {
    if (!own.outcome) {
      std::fprintf(stderr, "%s\n", own.outcome.reason);
      return 1;
    }
    for (std::size_t i = 0; i < expected.indices.size(); ++i) {
      if (own.indices[i] != expected.indices[i] || own.distances[i] != expected.distances[i]) {
        std::fprintf(stderr, "sample %zu is another point\n", i);
        return 1;
      }
    }
  }
  std::printf("%zu points on %zu ranks, %zu samples after %lld exchanges\n", map.points.size(), picks.size(),
              expected.indices.size(), static_cast<long long>(picks[0].exchanges));
  return 0;
}

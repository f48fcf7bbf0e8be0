// Farthest points of a map whose tiles lie on several ranks: every rank gets all samples, and points stay where they
// are. The answer has the bits of one call for the whole map.
#include <farpoint/fps.hpp>
#include <farpoint/scale/fps_shard.hpp>
#include <farpoint/scale/thread_communicator.hpp>

#include <array>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

using point = std::array<float, 3>;
using view = farpoint::point_view<float>;

struct rank_samples {
  farpoint::result outcome;
  std::vector<farpoint::index_t> indices;  // into the whole map
  std::vector<float> distances;
  farpoint::index_t exchanges = 0;
};

template <class Communicator>
rank_samples work_of_a_rank(Communicator communicator, std::vector<point> const& mine, farpoint::index_t first_index,
                            farpoint::index_t samples) {
  rank_samples picks;
  //! [rank]
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
  //! [rank]
  return picks;
}

}  // namespace

int main() {
  // Tile after tile along x.
  constexpr int ranks = 3;
  constexpr std::size_t of_tile = 3000;
  constexpr farpoint::index_t samples = 500;
  std::vector<point> map;
  for (int i = 0; i < ranks * int{of_tile}; ++i) {
    map.push_back({static_cast<float>(i / 60) * 0.1f, static_cast<float>(i * 37 % 61) * 0.1f,
                   static_cast<float>(i * 13 % 7) * 0.01f});
  }

  std::array<rank_samples, ranks> picks;
  farpoint::thread_ranks group{ranks};
  std::vector<std::thread> team;
  for (int rank = 0; rank < ranks; ++rank) {
    team.emplace_back([&, rank] {
      auto const begin = map.begin() + rank * std::ptrdiff_t{of_tile};
      std::vector<point> const mine(begin, begin + std::ptrdiff_t{of_tile});
      picks[static_cast<std::size_t>(rank)] =
          work_of_a_rank(farpoint::thread_communicator{group, rank}, mine, rank * farpoint::index_t{of_tile}, samples);
    });
  }
  for (auto& thread : team) thread.join();

  auto const expected = farpoint::fps(map, samples);
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
  std::printf("%zu points on %d ranks, %zu samples after %lld exchanges\n", map.size(), ranks, expected.indices.size(),
              static_cast<long long>(picks[0].exchanges));
  return 0;
}

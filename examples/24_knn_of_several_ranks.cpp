// Nearest neighbours in a map whose tiles lie on several ranks: only queries near the borders of tiles travel. The
// answer has the bits of one call for the whole map.
#include <farpoint/scale/knn_shard.hpp>
#include <farpoint/scale/thread_communicator.hpp>

#include <array>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

using point = std::array<float, 3>;
using view = farpoint::point_view<float>;

constexpr farpoint::index_t k = 8;

struct rank_rows {
  farpoint::result outcome;
  std::vector<farpoint::index_t> indices;  // into the whole map
  std::vector<float> distances;
  farpoint::index_t exchanged = 0;
};

template <class Communicator>
rank_rows work_of_a_rank(Communicator communicator, std::vector<point> const& mine, farpoint::index_t first_index) {
  rank_rows rows;
  //! [rank]
  farpoint::host_exec const exec{1};
  farpoint::shard<view> const part{farpoint::view_points(mine), first_index};
  rows.indices.resize(mine.size() * k);
  rows.distances.resize(mine.size() * k);
  farpoint::knn_shard_output<float> output;
  output.indices = rows.indices;
  output.distances = rows.distances;
  output.exchanged_capacity = 2000;  // queries near borders
  output.exchanged = &rows.exchanged;

  // The neighbours of the rank's own points.
  farpoint::exact const method{};
  farpoint::host_scratch const workspace{
      knn_shard_workspace_bytes(exec, communicator.ranks(), part, part.points, method, k, output)};
  rows.outcome = knn_shard(exec, communicator, part, part.points, method, k, output, workspace);
  //! [rank]
  return rows;
}

}  // namespace

int main() {
  // Tile after tile along x.
  constexpr int ranks = 3;
  constexpr std::size_t of_tile = 3000;
  std::vector<point> map;
  for (int i = 0; i < ranks * int{of_tile}; ++i) {
    map.push_back({static_cast<float>(i / 60) * 0.1f, static_cast<float>(i * 37 % 61) * 0.1f,
                   static_cast<float>(i * 13 % 7) * 0.01f});
  }

  std::array<rank_rows, ranks> rows;
  farpoint::thread_ranks group{ranks};
  std::vector<std::thread> team;
  for (int rank = 0; rank < ranks; ++rank) {
    team.emplace_back([&, rank] {
      auto const begin = map.begin() + rank * std::ptrdiff_t{of_tile};
      std::vector<point> const mine(begin, begin + std::ptrdiff_t{of_tile});
      rows[static_cast<std::size_t>(rank)] =
          work_of_a_rank(farpoint::thread_communicator{group, rank}, mine, rank * farpoint::index_t{of_tile});
    });
  }
  for (auto& thread : team) thread.join();

  auto const expected = farpoint::knn(map, k);
  farpoint::index_t exchanged = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (!rows[rank].outcome) {
      std::fprintf(stderr, "%s\n", rows[rank].outcome.reason);
      return 1;
    }
    exchanged += rows[rank].exchanged;
    for (std::size_t i = 0; i < of_tile * k; ++i) {
      std::size_t const at = rank * of_tile * k + i;
      if (rows[rank].indices[i] != expected.indices[at] || rows[rank].distances[i] != expected.distances[at]) {
        std::fprintf(stderr, "entry %zu is another neighbour\n", at);
        return 1;
      }
    }
  }
  std::printf("%zu points on %d ranks, of which at most %lld were asked of another rank\n", map.size(), ranks,
              static_cast<long long>(exchanged));
  return 0;
}

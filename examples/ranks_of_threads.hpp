// Shared by the examples of several ranks: ranks that are threads, each with a part of a cloud. With MPI or NCCL ranks
// are processes, and the communicator has another type.
#pragma once

#include <farpoint/core/status.hpp>
#include <farpoint/core/types.hpp>
#include <farpoint/scale/thread_communicator.hpp>

#include <array>
#include <thread>
#include <utility>
#include <vector>

namespace example {

using point = std::array<float, 3>;

/// A cloud, and where the parts of the ranks begin in it: `[ranks + 1]`.
struct shared_cloud {
  std::vector<point> points;
  std::vector<farpoint::index_t> begins;
};

/// A map of three tiles, one after another along x.
inline shared_cloud map_of_tiles() {
  shared_cloud map{{}, {0, 3000, 6000, 9000}};
  for (int i = 0; i < map.begins.back(); ++i) {
    map.points.push_back({static_cast<float>(i / 60) * 0.1f, static_cast<float>(i * 37 % 61) * 0.1f,
                          static_cast<float>(i * 13 % 7) * 0.01f});
  }
  return map;
}

/// Neighbor lists of a rank.
struct rank_lists {
  farpoint::result outcome;
  std::vector<farpoint::index_t> indices;  // into the whole map
  std::vector<float> distances;
};

/// Runs `work(communicator, points of the rank, index of its first point)` on all ranks at once; returns all results.
template <class Work>
auto on_every_rank(shared_cloud const& cloud, Work const& work) {
  using answer = decltype(work(std::declval<farpoint::thread_communicator>(), cloud.points, farpoint::index_t{}));
  std::size_t const ranks = cloud.begins.size() - 1;
  std::vector<answer> answers(ranks);
  farpoint::thread_ranks group{static_cast<int>(ranks)};
  std::vector<std::thread> team;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    team.emplace_back([&, rank] {
      farpoint::index_t const begin = cloud.begins[rank];
      std::vector<point> const mine(cloud.points.begin() + begin, cloud.points.begin() + cloud.begins[rank + 1]);
      answers[rank] = work(farpoint::thread_communicator{group, static_cast<int>(rank)}, mine, begin);
    });
  }
  for (auto& thread : team) thread.join();
  return answers;
}

}  // namespace example

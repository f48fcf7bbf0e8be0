/// @file
/// Shared by the cases of searches on ranks: lists of neighbors, compared with one GPU's. Needs nvcc and nccl.h.
#pragma once

#include "ranks/cube.cuh"
#include "support/counters.hpp"
#include "support/device_lists.cuh"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace farpoint_bench {

/// Searches around the points of a cube.
/// @tparam Each  neighbors of a query, at most
template <index_t Each>
struct neighbor_lists {
  index_t points;
  index_t tile_points;  ///< 0: every part is all over the cube

  cube cloud() const { return {points, 100, tile_points}; }
  workload work() const {
    auto const n = static_cast<double>(points);
    return {n, 0, 12 * n + 12 * n * static_cast<double>(Each)};
  }

  struct answer {
    std::vector<std::int32_t> indices;
    std::vector<float> distances;
  };
  struct share {
    std::size_t begin;  ///< offset of the part in the answer
    std::vector<index_t> indices;
    std::vector<float> distances;
    index_t exchanged;
  };
  static void compare(answer const& expected, std::vector<share> const& shares) {
    for (share const& own : shares) {
      auto const at = static_cast<std::ptrdiff_t>(own.begin);
      if (!std::equal(own.indices.begin(), own.indices.end(), expected.indices.begin() + at) ||
          !std::equal(own.distances.begin(), own.distances.end(), expected.distances.begin() + at)) {
        throw std::runtime_error{"a rank has other neighbors than one GPU"};
      }
    }
  }

  static void count(benchmark::State& state, std::vector<share> const& shares) {
    index_t most = 0;
    for (share const& own : shares) most = std::max(most, own.exchanged);
    state.counters["k"] = static_cast<double>(Each);
    state.counters["exchanged"] = static_cast<double>(most);
  }
};

/// All points on one GPU, and their lists.
template <index_t Each>
class lists_of_all {
 public:
  using kind = neighbor_lists<Each>;

  typename kind::answer answer() const { return {lists_.download_indices(), lists_.download_distances()}; }

 protected:
  lists_of_all(kind const& what, cudaStream_t stream)
      : cloud_{what.cloud(), 0, 1, stream}, exec_{stream}, lists_{static_cast<std::size_t>(what.points * Each)} {}

  part_of_cube cloud_;
  farpoint::cuda_exec exec_;
  device_lists lists_;
};

/// A rank's points, which are its queries, and their lists.
template <index_t Each>
class lists_of_part {
 public:
  using kind = neighbor_lists<Each>;

  typename kind::share share() const {
    return {static_cast<std::size_t>(rank_.shard().first_index * Each), lists_.download_indices(),
            lists_.download_distances(), exchanged_};
  }

 protected:
  lists_of_part(kind const& what, farpoint::nccl_exec const& exec)
      : rank_{what.cloud(), exec}, lists_{static_cast<std::size_t>(rank_.points().size() * Each)} {}

  /// An output that the lists are part of.
  /// @param capacity  queries that can be exchanged
  template <class Output>
  Output output(index_t capacity) {
    auto output = lists_.template output<Output>();
    output.exchanged_capacity = capacity;
    output.exchanged = &exchanged_;
    return output;
  }

  cube_rank rank_;
  basic_device_lists<index_t> lists_;
  index_t exchanged_ = 0;
};

}  // namespace farpoint_bench

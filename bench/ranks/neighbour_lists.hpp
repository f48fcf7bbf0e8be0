/// @file
/// What cases of searches on ranks have in common: lists of neighbours, compared with those of one GPU.
#pragma once

#include <farpoint/core/types.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace farpoint_bench {

struct neighbour_lists {
  using index_t = farpoint::index_t;

  struct answer {
    std::vector<std::int32_t> indices;
    std::vector<float> distances;
  };
  struct share {
    std::size_t begin;  ///< of the part in the answer
    std::vector<index_t> indices;
    std::vector<float> distances;
    index_t exchanged;
  };

  static void compare(answer const& expected, std::vector<share> const& shares) {
    for (share const& own : shares) {
      auto const at = static_cast<std::ptrdiff_t>(own.begin);
      if (!std::equal(own.indices.begin(), own.indices.end(), expected.indices.begin() + at) ||
          !std::equal(own.distances.begin(), own.distances.end(), expected.distances.begin() + at)) {
        throw std::runtime_error{"a rank has other neighbours than one GPU"};
      }
    }
  }

  static void count(benchmark::State& state, std::vector<share> const& shares, index_t k) {
    index_t most = 0;
    for (share const& own : shares) most = std::max(most, own.exchanged);
    state.counters["k"] = static_cast<double>(k);
    state.counters["exchanged"] = static_cast<double>(most);
  }
};

}  // namespace farpoint_bench

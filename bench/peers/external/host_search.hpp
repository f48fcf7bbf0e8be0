/// @file
/// Searches an index of another library on several threads.
#pragma once

#include "peers/external/host_index.hpp"

#include <farpoint/host/thread_team.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace farpoint_bench {

/// host_index::knn() for all queries, divided among threads.
/// @param queries  `[count, 3]`; the other arrays are `[count, k]`
template <class Scalar>
void search_peer(host_index<Scalar> const& index, std::vector<Scalar> const& queries, std::size_t k, int threads,
                 std::int32_t* indices, Scalar* distances) {
  std::size_t const count = queries.size() / 3;
  farpoint::run_team(threads, [&](int rank, int ranks) {
    auto const begin = [&](int r) { return count * static_cast<std::size_t>(r) / static_cast<std::size_t>(ranks); };
    std::size_t const first = begin(rank);
    index.knn(queries.data() + 3 * first, begin(rank + 1) - first, k, indices + first * k, distances + first * k);
  });
}

}  // namespace farpoint_bench

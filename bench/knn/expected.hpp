/// @file
/// Expected result of knn() for a row, and the checks of a contender's result, which come before any timing.
#pragma once

#include "knn/row.hpp"

#include <farpoint/core/batch.hpp>
#include <farpoint/core/points.hpp>
#include <farpoint/types/knn.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace farpoint_bench {

using knn_clouds = farpoint::batch<farpoint::point_view<float>>;

/// One cloud, `[points, 3]`, packed, in host or device memory.
inline knn_clouds cloud_of(float const* xyz, farpoint::index_t points) {
  return knn_clouds{farpoint::point_view<float>{xyz, points}};
}

/// Result of knn() in host memory: `[queries, k]` each.
struct knn_lists {
  std::vector<std::int32_t> indices;
  std::vector<float> distances;

  knn_lists(farpoint::index_t queries, farpoint::index_t k)
      : indices(static_cast<std::size_t>(queries * k)), distances(indices.size()) {}
  knn_lists(std::vector<std::int32_t> i, std::vector<float> d) : indices(std::move(i)), distances(std::move(d)) {}

  farpoint::knn_output<float> output() { return {indices, distances}; }
};

/// Throws unless is_same(i) for each neighbor i.
template <class IsSame>
void expect_each(knn_lists const& expected, farpoint::index_t k, std::string const& who, IsSame is_same) {
  for (std::size_t i = 0; i < expected.indices.size(); ++i) {
    if (is_same(i)) continue;
    throw std::runtime_error{"MISMATCH, " + who + ": neighbor " + std::to_string(i % static_cast<std::size_t>(k)) +
                             " of query " + std::to_string(i / static_cast<std::size_t>(k))};
  }
}

/// Throws unless indices and bits of distances are equal.
inline void expect_equal(knn_lists const& got, knn_lists const& expected, farpoint::index_t k, std::string const& who) {
  expect_each(expected, k, who, [&](std::size_t i) {
    return got.indices[i] == expected.indices[i] &&
           std::memcmp(&got.distances[i], &expected.distances[i], sizeof(float)) == 0;
  });
}

/// Throws unless the distances agree but for rounding: others add in another order, and break ties otherwise.
inline void expect_near(knn_lists const& got, knn_lists const& expected, farpoint::index_t k, std::string const& who) {
  expect_each(expected, k, who, [&](std::size_t i) {
    return std::fabs(got.distances[i] - expected.distances[i]) <= 1e-5f * expected.distances[i];
  });
}

}  // namespace farpoint_bench

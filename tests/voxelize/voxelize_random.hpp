// Random problems for voxelize(): every parameter is drawn.
#pragma once

#include "voxelize_problem.hpp"

namespace farpoint_tests {

/// Draws a grid of one voxel to more than 2^32, over the cloud or shifted along x by up to eight voxels.
template <class Scalar>
farpoint::voxel_grid<Scalar> random_grid(xyz_cloud const& cloud, random_source& random) {
  std::int32_t const most[] = {2, 5, 40, 3000, 1 << 20};
  std::int32_t const limit = most[random.below(5)];
  std::array<std::int32_t, 3> count{};
  for (auto& axis : count) axis = static_cast<std::int32_t>(1 + random.below(limit));
  auto grid = fitted_grid<Scalar>(cloud, count);
  if (random.below(6) == 0) {
    // Volatile: fused with the sum, the product would make another grid.
    Scalar volatile const shift = grid.size[0] * static_cast<Scalar>(random.below(9));
    grid.origin[0] += shift;
  }
  return grid;
}

template <class Coord>
voxelize_problem<Coord> random_voxelize_problem(std::uint64_t seed, std::int64_t point_limit) {
  random_source random{seed};
  auto const n = static_cast<std::size_t>(random.below(4) == 0 ? random.below(40) : random.below(point_limit));
  auto const which = all_shapes[random.below(static_cast<std::int64_t>(std::size(all_shapes)))];
  auto const cloud = make_cloud(which, n, seed);

  index_t const counts[] = {1, 2, 3, 5, 10, 31, 33, 64};
  farpoint::voxel_mode mode = farpoint::dynamic{};
  if (random.below(3) != 0) {
    index_t const max_voxels = random.below(3) == 0 ? random.below(20) : random.below(point_limit + 1);
    mode = farpoint::hard{max_voxels, counts[random.below(8)]};
  }
  bool const half_in = random.below(3) == 0;
  int const feature_counts[] = {1, 4, 5, 2, 3, 7, 17};
  int const feature_count = feature_counts[random.below(7)];
  auto features = random.below(4) == 0 ? mixed_features(feature_count) : packed_features(feature_count, half_in);
  features.stride += random.below(3) * (half_in ? 2 : 4) + random.below(2);
  features.shift = static_cast<std::size_t>(random.below(4));
  int const size = int{sizeof(Coord)};
  record_format const formats[] = {{},
                                   {5 * size + 2, {0, size, 2 * size}, 0, false},
                                   {4 * size, {0, size, 2 * size}, 0, true},
                                   {7 * size - 1, {size, 3 * size, 5 * size + 1}, 3, false}};

  using scalar = typename voxelize_problem<Coord>::scalar;
  voxelize_problem<Coord> problem{cloud,    random_grid<scalar>(cloud, random), mode,
                                  features, formats[random.below(4)],           random.below(3) == 0};
  problem.order = random.below(2) == 0 ? farpoint::voxel_order::grid : farpoint::voxel_order::first_occurrence;
  problem.kept = random.below(2) == 0 ? farpoint::voxel_points::random_subset : farpoint::voxel_points::first;
  problem.seed = random.next();
  problem.columns = static_cast<farpoint::voxel_columns>(random.below(4));
  problem.float_counts = random.below(3) == 0;
  problem.wide = random.below(2) == 0;
  problem.half_out = random.below(2) == 0;
  if (random.below(2) == 0) problem.wanted = static_cast<unsigned>(random.below(index_t{all_parts} + 1));
  // Lists go together.
  unsigned const lists = bit(part::list_offsets) | bit(part::list_points);
  if ((problem.wanted & lists) != 0) problem.wanted |= lists;
  if (random.below(3) == 0) problem.capacity = random.below(point_limit);
  if (random.below(8) == 0) problem.capacity = 0;

  if (random.below(2) == 0) {
    for (auto left = random.below(6); left >= 0; --left) {
      problem.offsets.push_back(random.below(static_cast<std::int64_t>(n) + 1));
    }
    std::sort(problem.offsets.begin(), problem.offsets.end());
    if (random.below(2) == 0) problem.offsets.push_back(problem.offsets.back());
    if (random.below(4) == 0) problem.largest = static_cast<index_t>(n / 3 + 1);
  } else if (random.below(3) == 0) {
    for (index_t const clouds : {7, 4, 3, 2}) {
      if (static_cast<index_t>(n) % clouds == 0) problem.clouds = clouds;
    }
  }
  return problem;
}

}  // namespace farpoint_tests

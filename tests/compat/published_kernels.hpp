// Serial versions of the published kernels that compat/ replaces: the oracles of its tests. Sums of products are
// contracted to std::fma() in the order that nvcc uses by default.
#pragma once

#include <farpoint/core/types.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace farpoint_tests {
namespace published {

using farpoint::index_t;
using floats = std::vector<float>;
using ints = std::vector<int>;

/// a0 * b0 + a1 * b1 + a2 * b2.
inline float sum_of_products(float const* a, float const* b) {
  return std::fma(a[2], b[2], std::fma(a[0], b[0], a[1] * b[1]));
}

inline float squared_distance(float const* a, float const* b) {
  float const d[] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return sum_of_products(d, d);
}

/// fminf().
inline float smaller(float a, float b) {
  return a < b || b != b ? a : b;
}

/// One block of `threads` threads samples a cloud.
inline void furthest_point_sampling(float const* xyz, int n, int m, int threads, bool skip_origin, int* idxs) {
  if (m <= 0) return;
  floats temp(static_cast<std::size_t>(n), 1e10f);
  floats best(static_cast<std::size_t>(threads));
  ints best_i(static_cast<std::size_t>(threads));
  int old = 0;
  idxs[0] = old;
  for (int j = 1; j < m; ++j) {
    for (int t = 0; t < threads; ++t) {
      auto const thread = static_cast<std::size_t>(t);
      best[thread] = -1;
      best_i[thread] = 0;
      for (int k = t; k < n; k += threads) {
        float const* const p = xyz + 3 * k;
        if (skip_origin && static_cast<double>(sum_of_products(p, p)) <= 1e-3) continue;
        float& kept = temp[static_cast<std::size_t>(k)];
        kept = smaller(squared_distance(p, xyz + 3 * old), kept);
        if (kept > best[thread]) {
          best[thread] = kept;
          best_i[thread] = k;
        }
      }
    }
    for (auto half = static_cast<std::size_t>(threads) / 2; half > 0; half /= 2) {
      for (std::size_t t = 0; t < half; ++t) {
        if (best[t + half] > best[t]) {
          best[t] = best[t + half];
          best_i[t] = best_i[t + half];
        }
      }
    }
    old = best_i[0];
    idxs[j] = old;
  }
}

/// Block size that the published launchers choose for `work` elements, at most `most`.
inline int block_of(int work, int most) {
  int const power = static_cast<int>(std::log(static_cast<double>(work)) / std::log(2.0));
  return std::max(std::min(1 << power, most), 1);
}

/// Ball query of one thread: writes the row of one query.
/// @return the number of neighbors; without any, the row is left unchanged
inline int ball_query(float const* query, float const* xyz, int n, float radius, int nsample, int* row) {
  float const radius2 = radius * radius;
  int count = 0;
  for (int k = 0; k < n && count < nsample; ++k) {
    if (!(squared_distance(query, xyz + 3 * k) < radius2)) continue;
    if (count == 0) std::fill_n(row, nsample, k);
    row[count++] = k;
  }
  return count;
}

/// three_nn of one thread: writes the row of one point.
inline void three_nn(float const* unknown, float const* known, int m, float* dist2, int* idx) {
  double best[] = {1e40, 1e40, 1e40};
  int best_i[] = {0, 0, 0};
  for (int k = 0; k < m; ++k) {
    double const d = static_cast<double>(squared_distance(unknown, known + 3 * k));
    int place = 0;
    while (place < 3 && !(d < best[place])) ++place;
    if (place == 3) continue;
    for (int j = 2; j > place; --j) {
      best[j] = best[j - 1];
      best_i[j] = best_i[j - 1];
    }
    best[place] = d;
    best_i[place] = k;
  }
  for (int j = 0; j < 3; ++j) {
    // An unset entry holds 1e40, which overflows float: the kernel's conversion yields infinity.
    dist2[j] = best[j] > 3.5e38 ? HUGE_VALF : static_cast<float>(best[j]);
    idx[j] = best_i[j];
  }
}

/// Outputs of a hard voxelization of one cloud.
struct voxels {
  floats points;  ///< `[max_voxels, max_points, features]`
  ints coors;     ///< `[max_voxels, 3]`: z, y, x
  ints counts;
  int count = 0;
};

/// Computes the voxel of a point, z first. @return false if the point is outside the range
inline bool voxel_of_point(float const* point, float const* size, float const* range, int* zyx) {
  for (int axis = 0; axis < 3; ++axis) {
    int const dim = static_cast<int>(std::round((range[axis + 3] - range[axis]) / size[axis]));
    int const c = static_cast<int>(std::floor((point[axis] - range[axis]) / size[axis]));
    if (c < 0 || c >= dim) return false;
    zyx[2 - axis] = c;
  }
  return true;
}

/// Voxelizes serially, as mmcv's CPU path does.
/// @param to  outputs, allocated and initialized by the caller
inline void hard_voxelize(float const* points, int n, int features, int max_points, int max_voxels, float const* size,
                          float const* range, voxels& to) {
  for (int i = 0; i < n; ++i) {
    int zyx[3];
    float const* const point = points + i * features;
    if (!voxel_of_point(point, size, range, zyx)) continue;
    int v = 0;
    while (v < to.count && !std::equal(zyx, zyx + 3, to.coors.data() + 3 * v)) ++v;
    if (v == max_voxels) continue;
    auto const row = static_cast<std::size_t>(v);
    float* const first = to.points.data() + v * max_points * features;
    if (v == to.count) {
      ++to.count;
      std::copy_n(zyx, 3, to.coors.data() + 3 * v);
      to.counts[row] = 0;
      std::fill_n(first, max_points * features, 0.0f);
    }
    if (to.counts[row] < max_points) std::copy_n(point, features, first + to.counts[row]++ * features);
  }
}

/// simple-knn's mean of the three smallest squared distances to others.
inline floats mean_of_three(floats const& xyz) {
  std::size_t const n = xyz.size() / 3;
  floats means(n);
  for (std::size_t i = 0; i < n; ++i) {
    float best[] = {3.402823466e+38f, 3.402823466e+38f, 3.402823466e+38f};
    for (std::size_t k = 0; k < n; ++k) {
      if (k == i) continue;
      float d = squared_distance(&xyz[3 * k], &xyz[3 * i]);
      for (float& place : best) {
        if (place > d) std::swap(place, d);
      }
    }
    means[i] = (best[0] + best[1] + best[2]) / 3.0f;
  }
  return means;
}

}  // namespace published
}  // namespace farpoint_tests

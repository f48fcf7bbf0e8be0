/// @file
/// Nearest neighbours by nanoflann on the processor, where it is installed.
#pragma once

#if defined(FARPOINT_BENCH_HAS_NANOFLANN)

#include <farpoint/host/thread_team.hpp>

#include <nanoflann.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace farpoint_bench {

/// The access that nanoflann asks for.
struct nanoflann_cloud {
  float const* xyz;
  std::size_t points;

  std::size_t kdtree_get_point_count() const { return points; }
  float kdtree_get_pt(std::size_t i, std::size_t axis) const { return xyz[3 * i + axis]; }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

/// `[points, k]` each. Builds a tree with nanoflann's default leaf size on one thread, as it can, and searches on
/// `threads`.
inline void nanoflann_knn(std::vector<float> const& xyz, std::size_t k, int threads, std::int32_t* indices,
                          float* distances) {
  using metric = nanoflann::L2_Simple_Adaptor<float, nanoflann_cloud, float, std::uint32_t>;
  using tree_type = nanoflann::KDTreeSingleIndexAdaptor<metric, nanoflann_cloud, 3, std::uint32_t>;
  nanoflann_cloud const cloud{xyz.data(), xyz.size() / 3};
  tree_type tree{3, cloud, nanoflann::KDTreeSingleIndexAdaptorParams{10}};
  tree.buildIndex();
  farpoint::detail::run_team(threads, [&](int rank, int size) {
    auto const part = [&](int r) {
      return cloud.points * static_cast<std::size_t>(r) / static_cast<std::size_t>(size);
    };
    for (std::size_t i = part(rank); i < part(rank + 1); ++i) {
      tree.knnSearch(&xyz[3 * i], k, reinterpret_cast<std::uint32_t*>(indices + i * k), distances + i * k);
    }
  });
}

}  // namespace farpoint_bench

#endif  // defined(FARPOINT_BENCH_HAS_NANOFLANN)

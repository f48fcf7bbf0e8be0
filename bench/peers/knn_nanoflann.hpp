/// @file
/// Nearest neighbors by nanoflann on the processor, where it is installed.
#pragma once

#if defined(FARPOINT_BENCH_HAS_NANOFLANN)

#include <farpoint/host/thread_team.hpp>

#include <nanoflann.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace farpoint_bench {

/// The dataset interface of nanoflann.
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

/// A tree with nanoflann's default leaf size, built on one thread, as it can. The points must outlive it.
class nanoflann_index {
 public:
  explicit nanoflann_index(std::vector<float> const& xyz)
      : cloud_{xyz.data(), xyz.size() / 3}, tree_{3, cloud_, nanoflann::KDTreeSingleIndexAdaptorParams{10}} {
    tree_.buildIndex();
  }
  nanoflann_index(nanoflann_index const&) = delete;

  /// `[queries, k]` each, on `threads`.
  void search(std::vector<float> const& queries, std::size_t k, int threads, std::int32_t* indices,
              float* distances) const {
    farpoint::run_team(threads, [&](int rank, int size) {
      auto const part = [&](int r) {
        return queries.size() / 3 * static_cast<std::size_t>(r) / static_cast<std::size_t>(size);
      };
      for (std::size_t i = part(rank); i < part(rank + 1); ++i) {
        tree_.knnSearch(&queries[3 * i], k, reinterpret_cast<std::uint32_t*>(indices + i * k), distances + i * k);
      }
    });
  }

 private:
  using metric = nanoflann::L2_Simple_Adaptor<float, nanoflann_cloud, float, std::uint32_t>;

  nanoflann_cloud cloud_;
  nanoflann::KDTreeSingleIndexAdaptor<metric, nanoflann_cloud, 3, std::uint32_t> tree_;
};

/// `[points, k]` each. Builds the tree and searches.
inline void nanoflann_knn(std::vector<float> const& xyz, std::size_t k, int threads, std::int32_t* indices,
                          float* distances) {
  nanoflann_index const index{xyz};
  index.search(xyz, k, threads, indices, distances);
}

}  // namespace farpoint_bench

#endif  // defined(FARPOINT_BENCH_HAS_NANOFLANN)

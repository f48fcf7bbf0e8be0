/// @file
/// Nearest neighbors by nanoflann on the host: a tree with nanoflann's default leaves of ten points.

#include "peers/external/host_index.hpp"

#include <nanoflann.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace farpoint_bench {
namespace {

/// The dataset interface of nanoflann.
template <class Scalar>
struct packed_cloud {
  Scalar const* xyz;
  std::size_t points;

  std::size_t kdtree_get_point_count() const { return points; }
  Scalar kdtree_get_pt(std::size_t i, std::size_t axis) const { return xyz[3 * i + axis]; }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

// Version 1.5 renamed both.
#if NANOFLANN_VERSION >= 0x150
template <class Scalar>
using found_point = nanoflann::ResultItem<std::uint32_t, Scalar>;
using search_options = nanoflann::SearchParameters;
#else
template <class Scalar>
using found_point = std::pair<std::uint32_t, Scalar>;
using search_options = nanoflann::SearchParams;
#endif

template <class Scalar>
class nanoflann_index final : public host_index<Scalar> {
 public:
  nanoflann_index(Scalar const* xyz, std::size_t points)
      : cloud_{xyz, points}, tree_{3, cloud_, nanoflann::KDTreeSingleIndexAdaptorParams{10}} {
    tree_.buildIndex();
  }

  void knn(Scalar const* queries, std::size_t count, std::size_t k, std::int32_t* indices,
           Scalar* distances) const override {
    for (std::size_t i = 0; i < count; ++i) {
      tree_.knnSearch(queries + 3 * i, k, reinterpret_cast<std::uint32_t*>(indices + i * k), distances + i * k);
    }
  }

  void within(Scalar const* queries, std::size_t count, Scalar radius, std::int32_t* counts) const override {
    std::vector<found_point<Scalar>> found;
    search_options options;
    options.sorted = false;
    for (std::size_t i = 0; i < count; ++i) {
      counts[i] = static_cast<std::int32_t>(tree_.radiusSearch(queries + 3 * i, radius * radius, found, options));
    }
  }

 private:
  using metric = nanoflann::L2_Simple_Adaptor<Scalar, packed_cloud<Scalar>, Scalar, std::uint32_t>;

  packed_cloud<Scalar> cloud_;
  nanoflann::KDTreeSingleIndexAdaptor<metric, packed_cloud<Scalar>, 3, std::uint32_t> tree_;
};

register_host_peer<float, nanoflann_index<float>> const of_floats{"nanoflann"};
register_host_peer<double, nanoflann_index<double>> const of_doubles{"nanoflann"};

}  // namespace
}  // namespace farpoint_bench

/// @file
/// BVH over points. Its point order keeps neighbors together: k-d tree order on the host, Hilbert order on a GPU.
/// Leaves hold eight points, and boxes above them are in groups of eight. No pointers: node i of a level has the
/// children 8 i to 8 i + 7 in the level below.
#pragma once

#include <farpoint/container/nearest_list.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/spatial/nearest_first.hpp>
#include <farpoint/spatial/point_bvh_traversal.hpp>
#include <farpoint/spatial/within_radius.hpp>

FARPOINT_BEGIN_NAMESPACE

/// BVH of one cloud: a view of memory that build_point_bvh() has filled. Trivially copyable: pass it by value into
/// kernels. Reading is thread-safe.
///
/// Searches are exact: the distance to a box is a lower bound on the distance to each point in it, bit by bit (see
/// box_distance2()). Points have their indices in the cloud; non-finite points are not in the BVH. Complexity: a search
/// climbs from one leaf to the root and visits boxes next to its path: about 14 boxes and 69 points for eight
/// neighbors of a point among a million evenly distributed points.
template <class Scalar>
class point_bvh_ref {
 public:
  using scalar = Scalar;
  using point = vec<Scalar, 3>;
  using key = neighbor_key<Scalar>;
  static constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity();

  point_bvh_ref() = default;

  /// @param size    number of points
  /// @param leaves  `[leaf_count()]`, eight points each
  /// @param boxes   groups of boxes of each level, from the leaves' level up; pointers above levels() are unused
  FARPOINT_HD point_bvh_ref(index_t size, point_leaf<Scalar> const* leaves,
                            point_boxes<Scalar> const* const (&boxes)[point_bvh_levels]) noexcept
      : leaves_{leaves}, size_{static_cast<std::uint32_t>(size)} {
    for (int level = 0; level < point_bvh_levels; ++level) boxes_[level] = boxes[level];
    for (auto nodes = leaf_count(); nodes > 1; nodes = detail::divide_up<decltype(nodes)>(nodes, point_bvh_width))
      ++levels_;
  }

  /// Number of finite points.
  FARPOINT_HD index_t size() const noexcept { return size_; }
  FARPOINT_HD std::uint32_t leaf_count() const noexcept {
    return size_ / point_bvh_width + (size_ % point_bvh_width != 0 ? 1 : 0);
  }
  FARPOINT_HD FARPOINT_ALWAYS_INLINE point_leaf<Scalar> const& leaf(std::uint32_t i) const noexcept {
    return leaves_[i];
  }
  /// `[leaf_count()]`: consecutive leaves are near each other in space.
  FARPOINT_HD point_leaf<Scalar> const* leaves() const noexcept { return leaves_; }
  /// Number of levels of boxes; 0 for up to eight points.
  FARPOINT_HD int levels() const noexcept { return levels_; }
  /// `[levels()]`: groups of boxes of each level, from the leaves' level up.
  FARPOINT_HD point_boxes<Scalar> const* const* boxes() const noexcept { return boxes_; }

  /// Bounding box of all points; bounding_box::empty() without points.
  FARPOINT_HD bounding_box<Scalar> bounds() const noexcept {
    auto all = bounding_box<Scalar>::empty();
    if (levels_ > 0) {
      point_boxes<Scalar> const& top = *boxes_[levels_ - 1];
      for (int lane = 0; lane < point_bvh_width; ++lane) all.grow(top.at(lane));
    } else {
      for (std::uint32_t lane = 0; lane < size_; ++lane) all.grow(leaves_->at(static_cast<int>(lane)));
    }
    return all;
  }

  /// Returns the k nearest points, ascending by (squared distance, index): `list[j].index()` and `list[j].distance2()`
  /// for j below list.size().
  ///
  /// The host code is also compiled for AVX-512 and for AVX2, independently of the caller's flags, and selected at run
  /// time.
  /// @param q            query, finite (m)
  /// @param k            1 to Capacity; a Capacity of up to about 32 stays in registers
  /// @param max_radius2  squared meters; a point at exactly this squared distance is a neighbor
  /// @param excluded     index of a point to skip; no_index for none
  template <int Capacity>
  FARPOINT_HD nearest_list<key, Capacity> nearest(point const& q, int k = Capacity, Scalar max_radius2 = infinity,
                                                  std::uint32_t excluded = no_index) const noexcept {
    nearest_list<key, Capacity> list{k, key{max_radius2, no_index}};
    auto& sorted = static_cast<topk_list<key, Capacity>&>(list);
    if (size_ > 0) {
#if defined(__CUDA_ARCH__)
      search(q, leaf_near(q), sorted, excluded);
#else
      detail::search_on_this_processor(*this, q, sorted, excluded);
#endif
    }
    return list;
  }

  /// Calls `function(index, squared distance)` for each point within the radius, in an order that depends only on the
  /// BVH and q. On the host the search is compiled for several instruction sets, as in nearest().
  FARPOINT_CALLS_BACK
  template <class Function>
  FARPOINT_HD void within(point const& q, Scalar radius2, Function&& function) const noexcept {
#if defined(__CUDA_ARCH__)
    detail::within_visitor<Scalar, Function> visitor{radius2, function};
    visit(q, leaf_near(q), visitor);
#else
    detail::within_on_this_processor(*this, q, radius2, function);
#endif
  }

  /// Calls `function(index, point)` for each point; consecutive points are near each other in space.
  FARPOINT_CALLS_BACK
  template <class Function>
  FARPOINT_HD void for_each(Function&& function) const noexcept {
    for (std::uint32_t i = 0; i < size_; ++i) {
      point_leaf<Scalar> const& home = leaves_[i / point_bvh_width];
      int const lane = static_cast<int>(i % point_bvh_width);
      function(home.index[lane], home.at(lane));
    }
  }

  /// Returns a leaf that is probably near q. Descends along the two nearest nodes of each level; among boxes that
  /// contain q, the one whose farthest corner is nearest ranks first. If boxes overlap, following a single node often
  /// ends far away: for three neighbors among a million points of a simulated LiDAR sweep, the subsequent search
  /// visits 5 leaves, but 547 if only the first nearest box is followed.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t leaf_near(point const& q) const noexcept {
    return detail::find_leaf_near(boxes_, levels_, q);
  }

  /// Pushes the points nearest to q onto a list (topk_list, topk_heap).
  /// @param q         query (m)
  /// @param start     leaf to begin with, below leaf_count(): the nearer to q, the fewer nodes are visited
  /// @param list      receives the points
  /// @param excluded  index of a point to skip; no_index for none
  FARPOINT_CALLS_BACK
  template <class List>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void search(point const& q, std::uint32_t start, List& list,
                                                 std::uint32_t excluded) const noexcept {
    detail::nearest_visitor<Scalar, List> visitor{list, excluded};
    visit(q, start, visitor);
  }

  /// Visits all leaves that a visitor needs: `start` first, then its neighborhood, ever farther along the curve.
  ///
  /// A visitor has
  /// - `choose(boxes, q)`: returns the boxes of a group to visit, one bit each;
  /// - `look_at(leaf, q)`.
  FARPOINT_CALLS_BACK
  template <class Visitor>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void visit(point const& q, std::uint32_t start, Visitor& visitor) const noexcept {
    if (size_ > 0) detail::visit_leaves(*this, q, start, visitor);
  }

 private:
  point_leaf<Scalar> const* leaves_ = nullptr;
  point_boxes<Scalar> const* boxes_[point_bvh_levels] = {};
  std::uint32_t size_ = 0;
  int levels_ = 0;
};

/// Deprecated name of point_bvh_ref, until 0.2.
template <class Scalar>
using point_index_ref [[deprecated("farpoint: use point_bvh_ref")]] = point_bvh_ref<Scalar>;

FARPOINT_END_NAMESPACE

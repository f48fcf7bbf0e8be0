/// @file
/// Cost of other leaf sizes: a search like point_bvh_ref's with the number of points per leaf as a parameter, which
/// counts the nodes and leaves that it visits.
#pragma once

#include <farpoint/geometry/bounding_box.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/point_bvh.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace farpoint_bench {

/// Nodes and leaves that queries visited, one by one or together.
struct search_counts {
  std::uint64_t groups = 0;  ///< groups of eight boxes
  std::uint64_t leaves = 0;
  std::uint64_t kept = 0;  ///< points inserted into a list
};

/// Points in the order of farpoint's curve, in leaves of `Leaf`, and a tree of boxes above them, eight to a group.
template <int Leaf>
class leaf_index {
 public:
  using point = farpoint::vec<float>;
  using key = farpoint::neighbor_key<float>;

  explicit leaf_index(farpoint::point_bvh_ref<float> const& index) {
    index.for_each([&](std::uint32_t i, point const& p) {
      points_.push_back(p);
      indices_.push_back(i);
    });
    std::vector<box> nodes((points_.size() + Leaf - 1) / Leaf);
    for (std::size_t i = 0; i < points_.size(); ++i) nodes[i / Leaf].grow({points_[i], points_[i], indices_[i]});
    while (nodes.size() > 1) {
      std::vector<box> above((nodes.size() + 7) / 8);
      for (std::size_t i = 0; i < nodes.size(); ++i) above[i / 8].grow(nodes[i]);
      levels_.push_back(std::move(nodes));
      nodes = std::move(above);
    }
  }

  std::size_t size() const { return points_.size(); }
  std::uint32_t index_of(std::size_t i) const { return indices_[i]; }

  /// Finds the k nearest of the points `first` to `first + count - 1`. The queries traverse the tree together, into
  /// every box that one needs. They begin with their own leaves, at least 32 points if there are several queries.
  void search(std::size_t first, std::size_t count, int k, std::vector<farpoint::topk_list<key, 32>>& lists,
              search_counts& counts) const {
    lists.assign(count, {k, key{std::numeric_limits<float>::infinity(), farpoint::no_index}});
    walk const w{first, count, lists, counts};
    std::size_t const start = first / Leaf;
    std::size_t const end = std::min((first + count - 1) / Leaf + 1, (points_.size() + Leaf - 1) / Leaf);
    for (std::size_t leaf = start; leaf < end; ++leaf) look_at(leaf, w);
    range seen{start, end};
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      range const parents{seen.begin / 8, (seen.end - 1) / 8 + 1};
      for (std::size_t group = parents.begin; group < parents.end; ++group) open(level, group, seen, w);
      seen = parents;
    }
  }

 private:
  struct box {
    point low{{inf, inf, inf}};
    point high{{-inf, -inf, -inf}};
    std::uint32_t lowest = farpoint::no_index;

    void grow(box const& by) {
      for (int axis = 0; axis < 3; ++axis) {
        low[axis] = std::min(low[axis], by.low[axis]);
        high[axis] = std::max(high[axis], by.high[axis]);
      }
      lowest = std::min(lowest, by.lowest);
    }
  };
  struct range {
    std::size_t begin;
    std::size_t end;
  };
  struct walk {
    std::size_t first;
    std::size_t count;
    std::vector<farpoint::topk_list<key, 32>>& lists;
    search_counts& counts;
  };
  static constexpr float inf = std::numeric_limits<float>::infinity();

  void look_at(std::size_t leaf, walk const& w) const {
    ++w.counts.leaves;
    std::size_t const end = std::min(points_.size(), (leaf + 1) * Leaf);
    for (std::size_t q = 0; q < w.count; ++q) {
      for (std::size_t i = leaf * Leaf; i < end; ++i) {
        key const found{farpoint::distance2(points_[i], points_[w.first + q]), indices_[i]};
        if (!(found < w.lists[q].worst())) continue;
        ++w.counts.kept;
        w.lists[q].push(found);
      }
    }
  }

  bool is_wanted(box const& node, walk const& w) const {
    for (std::size_t q = 0; q < w.count; ++q) {
      float const d = farpoint::box_distance2(node.low, node.high, points_[w.first + q]);
      if (key{d, node.lowest} < w.lists[q].worst()) return true;
    }
    return false;
  }

  /// Tests the boxes of a group, except for boxes in `seen`.
  void open(std::size_t level, std::size_t group, range const& seen, walk const& w) const {
    ++w.counts.groups;
    std::size_t const end = std::min(levels_[level].size(), 8 * group + 8);
    bool wanted[8] = {};
    // Decided for all boxes first, like in a search that tests a group's boxes at once.
    for (std::size_t node = 8 * group; node < end; ++node) {
      bool const is_seen = node >= seen.begin && node < seen.end;
      wanted[node % 8] = !is_seen && is_wanted(levels_[level][node], w);
    }
    for (std::size_t node = 8 * group; node < end; ++node) {
      if (!wanted[node % 8]) continue;
      if (level == 0) {
        look_at(node, w);
      } else {
        open(level - 1, node, {0, 0}, w);
      }
    }
  }

  std::vector<point> points_;
  std::vector<std::uint32_t> indices_;
  std::vector<std::vector<box>> levels_;  ///< from the leaves' up
};

}  // namespace farpoint_bench

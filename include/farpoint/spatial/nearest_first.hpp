/// @file
/// Host traversal of a BVH over points: nearest boxes first.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/host/isa_dispatch.hpp>
#include <farpoint/spatial/point_bvh_nodes.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Squared distance between a box, which may be a point, and box `lane` of a group. For every point of `from` it is a
/// lower bound on box_distance2_of(), bit by bit, since rounding is monotonic.
template <class Scalar>
FARPOINT_ALWAYS_INLINE Scalar box_gap2_of(point_boxes<Scalar> const& boxes, int lane,
                                          bounding_box<Scalar> const& from) noexcept {
  Scalar sum = 0;
  FARPOINT_UNROLL
  for (int axis = 0; axis < 3; ++axis) {
    Scalar const under = sub_rn(boxes.low[axis][lane], from.high[axis]);
    Scalar const over = sub_rn(from.low[axis], boxes.high[axis][lane]);
    Scalar const nearer = under > over ? under : over;
    Scalar const outside = nearer > Scalar(0) ? nearer : Scalar(0);
    sum = fma_rn(outside, outside, sum);
  }
  return sum;
}

/// Boxes of a group that a search may have to visit, nearest first.
///
/// Each box is a word: the bits of its distance, which compare like the distance, with the lane in the last three bits.
/// So the next box is the minimum of eight words, and equal distances are in lane order.
template <class Scalar>
class boxes_by_distance {
 public:
  /// @param limit  boxes that cannot contain a key below it are left out
  FARPOINT_ALWAYS_INLINE void open(point_boxes<Scalar> const& boxes, std::uint32_t group,
                                   bounding_box<Scalar> const& from, neighbor_key<Scalar> const& limit) noexcept {
    Scalar const distance = limit.distance2();
    std::uint32_t const index = limit.index();
    FARPOINT_VECTOR_LOOP
    for (int lane = 0; lane < point_bvh_width; ++lane) {
      Scalar const d = box_gap2_of(boxes, lane, from);
      bool const is_before = (d < distance) | ((d == distance) & (boxes.lowest[lane] < index));
      words_[lane] = is_before ? (word_of(d) & ~lane_bits) | static_cast<word>(lane) : none;
    }
    group_ = group;
  }

  /// Returns the next box if it may contain a point not farther than `limit`, else no_index.
  FARPOINT_ALWAYS_INLINE std::uint32_t next(Scalar limit) noexcept {
    word const nearest = smaller(smaller(smaller(words_[0], words_[1]), smaller(words_[2], words_[3])),
                                 smaller(smaller(words_[4], words_[5]), smaller(words_[6], words_[7])));
    if ((nearest & ~lane_bits) > word_of(limit)) return no_index;
    word const lane = nearest & lane_bits;
    words_[lane] = none;
    return group_ * point_bvh_width + static_cast<std::uint32_t>(lane);
  }

 private:
  using word = lane_word<Scalar>;
  static constexpr word none = ~word{0};
  static constexpr word lane_bits = point_bvh_width - 1;

  FARPOINT_ALWAYS_INLINE static word word_of(Scalar distance) noexcept {
    word bits;
    std::memcpy(&bits, &distance, sizeof bits);
    return bits;
  }

  word words_[point_bvh_width];
  std::uint32_t group_;
};

/// Visits the leaves that a visitor may need, nearest first. A visitor has `box()`, the region that it searches from,
/// `limit()`, the key that points must be below, and `look_at(leaf)`, which returns false to end the traversal.
/// @return false if the visitor ended it
template <class Bvh, class Visitor>
FARPOINT_ALWAYS_INLINE bool visit_nearest_first(Bvh const& bvh, Visitor& visitor) noexcept {
  if (bvh.size() == 0) return true;
  int const levels = bvh.levels();
  if (levels == 0) return visitor.look_at(0);
  boxes_by_distance<typename Bvh::scalar> open[point_bvh_levels];
  int level = levels - 1;
  open[level].open(bvh.boxes()[level][0], 0, visitor.box(), visitor.limit());
  while (level < levels) {
    std::uint32_t const node = open[level].next(visitor.limit().distance2());
    if (node == no_index) {
      ++level;
    } else if (level > 0) {
      --level;
      open[level].open(bvh.boxes()[level][node], node, visitor.box(), visitor.limit());
    } else if (!visitor.look_at(node)) {
      return false;
    }
  }
  return true;
}

/// Visitor for visit_nearest_first() that pushes the points nearest to a query onto a list.
template <class Bvh, class List>
class nearest_of_query {
 public:
  using scalar = typename Bvh::scalar;
  using point = typename Bvh::point;

  /// @param excluded  index of a point to skip; no_index for none
  FARPOINT_ALWAYS_INLINE nearest_of_query(Bvh const& bvh, point const& q, List& list, std::uint32_t excluded) noexcept
      : bvh_{bvh}, q_{q}, box_{q, q}, list_{list}, excluded_{excluded} {}

  /// Visits leaf `home` before the traversal, which then skips it.
  FARPOINT_ALWAYS_INLINE void begin(std::uint32_t home) noexcept {
    look_at(home);
    home_ = home;
  }

  FARPOINT_ALWAYS_INLINE bounding_box<scalar> const& box() const noexcept { return box_; }
  FARPOINT_ALWAYS_INLINE neighbor_key<scalar> limit() const noexcept { return list_.worst(); }
  FARPOINT_ALWAYS_INLINE bool look_at(std::uint32_t node) noexcept {
    if (node == home_) return true;
    point_leaf<scalar> const& leaf = bvh_.leaf(node);
    scalar distance[point_bvh_width];
    std::uint32_t hits = leaf_distances(leaf, q_, list_.worst().distance2(), distance);
    if (hits != 0) last_ = node;
    for (; hits != 0; hits &= hits - 1) {
      int const lane = lowest_bit(hits);
      if (leaf.index[lane] != excluded_) list_.push({distance[lane], leaf.index[lane]});
    }
    return true;
  }
  /// Last leaf with a point for the list; no_index if there was none.
  FARPOINT_ALWAYS_INLINE std::uint32_t last() const noexcept { return last_; }

 private:
  Bvh const& bvh_;
  point q_;
  bounding_box<scalar> box_;
  List& list_;
  std::uint32_t excluded_;
  std::uint32_t home_ = no_index;
  std::uint32_t last_ = no_index;
};

/// Pushes the points nearest to q onto a list.
/// @param home  leaf that is probably near q; no_index if unknown
/// @return leaf that is probably near to queries near q
template <class Bvh, class List>
FARPOINT_ALWAYS_INLINE std::uint32_t search_nearest_first(Bvh const& bvh, typename Bvh::point const& q,
                                                          std::uint32_t home, List& list,
                                                          std::uint32_t excluded) noexcept {
  nearest_of_query<Bvh, List> query{bvh, q, list, excluded};
  if (home != no_index) query.begin(home);
  visit_nearest_first(bvh, query);
  return query.last();
}

/// Search of one query, compiled for several instruction sets.
template <class Bvh, class List>
struct search_of_one {
  using function = void (*)(Bvh const&, typename Bvh::point const&, List&, std::uint32_t) noexcept;

  FARPOINT_ALWAYS_INLINE static void run(Bvh const& bvh, typename Bvh::point const& q, List& list,
                                         std::uint32_t excluded) noexcept {
    search_nearest_first(bvh, q, no_index, list, excluded);
  }
};

/// search_nearest_first() for this processor, whose features are queried once.
template <class Bvh, class List>
void search_on_this_processor(Bvh const& bvh, typename Bvh::point const& q, List& list,
                              std::uint32_t excluded) noexcept {
  static auto const run = isa_dispatch<search_of_one<Bvh, List>>();
  run(bvh, q, list, excluded);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

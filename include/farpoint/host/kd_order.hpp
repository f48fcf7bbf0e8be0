/// @file
/// Sorts points in k-d tree order on the host, so that each leaf, and each group of leaves, occupies a separate region
/// of space.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/core/ordered_bits.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Record of a point being sorted; consists of 32-bit words and is aligned like them.
template <class Scalar>
class kd_point {
 public:
  kd_point() = default;
  kd_point(vec<Scalar, 3> const& p, std::uint32_t index) noexcept : index_{index} {
    FARPOINT_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
      word const w = ordered_word(p[axis]);
      std::memcpy(words_[axis], &w, sizeof w);
    }
  }

  std::uint32_t index() const noexcept { return index_; }
  /// A coordinate as an order-preserving word.
  FARPOINT_ALWAYS_INLINE lane_word<Scalar> ordered(int axis) const noexcept {
    word w;
    std::memcpy(&w, words_[axis], sizeof w);
    return w;
  }
  vec<Scalar, 3> at() const noexcept {
    return {{ordered_value<Scalar>(ordered(0)), ordered_value<Scalar>(ordered(1)), ordered_value<Scalar>(ordered(2))}};
  }

 private:
  using word = lane_word<Scalar>;

  std::uint32_t words_[3][sizeof(Scalar) / 4];
  std::uint32_t index_;
};

/// Sort key: a coordinate, then the index, so that keys are distinct.
template <class Word>
struct kd_key {
  Word coordinate;
  std::uint32_t index;

  FARPOINT_ALWAYS_INLINE friend bool operator<(kd_key const& a, kd_key const& b) noexcept {
    if constexpr (sizeof(Word) == 4) {
      return (std::uint64_t{a.coordinate} << 32 | a.index) < (std::uint64_t{b.coordinate} << 32 | b.index);
    } else {
      return (a.coordinate < b.coordinate) | ((a.coordinate == b.coordinate) & (a.index < b.index));
    }
  }
};

/// Moves the `wanted` smallest points along an axis to the front, 0 < wanted < count, in bounded time for any points.
/// Compiled once per coordinate type: it is rarely called.
template <class Scalar>
FARPOINT_NO_INLINE void kd_nth_element(kd_point<Scalar>* points, index_t count, index_t wanted, int axis) noexcept {
  using key = kd_key<lane_word<Scalar>>;
  std::nth_element(points, points + wanted, points + count, [axis](auto const& a, auto const& b) {
    return key{a.ordered(axis), a.index()} < key{b.ordered(axis), b.index()};
  });
}

/// Sorts points in the order of a balanced k-d tree with leaves of `Leaf` points.
///
/// A node with more points is split along the longest edge of its bounding box; the lower axis wins ties. The first
/// half gets Leaf * 2^i points, for the largest i that leaves a point for the second half. The first half is smaller by
/// (coordinate, index), so that coincident points are in index order. The order depends on the points only, and it
/// affects the speed of later steps, never a result.
///
/// O(n log n), in place; allocates nothing. Threads may sort disjoint ranges concurrently.
/// @tparam Guesses  maximum number of pivot pairs to try before std::nth_element() takes over, whose time is bounded
///                  for any points
template <class Scalar, int Leaf, int Guesses = 24>
class kd_order {
 public:
  using point = kd_point<Scalar>;

  /// Number of points in the first half of a node.
  static index_t below(index_t count) noexcept {
    index_t half = Leaf;
    while (2 * half < count) half *= 2;
    return half;
  }

  /// Moves the points of the first half to the front.
  static void split(point* points, index_t count) noexcept {
    if (count <= Leaf) return;
    // The axis is a template argument, so that a key has a fixed offset in its record.
    switch (longest_axis(points, count)) {
      case 0: return select<0>(points, count, below(count));
      case 1: return select<1>(points, count, below(count));
      default: return select<2>(points, count, below(count));
    }
  }

  /// Sorts the whole subtree of a node.
  static void sort(point* points, index_t count) noexcept {
    if (count <= Leaf) return;
    split(points, count);
    index_t const half = below(count);
    sort(points, half);
    sort(points + half, count - half);
  }

 private:
  using word = lane_word<Scalar>;
  using key = kd_key<word>;

  /// Maximum number of points for insertion sort.
  static constexpr index_t few = Leaf;
  static constexpr int max_samples = 63;

  template <int Axis>
  FARPOINT_ALWAYS_INLINE static key key_of(point const& p) noexcept {
    return {p.ordered(Axis), p.index()};
  }

  FARPOINT_NO_INLINE static int longest_axis(point const* points, index_t count) noexcept {
    word low[3];
    word high[3];
    for (int axis = 0; axis < 3; ++axis) low[axis] = high[axis] = points[0].ordered(axis);
    for (index_t i = 1; i < count; ++i) {
      FARPOINT_UNROLL
      for (int axis = 0; axis < 3; ++axis) {
        word const at = points[i].ordered(axis);
        low[axis] = at < low[axis] ? at : low[axis];
        high[axis] = high[axis] < at ? at : high[axis];
      }
    }
    int longest = 0;
    Scalar length = 0;
    for (int axis = 0; axis < 3; ++axis) {
      // Halving first avoids overflow.
      Scalar const edge = ordered_value<Scalar>(high[axis]) / 2 - ordered_value<Scalar>(low[axis]) / 2;
      if (edge > length) {
        length = edge;
        longest = axis;
      }
    }
    return longest;
  }

  /// Moves the points below a key to the front and returns their number. Free of data-dependent branches: half of these
  /// would be mispredicted.
  template <int Axis>
  FARPOINT_ALWAYS_INLINE static index_t partition(point* points, index_t count, key const& pivot) noexcept {
    index_t end = 0;
    for (index_t i = 0; i < count; ++i) {
      point const p = points[i];
      points[i] = points[end];
      points[end] = p;
      end += key_of<Axis>(p) < pivot ? 1 : 0;
    }
    return end;
  }

  /// Two nearby keys, from a sample, that likely enclose the key of rank `wanted`.
  template <int Axis>
  static void guess(point const* points, index_t count, index_t wanted, key (&around)[2]) noexcept {
    key sample[max_samples];
    int const size = count > 4096 ? max_samples : count > 512 ? 31 : count > 100 ? 15 : 7;
    std::uint32_t random = static_cast<std::uint32_t>(count);
    for (int i = 0; i < size; ++i) {
      // Stratified sampling with a random offset in each part: points often come in rows, and a fixed step could match
      // the length of a row.
      random = random * 1664525u + 1013904223u;
      index_t const first = count * i / size;
      auto const part = static_cast<std::uint64_t>(count * (i + 1) / size - first);
      key const k = key_of<Axis>(points[first + static_cast<index_t>((std::uint64_t{random >> 8} * part) >> 24)]);
      int place = i;
      for (; place > 0 && k < sample[place - 1]; --place) sample[place] = sample[place - 1];
      sample[place] = k;
    }
    int const middle = static_cast<int>(wanted * size / count);
    int const spread = 1 + size / 10;
    around[0] = sample[std::max(0, middle - spread)];
    around[1] = sample[std::min(size - 1, middle + spread)];
  }

  /// Moves the `wanted` smallest points to the front, 0 < wanted < count.
  template <int Axis>
  FARPOINT_NO_INLINE static void select(point* points, index_t count, index_t wanted) noexcept {
    auto const is_less = [](point const& a, point const& b) { return key_of<Axis>(a) < key_of<Axis>(b); };
    for (int guesses = 0; count > few; ++guesses) {
      if (guesses == Guesses) return kd_nth_element(points, count, wanted, Axis);
      key around[2];
      guess<Axis>(points, count, wanted, around);
      for (key const& pivot : around) {
        index_t const smaller = partition<Axis>(points, count, pivot);
        if (smaller == wanted) return;
        if (wanted < smaller) {
          count = smaller;
          break;
        }
        points += smaller;
        count -= smaller;
        wanted -= smaller;
      }
    }
    for (index_t i = 1; i < count; ++i) {
      point const p = points[i];
      index_t hole = i;
      for (; hole > 0 && is_less(p, points[hole - 1]); --hole) points[hole] = points[hole - 1];
      points[hole] = p;
    }
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

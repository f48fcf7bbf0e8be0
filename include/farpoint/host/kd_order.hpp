/// @file
/// Puts points in the order of a k-d tree on the host, so that those of each leaf, and of each group of leaves, are
/// apart from the others in space.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/core/ordered_bits.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// A point of a cloud while it is being sorted: a record of 32-bit words, of any alignment that they have.
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
  /// A coordinate, in the order of coordinates.
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

/// What points are sorted by: a coordinate, then the index, so that no two are equal.
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

/// Brings the `wanted` smallest points by an axis to the front, 0 < wanted < count, in bounded time whatever they are.
/// Compiled once for a type of coordinates: few ranges come here.
template <class Scalar>
FARPOINT_NO_INLINE void kd_nth_element(kd_point<Scalar>* points, index_t count, index_t wanted, int axis) noexcept {
  using key = kd_key<lane_word<Scalar>>;
  std::nth_element(points, points + wanted, points + count, [axis](auto const& a, auto const& b) {
    return key{a.ordered(axis), a.index()} < key{b.ordered(axis), b.index()};
  });
}

/// Brings points in the order of a balanced k-d tree with leaves of `Leaf` points.
///
/// A node of more points is split in two along the longest edge of the box around them, the first axis of those that
/// are equally long: below are as many whole leaves as the largest power of two that leaves something above. What is
/// below is smaller by (coordinate, index), so that points at one place are in the order of their indices. The order
/// depends on nothing but the points, and it decides the speed of what follows, never a result.
///
/// O(n log n), in place; allocates nothing. One thread may sort a range while others sort others.
/// @tparam Guesses  at the keys around a rank, after which std::nth_element() goes on, whose time is bounded whatever
///                  the points are; some suffice
template <class Scalar, int Leaf, int Guesses = 24>
class kd_order {
 public:
  using point = kd_point<Scalar>;

  /// Points that the first of a node's halves has.
  static index_t below(index_t count) noexcept {
    index_t half = Leaf;
    while (2 * half < count) half *= 2;
    return half;
  }

  /// Brings those points to the front that are the first half.
  static void split(point* points, index_t count) noexcept {
    if (count <= Leaf) return;
    // Constants, so that a key is at a fixed place of its record.
    switch (longest_axis(points, count)) {
      case 0: return select<0>(points, count, below(count));
      case 1: return select<1>(points, count, below(count));
      default: return select<2>(points, count, below(count));
    }
  }

  /// Sorts all that is below a node.
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

  /// Points that are sorted one by one.
  static constexpr index_t few = Leaf;
  static constexpr int most_samples = 63;

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
      // Halves, which do not overflow.
      Scalar const edge = ordered_value<Scalar>(high[axis]) / 2 - ordered_value<Scalar>(low[axis]) / 2;
      if (edge > length) {
        length = edge;
        longest = axis;
      }
    }
    return longest;
  }

  /// Brings the points below a key to the front; returns how many they are. Without a branch on the data: half of
  /// those would be guessed wrong.
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

  /// Two keys between which the key of rank `wanted` is likely to be, close to one another: of a sample.
  template <int Axis>
  static void guess(point const* points, index_t count, index_t wanted, key (&around)[2]) noexcept {
    key sample[most_samples];
    int const size = count > 4096 ? most_samples : count > 512 ? 31 : count > 100 ? 15 : 7;
    std::uint32_t random = static_cast<std::uint32_t>(count);
    for (int i = 0; i < size; ++i) {
      // One of each part at a place of its own: points often come in rows, and a step may be as long as these.
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

  /// Brings the `wanted` smallest to the front, 0 < wanted < count.
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

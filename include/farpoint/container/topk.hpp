/// @file
/// The k smallest of many keys: neighbours by (squared distance, index).
#pragma once

#include <farpoint/core/types.hpp>

#include <cstring>

FARPOINT_BEGIN_NAMESPACE

/// A neighbour, ordered by (squared distance, index): a total order, so that the k nearest are unique.
///
/// Distances are not negative and not NaN. `index` is below 2^32 - 1, which stands for no point.
template <class Scalar>
class neighbour_key {
 public:
  neighbour_key() = default;
  FARPOINT_HD constexpr neighbour_key(Scalar distance2, std::uint32_t index) noexcept
      : distance2_{distance2}, index_{index} {}
  /// Not above any other.
  FARPOINT_HD static constexpr neighbour_key lowest() noexcept { return {Scalar(0), 0}; }

  FARPOINT_HD constexpr Scalar distance2() const noexcept { return distance2_; }
  FARPOINT_HD constexpr std::uint32_t index() const noexcept { return index_; }
  FARPOINT_HD friend constexpr bool operator<(neighbour_key const& a, neighbour_key const& b) noexcept {
    return a.distance2_ < b.distance2_ || (a.distance2_ == b.distance2_ && a.index_ < b.index_);
  }

 private:
  Scalar distance2_;
  std::uint32_t index_;
};

/// One word, because the bits of floats that are not negative are in the order of the floats.
template <>
class neighbour_key<float> {
 public:
  neighbour_key() = default;
  FARPOINT_HD FARPOINT_ALWAYS_INLINE neighbour_key(float distance2, std::uint32_t index) noexcept {
    std::uint32_t high;
    std::memcpy(&high, &distance2, sizeof high);
    word_ = std::uint64_t{high} << 32 | index;
  }
  FARPOINT_HD static FARPOINT_ALWAYS_INLINE neighbour_key lowest() noexcept { return {0.0f, 0}; }

  FARPOINT_HD FARPOINT_ALWAYS_INLINE float distance2() const noexcept {
    auto const high = static_cast<std::uint32_t>(word_ >> 32);
    float distance;
    std::memcpy(&distance, &high, sizeof distance);
    return distance;
  }
  FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t index() const noexcept { return static_cast<std::uint32_t>(word_); }
  FARPOINT_HD friend FARPOINT_ALWAYS_INLINE bool operator<(neighbour_key const& a, neighbour_key const& b) noexcept {
    return a.word_ < b.word_;
  }
#if defined(__CUDACC__)
  /// Puts two keys in ascending order; see sorting_network.hpp.
  __device__ friend void sort_pair(neighbour_key& a, neighbour_key& b) noexcept {
    // One comparison: of a minimum and a maximum of 64 bits the compiler makes two. As doubles the words have the same
    // order, for none is a NaN, and where those are fast they have units of their own.
    std::uint64_t lower;
    std::uint64_t upper;
#if __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000
    asm("{.reg .pred p; setp.lt.f64 p, %3, %2; selp.b64 %0, %4, %5, p; selp.b64 %1, %5, %4, p;}"
        : "=l"(lower), "=l"(upper)
        : "d"(__longlong_as_double(static_cast<long long>(a.word_))),
          "d"(__longlong_as_double(static_cast<long long>(b.word_))), "l"(b.word_), "l"(a.word_));
#else
    asm("{.reg .pred p; setp.lt.u64 p, %3, %2; selp.b64 %0, %3, %2, p; selp.b64 %1, %2, %3, p;}"
        : "=l"(lower), "=l"(upper)
        : "l"(a.word_), "l"(b.word_));
#endif
    a.word_ = lower;
    b.word_ = upper;
  }
#endif

 private:
  std::uint64_t word_;
};

/// The same two numbers, ordered by index alone.
template <class Scalar>
class index_key {
 public:
  index_key() = default;
  FARPOINT_HD constexpr index_key(Scalar distance2, std::uint32_t index) noexcept
      : distance2_{distance2}, index_{index} {}
  FARPOINT_HD static constexpr index_key lowest() noexcept { return {Scalar(0), 0}; }

  FARPOINT_HD constexpr Scalar distance2() const noexcept { return distance2_; }
  FARPOINT_HD constexpr std::uint32_t index() const noexcept { return index_; }
  FARPOINT_HD friend constexpr bool operator<(index_key const& a, index_key const& b) noexcept {
    return a.index_ < b.index_;
  }

 private:
  Scalar distance2_;
  std::uint32_t index_;
};

/// Index of no point.
inline constexpr std::uint32_t no_index = 0xffffffffu;

/// The k smallest keys that were pushed and are below a limit, in registers: for k up to some tens.
///
/// Sorted at all times. A list of fewer than `Capacity` starts with lowest keys, which nothing displaces: so the worst
/// is always the last element, and no element is found by a run-time index.
/// @tparam Capacity  k at most
template <class Key, int Capacity>
class topk_list {
 public:
  /// @param k      1 to Capacity
  /// @param limit  keys must be below this; also what stands for a missing element
  FARPOINT_HD FARPOINT_ALWAYS_INLINE topk_list(int k, Key const& limit) noexcept {
    FARPOINT_UNROLL
    for (int j = 0; j < Capacity; ++j) at_[j] = j < Capacity - k ? Key::lowest() : limit;
  }

  /// The k-th smallest so far, or the limit. A key that is not below it changes nothing.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE Key const& worst() const noexcept { return at_[Capacity - 1]; }

  /// O(Capacity), without branches.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void push(Key const& key) noexcept {
    FARPOINT_UNROLL
    for (int j = Capacity - 1; j > 0; --j) {
      Key const lower = key < at_[j] ? key : at_[j];
      at_[j] = lower < at_[j - 1] ? at_[j - 1] : lower;
    }
    at_[0] = key < at_[0] ? key : at_[0];
  }

  /// Writes the k elements, ascending; those missing are the limit.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void write(Key* to, int k) const noexcept {
    FARPOINT_UNROLL
    for (int j = 0; j < Capacity; ++j) {
      if (j >= Capacity - k) to[j - (Capacity - k)] = at_[j];
    }
  }

 private:
  Key at_[Capacity];
};

/// The same for any k, in memory that the caller gives: a plain list until it is full, then a heap with its largest key
/// on top.
/// @tparam Memory  a pointer, or what has elements that convert to keys and take them
template <class Key, class Memory = Key*>
class topk_heap {
 public:
  /// @param memory  `[k]`; holds the answer after sort()
  /// @param k       at least 1
  /// @param limit   keys must be below this; also what stands for a missing element
  FARPOINT_HD FARPOINT_ALWAYS_INLINE topk_heap(Memory memory, int k, Key const& limit) noexcept
      : at_{memory}, size_{k}, limit_{limit}, bound_{limit} {}

  FARPOINT_HD FARPOINT_ALWAYS_INLINE Key const& worst() const noexcept { return bound_; }

  /// O(log k).
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void push(Key const& key) noexcept {
    if (!(key < bound_)) return;
    if (count_ == size_) {
      sink(0, key, size_);
      bound_ = key_at(0);
      return;
    }
    at_[count_++] = key;
    if (count_ < size_) return;
    make_heap();
    bound_ = key_at(0);
  }

  /// Puts the elements in ascending order; the list is a heap no more. O(n log n) for the n elements that are there.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void sort() noexcept {
    if (count_ < size_) make_heap();
    for (int size = count_ - 1; size > 0; --size) {
      Key const last = key_at(size);
      at_[size] = key_at(0);
      sink(0, last, size);
    }
    for (int j = count_; j < size_; ++j) at_[j] = limit_;
  }

  /// Elements that are there.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE int count() const noexcept { return count_; }

 private:
  FARPOINT_HD FARPOINT_ALWAYS_INLINE Key key_at(int j) const noexcept { return at_[j]; }

  FARPOINT_HD FARPOINT_ALWAYS_INLINE void make_heap() noexcept {
    for (int j = count_ / 2 - 1; j >= 0; --j) sink(j, key_at(j), count_);
  }

  /// Puts a key in the place of element `hole` of the first `size`, or below it.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void sink(int hole, Key const& key, int size) noexcept {
    for (int child = 2 * hole + 1; child < size; child = 2 * hole + 1) {
      Key larger = key_at(child);
      if (child + 1 < size) {
        Key const other = key_at(child + 1);
        if (larger < other) {
          larger = other;
          ++child;
        }
      }
      if (!(key < larger)) break;
      at_[hole] = larger;
      hole = child;
    }
    at_[hole] = key;
  }

  Memory at_;
  int size_;
  int count_ = 0;
  Key limit_;
  Key bound_;
};

FARPOINT_END_NAMESPACE

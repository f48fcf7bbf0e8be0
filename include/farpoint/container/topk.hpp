/// @file
/// The k smallest of many keys, kept in one of four ways.
///
/// | list        | memory                | a key that enters costs     | for                            |
/// |-------------|-----------------------|-----------------------------|--------------------------------|
/// | topk_list   | registers             | O(k), without branches      | small k, on a device above all |
/// | topk_sorted | `[k]`, the caller's   | O(k), moves the keys behind | the host, medium k             |
/// | topk_heap   | `[k]`, the caller's   | O(log k)                    | any k, host and device         |
/// | topk_buffer | `[2 k]`, the caller's | O(1), amortised             | the host, large k              |
///
/// Each belongs to one thread. Each keeps the smallest keys below a limit, and worst() says below what a key can still
/// enter. neighbor_key is a total order, so the answer does not depend on the order in which keys are pushed. A NaN
/// must not be pushed.
#pragma once

#include <farpoint/container/neighbor_key.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE

/// The k smallest keys in registers, for k up to some tens; sorted at all times.
///
/// With k < Capacity the first elements are lowest keys, which nothing displaces: so the worst is always the last
/// element, and no element is addressed by a run-time index.
/// @tparam Capacity  k at most
template <class Key, int Capacity>
class topk_list {
 public:
  /// @param k      1 to Capacity
  /// @param limit  keys must be below this; also what stands for a missing element
  FARPOINT_HD FARPOINT_ALWAYS_INLINE topk_list(int k, Key const& limit) noexcept {
    FARPOINT_UNROLL
    for (int j = 0; j < Capacity; ++j) at_[j] = detail::chosen(j < Capacity - k, Key::lowest(), limit);
  }

  /// The k-th smallest so far, or the limit while there are fewer. A key that is not below it changes nothing.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE Key const& worst() const noexcept { return at_[Capacity - 1]; }

  /// O(Capacity), without branches.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void push(Key const& key) noexcept {
    FARPOINT_UNROLL
    for (int j = Capacity - 1; j > 0; --j) {
      Key const lower = detail::chosen(key < at_[j], key, at_[j]);
      at_[j] = detail::chosen(lower < at_[j - 1], at_[j - 1], lower);
    }
    at_[0] = detail::chosen(key < at_[0], key, at_[0]);
  }

  /// Writes the k elements, ascending; those missing are the limit.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void write(Key* to, int k) const noexcept {
    FARPOINT_UNROLL
    for (int j = 0; j < Capacity; ++j) {
      if (j >= Capacity - k) to[j - (Capacity - k)] = at_[j];
    }
  }

 protected:
  /// Element j of Capacity, of which the last k are the list.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE Key const& at(int j) const noexcept { return at_[j]; }
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void set(int j, Key const& key) noexcept { at_[j] = key; }

 private:
  Key at_[std::size_t{Capacity}];
};

/// The k smallest keys for any k, in memory of the caller's: a plain list until it is full, then a heap with the
/// largest key on top.
/// @tparam Memory  a pointer, or anything whose `memory[j]` converts to a key and can be assigned one
template <class Key, class Memory = Key*>
class topk_heap {
 public:
  /// @param memory  `[k]`; holds the answer after sort()
  /// @param k       at least 1
  /// @param limit   keys must be below this; also what stands for a missing element
  FARPOINT_HD FARPOINT_ALWAYS_INLINE topk_heap(Memory memory, int k, Key const& limit) noexcept
      : at_{memory}, size_{k}, limit_{limit}, bound_{limit} {}

  /// The k-th smallest so far, or the limit while there are fewer.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE Key const& worst() const noexcept { return bound_; }

  /// O(log k); O(1) for a key that is not below worst().
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

  /// Puts the elements in ascending order, the limit in place of missing ones. O(n log n) for n elements. Push nothing
  /// afterwards.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void sort() noexcept {
    if (count_ < size_) make_heap();
    for (int size = count_ - 1; size > 0; --size) {
      Key const last = key_at(size);
      at_[size] = key_at(0);
      sink(0, last, size);
    }
    for (int j = count_; j < size_; ++j) at_[j] = limit_;
  }

  /// Number of elements, at most k.
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

/// The k smallest keys on the host, for k too large for registers and too small for a topk_buffer; sorted at all times.
/// A key that enters moves those behind it.
template <class Key>
class topk_sorted {
 public:
  /// @param memory  `[k]`; holds the answer at all times
  /// @param k       at least 1
  /// @param limit   keys must be below this; also what stands for a missing element
  FARPOINT_ALWAYS_INLINE topk_sorted(Key* memory, int k, Key const& limit) noexcept : at_{memory}, last_{k - 1} {
    for (int j = 0; j < k; ++j) at_[j] = limit;
  }

  /// The k-th smallest so far, or the limit while there are fewer.
  FARPOINT_ALWAYS_INLINE Key const& worst() const noexcept { return at_[last_]; }

  FARPOINT_ALWAYS_INLINE void push(Key const& key) noexcept {
    if (!(key < at_[last_])) return;
    int j = last_;
    for (; j > 0 && key < at_[j - 1]; --j) at_[j] = at_[j - 1];
    at_[j] = key;
  }

  /// Does nothing; the other lists need it.
  FARPOINT_ALWAYS_INLINE void sort() const noexcept {}

 private:
  Key* at_;
  int last_;
};

/// The k smallest keys on the host, for large k. Whenever 2 k keys are collected, all but the k smallest are dropped: a
/// few operations a key, where a heap takes log k.
template <class Key>
class topk_buffer {
 public:
  /// @param memory  `[2 k]`; the first k hold the answer after sort()
  /// @param k       at least 1
  /// @param limit   keys must be below this; also what stands for a missing element
  FARPOINT_ALWAYS_INLINE topk_buffer(Key* memory, int k, Key const& limit) noexcept
      : at_{memory}, k_{k}, limit_{limit}, bound_{limit} {}

  /// Upper bound on the k-th smallest key so far. The bound lags behind, so a search that uses it visits slightly more.
  FARPOINT_ALWAYS_INLINE Key const& worst() const noexcept { return bound_; }

  FARPOINT_ALWAYS_INLINE void push(Key const& key) noexcept {
    if (!(key < bound_)) return;
    at_[size_++] = key;
    if (size_ == next_look_) tighten();
  }

  /// Puts the k smallest in ascending order, the limit in place of missing ones. Push nothing afterwards.
  void sort() noexcept {
    if (size_ > k_) std::nth_element(at_, at_ + k_, at_ + size_);
    int const kept = std::min(size_, k_);
    std::sort(at_, at_ + kept);
    std::fill(at_ + kept, at_ + k_, limit_);
  }

 private:
  void tighten() noexcept {
    if (size_ == k_) {
      bound_ = *std::max_element(at_, at_ + k_);
      next_look_ = 2 * k_;
      return;
    }
    std::nth_element(at_, at_ + k_ - 1, at_ + size_);
    bound_ = at_[k_ - 1];
    size_ = k_;
  }

  Key* at_;
  int k_;
  int size_ = 0;
  int next_look_ = k_;
  Key limit_;
  Key bound_;
};

FARPOINT_END_NAMESPACE

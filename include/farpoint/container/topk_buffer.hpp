/// @file
/// The k smallest of many keys on the host, for lists that are too long to be kept in order.
#pragma once

#include <farpoint/core/config.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Collects keys below a bound, and when there are 2 k of them keeps the k smallest: a few operations a key, where a
/// heap takes log k. The bound lags behind the k-th smallest, so a search looks at a little more.
template <class Key>
class topk_buffer {
 public:
  /// @param memory  `[2 k]`; the first k are the answer after sort()
  FARPOINT_ALWAYS_INLINE topk_buffer(Key* memory, int k, Key const& limit) noexcept
      : at_{memory}, k_{k}, limit_{limit}, bound_{limit} {}

  /// Not below the k-th smallest so far.
  FARPOINT_ALWAYS_INLINE Key const& worst() const noexcept { return bound_; }

  FARPOINT_ALWAYS_INLINE void push(Key const& key) noexcept {
    if (!(key < bound_)) return;
    at_[size_++] = key;
    if (size_ == next_look_) tighten();
  }

  /// Puts the k smallest in ascending order; those missing are the limit.
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

}  // namespace detail
FARPOINT_END_NAMESPACE

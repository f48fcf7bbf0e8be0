/// @file
/// The k smallest of many keys on the host, for lists that are too long for registers and too short for a buffer.
#pragma once

#include <farpoint/core/config.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Keeps the keys in order by moving those behind a new one.
template <class Key>
class topk_sorted {
 public:
  /// @param memory  `[k]`; the answer at all times
  FARPOINT_ALWAYS_INLINE topk_sorted(Key* memory, int k, Key const& limit) noexcept : at_{memory}, last_{k - 1} {
    for (int j = 0; j < k; ++j) at_[j] = limit;
  }

  FARPOINT_ALWAYS_INLINE Key const& worst() const noexcept { return at_[last_]; }

  FARPOINT_ALWAYS_INLINE void push(Key const& key) noexcept {
    if (!(key < at_[last_])) return;
    int j = last_;
    for (; j > 0 && key < at_[j - 1]; --j) at_[j] = at_[j - 1];
    at_[j] = key;
  }

  FARPOINT_ALWAYS_INLINE void sort() const noexcept {}

 private:
  Key* at_;
  int last_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

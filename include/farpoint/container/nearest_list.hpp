/// @file
#pragma once

#include <farpoint/container/topk.hpp>

FARPOINT_BEGIN_NAMESPACE

/// The k nearest that a search has found, ascending by (squared distance, index), in registers.
/// @tparam Capacity  maximum k. Elements that are read by constant indices stay in registers if k is Capacity
template <class Key, int Capacity>
class nearest_list : public topk_list<Key, Capacity> {
 public:
  using base = topk_list<Key, Capacity>;

  FARPOINT_HD FARPOINT_ALWAYS_INLINE nearest_list(int k, Key const& limit) noexcept : base{k, limit}, k_{k} {}

  /// Makes a list of Capacity keys, `keys(j)`, ascending; keys with no_index, at the end, stand for missing neighbors.
  FARPOINT_CALLS_BACK
  template <class Keys>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE static nearest_list of(Keys const& keys) noexcept {
    nearest_list list{Capacity, Key::lowest()};
    FARPOINT_UNROLL
    for (int j = 0; j < Capacity; ++j) list.set(j, keys(j));
    return list;
  }

  /// Neighbors that were found: k, or fewer.
  FARPOINT_HD int size() const noexcept {
    int count = 0;
    FARPOINT_UNROLL
    for (int j = 0; j < Capacity; ++j) count += j >= Capacity - k_ && this->at(j).index() != no_index ? 1 : 0;
    return count;
  }
  FARPOINT_HD bool empty() const noexcept { return size() == 0; }

  /// The j-th nearest, 0 <= j < k: its index() and its distance2(). From size() on the index is no_index.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE Key operator[](int j) const noexcept {
    Key found = this->at(Capacity - 1);
    FARPOINT_UNROLL
    for (int i = 0; i < Capacity - 1; ++i) {
      found = detail::chosen(i == Capacity - k_ + j, this->at(i), found);
    }
    return found;
  }

  /// Calls `function(index, squared distance)` for each neighbor, ascending. The loop is unrolled: elements stay in
  /// registers.
  FARPOINT_CALLS_BACK
  template <class Function>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void for_each(Function&& function) const noexcept {
    FARPOINT_UNROLL
    for (int j = 0; j < Capacity; ++j) {
      Key const found = this->at(j);
      if (j >= Capacity - k_ && found.index() != no_index) function(found.index(), found.distance2());
    }
  }

 private:
  int k_;
};

FARPOINT_END_NAMESPACE

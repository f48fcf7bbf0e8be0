// A warp of 32 fibers and its lists: what packets of a GPU are searched with, on a CPU.
#pragma once

#include "../support/fiber_machine.hpp"

#include <farpoint/container/neighbor_key.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace farpoint_tests {

/// `Warp` of detail/search/packets: see memory.hpp there.
struct fiber_warp {
  static constexpr int lanes = 32;

  static int lane() { return static_cast<int>(fiber_blocks::thread()) % lanes; }
  static void sync() { static_cast<void>(fiber_blocks::exchange(0)); }
  static unsigned ballot(bool flag) { return fiber_machine::ballot(flag); }
  template <class T>
  static T shuffle(T value, int from) {
    return of_lane(value, from);
  }
  template <class T>
  static T shuffle_xor(T value, int mask) {
    return of_lane(value, lane() ^ mask);
  }
  static std::uint32_t min(std::uint32_t value) { return fiber_machine::min<lanes>(value); }

 private:
  /// Exchanges eight bytes at a time. Each lane may name another lane.
  template <class T>
  static T of_lane(T value, int from) {
    for (std::size_t at = 0; at < sizeof value; at += 8) {
      std::uint64_t word = 0;
      std::size_t const size = std::min<std::size_t>(8, sizeof value - at);
      std::memcpy(&word, reinterpret_cast<unsigned char const*>(&value) + at, size);
      word = fiber_blocks::exchange(word)[static_cast<std::size_t>(from)];
      std::memcpy(reinterpret_cast<unsigned char*>(&value) + at, &word, size);
    }
    return value;
  }
};

/// The members of warp_topk. Counts what warp_topk must not be given.
template <class Scalar, int Capacity>
class fiber_topk {
 public:
  using scalar = Scalar;
  using key = farpoint::neighbor_key<Scalar>;
  static constexpr int capacity = Capacity;
  static constexpr int batch = Capacity < 8 * int{sizeof(Scalar)} ? 8 : 16;
  static constexpr int slots = 2 * batch;

  struct storage {
    key at[slots][fiber_warp::lanes];
    int faults = 0;  ///< candidates beyond the slots, beyond the bound, or at no distance
  };

  fiber_topk(storage& shared, int k, key const& limit, std::uint32_t excluded) : shared_{&shared}, excluded_{excluded} {
    for (int j = 0; j < Capacity; ++j) at_[j] = j < Capacity - k ? key::lowest() : limit;
  }

  void activate(bool is_active) { bound_ = is_active ? at_[Capacity - 1].distance2() : Scalar(-1); }
  void restart(int k) {
    if (bound_ < 0) return;
    queued_ = 0;
    for (int j = Capacity - k; j < Capacity; ++j) at_[j] = key{bound_, farpoint::no_index};
  }
  Scalar bound() const { return bound_; }
  std::uint32_t bound_index() const { return at_[Capacity - 1].index(); }

  void offer(Scalar distance2, std::uint32_t index) {
    if (queued_ == slots || !(distance2 <= bound_)) {
      ++shared_->faults;
    } else {
      shared_->at[queued_++][fiber_warp::lane()] = key{distance2, index};
    }
  }
  void limit_to(int most) { most_ = most; }
  bool merge_beyond(int most) {
    limit_to(most);
    return merge_if_beyond();
  }
  bool merge_if_beyond() {
    if (fiber_warp::ballot(queued_ > most_) == 0) return false;
    int const begin = std::max(queued_ - batch, 0);
    std::vector<key> all(at_, at_ + Capacity);
    for (int j = begin; j < queued_; ++j) {
      key const& candidate = shared_->at[j][fiber_warp::lane()];
      if (candidate.index() != excluded_) all.push_back(candidate);
    }
    queued_ = begin;
    std::sort(all.begin(), all.end());
    std::copy_n(all.begin(), Capacity, at_);
    if (bound_ >= 0) bound_ = at_[Capacity - 1].distance2();
    return true;
  }
  void merge_all() {
    while (merge_beyond(0)) {
    }
  }
  void merge_lane(int mask) {
    std::vector<key> all(at_, at_ + Capacity);
    for (int j = 0; j < Capacity; ++j) all.push_back(fiber_warp::shuffle_xor(at_[j], mask));
    std::sort(all.begin(), all.end());
    std::copy_n(all.begin(), Capacity, at_);
  }
  key const& operator[](int j) const { return at_[j]; }

 private:
  storage* shared_;
  std::uint32_t excluded_;
  Scalar bound_ = -1;
  int queued_ = 0;
  int most_ = 0;
  key at_[Capacity];
};

}  // namespace farpoint_tests

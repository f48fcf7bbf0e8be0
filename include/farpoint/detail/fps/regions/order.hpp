/// @file
/// Sort of accepted samples into the order of the serial loop.
#pragma once

#include <farpoint/detail/fps/regions/points.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Sorts keys by bins of the distance, and by comparing all pairs within a bin.
///
/// Example: 1,024 bins, and squared distances 100, 25, 4 and 1. A bin is the square root of (smallest distance /
/// distance) x 1,024: bins 102, 204, 512 and, limited to the last, 1,023.
template <class Shape, class Machine>
class region_order {
 public:
  using scalar = typename Shape::scalar;
  using key_type = typename Shape::key;

  FARPOINT_DEVICE explicit region_order(region_memory<Shape>& shared) noexcept : shared_{shared} {}

  /// Returns the number of accepted keys that are better than `key`, to all threads. The caller has a barrier before
  /// the next call.
  FARPOINT_DEVICE unsigned count_better(key_type key) noexcept {
    unsigned mine = 0;
    FARPOINT_UNROLL
    for (int e = 0; e < Shape::each; ++e) mine += shared_.keys.accepted[slot(e)] > key;
    return block_sum<Shape, Machine>(shared_, mine);
  }

  /// Calls write(rank, key) for each accepted key that is better than `left`; rank 0 is the best.
  template <class Write>
  FARPOINT_DEVICE void for_each_better(key_type left, Write const& write) noexcept {
    keep_better(left);
    fill_bins();
    for (unsigned i = Machine::thread(); i < shared_.counter; i += Shape::block_size) {
      key_type const key = shared_.keys.accepted[i];
      unsigned const bin = bin_of(key);
      unsigned rank = shared_.cells[bin];
      for (unsigned j = shared_.cells[bin]; j < shared_.cells[bin + 1]; ++j) rank += shared_.keys.accepted[j] > key;
      write(rank, key);
    }
  }

 private:
  FARPOINT_DEVICE static unsigned slot(int e) noexcept {
    return static_cast<unsigned>(e) * Shape::block_size + Machine::thread();
  }

  /// Copies keys better than `left` to keys.kept, and finds their smallest positive distance.
  FARPOINT_DEVICE void keep_better(key_type left) noexcept {
    for (unsigned c = Machine::thread(); c < unsigned{Shape::cells}; c += Shape::block_size) shared_.cells[c] = 0;
    if (Machine::thread() == 0) shared_.counter = 0;
    Machine::sync();
    unsigned const lane = Machine::thread() % 32;
    auto least = ~lane_word<scalar>{0};
    FARPOINT_UNROLL
    for (int e = 0; e < Shape::each; ++e) {
      key_type const key = shared_.keys.accepted[slot(e)];
      bool const is_kept = key > left;
      unsigned const together = Machine::ballot(is_kept);
      unsigned first = 0;
      if (lane == 0 && together != 0) first = Machine::add(&shared_.counter, count_bits(together));
      first = Machine::shuffle(first, 0);
      if (!is_kept) continue;
      shared_.keys.kept[first + count_bits(together & ((1u << lane) - 1))] = key;
      scalar const distance = fps_distance_of(key);
      if (distance > 0) least = smaller(least, ordered_distance_word(distance));
    }
    least = Machine::template min<32>(least);
    if (lane == 0) shared_.warp_least[Machine::thread() / 32] = least;
    Machine::sync();
    least = Machine::template min<32>(shared_.warp_least[lane % unsigned{Shape::warps}]);
    least_ = ordered_distance<scalar>(least);
    Machine::sync();
  }

  /// Sorts keys.kept by bins into keys.accepted.
  FARPOINT_DEVICE void fill_bins() noexcept {
    std::uint32_t in_bin[std::size_t{Shape::each}] = {};
    unsigned const size = shared_.counter;
    FARPOINT_UNROLL
    for (int e = 0; e < Shape::each; ++e) {
      if (slot(e) < size) in_bin[e] = Machine::add(&shared_.cells[bin_of(shared_.keys.kept[slot(e)])], 1);
    }
    Machine::sync();
    scan_cells<Shape, Machine>(shared_);
    FARPOINT_UNROLL
    for (int e = 0; e < Shape::each; ++e) {
      if (slot(e) >= size) continue;
      key_type const key = shared_.keys.kept[slot(e)];
      shared_.keys.accepted[shared_.cells[bin_of(key)] + in_bin[e]] = key;
    }
    Machine::sync();
  }

  /// Returns the bin of a key: smaller distances have higher bins. The number of samples farther than a distance grows
  /// like a power of the inverse distance, so that bins of the inverse's root have similar sizes.
  FARPOINT_DEVICE unsigned bin_of(key_type key) const noexcept {
    scalar const distance = fps_distance_of(key);
    constexpr unsigned last = Shape::cells - 1;
    if (!(distance > 0)) return last;
    // The ratio is in (0, 1], or 0 by underflow, or NaN if all distances are infinite.
    scalar const ratio = div_rn(least_, distance);
    if (!(ratio > 0)) return 0;
    return smaller(last, static_cast<unsigned>(sqrt_rn(ratio) * Shape::cells));
  }

  region_memory<Shape>& shared_;
  scalar least_ = 0;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

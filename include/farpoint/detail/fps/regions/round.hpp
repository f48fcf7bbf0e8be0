/// @file
/// Round of fps() by regions: finds the listed candidates that become samples, and the regions that they reach.
///
/// Example on a line: region v has its box from 10 to 20, lists a candidate at 18 with the squared distance 50, and its
/// best unlisted candidate has 40. A candidate of another region at 6 has 30. The listed one is better but 144 away, so
/// that it blocks nothing. An unlisted one could be at 10, only 16 away and with 40: region v blocks the candidate. At
/// 4 the box of v is 36 away, not closer than 30, and v does not block it.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/detail/fps/regions/points.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Part of the calling lane in a round: it tests candidates of its own warp against one region.
template <class Shape, class Machine>
class region_round {
 public:
  using scalar = typename Shape::scalar;
  using ball = typename Shape::ball;
  using key_type = typename Shape::key;

  /// @param shared  has the boxes of all regions
  FARPOINT_DEVICE explicit region_round(region_memory<Shape>& shared) noexcept
      : shared_{shared}, box_{shared.box[region()]} {}

  /// Reads the region's list. The caller has a barrier before it.
  FARPOINT_DEVICE void read_list() noexcept {
    FARPOINT_UNROLL
    for (int k = 0; k < Shape::listed; ++k) {
      listed_[k] = shared_.list[k][region()];
      low_[k] = shared_.list_low[k][region()];
    }
    best_unlisted_ = shared_.best_unlisted[region()];
  }

  /// Returns the best key of all candidates, or 0 if no candidate is left.
  FARPOINT_DEVICE key_type best() const noexcept {
    lane_word<scalar> const mine = ordered_distance_word(listed_[0].radius2);
    lane_word<scalar> const top = Machine::template max<32>(mine);
    std::uint32_t const low = Machine::template max<32>(mine == top ? low_[0] : 0u);
    return fps_key_with(ordered_distance<scalar>(top), low);
  }

  /// Accepts candidates of the warp, and puts them into the inboxes of the regions that they reach. Returns the ranks
  /// of accepted candidates as bits, the same for all lanes. The caller has a barrier after it.
  /// @param parity  0 in even rounds, 1 in odd ones
  FARPOINT_DEVICE unsigned test(unsigned parity) noexcept {
    ball candidate[std::size_t{Shape::passes}];
    scalar to_box2[std::size_t{Shape::passes}];
    unsigned blocked[std::size_t{Shape::passes}];
    unsigned accepted = 0;
    FARPOINT_UNROLL
    for (int pass = 0; pass < Shape::passes; ++pass) {
      unsigned const k = static_cast<unsigned>(pass * Shape::abreast) + group();
      bool const real = Shape::tested % Shape::abreast == 0 || k < unsigned{Shape::tested};
      candidate[pass] = shared_.list[real ? k : 0][warp()];
      std::uint32_t const low = shared_.list_low[real ? k : 0][warp()];
      to_box2[pass] = box_.distance2(candidate[pass].center);
      blocked[pass] = Machine::ballot(!real || is_blocked(candidate[pass], low, to_box2[pass]));
      FARPOINT_UNROLL
      for (int g = 0; g < Shape::abreast; ++g) {
        if (pass * Shape::abreast + g >= Shape::tested) break;
        accepted |= (blocked[pass] & lanes_of(static_cast<unsigned>(g))) == 0 ? 1u << (pass * Shape::abreast + g) : 0;
      }
    }
    if (accepted == 0) return 0;
    FARPOINT_UNROLL
    for (int pass = 0; pass < Shape::passes; ++pass) {
      bool const is_sample = (blocked[pass] & lanes_of(group())) == 0;
      if (!is_sample || !(to_box2[pass] < min_number(candidate[pass].radius2, listed_[0].radius2))) continue;
      shared_.inbox[region()][Machine::add(&shared_.received[parity][region()], 1)] = candidate[pass];
    }
    return accepted;
  }

 private:
  FARPOINT_DEVICE static unsigned warp() noexcept { return Machine::thread() / 32; }
  /// Returns the lane's region. A group of lanes has one lane per region, and tests one candidate.
  FARPOINT_DEVICE static unsigned region() noexcept { return Machine::thread() % unsigned{Shape::warps}; }
  FARPOINT_DEVICE static unsigned group() noexcept { return Machine::thread() % 32 / unsigned{Shape::warps}; }
  FARPOINT_DEVICE static unsigned lanes_of(unsigned group) noexcept {
    return (Shape::warps == 32 ? ~0u : (1u << (Shape::warps % 32)) - 1) << (group * unsigned{Shape::warps} % 32);
  }
  FARPOINT_DEVICE key_type listed_key(int k) const noexcept { return fps_key_with(listed_[k].radius2, low_[k]); }

  /// Returns true if a candidate of the region may be better than this one and inside its ball. Unlisted candidates of
  /// the region are worse than its last listed one, no farther than best_unlisted_, and inside its box.
  FARPOINT_DEVICE bool is_blocked(ball const& candidate, std::uint32_t low, scalar to_box2) const noexcept {
    key_type const key = fps_key_with(candidate.radius2, low);
    bool blocked = key == key_type{};
    FARPOINT_UNROLL
    for (int k = 0; k < Shape::listed; ++k) blocked |= fps_blocks(listed_[k], listed_key(k), candidate, key);
    bool const reaches_unlisted = (to_box2 < candidate.radius2) & (best_unlisted_ >= candidate.radius2);
    return blocked | (reaches_unlisted & (listed_key(Shape::listed - 1) > key));
  }

  region_memory<Shape>& shared_;
  bounding_box<scalar, Shape::dim> box_;
  ball listed_[std::size_t{Shape::listed}];
  std::uint32_t low_[std::size_t{Shape::listed}];
  scalar best_unlisted_ = no_candidate<scalar>;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

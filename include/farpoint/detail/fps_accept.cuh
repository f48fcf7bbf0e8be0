/// @file
/// The inner loop of a round: farthest point sampling of the list alone, by one warp, in registers.
#pragma once

#include <farpoint/block/cuda_warp.cuh>
#include <farpoint/detail/fps_rounds_memory.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// A list in the registers of a warp.
template <class Scalar, int Dim, int ListSize>
class fps_listed {
 public:
  using point_type = vec<Scalar, Dim>;

  /// A point of the list with its distance; the larger distance is better, then the lower index.
  struct candidate {
    Scalar distance;
    std::uint32_t index;
    point_type point;
  };

  __device__ fps_listed(fps_list<Scalar, Dim, ListSize> const& list, unsigned count) noexcept {
#pragma unroll
    for (int i = 0; i < each; ++i) {
      unsigned const at = static_cast<unsigned>(i * 32 + cuda_warp::lane());
      bool const real = at < count;
      mine_[i] = {real ? list.distance[at] : fps_taken<Scalar>, real ? list.index[at] : ~0u,
                  real ? list.point(at) : point_type{}};
    }
  }

  /// The best of all lanes, on all lanes; a negative distance when none is left.
  ///
  /// No && and || here: the compiler makes branches of them, on which the lanes part.
  __device__ candidate best() const noexcept {
    using rank = fps_rank<Scalar>;
    Scalar distance = mine_[0].distance;
#pragma unroll
    for (int i = 1; i < each; ++i) distance = max_number(distance, mine_[i].distance);
    auto const mine = rank::of(distance);
    auto const top = cuda_warp::max(mine);
    // While that is under way: which of this lane's points it would be.
    std::uint32_t index = ~0u;
#pragma unroll
    for (int i = 0; i < each; ++i) index = ::min(index, mine_[i].distance == distance ? mine_[i].index : ~0u);
    candidate best{distance, index, mine_[0].point};
#pragma unroll
    for (int i = 1; i < each; ++i) {
      bool const is_it = mine_[i].index == index;
#pragma unroll
      for (int axis = 0; axis < Dim; ++axis) best.point[axis] = is_it ? mine_[i].point[axis] : best.point[axis];
    }
    unsigned holders = cuda_warp::ballot(mine == top);
    if ((holders & (holders - 1)) != 0) {
      std::uint32_t const lowest = cuda_warp::min(mine == top ? best.index : ~0u);
      holders = cuda_warp::ballot(best.index == lowest);
    }
    return cuda_warp::shuffle(best, __ffs(static_cast<int>(holders)) - 1);
  }

  /// Takes a sample out and lowers the others' distances to it.
  __device__ void lower(candidate const& sample) noexcept {
#pragma unroll
    for (int i = 0; i < each; ++i) {
      Scalar const lowered = min_number(distance2(mine_[i].point, sample.point), mine_[i].distance);
      mine_[i].distance = mine_[i].index == sample.index ? fps_taken<Scalar> : lowered;
    }
  }

 private:
  static constexpr int each = ListSize / 32;
  static_assert(ListSize % 32 == 0, "farpoint: the list is spread evenly over a warp");

  candidate mine_[each];
};

/// Accepts samples from the list for as long as its best is above everything that is not in it, at most `room`.
/// Called by one warp; resets the tally for the next round.
template <class Scalar, int Dim, int ListSize>
__device__ void fps_accept(fps_list<Scalar, Dim, ListSize> const& list, fps_tally<Scalar>& tally,
                           fps_cut_control<Scalar>& control, index_t room, Scalar stop2,
                           fps_accepted<Scalar, Dim, ListSize>& accepted) noexcept {
  fps_tally<Scalar> const found = tally;
  fps_round<Scalar> round{fps_rank<Scalar>::back(found.largest), found.found, control.cut()};
  if (found.dropped != 0) {
    round.reached = higher(round.reached, fps_cut<Scalar>{fps_rank<Scalar>::back(found.dropped), 0});
  }
  fps_listed<Scalar, Dim, ListSize> listed{list, found.found};

  unsigned count = 0;
  bool finished = round.largest < 0 || control.is_stuck();
  while (!finished) {
    auto const best = listed.best();
    if (!round.reached.is_below(best.distance, best.index)) break;
    if (best.distance < stop2) {
      finished = true;
      break;
    }
    if (cuda_warp::lane() == 0) accepted.samples.set(count, best.point, best.distance, best.index);
    finished = ++count == room;
    listed.lower(best);
  }
  control.adapt(round);
  cuda_warp::sync();
  if (cuda_warp::lane() == 0) {
    accepted.count = count;
    accepted.finished = finished;
    accepted.cut = control.cut();
    tally = {};
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE

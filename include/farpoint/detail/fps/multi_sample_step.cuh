/// @file
/// Farthest point sampling of points in registers, several samples per step.
#pragma once

#include <farpoint/detail/fps/round_memory.cuh>
#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Points, with their distances, that the first `Threads` threads of a block sample from: thread t has the numbers
/// t, t + Threads, t + 2 * Threads, ...
///
/// A step compares at most 32 heads, all points above a threshold, pair by pair. A head that none before it can lower
/// is exact; what the others can be at most bounds which of the exact ones are the next samples. See
/// docs/design/fps.md.
template <class Scalar, int Dim, int Each, int Threads>
class multi_sample_step {
 public:
  using point_type = vec<Scalar, Dim>;
  using counters_type = round_counters<Scalar>;
  static constexpr int heads = 32;
  static constexpr int each = Each;
  static constexpr int warps = Threads / 32;
  static_assert(Threads % 32 == 0, "farpoint: the number of threads must be a multiple of 32");

  /// A sample as every warp reads it, in one load.
  struct alignas(sizeof(Scalar) * (Dim + 1) == 16 ? 16 : alignof(Scalar)) head_type {
    point_type point;
    Scalar distance;
  };

  struct step_type {
    head_type head[heads];
    std::uint32_t index[heads];
    unsigned owner[heads];     ///< number of the point
    unsigned before[heads];    ///< of each: which others come before it
    unsigned lowering[heads];  ///< ... and would lower its distance
    counters_type counters;
  };

  /// Shared memory: two steps in turn, so that none waits for the readers of the one before.
  struct storage {
    step_type turn[2];
    std::uint8_t taken[std::size_t{warps}][std::size_t{heads}];  ///< which heads were taken, for each warp
  };

  __device__ explicit multi_sample_step(storage& shared) noexcept : shared_{shared} {
#pragma unroll
    for (int i = 0; i < Each; ++i) set(i, {}, no_candidate<Scalar>, ~0u);
  }

  /// Once, by all threads; ends with a barrier.
  __device__ void prepare() noexcept {
    if (threadIdx.x < 2) shared_.turn[threadIdx.x].counters = {};
    sync();
  }

  /// The number of this thread's point i.
  __device__ static unsigned number_of(int i) noexcept {
    return static_cast<unsigned>(i) * Threads + threadIdx.x;
  }

  __device__ void set(int i, point_type const& point, Scalar distance, std::uint32_t index) noexcept {
    point_[i] = point;
    distance_[i] = distance;
    index_[i] = index;
  }

  /// Lowers all distances to a sample.
  __device__ void lower_to(point_type const& sample) noexcept {
#pragma unroll
    for (int i = 0; i < Each; ++i) distance_[i] = min_number(distance2(point_[i], sample), distance_[i]);
  }

  /// Removes the point of this number from the candidates.
  __device__ void take(unsigned number) noexcept {
    if (number % Threads != threadIdx.x) return;
    // Registers have no addresses, so the right one is found by comparison, in one warp only. A select, not a store
    // under a condition: the compiler turns that into an indexed store, and all points leave the registers.
    auto const slot = static_cast<int>(number / Threads);
#pragma unroll
    for (int i = 0; i < Each; ++i) distance_[i] = i == slot ? no_candidate<Scalar> : distance_[i];
  }

  /// The largest distance is `largest` now.
  __device__ void restart(Scalar largest) noexcept {
    control_.restart(largest);
  }

  /// Takes one step: hands the next samples, at most `room`, to sink(place, point, distance, index), places counted
  /// from 0, in the lanes of the first warp. Samples stay above `reached`, and at `stop2` at least.
  struct outcome {
    unsigned count;  ///< samples of this step
    bool too_near;   ///< the next one is nearer than stop2
    bool more;       ///< another step may find more
  };
  template <class Sink>
  __device__ outcome step(candidate_threshold<Scalar> const& reached, Scalar stop2, unsigned room, Sink sink) noexcept {
    candidate_threshold<Scalar> const threshold = higher(control_.threshold(), reached);
    step_type& now = shared_.turn[turn_];
    collect(now, threshold);
    sync();
    turn_ ^= 1;
    if (threadIdx.x == 0) shared_.turn[turn_].counters = {};
    counters_type const counters = now.counters;
    if (counters.found == 0 && threshold.distance == reached.distance && threshold.index == reached.index)
      return {0, false, false};
    if (counters.found == 0) {
      control_.adapt(fps_summary(counters, threshold));
      // The next step's counters must be zero before any thread adds to them.
      sync();
      return {0, false, true};
    }
    unsigned const count = counters.found < heads ? counters.found : heads;
    compare(now, count);
    sync();

    exact_heads const next = choose(now, count, distance_of<Scalar>(counters.dropped));
    unsigned const nearby = cuda_warp::ballot(mine_.distance < stop2) & next.taken;
    unsigned taken = next.taken & ~nearby;
    auto const place = static_cast<unsigned>(__popc(next.before & taken));
    taken &= cuda_warp::ballot(place < room);
    if (threadIdx.x < 32 && (taken >> threadIdx.x & 1) != 0) {
      sink(place, mine_.point, mine_.distance, mine_index_);
    }
    lower(now, taken);
    // Among ties the threshold moves on by index: not before all heads are samples or nearer than they were.
    bool const stays = lane_bit(count_mask(count) & ~taken) && (next.lowering & taken) == 0;
    if (threshold.index == 0 || counters.found > heads || cuda_warp::ballot(stays) == 0)
      control_.adapt(fps_summary(counters, threshold));
    auto const accepted = static_cast<unsigned>(__popc(taken));
    return {accepted, nearby != 0, nearby == 0 && accepted < room};
  }

  /// Barrier 1 is ours: other warps of the block may wait at barrier 0. One warp needs none.
  __device__ static void sync() noexcept {
    if constexpr (Threads == 32) {
      cuda_warp::sync();
    } else {
      __barrier_sync_count(1, Threads);
    }
  }

 private:
  /// Puts the points above the threshold among the heads.
  __device__ void collect(step_type& now, candidate_threshold<Scalar> const& threshold) noexcept {
    Scalar largest = distance_[0];
#pragma unroll
    for (int i = 1; i < Each; ++i) largest = max_number(largest, distance_[i]);
    auto const top = cuda_warp::max(distance_word_of(largest));
    if (cuda_warp::lane() == 0 && top != 0) atomicMax(&now.counters.largest, top);
    if (distance_of<Scalar>(top) < threshold.distance) return;

    unsigned all = 0;
#pragma unroll
    for (int i = 0; i < Each; ++i) all += above(threshold, i) ? 1 : 0;
    // Lanes with a head come first by number of lane: their places are a prefix sum.
    unsigned const mine = all;
    unsigned place = 0;
    if constexpr (Each == 1) {
      unsigned const lanes = cuda_warp::ballot(mine != 0);
      all = static_cast<unsigned>(__popc(lanes));
      place = static_cast<unsigned>(__popc(lanes & ((1u << cuda_warp::lane()) - 1)));
    } else {
      // Several heads in one lane are rare, so that bits of the count are summed one by one, by vote.
      all = 0;
      for (unsigned bit = 1; cuda_warp::ballot(mine >= bit) != 0; bit *= 2) {
        unsigned const lanes = cuda_warp::ballot((mine & bit) != 0);
        all += bit * static_cast<unsigned>(__popc(lanes));
        place += bit * static_cast<unsigned>(__popc(lanes & ((1u << cuda_warp::lane()) - 1)));
      }
    }
    if (all == 0) return;
    unsigned first = 0;
    if (cuda_warp::lane() == 0) first = atomicAdd(&now.counters.found, all);
    place += cuda_warp::shuffle(first, 0);
    if (mine == 0) return;
#pragma unroll
    for (int i = 0; i < Each; ++i) {
      if (!above(threshold, i)) continue;
      if (place < heads) {
        now.head[place] = {point_[i], distance_[i]};
        now.index[place] = index_[i];
        now.owner[place] = number_of(i);
      } else {
        atomicMax(&now.counters.dropped, distance_word_of(distance_[i]));
      }
      ++place;
    }
  }

  __device__ bool above(candidate_threshold<Scalar> const& threshold, int i) const noexcept {
    return threshold.admits(distance_[i], index_[i]);
  }

  /// Fills before and lowering: a head for each warp in turn, the others in its lanes.
  __device__ void compare(step_type& now, unsigned count) noexcept {
    auto const lane = static_cast<unsigned>(cuda_warp::lane());
    bool const real = lane < count;
    mine_ = now.head[lane];
    mine_index_ = now.index[lane];
#pragma unroll
    for (int i = 0; i < divide_up(heads, warps); ++i) {
      unsigned const other = i * warps + threadIdx.x / 32;
      if (other >= heads) break;
      head_type const head = now.head[other];
      bool const first =
          (mine_.distance > head.distance) | ((mine_.distance == head.distance) & (mine_index_ < now.index[other]));
      bool const lowers = distance2(mine_.point, head.point) < head.distance;
      unsigned const before = cuda_warp::ballot(real & first);
      unsigned const lowering = cuda_warp::ballot(real & first & lowers);
      if (lane == 0) {
        now.before[other] = before;
        now.lowering[other] = lowering;
      }
    }
  }

  struct exact_heads {
    unsigned taken;     ///< the next samples
    unsigned before;    ///< heads that come before this lane's
    unsigned lowering;  ///< and would lower it
  };

  __device__ static bool lane_bit(unsigned mask) noexcept {
    return (mask >> cuda_warp::lane() & 1) != 0;
  }
  __device__ static unsigned count_mask(unsigned count) noexcept {
    return count < 32 ? (1u << count) - 1 : ~0u;
  }

  /// Every warp works out for itself which heads are next.
  __device__ exact_heads choose(step_type const& now, unsigned count, Scalar dropped) noexcept {
    auto const lane = static_cast<unsigned>(cuda_warp::lane());
    bool const real = lane < count;
    unsigned const before = now.before[lane];
    unsigned const lowering = real ? now.lowering[lane] : 0;

    // A head stays as it is if all that could lower it are lowered themselves. Only once: a second look does not
    // pay for itself (h200, 16 x 1,024 -> 512: 0.120 ms; two looks 0.127, three 0.123).
    unsigned const free = cuda_warp::ballot(real & (lowering == 0));
    unsigned const lowered = cuda_warp::ballot((lowering & free) != 0);
    unsigned const exact = cuda_warp::ballot(real & ((lowering & ~lowered) == 0));
    bool const is_exact = lane_bit(exact);

    // Of the others, some are lowered by an exact one: what they can be at most is a limit. The rest may be samples
    // that come before all heads behind them.
    unsigned const by = lowering & exact;
    bool const is_lowered = real & !is_exact & (by != 0);
    Scalar const lowered_to = distance2(mine_.point, now.head[by != 0 ? __ffs(static_cast<int>(by)) - 1 : 0].point);
    Scalar const limit = max_number(
        distance_of<Scalar>(cuda_warp::max(distance_word_of(is_lowered ? lowered_to : no_candidate<Scalar>))), dropped);
    bool const is_open = real & !is_exact & (by == 0);
    unsigned const behind = cuda_warp::ballot(is_open) == 0 ? 0 : ~cuda_warp::all_bits(is_open ? before : ~0u);
    return {cuda_warp::ballot(is_exact & (mine_.distance > limit)) & ~behind, before, lowering};
  }

  /// Lowers my points' distances to the heads that were taken. They are listed first, because loads
  /// whose addresses are known in advance overlap.
  __device__ void lower(step_type const& now, unsigned taken) noexcept {
    auto const lane = static_cast<unsigned>(cuda_warp::lane());
    std::uint8_t* const list = shared_.taken[threadIdx.x / 32];
    bool const is_taken = (taken >> lane & 1) != 0;
    if (is_taken) list[__popc(taken & ((1u << lane) - 1))] = static_cast<std::uint8_t>(lane);
    unsigned const owner = now.owner[lane];
    cuda_warp::sync();
    int const count = __popc(taken);
#pragma unroll 4
    for (int t = 0; t < count; ++t) lower_to(now.head[list[t]].point);
    unsigned mine = cuda_warp::ballot(is_taken & (owner % Threads / 32 == threadIdx.x / 32));
    for (; mine != 0; mine &= mine - 1) take(cuda_warp::shuffle(owner, __ffs(static_cast<int>(mine)) - 1));
    cuda_warp::sync();
  }

  storage& shared_;
  threshold_control<Scalar> control_{heads};
  unsigned turn_ = 0;

  point_type point_[std::size_t{Each}];
  Scalar distance_[std::size_t{Each}];
  std::uint32_t index_[std::size_t{Each}];

  head_type mine_;  ///< this lane's head
  std::uint32_t mine_index_ = 0;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

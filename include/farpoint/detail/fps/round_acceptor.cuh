/// @file
/// Serial part of a round: farthest point sampling of the list alone, by some warps of one block.
#pragma once

#include <farpoint/detail/fps/multi_sample_step.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Accepts samples from the list of a round, as long as its best candidate is above every candidate outside the list.
template <class Scalar, int Dim, int ListSize, int BlockSize>
class round_acceptor {
 public:
  /// Number of threads that take part, the first ones of the block.
  static constexpr int threads = ListSize < BlockSize ? ListSize : BlockSize;

  using steps_type = multi_sample_step<Scalar, Dim, divide_up(ListSize, threads), threads>;
  using storage = typename steps_type::storage;

  __device__ explicit round_acceptor(storage& shared) noexcept : steps_{shared} {}

  __device__ void prepare() noexcept {
    if (threadIdx.x < threads) steps_.prepare();
  }

  /// Accepts at most `room` samples, and resets the counters. All threads of the block call it.
  __device__ void run(fps_list<Scalar, Dim, ListSize> const& list, round_counters<Scalar>& counters,
                      threshold_control<Scalar>& control, index_t room, Scalar stop2,
                      fps_accepted<Scalar, Dim, ListSize>& accepted) noexcept {
    if (threadIdx.x >= threads) return;
    round_counters<Scalar> const found = counters;
    fps_round<Scalar> const round = fps_summary(found, control.threshold());
    load(list, found.found);
    steps_.restart(round.largest);

    auto const left = static_cast<unsigned>(room < ListSize ? room : ListSize);
    unsigned count = 0;
    bool finished = round.largest < 0 || control.is_stuck();
    for (bool more = !finished; more;) {
      auto const step = steps_.step(round.reached, stop2, left - count,
                                    [&](unsigned place, auto const& point, Scalar distance, std::uint32_t index) {
                                      accepted.samples[count + place] = {point, index};
                                      accepted.distance[count + place] = distance;
                                    });
      count += step.count;
      more = step.more;
      // The cloud is done if the distance ended the round, and not if the list did.
      finished = step.too_near || count == room;
    }
    control.adapt(round);
    // The barrier orders the reads of the counters before their reset.
    steps_.sync();
    if (threadIdx.x == 0) {
      accepted.count = count;
      accepted.finished = finished;
      accepted.threshold = control.threshold();
      counters = {};
    }
  }

 private:
  __device__ void load(fps_list<Scalar, Dim, ListSize> const& list, unsigned count) noexcept {
#pragma unroll
    for (int i = 0; i < steps_type::each; ++i) {
      unsigned const at = steps_type::number_of(i);
      if (at < count && at < ListSize) {
        steps_.set(i, list.point(at), list.distance[at], list.index[at]);
      } else {
        steps_.set(i, {}, no_candidate<Scalar>, ~0u);
      }
    }
  }

  steps_type steps_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// What the blocks of a group exchange in a round of fps().
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/core/ordered_bits.hpp>
#include <farpoint/detail/fps/candidate_threshold.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Distances as unsigned integers of the same order, for atomicMax: 0 for no candidate, below all others.
template <class Scalar>
using distance_word = std::conditional_t<sizeof(Scalar) == 8, unsigned long long, unsigned>;

template <class Scalar>
__device__ distance_word<Scalar> distance_word_of(Scalar distance) noexcept {
  return ordered_distance_word(distance);
}
template <class Scalar>
__device__ Scalar distance_of(distance_word<Scalar> word) noexcept {
  return word == 0 ? no_candidate<Scalar> : ordered_distance<Scalar>(word);
}

/// Counters of a round; all zero at its start.
template <class Scalar>
struct round_counters {
  distance_word<Scalar> largest;  ///< of all points
  distance_word<Scalar> dropped;  ///< of the points above the threshold that found no place in the list
  unsigned found;                 ///< points above the threshold
};

/// What the counters say about a round with this threshold.
template <class Scalar>
__device__ fps_round<Scalar> fps_summary(round_counters<Scalar> const& counters,
                                         candidate_threshold<Scalar> const& threshold) noexcept {
  fps_round<Scalar> round{distance_of<Scalar>(counters.largest), counters.found, threshold};
  if (counters.dropped != 0) round.reached = higher(threshold, {distance_of<Scalar>(counters.dropped), 0});
  return round;
}

/// Candidates of a round, as many as the counters say, in any order.
template <class Scalar, int Dim, int Size>
struct fps_list {
  static constexpr unsigned size = Size;

  Scalar axis[std::size_t{Dim}][std::size_t{Size}];
  Scalar distance[std::size_t{Size}];
  std::uint32_t index[std::size_t{Size}];

  __device__ void set(unsigned at, vec<Scalar, Dim> const& point, Scalar distance_, std::uint32_t index_) noexcept {
#pragma unroll
    for (int a = 0; a < Dim; ++a) axis[a][at] = point[a];
    distance[at] = distance_;
    index[at] = index_;
  }
  __device__ vec<Scalar, Dim> point(unsigned at) const noexcept {
    vec<Scalar, Dim> point;
#pragma unroll
    for (int a = 0; a < Dim; ++a) point[a] = axis[a][at];
    return point;
  }
};

/// An accepted sample, as all warps read it: 16 bytes in the usual case, one load.
template <class Scalar, int Dim>
struct alignas(Dim == 3 && sizeof(Scalar) == 4 ? 16 : alignof(Scalar)) fps_sample {
  vec<Scalar, Dim> point;
  std::uint32_t index;
};

/// What a round accepted, in order, and what to do next.
template <class Scalar, int Dim, int Size>
struct fps_accepted {
  fps_sample<Scalar, Dim> samples[std::size_t{Size}];
  Scalar distance[std::size_t{Size}];
  unsigned count;
  bool finished;
  candidate_threshold<Scalar> threshold;  ///< of the next round
};

/// A round's memory that a whole group shares: in shared memory, or in global memory for a group across the grid.
template <class Scalar, int Dim, int Size>
struct round_exchange {
  fps_list<Scalar, Dim, Size> list;
  fps_accepted<Scalar, Dim, Size> accepted;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

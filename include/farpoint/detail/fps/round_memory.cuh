/// @file
/// What the blocks of a group tell each other in a round of fps().
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/detail/fps/candidate_threshold.hpp>

#include <cstring>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Distances as unsigned integers of the same order, for atomicMax: 0 for no candidate, below all others.
template <class Scalar>
struct fps_rank;

template <>
struct fps_rank<float> {
  using type = unsigned;
  __device__ static type of(float distance) noexcept { return distance < 0 ? 0u : __float_as_uint(distance) + 1; }
  __device__ static float back(type rank) noexcept {
    return rank == 0 ? no_candidate<float> : __uint_as_float(rank - 1);
  }
};

template <>
struct fps_rank<double> {
  using type = unsigned long long;
  __device__ static type of(double distance) noexcept {
    return distance < 0 ? 0 : static_cast<type>(__double_as_longlong(distance)) + 1;
  }
  __device__ static double back(type rank) noexcept {
    return rank == 0 ? no_candidate<double> : __longlong_as_double(static_cast<long long>(rank - 1));
  }
};

/// Counters of a round; all zero at its start.
template <class Scalar>
struct round_counters {
  using rank = typename fps_rank<Scalar>::type;

  rank largest;    ///< of all points
  rank dropped;    ///< of the points above the cut that found no place in the list
  unsigned found;  ///< points above the cut
};

/// What a tally says about a round with this cut.
template <class Scalar>
__device__ fps_round<Scalar> fps_summary(round_counters<Scalar> const& tally,
                                         candidate_threshold<Scalar> const& cut) noexcept {
  using rank = fps_rank<Scalar>;
  fps_round<Scalar> round{rank::back(tally.largest), tally.found, cut};
  if (tally.dropped != 0) round.reached = higher(cut, candidate_threshold<Scalar>{rank::back(tally.dropped), 0});
  return round;
}

/// Candidates of a round, as many as the tally found, in any order.
template <class Scalar, int Dim, int Size>
struct fps_list {
  static constexpr unsigned size = Size;

  Scalar axis[Dim][Size];
  Scalar distance[Size];
  std::uint32_t index[Size];

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
  fps_sample<Scalar, Dim> samples[Size];
  Scalar distance[Size];
  unsigned count;
  bool finished;
  candidate_threshold<Scalar> cut;  ///< of the next round
};

/// A round's memory that a whole group shares: in shared memory, or in global memory for a group across the grid.
template <class Scalar, int Dim, int Size>
struct round_exchange {
  fps_list<Scalar, Dim, Size> list;
  fps_accepted<Scalar, Dim, Size> accepted;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

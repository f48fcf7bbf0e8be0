/// @file
/// The inner loop of host fps: lower the distances of a range of points to a new sample, and find the largest left.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/detail/fps_taken.hpp>

#include <cstring>
#include <utility>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Points are worked on in blocks of this many: the maximum of a block says where to look for its index.
inline constexpr index_t fps_host_block = 256;

/// Coordinates as separate arrays, padded to whole blocks, with each point's distance to the nearest sample.
template <class Scalar, int Dim>
struct fps_arrays {
  Scalar* axis[Dim];
  Scalar* nearest;
};

/// The largest distance in some blocks, and the first block that has it; -1 and no block when there is no candidate.
template <class Scalar>
struct fps_block_best {
  Scalar score = fps_taken<Scalar>;
  index_t block = -1;
};

/// A distance as an integer of the same order: distances are never negative, and fps_taken is below all of them.
inline std::int32_t fps_order(float distance) noexcept {
  std::int32_t word;
  std::memcpy(&word, &distance, sizeof word);
  return word;
}

/// @copydoc fps_order(float)
inline std::int64_t fps_order(double distance) noexcept {
  std::int64_t word;
  std::memcpy(&word, &distance, sizeof word);
  return word;
}

// The loops below are written so that g++ and clang++ vectorise them at -O2 and at -O3 alike, for the target that they
// are inlined into: no nests, a constant length that is too long to unroll, a buffer that nothing can alias, and a
// maximum over integers, which may be taken in any order (one over floats may not).

/// One step of distance2 for a block: d += (coordinate - center)^2, from zero at the first axis.
template <bool First, class Scalar>
FARPOINT_ALWAYS_INLINE void fps_add_axis(Scalar* d, Scalar const* coordinate, Scalar center) noexcept {
  for (int i = 0; i < static_cast<int>(fps_host_block); ++i) {
    Scalar const difference = sub_rn(coordinate[i], center);
    d[i] = fma_rn(difference, difference, First ? Scalar(0) : d[i]);
  }
}

template <class Scalar, int Dim, std::size_t... Axis>
FARPOINT_ALWAYS_INLINE void fps_block_distances(Scalar* d, fps_arrays<Scalar, Dim> const& points, index_t offset,
                                                vec<Scalar, Dim> const& sample, std::index_sequence<Axis...>) noexcept {
  (fps_add_axis<Axis == 0>(d, points.axis[Axis] + offset, sample[Axis]), ...);
}

template <class Scalar, int Dim>
FARPOINT_ALWAYS_INLINE fps_block_best<Scalar> fps_lower_blocks(fps_arrays<Scalar, Dim> const& points, index_t begin,
                                                               index_t end, vec<Scalar, Dim> const& sample) noexcept {
  fps_block_best<Scalar> best;
  auto best_order = fps_order(best.score);
  for (index_t block = begin; block < end; ++block) {
    Scalar d[fps_host_block];
    fps_block_distances(d, points, block * fps_host_block, sample, std::make_index_sequence<std::size_t{Dim}>{});
    Scalar* const nearest = points.nearest + block * fps_host_block;
    auto order = fps_order(fps_taken<Scalar>);
    for (int i = 0; i < static_cast<int>(fps_host_block); ++i) {
      Scalar const lowered = d[i] < nearest[i] ? d[i] : nearest[i];
      nearest[i] = lowered;
      order = fps_order(lowered) > order ? fps_order(lowered) : order;
    }
    if (order > best_order) {
      best_order = order;
      best.block = block;
    }
  }
  std::memcpy(&best.score, &best_order, sizeof best.score);
  return best;
}

template <class Scalar, int Dim>
using fps_lower_function = fps_block_best<Scalar> (*)(fps_arrays<Scalar, Dim> const&, index_t, index_t,
                                                      vec<Scalar, Dim> const&);

// std::fma is a library call unless the target has the instruction, so the same loop is compiled once per target and
// chosen at run time: the caller's flags stay as they are. The bits are the same in each.
template <class Scalar, int Dim>
fps_block_best<Scalar> fps_lower_portable(fps_arrays<Scalar, Dim> const& points, index_t begin, index_t end,
                                          vec<Scalar, Dim> const& sample) noexcept {
  return fps_lower_blocks(points, begin, end, sample);
}

#if defined(__GNUC__) && defined(__x86_64__)
template <class Scalar, int Dim>
__attribute__((target("avx2,fma"))) fps_block_best<Scalar> fps_lower_avx2(fps_arrays<Scalar, Dim> const& points,
                                                                          index_t begin, index_t end,
                                                                          vec<Scalar, Dim> const& sample) noexcept {
  return fps_lower_blocks(points, begin, end, sample);
}

template <class Scalar, int Dim>
__attribute__((target("avx512f,fma"))) fps_block_best<Scalar> fps_lower_avx512(
    fps_arrays<Scalar, Dim> const& points, index_t begin, index_t end, vec<Scalar, Dim> const& sample) noexcept {
  return fps_lower_blocks(points, begin, end, sample);
}
#endif

/// The version of the loop for this processor.
template <class Scalar, int Dim>
fps_lower_function<Scalar, Dim> fps_choose_lower() noexcept {
#if defined(__GNUC__) && defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return fps_lower_avx512<Scalar, Dim>;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return fps_lower_avx2<Scalar, Dim>;
#endif
  return fps_lower_portable<Scalar, Dim>;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

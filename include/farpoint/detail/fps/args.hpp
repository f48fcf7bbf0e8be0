/// @file
/// Arguments of a call of fps() and writing of its output, for all backends.
#pragma once

#include <farpoint/container/hash.hpp>
#include <farpoint/core/batch.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/detail/fps/candidate_threshold.hpp>
#include <farpoint/host/float_environment.hpp>
#include <farpoint/types/fps.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// First sample of a cloud without chosen points.
struct fps_first {
  /// Index of the first sample; -1 if the requested point is not finite: the finite point with the lowest index then
  /// takes its role.
  index_t index;
  /// False if the requested index is out of range: the cloud gets no samples.
  bool has_cloud;
};

/// Returns a random first sample for cloud b of `points` points, fewer than 2^32. Numbers are from SplitMix64 (Steele,
/// Lea and Flood 2014); scaling their upper halves makes the probabilities of any two points differ by at most 2^-32.
FARPOINT_HD constexpr index_t random_first(std::uint64_t seed, index_t b, index_t points) noexcept {
  std::uint64_t const number = mix_bits(seed + 0x9e3779b97f4a7c15u * (static_cast<std::uint64_t>(b) + 1));
  return static_cast<index_t>((number >> 32) * static_cast<std::uint64_t>(points) >> 32);
}

/// Splits indices into the first `count` and the rest.
struct fps_split_indices {
  index_view before;
  index_span rest;

  fps_split_indices(index_span all, index_t count) noexcept {
    if (all.wide()) {
      cut(static_cast<std::int64_t*>(all.data()), all.size(), count);
    } else {
      cut(static_cast<std::int32_t*>(all.data()), all.size(), count);
    }
  }

 private:
  template <class Index>
  void cut(Index* data, index_t size, index_t count) noexcept {
    before = index_view{span<Index const>{data, static_cast<std::size_t>(count)}};
    rest = index_span{span<Index>{data + count, static_cast<std::size_t>(size - count)}};
  }
};

template <class Points>
struct fps_args {
  using scalar = typename Points::scalar;

  batch<Points> clouds;
  fps_params params;
  fps_output<scalar> output;
  scalar stop2;  ///< squared params.stop_below
  /// On a device: pointer to the number of invalid offsets. Null if no kernel has counted them: every block then checks
  /// the offsets itself.
  unsigned const* bad_offsets = nullptr;

  fps_args(batch<Points> const& clouds_, fps_params const& params_, fps_output<scalar> const& output_) noexcept
      : clouds{clouds_}, params{params_}, output{output_}, stop2{rounded_square<scalar>(params_.stop_below)} {}

  /// Returns the number of entries of params.chosen per cloud.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE index_t chosen_per_cloud() const noexcept {
    return params.chosen.size() / clouds.size();
  }
  /// Returns the requested first sample of cloud b, which may be out of range.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE index_t first_of(index_t b) const noexcept {
    if (!params.firsts.empty()) return params.firsts[b];
    return params.random_first ? random_first(params.seed, b, clouds[b].size()) : params.first;
  }
  /// Returns the requested number of samples of cloud b.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE index_t samples_of(index_t b) const noexcept {
    if (params.sample_counts.empty()) return params.samples;
    return smaller(larger(params.sample_counts[b], index_t{0}), params.samples);
  }

  FARPOINT_HD FARPOINT_ALWAYS_INLINE void write(index_t b, index_t slot, index_t index,
                                                scalar distance) const noexcept {
    index_t const at = b * params.samples + slot;
    output.indices.set(at, index);
    if (!output.distances.empty()) output.distances[static_cast<std::size_t>(at)] = distance;
  }
  /// Writes padding behind a cloud's last sample.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void write_padding(index_t b, index_t slot) const noexcept {
    write(b, slot, -1, no_candidate<scalar>);
  }
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void write_count(index_t b, index_t count) const noexcept {
    if (!output.counts.empty()) output.counts.set(b, count);
  }
  /// Writes the output of a cloud without samples.
  void write_empty(index_t b) const noexcept {
    for (index_t slot = 0; slot < params.samples; ++slot) write_padding(b, slot);
    write_count(b, 0);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

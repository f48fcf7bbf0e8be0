/// @file
/// The arguments of a call of fps(), and how its output is written: for every backend.
#pragma once

#include <farpoint/container/hash.hpp>
#include <farpoint/core/batch.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/detail/fps/candidate_threshold.hpp>
#include <farpoint/types/fps.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// What a cloud without chosen points starts with.
struct fps_first {
  index_t index;   ///< -1: not a finite point, which is passed over for the finite point of lowest index
  bool has_cloud;  ///< false: out of range, and the cloud comes out empty
};

/// The point that cloud b starts with, of `points`: fewer than 2^32. The numbers of SplitMix64 (Steele, Lea and Flood
/// 2014); their upper halves are scaled, so that no point is more likely than another by more than one in 2^32.
FARPOINT_HD constexpr index_t random_first(std::uint64_t seed, index_t b, index_t points) noexcept {
  std::uint64_t const number = mix_bits(seed + 0x9e3779b97f4a7c15u * (static_cast<std::uint64_t>(b) + 1));
  return static_cast<index_t>((number >> 32) * static_cast<std::uint64_t>(points) >> 32);
}

/// The indices before `count`, and those from `count` on.
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
  /// On a device: not zero where offsets are wrong. Null: nobody has looked at them yet, and every block does.
  unsigned const* bad_offsets = nullptr;

  fps_args(batch<Points> const& clouds_, fps_params const& params_, fps_output<scalar> const& output_) noexcept
      : clouds{clouds_}, params{params_}, output{output_}, stop2{square(static_cast<scalar>(params_.stop_below))} {}

  /// Entries of params.chosen for each cloud.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE index_t chosen_per_cloud() const noexcept {
    return params.chosen.size() / clouds.size();
  }
  /// The first sample that cloud b is asked to start with: data, which may be wrong.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE index_t first_of(index_t b) const noexcept {
    if (!params.firsts.empty()) return params.firsts[b];
    return params.random_first ? random_first(params.seed, b, clouds[b].size()) : params.first;
  }
  /// Samples that cloud b is asked for.
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
  /// What stands behind a cloud's last sample.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void write_padding(index_t b, index_t slot) const noexcept {
    write(b, slot, -1, no_candidate<scalar>);
  }
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void write_count(index_t b, index_t count) const noexcept {
    if (!output.counts.empty()) output.counts.set(b, count);
  }
  /// A cloud without samples.
  void write_empty(index_t b) const noexcept {
    for (index_t slot = 0; slot < params.samples; ++slot) write_padding(b, slot);
    write_count(b, 0);
  }

 private:
  static scalar square(scalar value) noexcept { return value * value; }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

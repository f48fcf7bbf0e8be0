/// @file
/// What comes before and after the rounds of fps_shard() on streams: loops over independent indices, for kernels and
/// host threads alike.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/scale/fps_shard_task.hpp>
#include <farpoint/scale/stream/fps_layout.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Counts points that are not finite, and finds the first that is. Runs for the points.
template <class Points>
struct fps_stream_look_step {
  Points cloud;
  fps_stream_start<Points::dim>* own;
  std::uint64_t* non_finite;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    if (!is_finite(cloud[static_cast<index_t>(i)])) {
      atomic_add(non_finite, std::uint64_t{1});
    } else if (i < atomic_load(&own->lowest)) {
      atomic_min(&own->lowest, static_cast<std::uint32_t>(i));
    }
  }
};

/// Adds the coordinates. Runs once.
template <class Points>
struct fps_stream_start_step {
  Points cloud;
  fps_stream_start<Points::dim>* own;
  std::uint64_t const* non_finite;
  index_t first;  ///< local index; negative: another rank's

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    own->non_finite = *non_finite;
    if (own->lowest != 0xffffffffu) own->lowest_point = cloud[index_t{own->lowest}];
    if (first < 0) return;
    own->has_first = 1;
    own->first_counts = is_finite(cloud[first]) ? 1 : 0;
    own->first_point = cloud[first];
  }
};

/// Splits the keys of samples for a sort of 32 bits, the best first. Runs for the samples, for each half.
template <class Memory>
struct fps_stream_key_step {
  Memory memory;
  fps_key const* found;
  int buffer;  ///< of the values
  bool is_high;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    if (!is_high) memory.sort_values[0][i] = static_cast<std::uint32_t>(i);
    fps_key const key = ~found[memory.sort_values[buffer][i]];
    memory.sort_keys[0][i] = static_cast<std::uint32_t>(is_high ? key >> 32 : key);
  }
};

/// Copies the best samples in their order. Runs for them.
struct fps_stream_gather_step {
  fps_key const* found;
  std::uint32_t const* order;
  fps_key* to;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept { to[i] = found[order[i]]; }
};

/// Writes the answer. Runs for all samples asked for.
template <class Scalar>
struct fps_stream_write_step {
  fps_key const* found;
  std::uint32_t const* order;
  std::uint32_t size;
  index_t first;
  Scalar stop2;
  fps_shard_output<Scalar> output;
  index_t samples;

  FARPOINT_HD bool is_sample(index_t slot) const noexcept {
    if (slot == 0) return true;
    return slot <= index_t{size} && slot < samples && fps_distance_of(found[order[slot - 1]]) >= stop2;
  }
  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    auto const slot = static_cast<index_t>(i);
    bool const exists = is_sample(slot);
    fps_key const key = exists && slot > 0 ? found[order[slot - 1]] : 0;
    Scalar distance = no_candidate<Scalar>;
    if (exists) distance = slot == 0 ? not_yet_measured<Scalar> : fps_distance_of(key);
    output.indices[i] = !exists ? -1 : slot == 0 ? first : index_t{fps_index_of(key)};
    if (!output.distances.empty()) output.distances[i] = distance;
    if (output.count != nullptr && exists && !is_sample(slot + 1)) *output.count = slot + 1;
  }
};

/// The answer where there is no candidate. Runs for all samples asked for, or once.
template <class Scalar>
struct fps_stream_empty_step {
  fps_shard_output<Scalar> output;
  index_t samples;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    if (i == 0 && output.count != nullptr) *output.count = 0;
    if (static_cast<index_t>(i) >= samples) return;
    output.indices[i] = -1;
    if (!output.distances.empty()) output.distances[i] = no_candidate<Scalar>;
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Steps before and after the rounds of fps_shard() on streams: loops over independent indices, for kernels and host
/// threads.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/detail/fps/local_maxima/point_marks.hpp>
#include <farpoint/scale/stream/fps/layout.hpp>
#include <farpoint/types/fps_shard.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Counts the non-finite points, and finds the first finite one. Runs for the points.
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

/// Adds the coordinates of the first samples. Runs once.
template <class Points>
struct fps_stream_start_step {
  Points cloud;
  fps_stream_start<Points::dim>* own;
  std::uint64_t const* non_finite;
  index_t first;  ///< local index of the requested first sample; negative: not on this rank

  FARPOINT_HD void operator()(std::uint64_t) const noexcept {
    own->non_finite = *non_finite;
    if (own->lowest != 0xffffffffu) own->lowest_point = cloud[index_t{own->lowest}];
    if (first < 0) return;
    own->has_first = 1;
    own->first_counts = is_finite(cloud[first]) ? 1 : 0;
    own->first_point = cloud[first];
  }
};

/// Writes each chosen point that this rank has, and marks it. Runs for the entries of params.chosen.
template <class Points, class Memory>
struct fps_stream_tell_step {
  Points cloud;
  index_t first_index;
  index_view indices;
  Memory memory;
  fps_stream_chosen* total;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    index_t const index = indices[static_cast<index_t>(i)];
    // A sum does not depend on the order of the additions.
    atomic_add(&total->digest, mix_bits(i + mix_bits(static_cast<std::uint64_t>(index))));
    memory.chosen_indices[i] = static_cast<std::uint32_t>(index);
    auto& mine = memory.chosen[i];
    mine = {{}, fps_chosen_nowhere};
    index_t const own = index - first_index;
    if (own < 0 || own >= cloud.size()) return;
    mine.radius2 = fps_chosen_in_vain;
    if (!is_finite(cloud[own])) return;
    mine = {cloud[own], not_yet_measured<float>};
    point_marks{memory.marks}.add(own);
  }
};

/// Combines the chosen points of all ranks: finite ones become the first samples. Runs for the entries of
/// params.chosen.
template <class Memory>
struct fps_stream_hear_step {
  Memory memory;
  index_view indices;
  index_t ranks;
  fps_stream_chosen* total;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    auto const count = static_cast<std::uint64_t>(indices.size());
    auto best = memory.chosen[count + i];
    for (index_t r = 1; r < ranks; ++r) {
      auto const other = memory.chosen[count * static_cast<std::uint64_t>(r + 1) + i];
      if (other.radius2 > best.radius2) best = other;
    }
    memory.samples[i] = best;
    if (best.radius2 >= 0) atomic_add(&total->count, std::uint32_t{1});
    bool const is_wrong = best.radius2 == fps_chosen_nowhere && indices[static_cast<index_t>(i)] != -1;
    if (is_wrong) atomic_add(&total->out_of_range, std::uint32_t{1});
  }
};

/// Writes 32-bit halves of the samples' keys, inverted so that the best sorts first. Runs for the samples, once per
/// half.
template <class Memory>
struct fps_stream_key_step {
  Memory memory;
  fps_key const* found;
  int buffer;  ///< buffer of the values
  bool is_high;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    if (!is_high) memory.sort_values[0][i] = static_cast<std::uint32_t>(i);
    fps_key const key = ~found[memory.sort_values[buffer][i]];
    memory.sort_keys[0][i] = static_cast<std::uint32_t>(is_high ? key >> 32 : key);
  }
};

/// Copies the best samples in order. Runs for the samples to keep.
struct fps_stream_gather_step {
  fps_key const* found;
  std::uint32_t const* order;
  fps_key* to;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept { to[i] = found[order[i]]; }
};

/// Writes the output. Runs for all requested samples.
template <class Scalar>
struct fps_stream_write_step {
  fps_key const* found;
  std::uint32_t const* order;
  std::uint32_t size;
  index_t first;  ///< first sample, ahead of the found ones; negative without one
  Scalar stop2;
  fps_shard_output<Scalar> output;
  index_t samples;

  FARPOINT_HD bool is_sample(index_t slot) const noexcept {
    index_t const at = slot - before();
    return at < 0 || (at < index_t{size} && slot < samples && fps_distance_of(found[order[at]]) >= stop2);
  }
  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    auto const slot = static_cast<index_t>(i);
    bool const exists = is_sample(slot);
    bool const is_first = slot < before();
    fps_key const key = exists && !is_first ? found[order[slot - before()]] : 0;
    Scalar distance = no_candidate<Scalar>;
    if (exists) distance = is_first ? not_yet_measured<Scalar> : fps_distance_of(key);
    output.indices[i] = !exists ? -1 : is_first ? first : index_t{fps_index_of(key)};
    if (!output.distances.empty()) output.distances[i] = distance;
    if (output.count == nullptr) return;
    if (exists && !is_sample(slot + 1)) *output.count = slot + 1;
    if (!exists && slot == 0) *output.count = 0;
  }

 private:
  FARPOINT_HD index_t before() const noexcept { return first >= 0 ? 1 : 0; }
};

/// Writes the output of a cloud without candidates. Runs for all requested samples, or once.
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

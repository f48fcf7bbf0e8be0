/// @file
/// What fps() takes and fills.
#pragma once

#include <farpoint/core/index_span.hpp>
#include <farpoint/core/types.hpp>

#include <cstdint>

FARPOINT_BEGIN_NAMESPACE

/// Parameters of fps().
struct fps_params {
  /// Samples per cloud. More than a cloud has: all of its finite points are picked, and the rest is padded.
  index_t samples = 0;

  /// Index of the first sample in each cloud. If that point is not finite, the finite point of lowest index is picked
  /// instead. `firsts` and `chosen` take precedence. Ignored for an empty cloud.
  index_t first = 0;

  /// `[clouds]`, optional: the first sample of each cloud, in place of `first`.
  index_view firsts = {};

  /// `[clouds, chosen per cloud]`, optional: points that count as picked already. They are never picked, and every
  /// sample keeps its distance from them too, so that a call continues an earlier one. Entries of -1 are skipped, so
  /// an earlier call's padded output can be passed as it is; non-finite points are skipped too. A cloud without
  /// any valid entry starts with `first`.
  index_view chosen = {};

  /// Meters. Sampling of a cloud ends before a sample that is nearer than this to those picked before; 0: never.
  /// Compared as squares in the coordinates' scalar type.
  double stop_below = 0;

  /// `[clouds]`, optional: samples of each cloud, for clouds that are not sampled alike. A row has `samples` entries
  /// all the same: more count as `samples`, negative numbers as none.
  index_view sample_counts = {};

  /// Each cloud starts with a point that is drawn from `seed`, in place of `first`: the same on every run and backend,
  /// and another one in each cloud. `firsts` and `chosen` take precedence.
  bool random_first = false;
  std::uint64_t seed = 0;
};

/// Problems found in the data, counted over all clouds of a call.
struct fps_report {
  unsigned long long non_finite = 0;           ///< points with a NaN or infinite coordinate; never picked
  unsigned long long first_out_of_range = 0;   ///< clouds that came out empty for it
  unsigned long long chosen_out_of_range = 0;  ///< entries of `chosen` passed over for it
  unsigned long long bad_offsets = 0;  ///< wrong offsets: then all clouds came out empty, and nothing else counts
};

/// Outputs of fps(), in the memory space of the execution. Every part except `indices` is optional.
template <class Scalar = float>
struct fps_output {
  /// `[clouds, samples]`, row-major: indices into the cloud itself, in the order of selection; -1 past the count.
  index_span indices;

  /// `[clouds, samples]`: squared distance (m^2) to the nearest earlier sample when picked; +inf for a first sample,
  /// -1 past the count.
  span<Scalar> distances = {};

  /// `[clouds]`: samples picked.
  index_span counts = {};

  /// Overwritten, not added to.
  fps_report* report = nullptr;
};

FARPOINT_END_NAMESPACE

/// @file
/// Outputs and report of crop_box().
#pragma once

#include <farpoint/core/index_span.hpp>
#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Counters over all clouds of a call. Every point of a cloud is in exactly one of `written`, `outside`, `non_finite`
/// and `over_capacity`.
struct crop_box_report {
  unsigned long long written = 0;        ///< points in the box whose index was written
  unsigned long long outside = 0;        ///< finite points outside of the box
  unsigned long long non_finite = 0;     ///< points with a NaN or infinite coordinate: in no box
  unsigned long long over_capacity = 0;  ///< points in the box for whose index there was no room
  unsigned long long bad_offsets = 0;    ///< wrong offsets: then all clouds come out empty, and nothing else counts
};

/// Outputs of crop_box(), in the memory space of the execution.
struct crop_box_output {
  /// `[capacity]`: indices into the cloud itself, ascending, one cloud after another. Entries past the last are not
  /// written.
  index_span indices = {};

  /// `[clouds + 1]`: the points of cloud b have the entries `[offsets[b], offsets[b + 1])` of `indices`. Never beyond
  /// the capacity. The last is the number of indices.
  span<index_t> offsets = {};

  crop_box_report* report = nullptr;  ///< optional; overwritten, not added to
};

FARPOINT_END_NAMESPACE

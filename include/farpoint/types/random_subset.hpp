/// @file
/// Outputs and report of random_subset().
#pragma once

#include <farpoint/core/index_span.hpp>
#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Problems found in the data of a call.
struct random_subset_report {
  unsigned long long bad_offsets = 0;  ///< wrong offsets: then all clouds come out empty
};

/// Outputs of random_subset(), in the memory space of the execution. No part may overlap the offsets of the clouds.
struct random_subset_output {
  /// `[clouds * samples]`: indices into the cloud itself, in random order, one cloud after another; then -1. It is
  /// `[clouds, samples]` where no cloud has fewer points than samples.
  index_span indices = {};

  /// `[clouds + 1]`: cloud b has the entries `[offsets[b], offsets[b + 1])` of `indices`. The last is the number of
  /// indices.
  span<index_t> offsets = {};

  random_subset_report* report = nullptr;  ///< optional; overwritten, not added to
};

FARPOINT_END_NAMESPACE

/// @file
/// Output of interpolate().
#pragma once

#include <farpoint/core/types.hpp>
#include <farpoint/types/knn.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Outputs of interpolate(), in the memory space of the execution: a row for each query of the view. Rows of queries
/// that are in no cloud of a ragged batch are not written; where offsets are wrong (knn_report::bad_offsets), all rows
/// are zeros.
struct interpolate_output {
  span<float> features;          ///< `[queries, channels]`
  knn_report* report = nullptr;  ///< optional; overwritten, not added to
};

FARPOINT_END_NAMESPACE

/// @file
/// Fills of unused output rows, and last steps of searches, for bindings to other languages, on a stream, from the
/// compiled library.
#pragma once

#include <farpoint/core/cuda_exec.hpp>
#include <farpoint/core/index_span.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/runtime/api.hpp>
#include <farpoint/runtime/padded_rows.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace library {

/// Sets the rows that voxelize() has left alone to zeros, with one launch for all outputs. Device memory; only
/// enqueues.
/// @return ok | cuda_failure | unavailable
FARPOINT_API result zero_rows_past(cuda_exec exec, padded_rows const& rows) noexcept;

/// Fills rows of radius(), -1 past the last neighbor, with their first one, and those without any with zeros: the ball
/// query of PointNet++. Device memory; only enqueues.
/// @param exec     stream to enqueue on
/// @param rows     `[rows, columns]`
/// @param columns  of each row: at least 1
/// @return ok | cuda_failure | unavailable
FARPOINT_API result repeat_first(cuda_exec exec, index_span rows, index_t columns) noexcept;

/// Replaces squared distances of knn() by distances (m), and the index of each neighbor at +inf by 0: the results of
/// PointNet++'s three_nn. Device memory; only enqueues.
/// @param exec       stream to enqueue on
/// @param indices    `[values]`
/// @param distances  `[values]`: squared meters, then meters
/// @return ok | cuda_failure | unavailable
FARPOINT_API result root_of_distances(cuda_exec exec, index_span indices, span<float> distances) noexcept;
FARPOINT_API result root_of_distances(cuda_exec exec, index_span indices, span<double> distances) noexcept;

}  // namespace library
FARPOINT_END_NAMESPACE

/// @file
/// Parameters and output of mean_knn_distance().
#pragma once

#include <farpoint/core/types.hpp>
#include <farpoint/types/knn.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Neighbors that mean_knn_distance() takes.
struct mean_knn_distance_params {
  index_t k = 3;  ///< number of neighbors per point, without the point itself; 1 to 1,024
};

/// Output of mean_knn_distance(), in the memory space of the execution.
template <class Scalar = float>
struct mean_knn_distance_output {
  span<Scalar> means;  ///< `[points]`: mean squared distances (m^2); those of points in no cloud are not written
  knn_report* report = nullptr;  ///< optional; overwritten, not added to. If offsets are invalid, all means are +inf
};

FARPOINT_END_NAMESPACE

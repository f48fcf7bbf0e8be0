/// @file
/// The rows of the suite host_peers, a function for each source file.
#pragma once

#include "support/clouds.hpp"

#include <memory>
#include <vector>

namespace farpoint_bench {

// Each registers its rows, for the simulated clouds and for the scans; the rows need what is returned.

/// host_knn, host_queries, host_within and host_small of floats and doubles.
std::vector<std::shared_ptr<void>> register_searches(std::vector<named_scan> const& scans);
/// host_normals and host_centroids.
std::shared_ptr<void> register_clouds(std::vector<named_scan> const& scans);

}  // namespace farpoint_bench

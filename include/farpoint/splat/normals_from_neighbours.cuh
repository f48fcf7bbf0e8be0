/// @file
/// Deprecated name of splat/normals_from_neighbors.cuh, until 0.2.
#pragma once

#include <farpoint/splat/normals_from_neighbors.cuh>

/// @file
/// Deprecated name of types/neighbor_normals.hpp, until 0.2.
#pragma once

#include <farpoint/types/neighbor_normals.hpp>

/// @file
/// Deprecated name of container/neighbor_key.hpp, until 0.2.
#pragma once

#include <farpoint/container/neighbor_key.hpp>

/// @file
/// Clouds of float16 on host memory: the functions are those of host_calls.hpp.
#pragma once

#include <farpoint/runtime/host_calls.hpp>

/// @file
/// The compiled library (CMake target farpoint::farpoint), for plain C++17: on device memory and a stream, spelt as in
/// the .cuh headers, and on host memory, with the backend chosen at run time. docs/library.md shows both.
#pragma once

#include <farpoint/runtime/host_calls.hpp>
#include <farpoint/runtime/stream_calls.hpp>

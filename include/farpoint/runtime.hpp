/// @file
/// The compiled library (CMake target farpoint::farpoint), for plain C++17: on device memory and a stream, spelt as in
/// the .cuh headers, and on host memory, with the backend chosen at run time. docs/library.md shows both.
///
/// On a stream: for files that nvcc does not compile, and for those that would rather not wait for it. Each call is
/// spelt as in its header, does the same, and keeps the same promises: it only enqueues, may be captured in a graph,
/// and its workspace is the caller's. A cloud is a point_view of float, double or float16 with three coordinates and
/// any stride; other types, and selectors, need the header. In a file that includes both, a call that the library can
/// make goes to the library.
///
/// Besides, runtime/stream_hash_map.hpp has the bulk calls on hash maps, and runtime/stream_bounds.hpp the bounds of
/// workspaces: few need them, and they take time to compile.
///
/// A workspace needs `0` bytes and a call returns status::unavailable where there is no usable GPU, or no driver, or
/// where the library was built without CUDA.
#pragma once

#include <farpoint/runtime/host_calls.hpp>
#include <farpoint/runtime/host_hash_map.hpp>
#include <farpoint/runtime/host_index.hpp>
#include <farpoint/runtime/stream_calls.hpp>
#include <farpoint/runtime/stream_gather.hpp>
#include <farpoint/runtime/stream_screen.hpp>

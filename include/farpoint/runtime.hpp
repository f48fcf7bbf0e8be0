/// @file
/// Compiled library (CMake target farpoint::farpoint) for plain C++17: calls on device memory and a stream, as in the
/// .cuh headers, and calls on host memory, with the backend chosen at run time. docs/library.md shows both.
///
/// Calls on a stream are for files that nvcc does not compile, or need not. Each call has the signature, the result and
/// the guarantees of its header: it only enqueues, may be captured in a graph, and uses the caller's workspace. A cloud
/// is a point_view of float, double or float16 with three coordinates and any stride; other types, and selectors, need
/// the header. In a file that includes both, the library serves every call that it can.
///
/// Further headers, separate because they take time to compile: runtime/stream_hash_map.hpp has the bulk calls on hash
/// maps, runtime/stream_bounds.hpp the bounds of workspaces, and runtime/rank_calls.hpp the calls of ranks on clouds in
/// host memory.
///
/// Without a usable GPU or a driver, or if the library was built without CUDA, workspace sizes are 0 and calls return
/// status::unavailable.
#pragma once

#include <farpoint/runtime/host_calls.hpp>
#include <farpoint/runtime/host_hash_map.hpp>
#include <farpoint/runtime/host_index.hpp>
#include <farpoint/runtime/stream_calls.hpp>
#include <farpoint/runtime/stream_gather.hpp>
#include <farpoint/runtime/stream_screen.hpp>
#include <farpoint/runtime/stream_voxel_map.hpp>

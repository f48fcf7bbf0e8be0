/// @file
/// Bulk operations on a hash map on a CUDA stream: the functions of hash_map.hpp, with a cuda_exec or a stream as their
/// first argument.
///
/// Each call only enqueues: it never synchronizes or allocates, and may be captured in a graph. The map's buckets and
/// everything else that a call is given are device memory that must stay valid until the stream has passed the call.
/// Calls on one stream follow one another; across streams the rules of hash_map_ref apply. No call clears or returns
/// a pending error of other work.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/detail/hash_map/cuda.cuh>
#include <farpoint/hash_map.hpp>

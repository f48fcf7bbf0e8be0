/// @file
/// Tuning of the kernels of fps() by local maxima. It affects the speed, never a result.
#pragma once

#include <farpoint/core/types.hpp>

#include <cstdint>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Capacity of a block for candidates above the cut.
inline constexpr unsigned maxima_found = 128;

/// Upper bound of fps_choice::wanted.
inline constexpr int maxima_max_wanted = 1000000;
/// Upper bound of fps_choice::listed: a block votes for its listed candidates by the bits of one word.
inline constexpr int maxima_max_listed = 32;
/// Upper bound of fps_choice::singles: each has its own span in the order of samples, which has 256 spans.
inline constexpr int maxima_max_singles = 128;

/// Maximum number of candidates listed by a block whose shared memory holds points in addition to all lists.
inline constexpr unsigned maxima_listed_beside_chunks = 16;

/// Maximum number of candidates listed by a block of a team if coordinates are doubles: the lists of 132 blocks fit in
/// 227 KiB of shared memory, as they do with the boxes of 64 chunks per warp.
inline constexpr unsigned maxima_listed_of_doubles = 16, maxima_listed_of_chunks_of_doubles = 12;

/// Maximum and minimum relative distance of a cut below the best candidate.
inline constexpr float maxima_max_gap = 0.3f, maxima_min_gap = 1e-6f;

/// Number of messages from other blocks that a thread waits for at once, and of sample keys that it loads at once.
inline constexpr int maxima_messages_at_once = 2;
inline constexpr unsigned maxima_keys_at_once = 4;

/// Maximum number of points that a cloud counts for in addition to its own when a grid's blocks are distributed over
/// clouds and a block samples the cloud alone: the time that a round takes without points.
inline constexpr std::uint32_t maxima_extra_load = 2000;
/// Threads of the block that distributes a grid's blocks over clouds: one warp per number of points that it tries.
inline constexpr int maxima_schedule_block_size = 1024;

/// Kernels of several GPUs that sample one cloud: threads per block, and the maximum number of candidates that all
/// blocks together list, which fills shared memory.
inline constexpr int maxima_peer_block_size = 512;
inline constexpr unsigned maxima_peer_entries = 4224;

/// Target number of candidates above the cut per round on several GPUs, per square root of blocks: for few and for many
/// samples.
inline constexpr float maxima_peer_candidates = 30, maxima_peer_candidates_of_many = 60;

}  // namespace detail
FARPOINT_END_NAMESPACE

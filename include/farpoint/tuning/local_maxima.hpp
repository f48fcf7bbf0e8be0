/// @file
/// What makes the kernels of fps() by local maxima fast. Nothing here changes a result.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Candidates above the cut that a block has room for: of a block that has a cloud to itself, and of others.
inline constexpr unsigned maxima_found_alone = 256, maxima_found_shared = 128;

/// Upper bound of fps_choice::wanted.
inline constexpr int maxima_most_wanted = 1000000;
/// Upper bound of fps_choice::listed: a block votes for its listed candidates by the bits of one word.
inline constexpr int maxima_most_listed = 32;
/// Upper bound of fps_choice::singles: each has a span of its own in the order of samples, of which there are 256.
inline constexpr int maxima_most_singles = 128;

/// Lanes that find a candidate's rank together, where a block has more than it may list: a power of two, 32 at most.
inline constexpr unsigned maxima_rank_lanes = 1;

/// True: a thread collects the outcomes of its tests as bits, and a warp writes them at once; false: it writes each.
inline constexpr bool maxima_tests_by_bits = false;

/// Most candidates that a block lists where its points lie in shared memory, beside the lists of all blocks.
inline constexpr unsigned maxima_listed_beside_chunks = 16;

/// Most candidates that a block of a team lists where coordinates are doubles: the lists of 132 blocks fit in 227 KiB
/// of shared memory, beside the boxes of 64 chunks a warp, too. Not measured.
inline constexpr unsigned maxima_listed_of_doubles = 16, maxima_listed_of_chunks_of_doubles = 12;

/// How far below the best candidate a cut lies, as a part of it, at most and at least.
inline constexpr float maxima_most_gap = 0.3f, maxima_least_gap = 1e-6f;

/// Messages of other blocks that a thread waits for at once, and keys of samples that it loads at once.
inline constexpr int maxima_messages_at_once = 2;
inline constexpr unsigned maxima_keys_at_once = 4;

/// Threads of the block that shares a grid's blocks out among clouds: a warp for each number of points that it tries.
inline constexpr int maxima_schedule_block_size = 1024;

/// Where several GPUs sample one cloud, a kernel on each: threads of a block, and candidates that all blocks together
/// may list, as many as shared memory holds.
inline constexpr int maxima_peer_block_size = 512;
inline constexpr unsigned maxima_peer_entries = 4224;

/// Candidates above the cut that a round should find there, for each root of a block: of few samples and of many.
inline constexpr float maxima_peer_candidates = 30, maxima_peer_candidates_of_many = 60;

}  // namespace detail
FARPOINT_END_NAMESPACE

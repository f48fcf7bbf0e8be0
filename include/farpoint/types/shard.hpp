/// @file
/// Parts of a cloud on ranks, and the messages that ranks exchange.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// One rank's part of a cloud: consecutive points of it. A part may be empty.
template <class Points>
struct shard {
  /// The points, in the rank's memory.
  Points points{};
  /// Index of the part's first point in the whole cloud. Parts must not overlap; their order need not follow the ranks.
  index_t first_index = 0;
};

/// Part of a buffer that goes to one rank or comes from it.
struct message {
  std::size_t begin = 0;  ///< bytes from the start of the buffer
  std::size_t size = 0;   ///< bytes
};

/// Messages from one rank to each rank and back, itself included. The sizes agree: what rank a receives from rank b is
/// as long as what b sends to a.
struct all_to_all_messages {
  unsigned char const* send = nullptr;
  span<message const> outgoing = {};  ///< `[ranks]`: part of `send` for each rank
  unsigned char* receive = nullptr;
  span<message const> incoming = {};  ///< `[ranks]`: part of `receive` from each rank
};

FARPOINT_END_NAMESPACE

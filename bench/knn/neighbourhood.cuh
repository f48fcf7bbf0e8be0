/// @file
#pragma once

namespace farpoint_bench {

/// Registers the rows of what is made of neighbours.
void register_made(bool flush_l2);

}  // namespace farpoint_bench

/// @file
/// Rows of the steps of packets, see farpoint::packet_steps.
#pragma once

#include "knn/register.cuh"

namespace farpoint_bench {

/// Registers "packets/...": knn() among the points themselves, with each of the steps of packets.
void register_packets(bool flush_l2, knn_problem_store& problems);

}  // namespace farpoint_bench

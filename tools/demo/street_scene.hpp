// A simulated LiDAR sweep: the default cloud of `farpoint demo`.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace farpoint_tools {

/// One turn of a spinning LiDAR, 64 rings at 1.73 m above a street of houses, parked cars, trees and people.
///
/// Meters; x along the street, y to the left, z up, the sensor at the origin. 30,000 to 60,000 returns within 90 m,
/// 2 cm of range noise, coordinates in steps of 1/1024 m. Equal seeds give equal points on every machine.
std::vector<std::array<float, 3>> simulate_street_sweep(std::uint64_t seed);

}  // namespace farpoint_tools

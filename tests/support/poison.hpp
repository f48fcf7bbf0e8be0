// What fills memory that a call must write, or must leave alone.
#pragma once

namespace farpoint_tests {

/// The same on host and device, so that what nobody wrote compares equal.
inline constexpr unsigned char poison = 0xa5;

}  // namespace farpoint_tests

// Fill byte of memory that a call must write or must leave unchanged.
#pragma once

namespace farpoint_tests {

/// Equal on host and device, so that bytes that no call wrote compare equal.
inline constexpr unsigned char poison = 0xa5;

}  // namespace farpoint_tests

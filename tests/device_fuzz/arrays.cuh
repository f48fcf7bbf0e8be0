// An output that a device and the host fill, and their difference.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "../support/answers.hpp"
#include "../support/device/clouds_on_device.cuh"
#include "../support/device/run_call.cuh"
#include "../support/host_array.hpp"

namespace farpoint_tests {

/// An array in host memory and its twin in device memory, with guards and equal poison.
template <class T>
class twin_array {
 public:
  explicit twin_array(std::size_t size) : host_{size}, device_{size} {}
  explicit twin_array(std::vector<T> const& values) : host_{values}, device_{values} {}

  farpoint::span<T> host() const { return {host_.data(), host_.size()}; }
  farpoint::span<T> device() const { return {device_.data(), device_.size()}; }

  /// Describes the first difference of the two arrays, or a written guard; empty if they are equal.
  std::string difference(char const* name) const {
    if (!host_.intact() || !device_.intact()) return std::string{name} + ": a guard was written; ";
    auto const a = device_.download();
    auto const b = host_.download();
    if (same_bits(a, b)) return {};
    std::size_t i = 0;
    while (std::memcmp(&a[i], &b[i], sizeof(T)) == 0) ++i;
    std::string text = std::string{name} + "[" + std::to_string(i) + "] of " + std::to_string(a.size());
    if constexpr (std::is_arithmetic_v<T>) text += ": " + std::to_string(a[i]) + " / " + std::to_string(b[i]);
    return text + "; ";
  }

 private:
  host_array<T> host_;
  device_array<T> device_;
};

/// The reason for which a call was refused; empty if it was not.
inline std::string refusal(char const* backend, farpoint::result const& outcome) {
  return outcome ? std::string{} : std::string{backend} + ": " + outcome.reason + "; ";
}

}  // namespace farpoint_tests

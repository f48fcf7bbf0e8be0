// A checksum of answers, to compare what programs print.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace farpoint_tests {

/// FNV-1a over the bytes of what is added.
class checksum {
 public:
  checksum& add(void const* data, std::size_t size) {
    auto const* const bytes = static_cast<unsigned char const*>(data);
    for (std::size_t i = 0; i < size; ++i) value_ = (value_ ^ bytes[i]) * 1099511628211u;
    return *this;
  }
  /// A number, of which all bytes are its value's.
  template <class Number>
  checksum& add(Number const& value) {
    return add(&value, sizeof value);
  }
  template <class Number>
  checksum& add(std::vector<Number> const& values) {
    return add(values.data(), values.size() * sizeof(Number));
  }

  unsigned long long value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 1469598103934665603u;
};

}  // namespace farpoint_tests

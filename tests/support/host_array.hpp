// Host memory for a test, between two guards: what device_array is on a device.
#pragma once

#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/workspace.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

#include "poison.hpp"

namespace farpoint_tests {

using farpoint::host_exec;
using farpoint::detail::host_workspace;

/// Aligned as a workspace.
template <class T>
class host_array {
 public:
  explicit host_array(std::size_t size) : size_{size}, memory_{size * sizeof(T) + 2 * guard} {
    std::fill_n(memory_.get().data(), memory_.get().size(), poison);
  }
  explicit host_array(std::vector<T> const& values) : host_array(values.size()) { upload(values); }

  T* data() const { return reinterpret_cast<T*>(memory_.get().data() + guard); }
  std::size_t size() const { return size_; }
  void upload(std::vector<T> const& values) { std::copy(values.begin(), values.end(), data()); }
  std::vector<T> download() const { return {data(), data() + size_}; }

  /// No byte outside was written.
  bool intact() const { return is_poison(0, guard) && is_poison(guard + size_ * sizeof(T), guard); }
  bool untouched() const { return is_poison(0, memory_.get().size()); }

 private:
  static constexpr std::size_t guard = 512;

  bool is_poison(std::size_t begin, std::size_t size) const {
    auto const part = memory_.get().subspan(begin, size);
    return std::all_of(part.begin(), part.end(), [](unsigned char byte) { return byte == poison; });
  }

  std::size_t size_;
  host_workspace memory_;
};

}  // namespace farpoint_tests

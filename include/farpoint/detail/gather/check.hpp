/// @file
/// Checks of the arguments of gather(), for every backend.
#pragma once

#include <farpoint/core/check.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Checks sizes only: the arrays may be in device memory.
template <class Value>
result check_gather(span<Value const> features, index_t channels, index_t rows, span<Value> output) noexcept {
  static_assert(std::is_trivially_copyable_v<Value>, "farpoint: gather() copies values byte by byte");
  if (channels < 1) return reject("gather: channels is not positive");
  if (static_cast<index_t>(features.size()) % channels != 0) {
    return reject("gather: the size of features is not a multiple of channels");
  }
  if (!holds(static_cast<index_t>(output.size()), rows, channels)) {
    return reject("gather: output is smaller than indices x channels");
  }
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE
